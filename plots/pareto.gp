# Tail against peak memory: a point per cell with its 95% interval, the Pareto set ringed.
set label 4 NOTE at screen 0.015, screen 0 offset 0,0.9 left font ',11' textcolor rgb '#444444'
if (strlen(NOTE) > 0) { set bmargin 5.2 }
set xlabel XLABEL
set ylabel TAIL_NAME.' of '.METRIC.' ('.UNIT.')'
set format x '%.6g'
set format y '%.6g'
set offsets graph 0.06, graph 0.06, graph 0.06, graph 0.06
# All at one peak, around which gnuplot would make an axis of a hundredth of it.
if (ONE_PEAK > 0) { set xrange [0:2*ONE_PEAK] }
plot 'pareto.dat' index POLICIES+1 using 1:2 with steps lw 1.5 dt 2 lc rgb '#444444' notitle, \
     for [i=1:POLICIES] 'pareto.dat' index i-1 using 1:(barred($2, $3)):3:4 with yerrorbars lw 1.8 lc rgb COLOUR[i] pt POINT[i] ps 1.1 notitle, \
     for [i=1:POLICIES] 'pareto.dat' index i-1 using 1:2 with points lc rgb COLOUR[i] pt POINT[i] ps 1.1 notitle, \
     for [i=1:POLICIES] NaN with points pt POINT[i] ps 1.1 lc rgb COLOUR[i] title TITLES[i], \
     'pareto.dat' index POLICIES using 1:2 with points pt 6 ps 2.4 lw 1.6 lc rgb '#000000' title 'Pareto set'

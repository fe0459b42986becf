# The tail against a sweep axis: a line per policy, 95% intervals as bars.
set xlabel AXIS
set ylabel TAIL_NAME.' of '.METRIC.' ('.UNIT.')'
set xrange [0.7:VALUES+0.3]
set format y '%.6g'
unset xtics
set xtics (VALUE[1] 1)
do for [v=2:VALUES] { set xtics add (VALUE[v] v) }
set grid noxtics
plot for [i=1:LINES] 'axis.dat' index i-1 using 1:2 with lines lw (LEVEL[i] ? 1.2 : 2) lc rgb COLOUR[i] dt (LEVEL[i] ? 3 : DASH[i]) notitle, \
     for [i=1:LINES] 'axis.dat' index i-1 using 1:2:3:4 with yerrorbars lw 1.8 lc rgb COLOUR[i] pt POINT[i] ps (LEVEL[i] ? 0.01 : 1.0) title TITLES[i].(LEVEL[i] ? ' (no such parameter)' : '')

# Who wins over two axes: regions by policy, hatched where none is shown to win, break-evens as lines in their bands.
set label 4 NOTE1 at screen 0.015, screen 0 offset 0,2 left font ',11' textcolor rgb '#444444'
set label 5 NOTE2 at screen 0.015, screen 0 offset 0,0.8 left font ',11' textcolor rgb '#444444'
set bmargin 6.2
set border 15 front lw 1.2 lc rgb '#444444'
set xlabel XLABEL
set ylabel YLABEL
set xrange [XAT[1]:XAT[XVALUES]]
set yrange [YAT[1]:YAT[YVALUES]]
unset xtics
unset ytics
set xtics nomirror out scale 0.6 (XTEXTS[1] XAT[1])
do for [v=2:XVALUES] { set xtics add (XTEXTS[v] XAT[v]) }
set ytics nomirror out scale 0.6 (YTEXTS[1] YAT[1])
do for [v=2:YVALUES] { set ytics add (YTEXTS[v] YAT[v]) }
unset grid
plot for [i=1:POLICIES] 'map.dat' index i-1 using 1:2 with filledcurves closed fc rgb FILL[i] fs solid 1 border lc rgb FILL[i] notitle, \
     for [i=1:POLICIES] NaN with filledcurves closed fc rgb FILL[i] fs solid 1 noborder title TITLES[i], \
     'map.dat' index POLICIES using 1:2 with filledcurves closed fc rgb '#555555' fs transparent pattern 4 noborder notitle, \
     'map.dat' index POLICIES+1 using 1:2 with filledcurves closed fc rgb '#555555' fs transparent pattern 5 noborder notitle, \
     'map.dat' index POLICIES+2 using 1:2 with filledcurves closed fc rgb '#000000' fs transparent solid 0.35 noborder notitle, \
     'map.dat' index POLICIES+3 using 1:2 with lines lw 2.2 lc rgb '#000000' notitle, \
     'map.dat' index POLICIES+4 using 1:2 with lines lw 1.6 dt 2 lc rgb '#000000' notitle, \
     'map.dat' index POLICIES+5 using 1:2 with points pt 7 ps 0.5 lc rgb '#222222' notitle, \
     for [i=1:TIED] NaN with filledcurves closed fc rgb '#555555' fs transparent pattern 4 border lc rgb '#888888' title 'tie', \
     for [i=1:UNTESTED] NaN with filledcurves closed fc rgb '#555555' fs transparent pattern 5 border lc rgb '#888888' title 'not compared', \
     for [i=1:BANDED] NaN with lines lw 2.2 lc rgb '#000000' title 'break-even', \
     for [i=1:BANDED] NaN with filledcurves closed fc rgb '#000000' fs transparent solid 0.35 noborder title 'sampling noise'

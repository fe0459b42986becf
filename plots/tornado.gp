# What 20% less (blue) and 20% more (orange) of each part do to the tail; 95% intervals as lines.
set label 4 NOTE at screen 0.015, screen 0 offset 0,0.9 left font ',11' textcolor rgb '#444444'
set bmargin 5.2
set xlabel 'change of the '.TAIL_NAME.' of '.METRIC.' ('.UNIT.')'
set xrange [LEFT:RIGHT]
set yrange [0.3:BARS+0.7]
set format x '%+.6g'
unset ytics
set ytics nomirror out scale 0.6 (LABELS[1] 1)
do for [b=2:BARS] { set ytics add (LABELS[b] b) }
set grid noytics
set lmargin 38
set arrow 1 from 0, graph 0 to 0, graph 1 nohead lc rgb '#444444' lw 1
plot 'tornado.dat' index 0 using 1:2:(0):1:($2-0.02):($2+0.38) with boxxyerror fs solid 1 noborder fc rgb '#0072B2' title '20% less', \
     'tornado.dat' index 1 using 1:2:(0):1:($2-0.38):($2-0.02) with boxxyerror fs solid 1 noborder fc rgb '#E69F00' title '20% more', \
     'tornado.dat' index 0 using 1:($2+0.18):3:4 with xerrorbars pt -1 lw 1.6 lc rgb '#000000' notitle, \
     'tornado.dat' index 1 using 1:($2-0.2):3:4 with xerrorbars pt -1 lw 1.6 lc rgb '#000000' notitle, \
     for [t=1:STOPPED] 'tornado.dat' index 2 using 1:2:3 with labels left offset 0.8,0 font ',11' textcolor rgb '#444444' notitle

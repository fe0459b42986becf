# How far each figure may drift before another policy leads: bars in the colour of who leads.
set label 4 NOTE at screen 0.015, screen 0 offset 0,0.9 left font ',11' textcolor rgb '#444444'
set bmargin 5.2
set xlabel 'factor on the figure as calibrated (log)'
set xrange [-log(WITHIN):log(WITHIN)]
set yrange [0.3:FIGURES+0.7]
unset xtics
unset ytics
set xtics nomirror out scale 0.6 ('x1' 0)
do for [t=1:4] {
    set xtics add (sprintf('x%.3g', WITHIN**(t/4.0)) log(WITHIN)*t/4.0)
    set xtics add (sprintf('x%.3g', WITHIN**(-t/4.0)) -log(WITHIN)*t/4.0)
}
set ytics nomirror out scale 0.6 (LABELS[1] 1)
do for [b=2:FIGURES] { set ytics add (LABELS[b] b) }
set grid noytics
set lmargin 38
set arrow 1 from 0, graph 0 to 0, graph 1 nohead front lc rgb '#444444' lw 1
plot for [i=1:POLICIES] 'robustness.dat' index i-1 using 1:2:3:4:5:6 with boxxyerror fs solid 1 noborder fc rgb FILL[i] notitle, \
     for [i=1:POLICIES] NaN with filledcurves closed fc rgb FILL[i] fs solid 1 noborder title (strlen(TITLES[i]) > 0 ? TITLES[i].' leads' : ''), \
     'robustness.dat' index POLICIES using 1:2:3:4 with xerrorbars pt 7 ps 0.6 lw 2 lc rgb '#000000' title 'flip'

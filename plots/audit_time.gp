# Time without computation by cause, stacked, a bar per step; how long it computes as text.
set label 4 'Each moment counts once: for computation on any device, else a transfer, communication, a copy within, other work, else for why no device has work.' at screen 0.015, screen 0 offset 0,0.9 left font ',10.5' textcolor rgb '#444444'
set bmargin 5.2
set xlabel 'time without computation ('.UNIT.')'
set xrange [0:LONGEST*1.6]
set yrange [0.3:BARS+0.7]
set format x '%.6g'
unset ytics
set ytics nomirror out scale 0.6 (LABELS[1] 1)
do for [b=2:BARS] { set ytics add (LABELS[b] b) }
set grid noytics
set lmargin at screen 260/1200.0
set rmargin at screen 850/1200.0
plot for [c=1:CAUSES] 'time.dat' index c-1 using 1:2:3:4:($2-0.34):($2+0.34) with boxxyerror fs solid 1 noborder fc rgb COLOUR[c] notitle, \
     for [c=1:CAUSES] NaN with boxes fs solid 1 noborder fc rgb COLOUR[c] title NAMES[c], \
     'ends.dat' using 1:2:3 with labels left offset 0.8,0 font ',11' textcolor rgb '#444444' notitle

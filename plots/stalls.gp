# Idle time of the busy resource by cause, stacked, a bar per policy; its busy time as text.
set label 4 NOTE at screen 0.015, screen 0 offset 0,0.9 left font ',11' textcolor rgb '#444444'
if (strlen(NOTE) > 0) { set bmargin 5.2 }
set xlabel 'mean idle time of '.BUSY.' ('.UNIT.')'
set xrange [0:LONGEST*1.2]
set yrange [0.3:BARS+0.7]
set format x '%.6g'
unset ytics
set ytics nomirror out scale 0.6 (LABELS[1] 1)
do for [b=2:BARS] { set ytics add (LABELS[b] b) }
set grid noytics
set lmargin 34
plot for [c=1:CAUSES] 'stalls.dat' index c-1 using 1:2:3:4:($2-0.34):($2+0.34) with boxxyerror fs solid 1 noborder fc rgb COLOUR[c] title NAMES[c], \
     'ends.dat' using 1:2:3 with labels left offset 0.8,0 font ',11' textcolor rgb '#444444' notitle

# What the streams of a trace ran, and what held host threads up: a row per stream and thread, steps as lines.
set label 4 NOTE at screen 0.015, screen 0 offset 0,0.9 left font ',10.5' textcolor rgb '#444444'
if (strlen(NOTE) > 0) { set bmargin 5.2 }
set xlabel 'time from the first event of the trace ('.UNIT.')'
set xrange [FROM:TO]
set yrange [0.4:ROWS+1]
set format x '%.6g'
unset ytics
set ytics nomirror out scale 0.6 (LABELS[1] ROWS)
do for [r=2:ROWS] { set ytics add (LABELS[r] ROWS+1-r) }
set grid noytics
set lmargin at screen 230/1200.0
set rmargin at screen 950/1200.0
if (COLD) { set object 1 rectangle from COLD_FROM, graph 0 to COLD_TO, graph 1 fs solid 1 noborder fc rgb '#eeeeee' behind }
plot for [k=1:KINDS] 'bars.dat' index k-1 using 1:2:3:4:5:6 with boxxyerror fs solid 1 noborder fc rgb COLOUR[k] notitle, \
     for [s=1:(STEPS > 0)] 'steps.dat' using 1:(0.4):(0):(ROWS+0.6) with vectors nohead dt 3 lw 1.2 lc rgb '#000000' notitle, \
     for [s=1:(NUMBERED > 0)] 'steps.dat' using 1:(ROWS+0.75):(sprintf('step %.0f', $2)) with labels left offset 0.4,0 font ',11' textcolor rgb '#444444' notitle, \
     for [k=1:KINDS] NaN with boxes fs solid 1 noborder fc rgb COLOUR[k] title NAMES[k], \
     for [s=1:COLD] NaN with boxes fs solid 1 noborder fc rgb '#eeeeee' title 'cold step', \
     for [s=1:(STEPS > 0)] NaN with lines dt 3 lw 1.2 lc rgb '#000000' title 'step begins'

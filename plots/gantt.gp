# One trial: a row per resource, bars by node kind, the realized chain in full colour and on top.
set xlabel 'time ('.UNIT.')'
set xrange [0:END]
set yrange [0.4:ROWS+1.6]
set format x '%.6g'
unset ytics
set ytics nomirror out scale 0.6 ('chain' ROWS+1)
do for [r=1:ROWS] { set ytics add (RESOURCES[r] ROWS+1-r) }
set grid noytics
set lmargin 14
plot for [k=1:KINDS] 'bars.dat' index 2*(k-1) using 1:2:3:4:5:6 with boxxyerror fs transparent solid 0.38 noborder fc rgb COLOUR[k] notitle, \
     for [k=1:KINDS] 'bars.dat' index 2*(k-1)+1 using 1:2:3:4:5:6 with boxxyerror fs solid 1 noborder fc rgb COLOUR[k] notitle, \
     for [k=1:KINDS*OUTLINE] 'bars.dat' index 2*(k-1)+1 using 1:2:3:4:5:6 with boxxyerror lw 0.6 lc rgb '#222222' fs empty border notitle, \
     for [k=1:KINDS] NaN with boxes fs solid 1 noborder fc rgb COLOUR[k] title NAMES[k], \
     NaN with boxes fs transparent solid 0.38 noborder fc rgb '#444444' title 'off the chain'

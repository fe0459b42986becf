# How long after readiness the most urgent nodes may start, and how long after it they did in two trials.
set xlabel 'time after the node is ready ('.UNIT.')'
set xrange [LEAST-0.02*(MOST-LEAST):MOST+0.02*(MOST-LEAST)]
set yrange [0.3:ROWS+0.7]
set format x '%.6g'
unset ytics
set ytics nomirror out scale 0.6 (LABELS[1] 1)
do for [r=2:ROWS] { set ytics add (LABELS[r] r) }
set grid noytics
set lmargin 34
set arrow 1 from 0, 0.3 to 0, ROWS+0.7 nohead lc rgb '#444444' lw 1.2 front
plot 'slack.dat' using ($2 >= 0 ? $2 : NaN):1:(0):2:($1-0.3):($1+0.3) with boxxyerror fs solid 1 noborder fc rgb '#56B4E9' title 'mean slack', \
     for [k=1:BELOW] 'slack.dat' using ($2 < 0 ? $2 : NaN):1:2:(0):($1-0.3):($1+0.3) with boxxyerror fs solid 1 noborder fc rgb '#D55E00' title 'mean slack below 0', \
     'slack.dat' using 3:($1-0.4):(0):(0.8) with vectors nohead lc rgb '#000000' lw 2 title '5% quantile of slack', \
     'slack.dat' using 4:1 with points pt 6 ps 1.4 lw 2 lc rgb '#009E73' title 'start, median trial', \
     'slack.dat' using 5:1 with points pt 9 ps 1.2 lc rgb '#CC79A7' title 'start, p99 trial'

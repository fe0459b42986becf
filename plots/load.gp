# Jobs in the system over time, first trial: a line per policy.
set xlabel 'time ('.UNIT.')'
set ylabel 'jobs in the system'
set xrange [0:LAST]
set yrange [0:TOP]
set format x '%.6g'
plot for [i=1:CURVES] 'load.dat' index i-1 using ($1/DIVISOR):2 with lines lw 1.8 lc rgb COLOUR[i] dt DASH[i] title TITLES[i]

# Time of each iteration: mean with its interval, median and p99 over trials; the warm-up is shaded.
set xlabel 'iteration'
set ylabel 'time ('.UNIT.')'
set xrange [0.5:COUNT+0.5]
set yrange [0:TOP*1.08]
set rmargin at screen 0.7
if (COLD > 0) { set object 1 rectangle from 0.5, graph 0 to COLD+0.5, graph 1 fs solid 1 noborder fc rgb '#eeeeee' behind }
if (COLD > 0) { set label 3 'warm-up' at 0.5+COLD/2.0, graph 0.04 center font ',11' textcolor rgb '#444444' }
plot 'iterations.dat' using 1:3:4 with filledcurves fc rgb '#9ecae1' fs solid 1 noborder title '95% interval of the mean', \
     for [i=1:P99] '' using 1:6 with lines lw 1.6 lc rgb '#D55E00' title 'p99', \
     '' using 1:5 with lines lw 1.6 dt 2 lc rgb '#009E73' title 'median', \
     '' using 1:2 with lines lw 2 lc rgb '#0072B2' title 'mean', \
     (x > COLD+0.5 ? WARM : NaN) with lines lw 1.2 dt 3 lc rgb '#000000' title 'mean after warm-up'

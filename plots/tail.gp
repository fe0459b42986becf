# Complementary distribution of the metric: share of trials, or jobs, above a value, log scale.
set label 4 NOTE at screen 0.015, screen 0 offset 0,0.9 left font ',11' textcolor rgb '#444444'
if (strlen(NOTE) > 0) { set bmargin 5.2 }
set xlabel METRIC.' ('.UNIT.')'
set ylabel 'share of '.WHAT.' above'
set logscale y
set yrange [LOWEST:1]
set ytics ('100%%' 1, '50%%' 0.5, '10%%' 0.1, '5%%' 0.05, '1%%' 0.01, '0.1%%' 0.001, '0.01%%' 1e-4, '0.001%%' 1e-5)
set format x '%.6g'
set arrow from graph 0, first TAIL to graph 1, first TAIL nohead lc rgb '#888888' dt 3 lw 1.2 back
set label 3 TAIL_NAME at graph 0.005, first TAIL offset 0,0.6 textcolor rgb '#666666' font ',11'
# The intervals stand around the line of their quantile, so that none hides another.
beside(i) = TAIL*10**(0.045*(i - (CURVES + 1)/2.0))
plot for [i=1:CURVES] 'tail.dat' index i-1 using 1:2 with steps lw 2 lc rgb COLOUR[i] dt DASH[i] title TITLES[i], \
     for [i=1:CURVES] 'bars.dat' index i-1 using 1:(beside(i)):3:4 with xerrorbars lw 2.2 lc rgb COLOUR[i] pt POINT[i] ps 0.7 notitle, \
     for [i=1:(strlen(BARS) > 0)] NaN with xerrorbars lw 2 lc rgb '#444444' pt 7 ps 0.7 title BARS

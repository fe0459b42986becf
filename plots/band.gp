# Left: each policy's tail over draws of the calibration (box 5% to 95%, line all of them) above its nominal
# estimate with the sampling interval.  Right: the share of draws that it wins.
set label 4 NOTE at screen 0.015, screen 0 offset 0,0.9 left font ',11' textcolor rgb '#444444'
set multiplot
set xlabel TAIL_NAME.' of '.METRIC.' ('.UNIT.')'
set xrange [LEAST:MOST]
set yrange [0.35:ROWS+0.65]
set format x '%.6g'
unset ytics
set ytics nomirror out scale 0.6 (LABELS[1] 1)
do for [r=2:ROWS] { set ytics add (LABELS[r] r) }
set grid noytics
set lmargin at screen 0.27
set rmargin at screen (SHARES ? 0.72 : 0.97)
set bmargin 8
set key at screen 0.27, character 4.4 left top vertical Left reverse samplen 1.8 font ',12'
plot for [r=1:ROWS] 'band.dat' index r-1 using 2:1:5:6 with xerrorbars ps 0 pt 7 lw 1.4 lc rgb COLOUR[r] notitle, \
     for [r=1:ROWS] 'band.dat' index r-1 using 2:1:2:4:($1-0.13):($1+0.13) with boxxyerror fs solid 0.35 border lc rgb COLOUR[r] fc rgb COLOUR[r] notitle, \
     for [r=1:ROWS] 'band.dat' index r-1 using 3:($1-0.17):(0):(0.34) with vectors nohead lw 3 lc rgb COLOUR[r] notitle, \
     for [r=1:ROWS] 'band.dat' index r-1 using 7:($1-0.29):8:9 with xerrorbars pt 7 ps 0.8 lw 1.8 lc rgb '#000000' notitle, \
     NaN with boxes fs solid 0.35 border lc rgb '#666666' fc rgb '#666666' title '5%, 50%, 95% of draws; line: all draws', \
     NaN with xerrorbars pt 7 ps 0.8 lw 1.8 lc rgb '#000000' title 'as calibrated, 95% interval'
if (SHARES) {
unset label
unset key
unset ytics
set xlabel 'share of draws that it wins'
set xrange [0:132]
set xtics ('0%%' 0, '50%%' 50, '100%%' 100)
set lmargin at screen 0.75
set rmargin at screen 0.985
plot for [r=1:ROWS] 'band.dat' index r-1 using (0):1:(0):10:($1-0.13):($1+0.13) with boxxyerror fs solid 0.8 noborder fc rgb COLOUR[r] notitle, \
     'shares.dat' using 2:1:3:4 with xerrorbars pt 7 ps 0 lw 1.6 lc rgb '#000000' notitle, \
     'shares.dat' using 4:1:5 with labels left offset 0.7,0 font ',12' textcolor rgb '#222222' notitle
}
unset multiplot

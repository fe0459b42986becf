# Read before every picture: what all of them look like.
reset
set border 3 lc rgb '#444444'
set tics nomirror out scale 0.6 textcolor rgb '#222222'
set grid lc rgb '#e4e4e4' lt 1 lw 0.8
set label 1 TITLE1 at screen 0.015, screen 1 offset 0,-1.4 left font ',15'
set label 2 TITLE2 at screen 0.015, screen 1 offset 0,-2.8 left font ',15'
set key outside right top vertical Left reverse samplen 2.2 spacing 1.15 width 0
set lmargin 11
set tmargin (strlen(TITLE2) > 0 ? 4.6 : 3.4)
set bmargin 4
# A value that has an interval: without one, gnuplot would draw bars to 0.
barred(value, lo) = lo == lo ? value : NaN

# Read before every picture: what all of them look like.
reset
set border 3 lc rgb '#444444'
set tics nomirror out scale 0.6 textcolor rgb '#222222'
set grid lc rgb '#e4e4e4' lt 1 lw 0.8
set title TITLE font ',15' offset 0,0.6
set key outside right top vertical Left reverse samplen 2.2 spacing 1.15 width 0
set lmargin 11
set tmargin 4
set bmargin 4

# Slowdown of each work beside each other one: a cell per pair, its number in it, and the scale of the colours.
set label 4 NOTE at screen 0.015, screen 0 offset 0,0.9 left font ',11' textcolor rgb '#444444'
set bmargin 6.6
set lmargin 16
set rmargin 2
set xlabel 'beside'
set ylabel 'slowdown of'
set xrange [0.45:OTHERS+1.45]
set yrange [0.4:VICTIMS+0.6]
unset border
unset grid
unset key
unset xtics
unset ytics
set xtics nomirror scale 0 (OTHER[1] 1)
do for [c=2:OTHERS] { set xtics add (OTHER[c] c) }
if (OTHERS > 8) { set xtics rotate by 30 right }
set ytics nomirror scale 0 (VICTIM[1] 1)
do for [r=2:VICTIMS] { set ytics add (VICTIM[r] r) }
plot 'kappa.dat' index 0 using 1:2:3:4:5:6:7 with boxxyerror fs solid 1 noborder lc rgb variable, \
     'kappa.dat' index 1 using 1:2:4:3 with labels offset 0,0.45 font ',14' textcolor rgb variable, \
     'kappa.dat' index 2 using 1:2:4:3 with labels offset 0,-0.75 font ',10' textcolor rgb variable, \
     'kappa.dat' index 3 using 1:2:4:3 with labels left font ',11' textcolor rgb variable

# The tail against a sweep axis: a line per policy, 95% intervals as bars; a policy that the axis
# does not apply to is a dotted level line.
set label 4 NOTE at screen 0.015, screen 0 offset 0,0.9 left font ',11' textcolor rgb '#444444'
if (strlen(NOTE) > 0) { set bmargin 5.2 }
set xlabel AXIS
set ylabel TAIL_NAME.' of '.METRIC.' ('.UNIT.')'
set xrange [0.7:RIGHT]
set yrange [BOTTOM:TOP]
set format y '%.6g'
unset xtics
set xtics nomirror out scale 0.6 (VALUE[1] 1)
do for [v=2:VALUES] { set xtics add (VALUE[v] v) }
set grid noxtics
array STROKE[LINES]
array SIZE[LINES]
array NAME[LINES]
do for [i=1:LINES] {
    STROKE[i] = LEVEL[i] ? 3 : DASH[i]
    SIZE[i] = LEVEL[i] ? 0.3 : 1.0
    NAME[i] = TITLES[i].(LEVEL[i] ? ' (not swept)' : '')
}
plot for [i=1:LINES] 'axis.dat' index i-1 using 1:(barred($2, $3)):3:4 with yerrorbars lw 1.8 lc rgb COLOUR[i] pt POINT[i] ps 0 notitle, \
     for [i=1:LINES] 'axis.dat' index i-1 using 1:2 with linespoints lw 2 lc rgb COLOUR[i] dt STROKE[i] pt POINT[i] ps SIZE[i] title NAME[i]

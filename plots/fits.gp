# Durations against their fitted laws: a panel per class, points on the diagonal where the law fits.
LINES = int((PANELS + COLUMNS - 1) / COLUMNS)
HEIGHT = 290.0 * LINES + 150
set label 4 NOTE at screen 0.015, screen 0 offset 0,0.9 left font ',11' textcolor rgb '#444444'
set key inside left top vertical Left reverse samplen 0.4 spacing 0.9 font ',9' noopaque
set tics font ',10'
set format '%.4g'
set border 3
set multiplot layout LINES, COLUMNS margins screen 0.068, 0.985, 92.0/HEIGHT, 1 - 78.0/HEIGHT spacing screen 0.05, 62.0/HEIGHT
do for [p=1:PANELS] {
    set title NAME[p] font ',12' offset 0,-0.6
    set xrange [LOW[p]:HIGH[p]]
    set yrange [LOW[p]:HIGH[p]]
    set xtics STEP[p]
    set ytics STEP[p]
    set xlabel (p > PANELS - COLUMNS ? 'law' : '') font ',10' offset 0,0.5
    set ylabel ((p - 1) % COLUMNS == 0 ? 'sample' : '') font ',10' offset 1,0
    plot x with lines lw 1 lc rgb '#888888' notitle, \
         for [s=FIRST[p]+1:FIRST[p+1]] 'fits.dat' index s-1 using 1:($3 == 0 ? $2 : NaN) with points pt (FITS[s] ? 7 : 6) ps 0.45 lc rgb COLOUR[s-FIRST[p]] title SIZE[s], \
         for [s=FIRST[p]+1:FIRST[p+1]] 'fits.dat' index s-1 using 1:($3 == 1 ? $2 : NaN) with points pt 8 ps 0.9 lc rgb COLOUR[s-FIRST[p]] notitle
    unset label 1
    unset label 2
    unset label 4
}
unset multiplot

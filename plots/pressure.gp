# Bytes in use over time, a panel per domain: median, 5% to 95% of trials, capacity and limit.
set multiplot layout PANELS,1 margins 0.085,0.755,(PANELS == 1 ? 0.15 : 0.11),(strlen(TITLE2) > 0 ? 0.84 : PANELS == 1 ? 0.87 : 0.90) spacing 0.06
set xrange [0:LAST]
do for [p=1:PANELS] {
    set ylabel NAMES[p].' ('.UNITS[p].')'
    set yrange [0:TOP[p]*1.08]
    set format x (p == PANELS ? '%.6g' : '')
    if (p == PANELS) { set xlabel 'time ('.UNIT.')' } else { unset xlabel }
    if (p == 2) { unset label 1; unset label 2; unset key }
    limit = CAPACITY[p] >= 0 ? CAPACITY[p] - RESERVE[p] : NaN
    capacity = CAPACITY[p] >= 0 ? CAPACITY[p] : NaN
    plot 'pressure.dat' index p-1 using ($1/DIVISOR):2:4 with filledcurves fc rgb '#9ecae1' fs solid 1 noborder title '5% to 95% of trials', \
         '' index p-1 using ($1/DIVISOR):3 with lines lw 2 lc rgb '#0072B2' title 'median', \
         capacity with lines lw 1.6 lc rgb '#000000' title 'capacity', \
         limit with lines lw 1.6 dt 2 lc rgb '#D55E00' title 'capacity less reserve'
}
unset multiplot

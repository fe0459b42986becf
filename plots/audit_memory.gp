# Memory of a trace over time, a panel per memory: allocated, and reserved where the trace states it.
set multiplot layout PANELS,1 margins 0.085,0.8,(PANELS == 1 ? 0.15 : 0.11),(strlen(TITLE2) > 0 ? 0.84 : PANELS == 1 ? 0.87 : 0.90) spacing 0.06
set label 4 NOTE at screen 0.015, screen 0 offset 0,0.9 left font ',10.5' textcolor rgb '#444444'
set xrange [FROM:TO]
do for [p=1:PANELS] {
    set ylabel NAMES[p].' ('.UNITS[p].')'
    set yrange [*<0:TOP[p]*1.08]
    set format x (p == PANELS ? '%.6g' : '')
    if (p == PANELS) { set xlabel 'time from the first event of the trace ('.UNIT.')' } else { unset xlabel }
    if (p == 2) { unset label 1; unset label 2; unset label 4 }
    if (COLD) { set object 1 rectangle from COLD_FROM, graph 0 to COLD_TO, graph 1 fs solid 1 noborder fc rgb '#eeeeee' behind }
    plot 'memory.dat' index 2*p-2 using 1:2 with fillsteps fs solid 1 noborder fc rgb '#9ecae1' notitle, \
         '' index 2*p-2 using 1:2 with steps lw 1.6 lc rgb '#0072B2' title (STATED[p] ? 'allocated' : 'above the beginning'), \
         for [r=1:RESERVED[p]] '' index 2*p-1 using 1:2 with steps lw 1.8 lc rgb '#D55E00' title 'reserved', \
         for [s=1:COLD] NaN with boxes fs solid 1 noborder fc rgb '#eeeeee' title 'cold step', \
         for [s=1:(STEPS > 0)] 'steps.dat' using 1:(0):(0):(TOP[p]*1.08) with vectors nohead dt 3 lw 1.2 lc rgb '#000000' notitle, \
         for [s=1:(STEPS > 0)] NaN with lines dt 3 lw 1.2 lc rgb '#000000' title 'step begins'
}
unset multiplot

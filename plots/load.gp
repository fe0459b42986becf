# First trial over time: jobs in the system, and below how much of the busiest resource is in use
# (where one is limited: BUSIEST is its name); a line per policy.
PANELS = strlen(BUSIEST) > 0 ? 2 : 1
set multiplot layout PANELS,1 margins 0.085,0.755,(PANELS == 1 ? 0.15 : 0.11),(strlen(TITLE2) > 0 ? 0.84 : PANELS == 1 ? 0.87 : 0.90) spacing 0.06
set xrange [0:LAST]
do for [p=1:PANELS] {
    set format x (p == PANELS ? '%.6g' : '')
    if (p == PANELS) { set xlabel 'time ('.UNIT.')' } else { unset xlabel }
    if (p == 2) { unset label 1; unset label 2; unset key }
    set ylabel (p == 1 ? 'jobs in the system' : BUSIEST.' in use (%)')
    if (p == 1) { set yrange [0:TOP] } else { set yrange [0:105] }
    if (ARRIVED < 0.98*LAST) { set arrow 2 from ARRIVED, graph 0 to ARRIVED, graph 1 nohead lc rgb '#888888' dt 3 lw 1.2 back }
    if (ARRIVED < 0.98*LAST && p == 1) { set label 5 'last arrival' at ARRIVED, graph 1.03 center font ',11' textcolor rgb '#666666' } else { unset label 5 }
    plot for [i=1:CURVES] 'load.dat' index i-1 using ($1/DIVISOR):(p == 1 ? $2 : $3) with lines lw 1.8 lc rgb COLOUR[i] dt DASH[i] title TITLES[i]
}
unset multiplot

# Files of sim/stats/.

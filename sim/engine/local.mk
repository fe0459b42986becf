# Files of sim/engine/.

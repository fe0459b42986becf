# Files of sim/run/.

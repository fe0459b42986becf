# Files of sim/graph/.

# Files of sim/io/.

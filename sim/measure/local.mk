# Files of sim/measure/.

# Files of sim/policy/.

# Files of scenarios/.

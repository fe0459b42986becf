# Files of plots/.

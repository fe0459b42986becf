# Files of man/.

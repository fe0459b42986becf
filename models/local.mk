# Files of models/.

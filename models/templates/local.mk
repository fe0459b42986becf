# Files of models/templates/.

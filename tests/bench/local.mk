# Files of tests/bench/.

# Files of tests/oracle/.

/* The command line: finds the command and runs it. */
#include <stdio.h>

int main(void)
{
    fputs("slackline: no command yet\n", stderr);
    return 2;
}

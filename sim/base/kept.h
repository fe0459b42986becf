/* Texts of reports that may have no memory.
 *
 * Who prints a report has nowhere to return an error to from within a line.  A text that had no
 * memory is printed as "?", and the program ends with an error, whatever else it found. */
#ifndef SL_KEPT_H
#define SL_KEPT_H
#include "arena.h"
#include <stdbool.h>

/* The text; "?" for NULL, and then the report is not whole any more. */
const char *sl_kept(const char *text);
/* A part of the report had no memory. */
void sl_report_lost(void);
/* Frees the arena that a report was made in; where that had no memory once, a part is missing. */
void sl_report_free(struct sl_arena *arena);
bool sl_report_is_whole(void);
#endif

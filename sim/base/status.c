/* Errors and diagnostics: the first error wins, diagnostics accumulate. */
#include "status.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum sl_status sl_error_set(struct sl_error *err, enum sl_status status, struct sl_place place,
                            const char *code_file, int code_line, const char *format, ...)
{
    if (err && err->status == SL_OK) {
        va_list args;
        va_start(args, format);
        vsnprintf(err->message, sizeof err->message, format, args);
        va_end(args);
        err->status = status;
        err->place = place;
        err->code_file = code_file;
        err->code_line = code_line;
    }
    return status;
}

/* reseal RECORD: makes all seals of a record anew after it was edited, as nobody should: for tests
 * of what is found beyond the seals. */
#include <config.h>

#include "record.h"

int main(int argc, char **argv)
{
    struct sl_record record;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    if (argc < 2) {
        puts("1..0 # SKIP a tool of other tests");
        return 0;
    }
    enum sl_status read = sl_record_read(&record, argv[1], &diags, &err);
    bool edited = read == SL_INVALID && record.history.count > 0; /* it was read to its end */
    enum sl_status status =
        edited ? sl_record_amend(&record, "reseal", "edited", NULL, &err) : SL_INVALID;
    if (status == SL_OK)
        status = sl_record_write(&record, argv[1], &err);
    if (status != SL_OK)
        fprintf(stderr, "reseal: %s\n", err.message);
    sl_diags_free(&diags);
    sl_record_free(&record);
    return status != SL_OK;
}

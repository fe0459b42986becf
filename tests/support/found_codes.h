/* What the legality rules find in a scenario folder, held against the codes that are expected. */
#ifndef SL_TEST_FOUND_CODES_H
#define SL_TEST_FOUND_CODES_H
#include "harness.h"
#include "scenario.h"
#include "tempdir.h"
#include <string.h>

/* `codes`: separated by semicolons, in the order of finding; each has a suggestion.  The first text
 * holds `message` (NULL: any).  Words that an example has no use for (unused-...), and `ignored`
 * (NULL: none), do not count. */
static void expect_codes(const struct tempdir *dir, const char *what, const char *codes,
                         const char *message, const char *ignored)
{
    struct sl_scenario scenario;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    char found[400] = "";
    const char *first = NULL;
    enum sl_status status = sl_scenario_load(&scenario, dir->path, NULL, 0, &diags, &err);
    for (size_t i = 0; i < diags.count; i++) {
        const struct sl_diag *item = &diags.items[i];
        if (strncmp(item->code, "unused-", 7) == 0 || (ignored && strcmp(item->code, ignored) == 0))
            continue;
        if (!first)
            first = item->message;
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s", found[0] ? ";" : "",
                 item->code);
        ck_assert_msg(item->suggestion != NULL, "%s: no suggestion", what);
    }
    ck_assert_msg(strcmp(found, codes) == 0, "%s: found [%s] %s, expected [%s]", what, found,
                  first ? first : "", codes);
    ck_assert_msg(status == (diags.errors > 0 ? SL_NO : SL_OK), "%s: status %d", what, (int)status);
    if (message)
        ck_assert_msg(first && strstr(first, message), "%s: says '%s'", what, first);
    sl_scenario_free(&scenario);
    sl_diags_free(&diags);
}
#endif

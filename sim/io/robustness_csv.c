/* Writing robustness.csv. */
#include "robustness_csv.h"
#include "figures.h"
#include "outfile.h"
#include <math.h>

static void put_row(FILE *out, const struct sl_robustness *r, const struct sl_drift *drift)
{
    bool flips = drift->state == SL_DRIFT_FLIPS;
    fputs(sl_lever_kind_name(drift->kind), out);
    sl_put_text(out, drift->name);
    sl_put_number(out, drift->value);
    sl_put_text(out, drift->up ? "up" : "down");
    sl_put_text(out, r->replanned ? "replanned" : "kept");
    sl_put_number(out, r->within);
    sl_put_text(out, sl_drift_state_name(drift->state));
    sl_put_number(out, drift->flip);
    sl_put_number(out, drift->lo);
    sl_put_number(out, drift->hi);
    sl_put_number(out, flips ? drift->lo_open : (double)NAN);
    sl_put_number(out, flips ? drift->hi_open : (double)NAN);
    sl_put_number(out, drift->flip * drift->value);
    sl_put_text(out, r->policies[r->leader]);
    sl_put_text(out, flips ? r->policies[drift->to] : NULL);
    sl_put_integer(out, drift->looks);
    sl_put_integer(out, r->trials);
    sl_put_estimate(out, r->margin);
    putc('\n', out);
}

enum sl_status sl_robustness_csv_write(const char *dir, const struct sl_robustness *r,
                                       struct sl_error *err)
{
    struct sl_outfile file;
    enum sl_status status = sl_outfile_open_in(&file, dir, "robustness.csv", err);
    if (status != SL_OK)
        return status;
    fputs(
        "kind,name,value,direction,plan,within,state,flip_factor,near_factor,far_factor,near_open,"
        "far_open,flip_value,leader,to,looks,trials,margin_us,margin_lo_us,margin_hi_us\n",
        file.stream);
    for (uint32_t d = 0; d < r->drift_count; d++)
        put_row(file.stream, r, &r->drifts[d]);
    return sl_outfile_commit(&file, err);
}

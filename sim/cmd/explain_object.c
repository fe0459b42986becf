/* Explain: one object of the plan: its fields, who uses it, and each of its copies in the trial. */
#include "explain_parts.h"
#include "units.h"

static uint32_t root_of(const struct sl_explain *x, uint32_t object)
{
    return sl_object_root(x->graph, (sl_object_id){object}).i;
}

static const char *domain_name(const struct sl_explain *x, uint32_t domain)
{
    return domain == SL_NONE ? NULL : x->platform->domain_names.names[domain];
}

static bool lists(const struct sl_explain *x, struct sl_span list, uint32_t root)
{
    for (uint32_t k = 0; k < list.count; k++)
        if (root_of(x, x->graph->objects_pool[list.first + k].i) == root)
            return true;
    return false;
}

static bool moves(const struct sl_explain *x, const struct sl_node *node, uint32_t root)
{
    return sl_node_moves(node->kind) && node->object.i != SL_NONE &&
           root_of(x, node->object.i) == root;
}

static bool uses(const struct sl_explain *x, const struct sl_node *node, uint32_t root)
{
    return moves(x, node, root) || lists(x, node->inputs, root) || lists(x, node->outputs, root);
}

static void put_names(struct sl_explain *x, struct sl_sheet *sheet, uint32_t index)
{
    const struct sl_object *object = &x->graph->objects[index];
    uint32_t root = root_of(x, index);
    sl_sheet_open(sheet, "legal_placements");
    for (uint32_t k = 0; k < object->placements.count; k++)
        sl_sheet_item(sheet, domain_name(x, x->graph->domains_pool[object->placements.first + k]));
    if (object->placements.count == 0)
        sl_sheet_item(sheet, "everywhere");
    sl_sheet_close(sheet);
    sl_sheet_text(sheet, "alias_of", root == index ? NULL : x->graph->objects[root].name);
    sl_sheet_open(sheet, "aliases");
    for (uint32_t o = 0; o < x->graph->object_count; o++)
        if (o != index && o != root && root_of(x, o) == root)
            sl_sheet_item(sheet, x->graph->objects[o].name);
    sl_sheet_close(sheet);
}

/* First valid: at t = 0, or at the first finish of what writes it or brings it somewhere. */
static int64_t first_valid(const struct sl_explain *x, uint32_t root, uint32_t *writer)
{
    int64_t first = x->graph->objects[root].initial != SL_NONE ? 0 : INT64_MAX;
    *writer = SL_NONE;
    for (uint32_t i = 0; i < x->graph->node_count; i++) {
        const struct sl_node *node = &x->graph->nodes[i];
        if (x->trial->state[i] == SL_RAN && x->trial->finish_ps[i] < first &&
            (lists(x, node->outputs, root) || moves(x, node, root))) {
            first = x->trial->finish_ps[i];
            *writer = i;
        }
    }
    return first;
}

/* The latest of those that read the object, by any name, at home: all that end then. */
static void put_last_readers(struct sl_explain *x, struct sl_sheet *sheet, uint32_t root)
{
    int64_t last = -1;
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1)
            sl_sheet_open(sheet, "last_readers");
        for (uint32_t i = 0; i < x->graph->node_count; i++) {
            if (x->trial->state[i] != SL_RAN || !lists(x, x->graph->nodes[i].inputs, root))
                continue;
            int64_t finish = x->trial->finish_ps[i];
            if (pass == 0)
                last = finish > last ? finish : last;
            else if (finish == last)
                sl_sheet_item(sheet, sl_explain_name(x, i));
        }
    }
    sl_sheet_close(sheet);
    sl_sheet_time(sheet, "last_read", last);
}

/* Bytes that a node holds beside the object: "w: 64.0 MiB of hbm, [0 ps, 10.00 us]". */
static void put_held(struct sl_explain *x, struct sl_sheet *sheet, uint32_t node, uint32_t until,
                     struct sl_amount amount)
{
    int64_t begin = x->trial->start_ps[node], end = x->trial->finish_ps[until];
    const char *name = x->graph->nodes[node].name, *domain = domain_name(x, amount.domain);
    if (!sheet->gen) {
        sl_sheet_item(sheet,
                      sl_arena_printf(&x->arena, "%s: %s of %s, [%s, %s]", name,
                                      sl_bytes_text(&x->arena, (double)amount.bytes), domain,
                                      sl_explain_instant(x, begin), sl_explain_instant(x, end)));
        return;
    }
    sl_json_open_map(sheet->gen, NULL);
    sl_json_text(sheet->gen, "node", name);
    sl_json_text(sheet->gen, "domain", domain);
    sl_json_integer(sheet->gen, "bytes", amount.bytes);
    sl_explain_time_json(sheet->gen, "from_us", begin);
    sl_explain_time_json(sheet->gen, "until_us", end);
    yajl_gen_map_close(sheet->gen);
}

/* Workspace of the nodes that use the object, and staging of those that move it: from their start
 * to the finish that releases it. */
static void put_beside(struct sl_explain *x, struct sl_sheet *sheet, uint32_t root, bool staging)
{
    sl_sheet_open(sheet, staging ? "staging_intervals" : "workspace_of_users");
    for (uint32_t i = 0; i < x->graph->node_count; i++) {
        const struct sl_node *node = &x->graph->nodes[i];
        struct sl_span list = staging ? node->staging : node->workspace;
        if (list.count == 0 || !(staging ? moves(x, node, root) : uses(x, node, root)))
            continue;
        bool later = staging && node->staging_until.i != SL_NONE;
        for (uint32_t k = 0; k < list.count; k++)
            put_held(x, sheet, i, later ? node->staging_until.i : i,
                     x->graph->amounts[list.first + k]);
    }
    sl_sheet_close(sheet);
}

static void put_edits(struct sl_explain *x, struct sl_sheet *sheet, uint32_t root)
{
    const struct sl_plan *plan = &x->cell->plan;
    sl_sheet_open(sheet, "changed_by_the_policy");
    for (uint32_t k = 0; k < plan->edit_count; k++) {
        const struct sl_edit *edit = &plan->edits[k];
        if (edit->object.i < x->graph->object_count && root_of(x, edit->object.i) == root)
            sl_sheet_item(sheet, edit->reason ? sl_arena_printf(&x->arena, "%s (%s)", edit->text,
                                                                edit->reason)
                                              : edit->text);
    }
    sl_sheet_close(sheet);
}

static void put_fields(struct sl_explain *x, struct sl_sheet *sheet, uint32_t index)
{
    static const char *const equivalences[] = {"not stated", "bitwise", "tolerance", "unknown"};
    uint32_t root = root_of(x, index), writer;
    const struct sl_object *object = &x->graph->objects[index], *whole = &x->graph->objects[root];
    sl_sheet_bytes(sheet, "size", object->bytes);
    sl_sheet_text(sheet, "home", domain_name(x, sl_object_home(x->graph, root)));
    put_names(x, sheet, index);
    sl_sheet_text(sheet, "initially_in", domain_name(x, whole->initial));
    sl_sheet_bool(sheet, "persistent", whole->persist);
    int64_t valid = first_valid(x, root, &writer);
    sl_sheet_time(sheet, "first_valid", valid);
    sl_sheet_text(sheet, "first_valid_by", writer == SL_NONE ? NULL : sl_explain_name(x, writer));
    put_last_readers(x, sheet, root);
    put_beside(x, sheet, root, false);
    put_beside(x, sheet, root, true);
    sl_sheet_text(sheet, "reclamation_condition",
                  whole->reclaim_when ? whole->reclaim_when
                                      : "after readers, aliases, transfers and barriers");
    sl_sheet_text(sheet, "reconstruct",
                  whole->reconstruct.i == SL_NONE ? NULL
                                                  : sl_explain_name(x, whole->reconstruct.i));
    sl_sheet_text(sheet, "equivalence", equivalences[whole->equivalence]);
    put_edits(x, sheet, root);
    sl_sheet_text(sheet, "evidence",
                  sl_explain_evidence(x, object->evidence, object->evidence_text));
}

static void print_copy(struct sl_explain *x, const struct sl_reclaim_proof *proof, FILE *out)
{
    const struct sl_holding *holding = &x->graph->holdings[proof->holding];
    fprintf(out, "\ncopy %u in %s: ", (unsigned)proof->number, domain_name(x, holding->domain));
    if (proof->verdict == SL_RECLAIM_ABSENT) {
        fputs("not made in this trial\n", out);
        return;
    }
    if (proof->taken_ps < 0) {
        fputs("taken by evictions alone\n", out);
        return;
    }
    fprintf(out, "taken %s", sl_explain_instant(x, proof->taken_ps));
    if (proof->taker != SL_NONE)
        fprintf(out, " by %s", sl_explain_name(x, proof->taker));
    if (proof->reclaimer != SL_NONE)
        fprintf(out, ", given back %s by %s\n", sl_explain_instant(x, proof->given_ps),
                sl_explain_name(x, proof->reclaimer));
    else
        fputs(", not given back\n", out);
    for (unsigned t = 0; t < SL_TERMS; t++) {
        fprintf(out, "  last %-8s  ", sl_reclaim_term_name((enum sl_reclaim_term)t));
        if (proof->user[t] == SL_NONE)
            fputs("none\n", out);
        else
            fprintf(out, "%s by %s%s\n", sl_explain_instant(x, proof->finish_ps[t]),
                    sl_explain_name(x, proof->user[t]), proof->binding == t ? ", which binds" : "");
    }
    fprintf(out, "  reclaim_ready  %s", sl_explain_instant(x, proof->ready_ps));
    if (proof->reclaimer != SL_NONE)
        fprintf(out, ", held %s beyond", sl_explain_time(x, sl_reclaim_retained(proof)));
    fprintf(out, ": %s\n", sl_reclaim_verdict_name(proof->verdict));
}

void sl_explain_object(struct sl_explain *x, uint32_t object, FILE *out, yajl_gen gen)
{
    uint32_t root = root_of(x, object);
    struct sl_sheet sheet = sl_sheet_begin(&x->arena, gen);
    if (gen) {
        sl_json_open_map(gen, "object");
        sl_json_text(gen, "name", x->graph->objects[object].name);
    } else {
        fprintf(out, "\nobject %s\n", x->graph->objects[object].name);
    }
    put_fields(x, &sheet, object);
    sl_sheet_end(&sheet, out);
    if (gen)
        sl_json_open_array(gen, "copies");
    for (uint32_t k = 0; k < x->reclaim_count; k++) {
        const struct sl_reclaim_proof *proof = &x->reclaims[k];
        if (root_of(x, x->graph->holdings[proof->holding].object.i) != root)
            continue;
        if (gen) {
            sl_json_open_map(gen, NULL);
            sl_explain_proof_json(x, gen, proof);
            yajl_gen_map_close(gen);
        } else {
            print_copy(x, proof, out);
        }
    }
    if (gen)
        yajl_gen_array_close(gen);
    sl_explain_put_evictions(x, root, out, gen);
    if (gen)
        yajl_gen_map_close(gen);
}

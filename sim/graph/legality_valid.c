/* Legality of first uses: allocation, mapping and contents come before them.
 *
 * Within a copy the order of touches is that of l->order, where data flow orders all reads and
 * writes; a reclamation ends one life of the copy and begins the next. */
#include <config.h>

#include "legality_copies.h"
#include <string.h>

/* True when some policy brings objects home that begin elsewhere; as-given leaves that to the
 * graph. */
static bool policies_bring(const struct sl_scenario *scenario)
{
    for (uint32_t a = 0; a < scenario->axis_count; a++)
        if (strstr(scenario->axes[a].path, "action"))
            return true;
    for (uint32_t p = 0; p < scenario->policy_count; p++)
        for (uint32_t r = 0; r < scenario->policies[p].rule_count; r++) {
            const struct sl_policy_rule *rule = &scenario->policies[p].rules[r];
            bool as_given = false;
            for (uint32_t s = 0; s < rule->count; s++)
                as_given |= strcmp(rule->settings[s].key, "action") == 0 &&
                            rule->settings[s].value_count == 1 &&
                            strcmp(rule->settings[s].values[0], "as-given") == 0;
            if (!as_given)
                return true;
        }
    return false;
}

/* What makes an object valid, over all its copies: touches [first, end). */
struct origin {
    uint32_t first, end;
    bool written; /* by some node that does not only move it */
    bool brought; /* home, by policies */
};

static struct origin find_origin(const struct sl_legality *l, uint32_t first)
{
    const struct sl_object *root = &l->graph->objects[l->touches[first].object];
    struct origin origin = {.first = first, .end = first};
    bool left_to_policies = true;
    for (; origin.end < l->touch_count && l->touches[origin.end].object == l->touches[first].object;
         origin.end++) {
        const struct sl_touch *t = &l->touches[origin.end];
        bool moves = sl_node_moves(l->graph->nodes[t->node].kind);
        origin.written |= t->kind == SL_TOUCH_WRITE && !moves;
        left_to_policies &= t->kind == SL_TOUCH_PROTECT ||
                            (!moves && (t->kind == SL_TOUCH_READ || t->kind == SL_TOUCH_WRITE));
    }
    origin.brought = left_to_policies && root->initial != SL_NONE && policies_bring(l->scenario);
    return origin;
}

/* A read of a copy that holds nothing valid. */
struct bad_read {
    const struct sl_touch *read;
    const struct sl_touch *write; /* the first write behind it, by another node; NULL */
    const struct sl_touch *gone;  /* the reclamation that took what was there; NULL: nothing was */
    bool made;                    /* the object is valid somewhere at some time */
};

static void report_invalid(struct sl_legality *l, const struct bad_read *bad)
{
    const char *object = l->graph->objects[bad->read->object].name;
    const struct sl_node *node = &l->graph->nodes[bad->read->node];
    const char *verb = sl_node_moves(node->kind) ? "moves" : "reads";
    char copy[600];
    sl_copy_text(l, bad->read, copy, sizeof copy);
    if (!bad->made) {
        sl_report_node(l, bad->read->node,
                       "node '%s' %s object '%s', which no node writes and which is not initial",
                       node->name, verb, object);
        sl_diags_suggest(l->diags,
                         "name '%s' among the outputs of the node that makes it, or state in "
                         "which domain it is from the start (column initial)",
                         object);
    } else if (bad->write) {
        const char *writer = l->graph->nodes[bad->write->node].name;
        sl_report_node(l, bad->read->node, "node '%s' %s %s before '%s', the first to write it",
                       node->name, verb, copy, writer);
        sl_report_also_node(l, bad->write->node);
        sl_diags_suggest(l->diags,
                         "let '%s' come after '%s', or state in which domain '%s' is from the "
                         "start (column initial)",
                         node->name, writer, object);
    } else {
        sl_report_node(l, bad->read->node, "node '%s' %s %s, where nothing writes it or brings it",
                       node->name, verb, copy);
        sl_diags_suggest(l->diags, "bring '%s' there before '%s' by a transfer or prefetch", object,
                         node->name);
    }
    sl_report_also_object(l, bad->read->object);
}

typedef void judge_read(struct sl_legality *l, const struct bad_read *bad);

static void check_copy(struct sl_legality *l, const struct origin *origin, uint32_t first,
                       uint32_t end, judge_read *judge)
{
    const struct sl_touch *t = l->touches;
    uint32_t object = t[first].object, domain = t[first].domain, write = first;
    uint32_t initial = l->graph->objects[object].initial;
    bool valid =
        initial == domain || (origin->brought && domain == sl_object_home(l->graph, object));
    const struct sl_touch *gone = NULL;
    for (uint32_t i = first; i < end; i++) {
        if (t[i].kind == SL_TOUCH_READ && (!valid || gone)) {
            while (write < end &&
                   (write <= i || t[write].kind != SL_TOUCH_WRITE || t[write].node == t[i].node))
                write++;
            judge(l, &(struct bad_read){&t[i], write < end ? &t[write] : NULL, gone,
                                        origin->written || initial != SL_NONE});
        }
        if (t[i].kind == SL_TOUCH_RECLAIM)
            gone = &t[i];
        if (t[i].kind == SL_TOUCH_WRITE) {
            valid = true;
            gone = NULL;
        } else if (t[i].kind == SL_TOUCH_ALLOCATE && gone) {
            valid = false; /* a new allocation holds nothing yet */
            gone = NULL;
        }
    }
}

static void check_contents(struct sl_legality *l, judge_read *judge)
{
    for (uint32_t first = 0; first < l->touch_count;) {
        struct origin origin = find_origin(l, first);
        for (uint32_t end; first < origin.end; first = end) {
            end = sl_touches_end(l, first);
            check_copy(l, &origin, first, end, judge);
        }
    }
}

/* What a reclamation took is left to the rules about reclamations. */
static void judge_valid(struct sl_legality *l, const struct bad_read *bad)
{
    if (!bad->gone && l->graph->nodes[bad->read->node].kind != SL_REMATERIALIZATION)
        report_invalid(l, bad);
}

void sl_check_valid(struct sl_legality *l)
{
    check_contents(l, judge_valid);
}

/* A reclamation without order to the rematerialization is itself at fault. */
static void judge_remat(struct sl_legality *l, const struct bad_read *bad)
{
    uint32_t remat = bad->read->node;
    const char *name = l->graph->nodes[remat].name;
    const char *object = l->graph->objects[bad->read->object].name;
    char copy[600];
    if (l->graph->nodes[remat].kind != SL_REMATERIALIZATION ||
        (bad->gone &&
         (sl_nodes_exclude(l, bad->gone->node, remat) || !sl_reaches(l, bad->gone->node, remat))))
        return;
    sl_copy_text(l, bad->read, copy, sizeof copy);
    if (bad->gone) {
        const char *reclaimer = l->graph->nodes[bad->gone->node].name;
        sl_report_node(l, remat,
                       "rematerialization '%s' reads %s, which '%s' has reclaimed by then", name,
                       copy, reclaimer);
        sl_report_also_node(l, bad->gone->node);
        sl_diags_suggest(l->diags, "let '%s' come after '%s', or make '%s' again before it",
                         reclaimer, name, object);
    } else {
        sl_report_node(l, remat,
                       "rematerialization '%s' reads %s, which nothing has made valid by then",
                       name, copy);
        sl_diags_suggest(l->diags, "write or bring '%s' before '%s', or keep the output instead",
                         object, name);
    }
    sl_report_also_object(l, bad->read->object);
}

void sl_check_remat_inputs(struct sl_legality *l)
{
    check_contents(l, judge_remat);
}

static const char *use_verb(const struct sl_legality *l, const struct sl_touch *use)
{
    if (use->kind == SL_TOUCH_MAP)
        return "maps";
    if (use->kind == SL_TOUCH_WRITE)
        return sl_node_moves(l->graph->nodes[use->node].kind) ? "fills" : "writes";
    return sl_node_moves(l->graph->nodes[use->node].kind) ? "moves" : "reads";
}

static void report_early(struct sl_legality *l, const struct sl_touch *use,
                         const struct sl_touch *by, const char *act)
{
    const char *user = l->graph->nodes[use->node].name, *maker = l->graph->nodes[by->node].name;
    char copy[600];
    sl_report_node(l, use->node, "node '%s' %s %s before its %s by '%s'", user, use_verb(l, use),
                   sl_copy_text(l, use, copy, sizeof copy), act, maker);
    sl_report_also_node(l, by->node);
    sl_report_also_object(l, use->object);
    sl_diags_suggest(l->diags, "let '%s' come before '%s', by an edge of type storage-ready", maker,
                     user);
}

/* Uses that come before the first act of `kind` in their life of the copy.  A life without such an
 * act leaves it to planning. */
static void check_first_uses(struct sl_legality *l, enum sl_touch_kind kind, const char *act)
{
    const struct sl_touch *t = l->touches;
    for (uint32_t first = 0, end; first < l->touch_count; first = end) {
        end = sl_touches_end(l, first);
        uint32_t life = first; /* where the uses begin that wait for such an act */
        if (l->graph->objects[t[first].object].initial == t[first].domain)
            while (life < end && t[life].kind != SL_TOUCH_RECLAIM)
                life++;
        for (uint32_t i = life; i < end; i++) {
            if (t[i].kind == SL_TOUCH_RECLAIM)
                life = i + 1;
            if (t[i].kind != kind)
                continue;
            for (uint32_t use = life; use < i; use++)
                if (t[use].kind < SL_TOUCH_RECLAIM && t[use].kind != SL_TOUCH_PROTECT &&
                    t[use].kind != SL_TOUCH_ALLOCATE && t[use].kind != kind &&
                    t[use].node != t[i].node && !sl_nodes_exclude(l, t[use].node, t[i].node))
                    report_early(l, &t[use], &t[i], act);
            life = end; /* the rest of this life is provided for */
        }
    }
}

void sl_check_use_before_allocation(struct sl_legality *l)
{
    check_first_uses(l, SL_TOUCH_ALLOCATE, "allocation");
}

void sl_check_use_before_mapping(struct sl_legality *l)
{
    check_first_uses(l, SL_TOUCH_MAP, "mapping");
}

/* The list of cases, from a backend's classes. */
#include "config.h"

#include "case.h"
#include "text.h"
#include <inttypes.h>
#include <string.h>

struct lister {
    struct sl_case_list *list;
    const struct sl_case_request *request;
    uint32_t capacity;    /* of the list's array while it is made */
    uint32_t *victims;    /* indices of the classes that may be one */
    uint32_t *aggressors; /* the same */
    uint32_t victim_count, aggressor_count;
    uint64_t draws; /* made so far */
    bool out_of_memory;
};

static const struct sl_work_class *class_of(const struct lister *l, uint32_t klass)
{
    return &l->request->classes[klass];
}

/* A number below `bound`, which is above 0. */
static uint32_t draw(struct lister *l, uint32_t bound)
{
    uint64_t bits = sl_hash_index(l->request->seed ^ sl_hash_index(++l->draws));
    return (uint32_t)(bits % bound);
}

/* Takes the case when its key is asked for; `key` NULL: out of memory. */
static void add(struct lister *l, struct sl_case entry)
{
    struct sl_case_list *list = l->list;
    if (!entry.key) {
        l->out_of_memory = true;
        return;
    }
    if (l->request->globs && !sl_glob_any(l->request->globs, entry.key))
        return;
    if (list->count == l->capacity) {
        uint32_t more = l->capacity ? 2 * l->capacity : 256;
        struct sl_case *cases = sl_arena_array(&list->arena, more, sizeof *cases);
        if (!cases) {
            l->out_of_memory = true;
            return;
        }
        if (list->count > 0)
            memcpy(cases, list->cases, list->count * sizeof *cases);
        list->cases = cases;
        l->capacity = more;
    }
    list->cases[list->count++] = entry;
}

const char *sl_case_alone_key(const char *klass, const struct sl_work_form *form, int64_t bytes,
                              struct sl_arena *arena)
{
    const char *const columns[] = {form->variant, form->dir, form->mem_kind, form->launch,
                                   form->cache};
    const char *text = "";
    for (size_t i = 0; text && i < sizeof columns / sizeof columns[0]; i++)
        if (columns[i][0])
            text = sl_arena_printf(arena, "%s%c%s", text, text[0] ? '-' : '/', columns[i]);
    return text ? sl_arena_printf(arena, "alone:%s%s:%" PRId64, klass, text, bytes) : NULL;
}

static void list_alone(struct lister *l)
{
    for (uint32_t c = 0; c < l->request->class_count; c++) {
        const struct sl_work_class *klass = class_of(l, c);
        for (uint32_t f = 0; f < klass->form_count; f++)
            for (uint32_t s = 0; s < klass->size_count; s++) {
                add(l, (struct sl_case){
                           .key = sl_case_alone_key(klass->name, &klass->forms[f], klass->sizes[s],
                                                    &l->list->arena),
                           .kind = SL_CASE_ALONE,
                           .shot = {.victim = {c, f, klass->sizes[s]}, .shape = SL_SHAPE_FILL},
                           .waived = klass->waived,
                       });
            }
    }
}

static struct sl_shot victim_shot(const struct lister *l, uint32_t victim)
{
    return (struct sl_shot){.victim = {victim, 0, class_of(l, victim)->victim_bytes}, .overlap = 1};
}

static void list_controls(struct lister *l)
{
    for (uint32_t v = 0; v < l->victim_count; v++) {
        const struct sl_work_class *klass = class_of(l, l->victims[v]);
        add(l, (struct sl_case){
                   .key = sl_arena_printf(&l->list->arena, "control:%s", klass->name),
                   .kind = SL_CASE_CONTROL,
                   .shot = victim_shot(l, l->victims[v]),
                   .waived = klass->waived,
               });
    }
}

/* A shot of the victim beside these, with what it needs of the machine. */
static struct sl_case beside(struct lister *l, enum sl_case_kind kind, uint32_t victim,
                             const uint32_t *others, uint32_t count, enum sl_work_shape shape)
{
    struct sl_case entry = {.kind = kind, .shot = victim_shot(l, victim)};
    entry.shot.aggressor_count = count;
    entry.shot.shape = shape;
    entry.waived = class_of(l, victim)->waived;
    for (uint32_t i = 0; i < count; i++) {
        const struct sl_work_class *other = class_of(l, others[i]);
        entry.shot.aggressors[i] = (struct sl_work){others[i], 0, other->unit_bytes};
        if (!entry.waived)
            entry.waived = other->waived;
    }
    if (!entry.waived && count + 1 > l->request->actors_max) {
        entry.waived = sl_arena_printf(&l->list->arena,
                                       "needs %" PRIu32 " at once, this machine runs %" PRIu32,
                                       count + 1, l->request->actors_max);
        l->out_of_memory |= !entry.waived;
    }
    return entry;
}

static const char *shape_text(const struct sl_work_class *klass, enum sl_work_shape shape)
{
    if (!klass->shaped)
        return "";
    return shape == SL_SHAPE_ROOM ? ":room" : ":fill";
}

static void list_pairs(struct lister *l)
{
    for (uint32_t v = 0; v < l->victim_count; v++)
        for (uint32_t a = 0; a < l->aggressor_count; a++) {
            uint32_t victim = l->victims[v], other = l->aggressors[a];
            const struct sl_work_class *klass = class_of(l, other);
            for (int shape = SL_SHAPE_ROOM;
                 shape <= (klass->shaped ? SL_SHAPE_FILL : SL_SHAPE_ROOM); shape++) {
                struct sl_case entry =
                    beside(l, SL_CASE_PAIR, victim, &other, 1, (enum sl_work_shape)shape);
                entry.key =
                    sl_arena_printf(&l->list->arena, "pair:%s|%s%s", class_of(l, victim)->name,
                                    klass->name, shape_text(klass, (enum sl_work_shape)shape));
                add(l, entry);
            }
        }
}

/* Sets are measured where aggressors leave room: among those that fill the machine a victim queues,
 * which is no matter of composition. */
static void list_set(struct lister *l, uint32_t victim, uint32_t first, uint32_t second)
{
    const struct sl_work_class *a = class_of(l, first), *b = class_of(l, second);
    struct sl_case entry =
        beside(l, SL_CASE_SET, victim, (const uint32_t[]){first, second}, 2, SL_SHAPE_ROOM);
    bool sorted = strcmp(a->name, b->name) <= 0;
    entry.key = sl_arena_printf(&l->list->arena, "set:%s|%s+%s%s", class_of(l, victim)->name,
                                (sorted ? a : b)->name, (sorted ? b : a)->name,
                                a->shaped || b->shaped ? ":room" : "");
    add(l, entry);
}

/* Of each victim a sample of the multisets of two, by selection sampling in their order (Knuth,
 * The Art of Computer Programming 2, 3.4.2, algorithm S). */
static void list_sets(struct lister *l)
{
    for (uint32_t v = 0; v < l->victim_count; v++) {
        uint32_t left = l->aggressor_count * (l->aggressor_count + 1) / 2;
        uint32_t wanted = left < SL_CASES_SETS ? left : SL_CASES_SETS;
        for (uint32_t a = 0; a < l->aggressor_count; a++)
            for (uint32_t b = a; b < l->aggressor_count; b++, left--)
                if (draw(l, left) < wanted) {
                    list_set(l, l->victims[v], l->aggressors[a], l->aggressors[b]);
                    wanted--;
                }
    }
}

static void list_partial(struct lister *l, uint32_t victim, uint32_t other)
{
    const struct sl_work_class *klass = class_of(l, other);
    for (int percent = 25; percent <= 75; percent += 25) {
        struct sl_case entry = beside(l, SL_CASE_PARTIAL, victim, &other, 1, SL_SHAPE_ROOM);
        entry.shot.overlap = percent / 100.0;
        entry.key =
            sl_arena_printf(&l->list->arena, "partial:%s|%s%s:%d", class_of(l, victim)->name,
                            klass->name, shape_text(klass, SL_SHAPE_ROOM), percent);
        add(l, entry);
    }
}

static void list_partials(struct lister *l)
{
    uint32_t left = l->victim_count * l->aggressor_count;
    uint32_t wanted = left < SL_CASES_PARTIAL ? left : SL_CASES_PARTIAL;
    for (uint32_t v = 0; v < l->victim_count; v++)
        for (uint32_t a = 0; a < l->aggressor_count; a++, left--)
            if (draw(l, left) < wanted) {
                list_partial(l, l->victims[v], l->aggressors[a]);
                wanted--;
            }
}

/* Who may contend. */
static bool find_contenders(struct lister *l)
{
    const struct sl_case_request *request = l->request;
    l->victims = sl_arena_array(&l->list->arena, request->class_count, sizeof *l->victims);
    l->aggressors = sl_arena_array(&l->list->arena, request->class_count, sizeof *l->aggressors);
    if (!l->victims || !l->aggressors)
        return false;
    for (uint32_t c = 0; c < request->class_count; c++) {
        if (request->classes[c].victim_bytes > 0)
            l->victims[l->victim_count++] = c;
        if (request->classes[c].unit_bytes > 0)
            l->aggressors[l->aggressor_count++] = c;
    }
    return true;
}

/* Leaves those out that are waived. */
static uint32_t usable(const struct lister *l, uint32_t *classes, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!class_of(l, classes[i])->waived)
            classes[kept++] = classes[i];
    return kept;
}

enum sl_status sl_case_list_make(struct sl_case_list *list, const struct sl_case_request *request,
                                 struct sl_error *err)
{
    *list = (struct sl_case_list){.classes = request->classes, .class_count = request->class_count};
    struct lister l = {.list = list, .request = request};
    if (!find_contenders(&l))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    list_alone(&l);
    list_controls(&l);
    list_pairs(&l);
    l.victim_count = usable(&l, l.victims, l.victim_count);
    l.aggressor_count = usable(&l, l.aggressors, l.aggressor_count);
    list_sets(&l);
    list_partials(&l);
    if (l.out_of_memory)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (list->count == 0)
        return SL_FAIL(err, SL_USAGE, "no case matches '%s' (--list prints the keys)",
                       request->globs ? request->globs : "*");
    return SL_OK;
}

uint64_t sl_case_list_hash(const struct sl_case_list *list)
{
    uint64_t hash = list->count;
    for (uint32_t i = 0; i < list->count; i++)
        hash = sl_hash_index(hash ^ sl_hash_text(list->cases[i].key)) + !list->cases[i].waived;
    return hash;
}

void sl_case_list_free(struct sl_case_list *list)
{
    sl_arena_free(&list->arena);
    *list = (struct sl_case_list){0};
}

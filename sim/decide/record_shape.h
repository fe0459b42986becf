/* The shape of a record: which keys a struct has, of which type, at which offset.  Whatever goes
 * over a whole record (writer, reader, comparison) follows these tables, so that a key is named
 * once. */
#ifndef SL_RECORD_SHAPE_H
#define SL_RECORD_SHAPE_H
#include "record.h"

enum sl_field_type {
    SL_FIELD_TEXT,     /* const char * */
    SL_FIELD_TEXTS,    /* struct sl_record_texts */
    SL_FIELD_COUNT,    /* uint64_t */
    SL_FIELD_NUMBER,   /* double */
    SL_FIELD_FLAG,     /* bool: true, false */
    SL_FIELD_WORD,     /* an enum, as one of `words` */
    SL_FIELD_ESTIMATE, /* struct sl_estimate: {value, lo, hi} */
    SL_FIELD_MAP,      /* a struct of `shape` */
    SL_FIELD_LIST      /* a SL_RECORD_LIST of structs of `shape` */
};

struct sl_field {
    const char *key;
    enum sl_field_type type;
    size_t offset;
    /* It may be absent: a text NULL, texts empty, a number or an estimate NAN, a map whose first
     * member, bool present, is false.  Other types are always there. */
    bool optional;
    const char *const *words;
    uint32_t word_count;
    const struct sl_shape *shape;
    /* Where something lies, which changes when it is moved: no part of what is decided, and not
     * sealed.  Hashes say what it is. */
    bool place;
};

struct sl_shape {
    size_t size; /* of the struct */
    const struct sl_field *fields;
    uint32_t field_count;
};

/* By the name of the struct. */
extern const struct sl_shape sl_record_shape, sl_shape_input, sl_shape_workload, sl_shape_axis,
    sl_shape_domain, sl_shape_environment, sl_shape_objective, sl_shape_change, sl_shape_graph,
    sl_shape_finding, sl_shape_chain, sl_shape_stall, sl_shape_pressure, sl_shape_schedule,
    sl_shape_selection, sl_shape_alternative, sl_shape_setting, sl_shape_policy, sl_shape_cost,
    sl_shape_unknown, sl_shape_source, sl_shape_peak, sl_shape_result, sl_shape_mapping,
    sl_shape_constraint, sl_shape_assumption, sl_shape_deviation, sl_shape_mechanism,
    sl_shape_contention, sl_shape_measurement, sl_shape_lifetime, sl_shape_reconstruction,
    sl_shape_capacity, sl_shape_progress, sl_shape_starvation, sl_shape_outcome, sl_shape_proofs,
    sl_shape_falsifier, sl_shape_fallback, sl_shape_risk, sl_shape_gate_outcome, sl_shape_step,
    sl_shape_event, sl_shape_seal;

/* What a SL_RECORD_LIST is in memory. */
struct sl_record_list {
    void *items;
    uint32_t count, capacity;
};
/* Copies it out of the list at `list`, whatever its items are. */
struct sl_record_list sl_record_list_get(const void *list);
/* An item of a list. */
static inline const void *sl_record_item(const struct sl_record_list *list,
                                         const struct sl_shape *shape, uint32_t index)
{
    return (const char *)list->items + (size_t)index * shape->size;
}
/* Makes everything in the struct absent. */
void sl_shape_init(void *item, const struct sl_shape *shape);
/* True where an optional field of the struct is absent. */
bool sl_field_is_absent(const struct sl_field *field, const void *item);
#endif

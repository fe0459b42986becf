/* How the tables of a record's keys are written: one macro per type of field, `T` is the struct. */
#ifndef SL_RECORD_FIELDS_H
#define SL_RECORD_FIELDS_H
#include "record_shape.h"

#define COUNT_OF(array)  ((uint32_t)(sizeof(array) / sizeof((array)[0])))
#define AT(type, member) offsetof(struct type, member)

#define TEXT(type, member)                                                                         \
    {                                                                                              \
#member, SL_FIELD_TEXT, AT(type, member), false, NULL, 0, NULL, false                      \
    }
#define MAYBE(type, member)                                                                        \
    {                                                                                              \
#member, SL_FIELD_TEXT, AT(type, member), true, NULL, 0, NULL, false                       \
    }
#define PLACE(type, member)                                                                        \
    {                                                                                              \
#member, SL_FIELD_TEXT, AT(type, member), false, NULL, 0, NULL, true                       \
    }
#define MAYBE_PLACE(type, member)                                                                  \
    {                                                                                              \
#member, SL_FIELD_TEXT, AT(type, member), true, NULL, 0, NULL, true                        \
    }
#define TEXTS(type, member)                                                                        \
    {                                                                                              \
#member, SL_FIELD_TEXTS, AT(type, member), false, NULL, 0, NULL, false                     \
    }
#define SOME_TEXTS(type, member)                                                                   \
    {                                                                                              \
#member, SL_FIELD_TEXTS, AT(type, member), true, NULL, 0, NULL, false                      \
    }
#define COUNT(type, member)                                                                        \
    {                                                                                              \
#member, SL_FIELD_COUNT, AT(type, member), false, NULL, 0, NULL, false                     \
    }
#define NUMBER(type, member)                                                                       \
    {                                                                                              \
#member, SL_FIELD_NUMBER, AT(type, member), true, NULL, 0, NULL, false                     \
    }
#define FLAG(type, member)                                                                         \
    {                                                                                              \
#member, SL_FIELD_FLAG, AT(type, member), false, NULL, 0, NULL, false                      \
    }
#define ESTIMATE(type, member)                                                                     \
    {                                                                                              \
#member, SL_FIELD_ESTIMATE, AT(type, member), true, NULL, 0, NULL, false                   \
    }
#define WORD(type, member, table)                                                                  \
    {                                                                                              \
#member, SL_FIELD_WORD, AT(type, member), false, table, COUNT_OF(table), NULL, false       \
    }
#define MAP(type, member, kind)                                                                    \
    {                                                                                              \
#member, SL_FIELD_MAP, AT(type, member), false, NULL, 0, &sl_shape_##kind, false           \
    }
#define SECTION(type, member, kind)                                                                \
    {                                                                                              \
#member, SL_FIELD_MAP, AT(type, member), true, NULL, 0, &sl_shape_##kind, false            \
    }
#define LIST(type, member, kind)                                                                   \
    {                                                                                              \
#member, SL_FIELD_LIST, AT(type, member), false, NULL, 0, &sl_shape_##kind, false          \
    }
#define SHAPE(name, type, table)                                                                   \
    const struct sl_shape name = {sizeof(struct type), table, COUNT_OF(table)}

/* Of enum sl_truth. */
extern const char *const sl_truth_words[SL_TRUTHS];
#endif

/* Names and classes for the scenario of a trace. */
#include <config.h>

#include "trace_names.h"
#include <ctype.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *class, *words, *like;
} classes[] = {
#define SL_KERNEL_CLASS(class, words, like) {class, words, like},
#include "kernel_classes.def"
#undef SL_KERNEL_CLASS
};

/* Whether one of the ';'-separated words, which are in small letters, occurs in the name. */
static bool has_word(const char *name, const char *words)
{
    for (const char *at = words; *at;) {
        size_t length = strcspn(at, ";");
        for (const char *c = name; *c; c++)
            if (tolower((unsigned char)*c) == *at && strncasecmp(c, at, length) == 0)
                return true;
        at += length + (at[length] == ';');
    }
    return false;
}

const char *sl_kernel_class(const char *name)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (has_word(name, classes[i].words))
            return classes[i].class;
    return "kernel";
}

const char *sl_kernel_class_like(const char *class)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strcmp(classes[i].class, class) == 0 && *classes[i].like)
            return classes[i].like;
    return NULL;
}

static const char *copy_class(const struct sl_timeline *t, uint32_t event)
{
    char from[SL_TRACE_NAME], to[SL_TRACE_NAME];
    if (!sl_trace_place(t, event, true, from) || !sl_trace_place(t, event, false, to))
        return "copy";
    bool out = strncmp(from, "hbm", 3) == 0, in = strncmp(to, "hbm", 3) == 0;
    if (out && in)
        return strcmp(from, to) == 0 ? "copy.d2d" : "copy.p2p";
    return out ? "copy.d2h" : in ? "copy.h2d" : "copy.h2h";
}

const char *sl_trace_work_class(const struct sl_timeline *t, uint32_t event)
{
    return t->kind[event] == SL_EVENT_COPY  ? copy_class(t, event)
           : t->kind[event] == SL_EVENT_SET ? "set"
                                            : sl_kernel_class(t->names.names[t->name[event]]);
}

const char *sl_trace_class(const struct sl_trace_graph *graph, uint32_t node)
{
    switch ((enum sl_trace_role)graph->nodes[node].role) {
    case SL_TRACE_LAUNCH:
        return "api.launch";
    case SL_TRACE_WAIT:
        return "api.wait";
    case SL_TRACE_CALL:
        return "api.memory";
    case SL_TRACE_BACKLOG:
        return "backlog";
    case SL_TRACE_WORK:
        return sl_trace_work_class(graph->timeline, graph->nodes[node].event);
    default:
        return "host";
    }
}

bool sl_trace_place(const struct sl_timeline *t, uint32_t event, bool source,
                    char name[SL_TRACE_NAME])
{
    if (t->detail[event] == SL_NONE)
        return false;
    const struct sl_event_detail *detail = &t->details[t->detail[event]];
    int64_t device = source ? detail->from_device : detail->to_device;
    switch (source ? detail->from : detail->to) {
    case SL_MEMORY_DEVICE:
    case SL_MEMORY_ARRAY:
        snprintf(name, SL_TRACE_NAME, "hbm%lld",
                 (long long)(device >= 0 ? device : t->lanes[t->lane[event]].process));
        return true;
    case SL_MEMORY_PINNED:
        strcpy(name, "pinned");
        return true;
    case SL_MEMORY_PAGEABLE:
    case SL_MEMORY_HOST:
        strcpy(name, "host");
        return true;
    default:
        return false;
    }
}

/* Of "void at::native::(anonymous namespace)::foo<4, bar>(float)" the word foo. */
static void put_short(const char *full, char *name, size_t room)
{
    static const char anonymous[] = "(anonymous namespace)::";
    const char *start = full;
    size_t length = 0;
    for (const char *c = full; *c && *c != '<' && *c != '(';) {
        if (strncmp(c, "::", 2) == 0)
            start = c += 2;
        else if (*c++ == ' ')
            start = c;
        if (strncmp(c, anonymous, sizeof anonymous - 1) == 0)
            start = c += sizeof anonymous - 1;
    }
    for (; length + 1 < room && start[length] && !strchr("<( ", start[length]); length++)
        name[length] = isalnum((unsigned char)start[length]) ? start[length] : '_';
    name[length] = '\0';
}

char *sl_trace_node_name(const struct sl_trace_graph *graph, uint32_t node,
                         char name[SL_TRACE_NAME])
{
    const struct sl_timeline *t = graph->timeline;
    const struct sl_trace_node *n = &graph->nodes[node];
    const char *what = n->role == SL_TRACE_BACKLOG ? "backlog" : "host";
    char where[24] = "x", word[50] = "";
    if (n->event != SL_NONE)
        put_short(t->names.names[t->name[n->event]], word, sizeof word);
    uint32_t of = n->lane != SL_NONE    ? graph->lanes[n->lane].of
                  : n->event != SL_NONE ? t->lane[n->event]
                                        : SL_NONE;
    if (of != SL_NONE && t->lanes[of].kind == SL_LANE_STREAM)
        snprintf(where, sizeof where, "s%lld", (long long)t->lanes[of].number);
    else if (n->lane != SL_NONE)
        snprintf(where, sizeof where, "t%u", n->lane);
    snprintf(name, SL_TRACE_NAME, "%s.%06u.%s", where, node, *word ? word : what);
    return name;
}

char *sl_trace_lane_name(const struct sl_trace_graph *graph, uint32_t lane,
                         char name[SL_TRACE_NAME])
{
    const struct sl_trace_lane *own = &graph->lanes[lane];
    const struct sl_lane *of = &graph->timeline->lanes[own->of];
    long long process = of->process, number = of->number;
    if (of->kind == SL_LANE_THREAD)
        snprintf(name, SL_TRACE_NAME, "t%u thread %lld/%lld", lane, process, number);
    else if (own->part == 0)
        snprintf(name, SL_TRACE_NAME, "gpu%lld stream %lld", process, number);
    else
        snprintf(name, SL_TRACE_NAME, "gpu%lld stream %lld (%u)", process, number, own->part + 1);
    return name;
}

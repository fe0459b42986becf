/* The map from names to indices.
 *
 * Slots are probed in turn and at most half of them are taken, so that a look-up touches one line
 * of the table and one text: tables of a million nodes name each of them several times, and buckets
 * of linked entries (uthash) missed the cache at every link. */
#include <config.h>

#include "text.h"
#include <stdlib.h>
#include <string.h>

struct sl_name_slot {
    uint32_t hash;
    uint32_t number; /* index + 1; 0: free */
};

/* Low bits choose the slot, high ones tell names in it apart. */
static uint32_t high_bits(uint64_t hash)
{
    return (uint32_t)(hash >> 32);
}

/* The slot of the name, or the free one where it belongs. */
static struct sl_name_slot *slot_of(const struct sl_names *names, const char *name, uint64_t hash)
{
    uint32_t mask = names->slot_count - 1, at = (uint32_t)hash & mask;
    for (;; at = (at + 1) & mask) {
        struct sl_name_slot *slot = &names->slots[at];
        if (slot->number == 0 ||
            (slot->hash == high_bits(hash) && strcmp(names->names[slot->number - 1], name) == 0))
            return slot;
    }
}

static uint32_t find(const struct sl_names *names, const char *name, uint64_t hash)
{
    uint32_t number = names->slot_count > 0 ? slot_of(names, name, hash)->number : 0;
    if (number > 0)
        return number - 1;
    uint32_t index = names->base ? find(names->base, name, hash) : SL_NONE;
    return index < names->base_count ? index : SL_NONE; /* the base may have grown since */
}

uint32_t sl_names_find(const struct sl_names *names, const char *name)
{
    return find(names, name, sl_hash_text(name));
}

/* Twice the slots; `own` names are in them. */
static bool grow(struct sl_names *names, uint32_t own)
{
    uint32_t count = names->slot_count ? 2 * names->slot_count : 16;
    struct sl_name_slot *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    free(names->slots);
    names->slots = slots;
    names->slot_count = count;
    for (uint32_t i = names->count - own; i < names->count; i++) {
        uint64_t hash = sl_hash_text(names->names[i]);
        *slot_of(names, names->names[i], hash) = (struct sl_name_slot){high_bits(hash), i + 1};
    }
    return true;
}

uint32_t sl_names_add(struct sl_names *names, const char *name)
{
    uint64_t hash = sl_hash_text(name);
    uint32_t known = find(names, name, hash), own = names->count - names->base_count;
    if (known != SL_NONE)
        return known;
    if (names->count >= SL_NONE / 4 ||
        !sl_grow((void **)&names->names, &names->capacity, names->count + 1,
                 sizeof *names->names) ||
        (own >= names->slot_count / 2 && !grow(names, own)))
        return SL_NONE;
    const char *text = sl_arena_strdup(&names->texts, name);
    if (!text)
        return SL_NONE;
    *slot_of(names, name, hash) = (struct sl_name_slot){high_bits(hash), names->count + 1};
    names->names[names->count] = text;
    return names->count++;
}

bool sl_names_share(struct sl_names *copy, const struct sl_names *names)
{
    const struct sl_names *base = names->base ? names->base : names;
    uint32_t shared = names->base ? names->base_count : names->count;
    if (!sl_grow((void **)&copy->names, &copy->capacity, shared, sizeof *copy->names))
        return false;
    if (shared > 0)
        memcpy((void *)copy->names, (const void *)names->names, shared * sizeof *copy->names);
    copy->base = base;
    copy->count = copy->base_count = shared;
    for (uint32_t i = shared; i < names->count; i++)
        if (sl_names_add(copy, names->names[i]) == SL_NONE) {
            sl_names_free(copy);
            return false;
        }
    return true;
}

void sl_names_free(struct sl_names *names)
{
    sl_arena_free(&names->texts);
    free(names->slots);
    free(names->names);
    *names = (struct sl_names){0};
}

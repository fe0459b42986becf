/* Bytes between processes. */
#include "wire.h"
#include <stdlib.h>
#include <string.h>

struct sl_wire sl_wire_reading(void *bytes, size_t size)
{
    return (struct sl_wire){.bytes = bytes, .size = size, .reading = true};
}

void sl_wire_free(struct sl_wire *wire)
{
    if (!wire->reading)
        free(wire->bytes);
    *wire = (struct sl_wire){0};
}

static void append(struct sl_wire *wire, const void *value, size_t size)
{
    if (size > wire->capacity - wire->size) {
        size_t capacity = wire->capacity ? wire->capacity : 256;
        while (capacity - wire->size < size && capacity <= SIZE_MAX / 2)
            capacity *= 2;
        unsigned char *more = capacity - wire->size < size ? NULL : realloc(wire->bytes, capacity);
        if (!more) {
            wire->broken = true;
            return;
        }
        wire->bytes = more;
        wire->capacity = capacity;
    }
    memcpy(wire->bytes + wire->size, value, size);
    wire->size += size;
}

void sl_wire_copy(struct sl_wire *wire, void *value, size_t size)
{
    if (wire->broken || size == 0)
        return;
    if (!wire->reading) {
        append(wire, value, size);
        return;
    }
    wire->broken = size > wire->size - wire->at;
    if (wire->broken)
        return;
    memcpy(value, wire->bytes + wire->at, size);
    wire->at += size;
}

void sl_wire_skip(struct sl_wire *wire, size_t size)
{
    wire->broken = wire->broken || size > wire->size - wire->at;
    wire->at += wire->broken ? 0 : size;
}

const char *sl_wire_text(struct sl_wire *wire, const char *text)
{
    const char *sent = text ? text : "";
    if (!wire->reading) {
        if (!wire->broken)
            append(wire, sent, strlen(sent) + 1);
        return text;
    }
    const char *begin = (const char *)wire->bytes + wire->at;
    const char *end = wire->broken ? NULL : memchr(begin, '\0', wire->size - wire->at);
    wire->broken = !end;
    if (!end)
        return "";
    wire->at += (size_t)(end - begin) + 1;
    return begin;
}

void sl_wire_sum_u32(struct sl_wire *wire, uint32_t *sums, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        uint32_t value = wire->reading ? 0 : sums[k];
        sl_wire_copy(wire, &value, sizeof value);
        if (wire->reading)
            sums[k] += value;
    }
}

void sl_wire_sum_u64(struct sl_wire *wire, uint64_t *sums, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        uint64_t value = wire->reading ? 0 : sums[k];
        sl_wire_copy(wire, &value, sizeof value);
        if (wire->reading)
            sums[k] += value;
    }
}

void sl_wire_sum_i64(struct sl_wire *wire, int64_t *sums, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        int64_t value = wire->reading ? 0 : sums[k];
        sl_wire_copy(wire, &value, sizeof value);
        if (wire->reading && __builtin_add_overflow(sums[k], value, &sums[k]))
            wire->broken = true;
    }
}

void sl_wire_max_i64(struct sl_wire *wire, int64_t *value)
{
    int64_t other = *value;
    sl_wire_copy(wire, &other, sizeof other);
    if (other > *value)
        *value = other;
}

void sl_wire_any(struct sl_wire *wire, bool *flags, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        unsigned char flag = flags[k];
        sl_wire_copy(wire, &flag, sizeof flag);
        flags[k] |= flag != 0;
    }
}

const unsigned char *sl_wire_rest(struct sl_wire *wire, size_t *size)
{
    const unsigned char *rest = wire->bytes + wire->at;
    *size = wire->broken ? 0 : wire->size - wire->at;
    wire->at = wire->size;
    return rest;
}

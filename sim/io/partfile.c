/* A cell's part file. */
#include "config.h"

#include "partfile.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

const char *sl_partfile_path(const char *dir, uint32_t cell, char path[SL_PATH_SIZE])
{
    snprintf(path, SL_PATH_SIZE, "%s/cells/%05u.part", dir, cell);
    return path;
}

FILE *sl_partfile_open(const char *dir, uint32_t cell)
{
    char path[SL_PATH_SIZE], line[32];
    FILE *part = fopen(sl_partfile_path(dir, cell, path), "rb");
    if (part && (!fgets(line, sizeof line, part) || strcmp(line, SL_PARTFILE_MAGIC) != 0)) {
        fclose(part);
        part = NULL;
        errno = 0;
    }
    return part;
}

bool sl_partfile_put(FILE *out, const char *name, const char *bytes, size_t size)
{
    unsigned long crc = crc32_z(0, (const unsigned char *)bytes, size);
    return fprintf(out, "%s %zu %08lx\n", name, size, crc) > 0 &&
           fwrite(bytes, 1, size, out) == size;
}

bool sl_partfile_next(FILE *part, struct sl_section *section)
{
    char line[96], rest;
    unsigned long long size, crc;
    if (!fgets(line, sizeof line, part) || strchr(line, '-') ||
        sscanf(line, "%31[^ ] %llu %8llx%c", section->name, &size, &crc, &rest) != 4 ||
        rest != '\n')
        return false;
    section->size = (size_t)size;
    section->crc = (uint32_t)crc;
    /* A size that leads back would be read for ever. */
    return size <= LONG_MAX;
}

enum sl_copied sl_partfile_copy(FILE *part, const struct sl_section *section, FILE *out)
{
    unsigned char buffer[1 << 16];
    unsigned long crc = 0;
    for (size_t left = section->size; left > 0;) {
        size_t got = fread(buffer, 1, left < sizeof buffer ? left : sizeof buffer, part);
        if (got == 0)
            return SL_COPY_DAMAGED;
        if (out && fwrite(buffer, 1, got, out) != got)
            return SL_COPY_NOT_WRITTEN;
        crc = crc32_z(crc, buffer, got);
        left -= got;
    }
    return crc == section->crc ? SL_COPIED : SL_COPY_DAMAGED;
}

bool sl_partfile_is_sound(const char *dir, uint32_t cell)
{
    struct sl_section section;
    FILE *part = sl_partfile_open(dir, cell);
    bool sound = part != NULL;
    while (sound && sl_partfile_next(part, &section))
        sound = sl_partfile_copy(part, &section, NULL) == SL_COPIED;
    if (part) {
        sound &= feof(part) != 0;
        fclose(part);
    }
    return sound;
}

FILE *sl_partfile_rows(const char *dir, uint32_t cell, const char *file, long position)
{
    char path[SL_PATH_SIZE];
    struct sl_section section;
    FILE *in = sl_partfile_open(dir, cell);
    if (in) {
        while (sl_partfile_next(in, &section)) {
            if (strcmp(section.name, file) == 0)
                return in;
            if (fseek(in, (long)section.size, SEEK_CUR) != 0)
                break;
        }
        fclose(in);
        return NULL;
    }
    snprintf(path, sizeof path, "%s/%s", dir, file);
    in = fopen(path, "rb");
    if (in && fseek(in, position, SEEK_SET) != 0) {
        fclose(in);
        in = NULL;
    }
    return in;
}

uint32_t sl_partfile_take(FILE *in, uint32_t cell, uint32_t most, sl_row_taker take, void *user)
{
    char *line = NULL;
    size_t capacity = 0;
    uint32_t done = 0;
    while (done < most && getline(&line, &capacity, in) > 0) {
        char *end = NULL;
        unsigned long of = strtoul(line, &end, 10);
        if (end == line || *end != ',' || of != cell) {
            if (done > 0)
                break;
            continue; /* the header, or a cell before */
        }
        if (!take(user, done, line))
            break;
        done++;
    }
    free(line);
    return done;
}

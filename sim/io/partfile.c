/* A cell's part file. */
#include "config.h"

#include "partfile.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

bool sl_partfile_next(FILE *part, char name[32], size_t *size)
{
    char line[96];
    char *space;
    if (!fgets(line, sizeof line, part) || !(space = strchr(line, ' ')) || space - line > 31)
        return false;
    *space = '\0';
    strcpy(name, line);
    char *end = NULL;
    errno = 0;
    long bytes = strtol(space + 1, &end, 10);
    *size = (size_t)bytes;
    /* A size that leads back would be read for ever. */
    return end != space + 1 && *end == '\n' && bytes >= 0 && errno == 0;
}

FILE *sl_partfile_rows(const char *dir, uint32_t cell, const char *file, long position)
{
    char path[SL_PATH_SIZE], name[32];
    size_t size;
    FILE *in = sl_partfile_open(dir, cell);
    if (in) {
        while (sl_partfile_next(in, name, &size)) {
            if (strcmp(name, file) == 0)
                return in;
            if (fseek(in, (long)size, SEEK_CUR) != 0)
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

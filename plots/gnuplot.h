/* Runs gnuplot on the scripts of this folder: a temporary folder with data files and variables in,
 * an SVG and a PNG out, renamed into place together. */
#ifndef SL_GNUPLOT_H
#define SL_GNUPLOT_H
#include "arena.h"
#include <dirent.h>

#define SL_GNUPLOT_PATH 3072

struct sl_gnuplot {
    char scripts[SL_GNUPLOT_PATH]; /* folder of the *.gp files */
    char out[SL_GNUPLOT_PATH];     /* folder of the pictures */
    char temp[SL_GNUPLOT_PATH + 32];
    DIR *folder;  /* temp, held open: to empty it takes no memory then */
    FILE *input;  /* variables of the picture being made: input.gp */
    int fault;    /* errno of the first write that failed; 0: none did */
    bool missing; /* what draws is not installed */
};

/* Finds the scripts ($SLACKLINE_DATA/plots, else the installed ones), makes `out_dir` and a
 * temporary folder in it. */
enum sl_status sl_gnuplot_open(struct sl_gnuplot *gnuplot, const char *out_dir,
                               struct sl_error *err) SL_NODISCARD;
/* Begins a picture: gnuplot->input takes its variables. */
enum sl_status sl_gnuplot_begin(struct sl_gnuplot *gnuplot, struct sl_error *err) SL_NODISCARD;
/* A data file for the picture, to be closed by the caller; `name` ends in ".dat".  A write of it
 * that fails is noted, and fails the drawing. */
enum sl_status sl_gnuplot_data(struct sl_gnuplot *gnuplot, const char *name, FILE **file,
                               struct sl_error *err) SL_NODISCARD;
/* Draws `name`.png and `name`.svg by `script`, `height` pixels high.  SL_SYSTEM with gnuplot's own
 * words when it fails, is missing or takes longer than a minute. */
enum sl_status sl_gnuplot_draw(struct sl_gnuplot *gnuplot, const char *script, const char *name,
                               unsigned height, struct sl_error *err) SL_NODISCARD;
/* Removes the temporary folder.  Harmless after a failed open. */
void sl_gnuplot_close(struct sl_gnuplot *gnuplot);

/* name = 'text', with quotes doubled: nothing in a text is gnuplot syntax. */
void sl_gnuplot_text(struct sl_gnuplot *gnuplot, const char *name, const char *text);
void sl_gnuplot_number(struct sl_gnuplot *gnuplot, const char *name, double value);
/* The picture's finding, on one line or two; NULL is none. */
void sl_gnuplot_title(struct sl_gnuplot *gnuplot, const char *title);
/* array name[count] = [...] */
void sl_gnuplot_texts(struct sl_gnuplot *gnuplot, const char *name, const char *const *texts,
                      size_t count);
#endif

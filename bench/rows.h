/* Where the results of `rheo reproduce` and `rheo bench` go: aligned tables for people, one JSON object a
 * line for programs. */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <rheo/measure.h>

enum { SETUPS_MAX = 48, SETUP_NAME = 48 };

typedef struct rows {
    int threads, json, quick; /* quick: only the small sizes of a case, for the tests */
    void (*print)(void *user, const char *line);
    void *user;
    rheo_report *report;
    int passed, failed;
    const char *only;                         /* only set-ups whose name has this in it; NULL: all */
    char passed_over[SETUPS_MAX][SETUP_NAME]; /* names of the others */
    int passed_over_count, chosen;
    double triad[2]; /* bytes/s on one thread and on `threads`; 0 until measured */
} rows;

/* What `reference` is; it names the JSON key. */
typedef enum { ROW_EXACT, ROW_PUBLISHED } row_kind;

/* One quantity of a reproduction. NAN where a number does not apply. */
typedef struct row {
    const char *name, *quantity; /* of the case, of what is compared */
    int n;                       /* cells along the longest side */
    double ours, reference, error, order;
    row_kind kind;
    const char *wanted; /* the condition behind `pass`, in words */
    int informative;    /* belongs to a row with the verdict: counts neither as passed nor as failed */
    int pass;
} row;

/* One measured figure. NAN where a number does not apply; iterations < 0 likewise. */
typedef struct figure {
    const char *name, *what;
    int n, threads;
    double seconds,
        bandwidth_ratio; /* traffic at triad speed during `seconds`, over what is asked or needed */
    int iterations;
    double memory, value; /* bytes; whatever `unit` says */
    const char *unit;
    const char *beside; /* what was asked for, what others need */
} figure;

void rows_title(rows *out, const char *format, ...) __attribute__((format(printf, 2, 3))); /* text only */
/* Whether a set-up of a case is to run; asked before anything of it is computed. */
bool rows_wants(rows *out, const char *setup);
void rows_put_header(rows *out); /* text only */
void rows_put(rows *out, const row *r);
void rows_put_figure_header(rows *out); /* text only */
void rows_put_figure(rows *out, const figure *f);
/* A name made of numbers. */
void rows_format(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* log2 of the ratio of errors when n doubles, NAN where there is no earlier error. */
double rows_order(double before, double error, double refinement);
double rows_median(double *values, int count); /* sorts them */
#endif

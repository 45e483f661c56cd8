/* Rows of results as text and as JSON (numbers finite or null). */
#include "rows.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 512, NUMBER = 32 };

static const char *json_number(char text[NUMBER], double value) {
    if (isfinite(value)) snprintf(text, NUMBER, "%.9g", value);
    else snprintf(text, NUMBER, "null");
    return text;
}

static const char *plain_number(char text[NUMBER], double value, int digits) {
    if (isnan(value)) snprintf(text, NUMBER, "-");
    else snprintf(text, NUMBER, "%.*g", digits, value);
    return text;
}

void rows_title(rows *out, const char *format, ...) {
    char line[LINE];
    va_list arguments;
    if (out->json) return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    out->print(out->user, line);
}

void rows_format(char *text, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, size, format, arguments);
    va_end(arguments);
}

bool rows_wants(rows *out, const char *setup) {
    if (!out->only || strstr(setup, out->only)) {
        out->chosen += 1;
        return true;
    }
    if (out->passed_over_count < SETUPS_MAX)
        snprintf(out->passed_over[out->passed_over_count++], SETUP_NAME, "%s", setup);
    return false;
}

void rows_put_header(rows *out) {
    rows_title(out, "%-44s %5s %11s %11s %10s %6s  %-6s %s", "quantity", "n", "ours", "reference", "error",
               "order", "holds", "wanted");
}

void rows_put(rows *out, const row *r) {
    char line[LINE], ours[NUMBER], reference[NUMBER], error[NUMBER], order[NUMBER];
    if (!r->informative) *(r->pass ? &out->passed : &out->failed) += 1;
    if (out->json) {
        snprintf(
            line, sizeof line,
            "{\"case\":\"%s\",\"quantity\":\"%s\",\"n\":%d,\"ours\":%s,\"%s\":%s,\"error\":%s,\"order\":%s,"
            "\"pass\":%s}",
            r->name, r->quantity, r->n, json_number(ours, r->ours),
            r->kind == ROW_PUBLISHED ? "published" : "exact", json_number(reference, r->reference),
            json_number(error, r->error), json_number(order, r->order),
            r->informative ? "null"
            : r->pass      ? "true"
                           : "false");
        out->print(out->user, line);
        return;
    }
    snprintf(line, sizeof line, "%-44s %5d %11s %11s %10s %6s  %-6s %s", r->quantity, r->n,
             plain_number(ours, r->ours, 5), plain_number(reference, r->reference, 5),
             plain_number(error, r->error, 3), plain_number(order, r->order, 3),
             r->informative ? ""
             : r->pass      ? "yes"
                            : "NO",
             r->wanted ? r->wanted : "");
    out->print(out->user, line);
}

void rows_put_figure_header(rows *out) {
    rows_title(out, "%-38s %5s %7s %10s %9s %5s %8s  %-18s %s", "figure", "n", "threads", "seconds",
               "bandwidth", "its", "memory", "value", "beside");
}

void rows_put_figure(rows *out, const figure *f) {
    char line[LINE], seconds[NUMBER], ratio[NUMBER], memory[NUMBER], value[NUMBER], iterations[NUMBER];
    if (out->json) {
        snprintf(line, sizeof line,
                 "{\"name\":\"%s\",\"n\":%d,\"threads\":%d,\"seconds\":%s,\"bandwidth_ratio\":%s,"
                 "\"iterations\":%s,\"memory\":%s,\"figure\":\"%s\",\"value\":%s,\"unit\":\"%s\",\"beside\":"
                 "\"%s\"}",
                 f->name, f->n, f->threads, json_number(seconds, f->seconds),
                 json_number(ratio, f->bandwidth_ratio),
                 json_number(iterations, f->iterations < 0 ? (double)NAN : f->iterations),
                 json_number(memory, f->memory), f->what, json_number(value, f->value),
                 f->unit ? f->unit : "", f->beside ? f->beside : "");
        out->print(out->user, line);
        return;
    }
    char with_unit[2 * NUMBER];
    snprintf(with_unit, sizeof with_unit, "%s %.30s", isnan(f->value) ? "" : plain_number(value, f->value, 4),
             f->unit ? f->unit : "");
    snprintf(line, sizeof line, "%-38s %5d %7d %10s %9s %5s %8s  %-18s %s", f->what, f->n, f->threads,
             plain_number(seconds, f->seconds, 4), plain_number(ratio, f->bandwidth_ratio, 3),
             plain_number(iterations, f->iterations < 0 ? (double)NAN : f->iterations, 4),
             plain_number(memory, f->memory / 1e6, 4), with_unit, f->beside ? f->beside : "");
    out->print(out->user, line);
}

double rows_order(double before, double error, double refinement) {
    return before > 0 && error > 0 ? log(before / error) / log(refinement) : (double)NAN;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double rows_median(double *values, int count) {
    if (count < 1) return (double)NAN;
    qsort(values, (size_t)count, sizeof *values, by_value);
    return values[count / 2];
}

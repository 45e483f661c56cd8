/* JSON out by hand, JSON in through libfyaml (JSON is a part of YAML), strictly: a missing or wrong value is
 * a report. */
#ifndef IO_JSON_H
#define IO_JSON_H

#include <stdint.h>
#include <libfyaml.h>
#include "io/file.h"

/* A quoted text; bytes that are not UTF-8 become '?'. */
void json_put_text(file_writer *w, const char *text);
/* The shortest number that reads back as the same. */
void json_put_number(file_writer *w, double value);
void json_put_vector(file_writer *w, const double *v, int count);

typedef struct json_reader {
    struct fy_document *document;
    const char *path;
    rheo_report *report;
    bool failed; /* set by the first failing read; later ones keep its report */
} json_reader;

/* RHEO_INVALID with line and column when the text is not JSON. */
rheo_status json_open(json_reader *r, const char *text, size_t count, const char *path, rheo_report *report);
void json_close(json_reader *r);
struct fy_node *json_root(json_reader *r);

/* Each reads a member of a mapping and fails when it is missing or of another kind. */
struct fy_node *json_member(json_reader *r, struct fy_node *map, const char *key);
int json_items(json_reader *r, struct fy_node *list); /* of a sequence */
struct fy_node *json_item(struct fy_node *list, int index);
bool json_has(struct fy_node *map, const char *key);
double json_number(json_reader *r, struct fy_node *map, const char *key, double lowest, double highest);
int json_whole(json_reader *r, struct fy_node *map, const char *key, int lowest, int highest);
uint64_t json_hex(json_reader *r, struct fy_node *map, const char *key); /* 16 hexadecimal digits */
bool json_flag(json_reader *r, struct fy_node *map, const char *key);
void json_text(json_reader *r, struct fy_node *map, const char *key, char *to,
               size_t size);                                           /* too long fails */
char *json_copy(json_reader *r, struct fy_node *map, const char *key); /* mem_free */
char *json_emit(json_reader *r, struct fy_node *map, const char *key); /* a mapping as JSON text; mem_free */
void json_vector(json_reader *r, struct fy_node *map, const char *key, double *to, int count);
void json_fail(json_reader *r, struct fy_node *node, const char *key, const char *message);
#endif

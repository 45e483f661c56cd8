/* JSON (RFC 8259). Numbers are written with 9 or 17 digits, whichever is enough to read the same double
 * again. */
#include "io/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/memory.h"
#include "core/report.h"

/* Bytes of the UTF-8 sequence at `s`, 0 when it is not one. */
static int utf8_length(const unsigned char *s) {
    int length = s[0] < 0x80                   ? 1
                 : s[0] >= 0xC2 && s[0] < 0xE0 ? 2
                 : s[0] >= 0xE0 && s[0] < 0xF0 ? 3
                 : s[0] >= 0xF0 && s[0] < 0xF5 ? 4
                                               : 0;
    for (int i = 1; i < length; ++i)
        if ((s[i] & 0xC0) != 0x80) return 0;
    if (length == 3 && ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F))) return 0;
    if (length == 4 && ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F))) return 0;
    return length;
}

void json_put_text(file_writer *w, const char *text) {
    file_write(w, "\"", 1);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int length = utf8_length(s);
        if (*s == '"' || *s == '\\') file_print(w, "\\%c", *s);
        else if (*s == '\n') file_print(w, "\\n");
        else if (*s == '\t') file_print(w, "\\t");
        else if (*s < 0x20 || *s == 0x7F) file_print(w, "\\u%04x", *s);
        else if (length == 0) file_write(w, "?", 1);
        else file_write(w, s, (size_t)length);
        s += length ? length : 1;
    }
    file_write(w, "\"", 1);
}

void json_put_number(file_writer *w, double value) {
    char text[40] = "null"; /* JSON has no other name for what is not finite */
    for (int digits = 9; digits <= 17 && isfinite(value); digits += 8) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    file_print(w, "%s", text);
}

void json_put_vector(file_writer *w, const double *v, int count) {
    for (int i = 0; i < count; ++i) {
        file_print(w, "%s", i ? ", " : "[");
        json_put_number(w, v[i]);
    }
    file_print(w, "]");
}

/* ---- reading ---- */

static void take_errors(rheo_report *report, const char *path, struct fy_diag *diag) {
    void *at = NULL;
    struct fy_diag_error *e = fy_diag_errors_iterate(diag, &at);
    report_fail(report, RHEO_INVALID, "the file as rheo wrote it", "not JSON: %s",
                e && e->msg ? e->msg : "damaged");
    report_place(report, path, e ? e->line : 0, e ? e->column : 0, NULL);
}

rheo_status json_open(json_reader *r, const char *text, size_t count, const char *path, rheo_report *report) {
    *r = (json_reader){.path = path, .report = report};
    struct fy_diag_cfg quiet;
    fy_diag_cfg_default(&quiet);
    quiet.fp = NULL;
    quiet.level = FYET_ERROR;
    quiet.colorize = false;
    struct fy_diag *diag = fy_diag_create(&quiet);
    if (!diag) return report_no_memory(report, "a JSON reader");
    fy_diag_set_collect_errors(diag, true);
    struct fy_parse_cfg how = {.flags = FYPCF_QUIET | FYPCF_JSON_FORCE | FYPCF_COLLECT_DIAG, .diag = diag};
    /* a zero byte inside would end the text early for some readers and not for others */
    if (count && !memchr(text, 0, count)) r->document = fy_document_build_from_string(&how, text, count);
    rheo_status status = RHEO_OK;
    if (!r->document || !fy_document_root(r->document)) {
        take_errors(report, path, diag);
        status = RHEO_INVALID;
        json_close(r);
    }
    fy_diag_destroy(diag);
    return status;
}

void json_close(json_reader *r) {
    if (r->document) fy_document_destroy(r->document);
    r->document = NULL;
}

struct fy_node *json_root(json_reader *r) {
    return fy_document_root(r->document);
}

void json_fail(json_reader *r, struct fy_node *node, const char *key, const char *message) {
    if (r->failed) return;
    r->failed = true;
    report_fail(r->report, RHEO_INVALID, "the file as rheo wrote it", "%s", message);
    struct fy_token *token = node && fy_node_is_scalar(node) ? fy_node_get_scalar_token(node) : NULL;
    const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;
    report_place(r->report, r->path, mark ? mark->line + 1 : 0, mark ? mark->column + 1 : 0, key);
}

bool json_has(struct fy_node *map, const char *key) {
    return map && fy_node_is_mapping(map) && fy_node_mapping_lookup_by_string(map, key, FY_NT);
}

struct fy_node *json_member(json_reader *r, struct fy_node *map, const char *key) {
    struct fy_node *node = json_has(map, key) ? fy_node_mapping_lookup_by_string(map, key, FY_NT) : NULL;
    if (!node) json_fail(r, map, key, "missing");
    return node;
}

int json_items(json_reader *r, struct fy_node *list) {
    if (list && fy_node_is_sequence(list)) return fy_node_sequence_item_count(list);
    json_fail(r, list, NULL, "a list was expected");
    return 0;
}

struct fy_node *json_item(struct fy_node *list, int index) {
    return fy_node_sequence_get_by_index(list, index);
}

static bool parse_number(double *value, struct fy_node *node) {
    size_t length = 0;
    const char *from = node && fy_node_is_scalar(node) ? fy_node_get_scalar(node, &length) : NULL;
    char text[64], *end;
    if (!from || length == 0 || length >= sizeof text) return false;
    memcpy(text, from, length);
    text[length] = 0;
    *value = strtod(text, &end);
    return *end == 0 && isfinite(*value);
}

double json_number(json_reader *r, struct fy_node *map, const char *key, double lowest, double highest) {
    struct fy_node *node = json_member(r, map, key);
    double value = 0;
    if (!node) return lowest;
    if (!parse_number(&value, node)) json_fail(r, node, key, "a number was expected");
    else if (value < lowest || value > highest) json_fail(r, node, key, "a number out of range");
    else return value;
    return lowest;
}

int json_whole(json_reader *r, struct fy_node *map, const char *key, int lowest, int highest) {
    double value = json_number(r, map, key, lowest, highest);
    if (value != floor(value)) json_fail(r, NULL, key, "a whole number was expected");
    return (int)value;
}

uint64_t json_hex(json_reader *r, struct fy_node *map, const char *key) {
    char text[20] = "", *end;
    json_text(r, map, key, text, sizeof text);
    if (r->failed) return 0;
    uint64_t value = strtoull(text, &end, 16);
    if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
        json_fail(r, NULL, key, "16 hexadecimal digits were expected");
    return value;
}

bool json_flag(json_reader *r, struct fy_node *map, const char *key) {
    char text[8] = "";
    json_text(r, map, key, text, sizeof text);
    if (!r->failed && strcmp(text, "true") && strcmp(text, "false"))
        json_fail(r, NULL, key, "true or false was expected");
    return strcmp(text, "true") == 0;
}

static const char *member_text(json_reader *r, struct fy_node *map, const char *key, size_t *length) {
    struct fy_node *node = json_member(r, map, key);
    const char *from = node && fy_node_is_scalar(node) ? fy_node_get_scalar(node, length) : NULL;
    if (node && !from) json_fail(r, node, key, "a text was expected");
    if (from && memchr(from, 0, *length)) {
        json_fail(r, node, key, "a text with a zero in it");
        return NULL;
    }
    return from;
}

void json_text(json_reader *r, struct fy_node *map, const char *key, char *to, size_t size) {
    size_t length = 0;
    const char *from = member_text(r, map, key, &length);
    to[0] = 0;
    if (!from) return;
    if (length >= size) {
        json_fail(r, NULL, key, "a text that is too long");
        return;
    }
    memcpy(to, from, length);
    to[length] = 0;
}

char *json_copy(json_reader *r, struct fy_node *map, const char *key) {
    size_t length = 0;
    const char *from = member_text(r, map, key, &length);
    char *copy = from ? mem_alloc(length + 1) : NULL;
    if (copy) memcpy(copy, from, length);
    else json_fail(r, NULL, key, "out of memory for a text");
    return copy;
}

char *json_emit(json_reader *r, struct fy_node *map, const char *key) {
    struct fy_node *node = json_member(r, map, key);
    if (node && !fy_node_is_mapping(node)) json_fail(r, node, key, "a mapping was expected");
    if (r->failed) return NULL;
    char *text = fy_emit_node_to_string(node, FYECF_MODE_JSON_ONELINE | FYECF_WIDTH_INF);
    char *copy = text ? mem_alloc(strlen(text) + 1) : NULL;
    if (copy) strcpy(copy, text);
    else json_fail(r, NULL, key, "out of memory for a text");
    free(text);
    return copy;
}

void json_vector(json_reader *r, struct fy_node *map, const char *key, double *to, int count) {
    struct fy_node *list = json_member(r, map, key);
    if (!list || json_items(r, list) != count) {
        json_fail(r, list, key, "a vector was expected");
        return;
    }
    for (int i = 0; i < count; ++i)
        if (!parse_number(&to[i], json_item(list, i))) json_fail(r, list, key, "a number was expected");
}

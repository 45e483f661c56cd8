/* YAML text -> a tree of nodes with places, read from libfyaml's event stream.
 *
 * Limits: one document, no anchors, aliases, tags or complex keys; see the header for the bounds. */
#include "scene/node.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <libfyaml.h>
#include "core/report.h"

typedef struct builder {
    arena *memory;
    const char *source;
    rheo_report *report;
    node *stack[NODE_DEPTH_MAX];
    int depth;
    node *root;
    node *pending; /* a key of the map on top that waits for its value */
    int nodes, documents;
    int line, column; /* of the last event that has a place: values that were left out have none */
} builder;

static rheo_status fail_at(builder *b, const struct fy_mark *mark, const char *allowed, const char *message) {
    report_fail(b->report, RHEO_INVALID, allowed, "%s", message);
    report_place(b->report, b->source, mark ? mark->line + 1 : b->line, mark ? mark->column + 1 : b->column,
                 NULL);
    return RHEO_INVALID;
}

static node *new_node(builder *b, node_kind kind, const struct fy_mark *mark) {
    node *n = arena_alloc(b->memory, sizeof *n);
    if (!n) return NULL;
    n->kind = kind;
    n->source = b->source;
    const node *key = mark ? NULL : b->pending; /* a value left out stands where its key does */
    n->line = mark ? mark->line + 1 : key ? key->line : b->line;
    n->column = mark ? mark->column + 1 : key ? key->column : b->column;
    ++b->nodes;
    return n;
}

static void append(node *parent, node *child) {
    if (parent->last) parent->last->next = child;
    else parent->first = child;
    parent->last = child;
    ++parent->count;
}

/* Hangs a finished or opened node under the one on top of the stack. */
static rheo_status attach(builder *b, node *n, const struct fy_mark *mark) {
    if (b->depth == 0) {
        b->root = n;
        return RHEO_OK;
    }
    node *parent = b->stack[b->depth - 1];
    if (parent->kind == NODE_LIST) {
        append(parent, n);
        return RHEO_OK;
    }
    if (!b->pending) { /* the node is a key */
        if (n->kind != NODE_SCALAR) return fail_at(b, mark, "a name", "a key must be a plain name");
        if (parent->count >= NODE_KEYS_MAX)
            return fail_at(b, mark, "at most 256 keys", "too many keys in one map");
        const node *same = node_find(parent, n->text);
        if (same) {
            report_fail(b->report, RHEO_INVALID, "each key once",
                        "the key '%.64s' was already given on line %d", n->text, same->key_line);
            report_place(b->report, b->source, n->line, n->column, NULL);
            return RHEO_INVALID;
        }
        b->pending = n;
        return RHEO_OK;
    }
    n->key = b->pending->text;
    n->key_line = b->pending->line;
    n->key_column = b->pending->column;
    b->pending = NULL;
    append(parent, n);
    return RHEO_OK;
}

static rheo_status open_node(builder *b, node_kind kind, const struct fy_mark *mark) {
    if (b->depth >= NODE_DEPTH_MAX) return fail_at(b, mark, "at most 48 levels", "nested too deeply");
    node *n = new_node(b, kind, mark);
    if (!n) return report_no_memory(b->report, "the scene");
    rheo_status status = attach(b, n, mark);
    if (status != RHEO_OK) return status;
    b->stack[b->depth++] = n;
    b->pending = NULL;
    return RHEO_OK;
}

static rheo_status add_scalar(builder *b, struct fy_token *token, const struct fy_mark *mark) {
    node *n = new_node(b, NODE_SCALAR, mark);
    size_t length = 0;
    const char *text = token ? fy_token_get_text(token, &length) : "";
    if (!text) text = "", length = 0;
    char *copy = n ? arena_alloc(b->memory, length + 1) : NULL;
    if (!copy) return report_no_memory(b->report, "the scene");
    if (length) memcpy(copy, text, length);
    if (memchr(copy, '\0', length)) return fail_at(b, mark, "printable text", "a text holds a zero byte");
    n->text = copy;
    n->quoted = token && fy_token_scalar_style(token) != FYSS_PLAIN;
    if (n->quoted && n->column > 1) --n->column; /* the library's mark is behind the quote */
    return attach(b, n, mark);
}

static rheo_status refuse_decoration(builder *b, struct fy_token *anchor, struct fy_token *tag,
                                     const struct fy_mark *mark) {
    if (anchor) return fail_at(b, mark, "write the value out", "anchors (&name) are not used in scene files");
    if (tag) return fail_at(b, mark, "the plain value", "tags (!name) are not used in scene files");
    return RHEO_OK;
}

static rheo_status take_event(builder *b, struct fy_event *event) {
    const struct fy_mark *mark = fy_event_start_mark(event);
    rheo_status status = RHEO_OK;
    if (mark) b->line = mark->line + 1, b->column = mark->column + 1;
    if (b->nodes > NODE_COUNT_MAX)
        return fail_at(b, mark, "at most 400000 values", "too many values in one file");
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (b->documents++) return fail_at(b, mark, "one document a file", "a second document starts here");
        return RHEO_OK;
    case FYET_MAPPING_START:
        status = refuse_decoration(b, event->mapping_start.anchor, event->mapping_start.tag, mark);
        return status == RHEO_OK ? open_node(b, NODE_MAP, mark) : status;
    case FYET_SEQUENCE_START:
        status = refuse_decoration(b, event->sequence_start.anchor, event->sequence_start.tag, mark);
        return status == RHEO_OK ? open_node(b, NODE_LIST, mark) : status;
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        if (b->depth > 0) --b->depth;
        b->pending = NULL;
        return RHEO_OK;
    case FYET_SCALAR:
        status = refuse_decoration(b, event->scalar.anchor, event->scalar.tag, mark);
        return status == RHEO_OK ? add_scalar(b, event->scalar.value, mark) : status;
    case FYET_ALIAS:
        return fail_at(b, mark, "write the value out", "aliases (*name) are not used in scene files");
    default: return RHEO_OK;
    }
}

/* The first error of libfyaml in our words: its message and its place. */
static rheo_status yaml_error(builder *b, struct fy_diag *diag) {
    void *iterator = NULL;
    const struct fy_diag_error *e = diag ? fy_diag_errors_iterate(diag, &iterator) : NULL;
    report_fail(b->report, RHEO_INVALID, "YAML: 'name: value', lists in [ ], maps in { }",
                "not valid YAML: %s", e && e->msg ? e->msg : "the text cannot be read");
    if (b->report) { /* messages of the library end in a line break */
        size_t end = strlen(b->report->message);
        while (end && isspace((unsigned char)b->report->message[end - 1])) b->report->message[--end] = '\0';
    }
    report_place(b->report, b->source, e && e->line > 0 ? e->line : 1, e && e->column > 0 ? e->column : 1,
                 NULL);
    return RHEO_INVALID;
}

static rheo_status run_parser(builder *b, struct fy_parser *parser, struct fy_diag *diag, const char *text,
                              size_t length) {
    if (fy_parser_set_string(parser, text, length) != 0) return yaml_error(b, diag);
    rheo_status status = RHEO_OK;
    bool ended = false;
    while (status == RHEO_OK && !ended) {
        struct fy_event *event = fy_parser_parse(parser);
        if (!event) break;
        ended = event->type == FYET_STREAM_END;
        status = take_event(b, event);
        fy_parser_event_free(parser, event);
    }
    if (status == RHEO_OK && (!ended || fy_parser_get_stream_error(parser))) return yaml_error(b, diag);
    return status;
}

/* Bytes of the UTF-8 sequence at `at` (1 to 4), or 0 when it is none. Overlong forms and surrogates pass:
 * they do no harm. */
static size_t utf8_length(const unsigned char *at, size_t left) {
    const size_t length = at[0] < 0x80       ? 1
                          : at[0] >> 5 == 6  ? 2
                          : at[0] >> 4 == 14 ? 3
                          : at[0] >> 3 == 30 ? 4
                                             : 0;
    if (length == 0 || length > left) return 0;
    for (size_t i = 1; i < length; ++i)
        if (at[i] >> 6 != 2) return 0;
    return length;
}

/* libfyaml can loop for ever over bytes that are no text, so they do not get that far. */
static rheo_status require_text(builder *b, const char *text, size_t length) {
    struct fy_mark mark = {0};
    for (size_t i = 0; i < length;) {
        const size_t step = text[i] ? utf8_length((const unsigned char *)text + i, length - i) : 0;
        if (step == 0)
            return fail_at(b, &mark, "a YAML text in UTF-8", "the file holds a byte that is no text");
        mark.column = text[i] == '\n' ? 0 : mark.column + 1;
        mark.line += text[i] == '\n';
        i += step;
    }
    return RHEO_OK;
}

rheo_status node_parse(node **root, const char *text, size_t length, const char *source, arena *memory,
                       rheo_report *report) {
    builder b = {.memory = memory, .source = source, .report = report, .line = 1, .column = 1};
    *root = NULL;
    if (length > NODE_TEXT_MAX) return fail_at(&b, NULL, "at most 16.7 MB", "the scene file is too large");
    if (require_text(&b, text, length)) return RHEO_INVALID;
    struct fy_diag_cfg quiet;
    fy_diag_cfg_default(&quiet);
    quiet.fp = NULL;
    quiet.colorize = false;
    struct fy_diag *diag = fy_diag_create(&quiet);
    if (!diag) return report_no_memory(report, "the scene");
    fy_diag_set_collect_errors(diag, true);
    struct fy_parse_cfg cfg = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_JSON_NONE, .diag = diag};
    struct fy_parser *parser = fy_parser_create(&cfg);
    rheo_status status =
        parser ? run_parser(&b, parser, diag, text, length) : report_no_memory(report, "the scene");
    if (parser) fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    if (status != RHEO_OK) return status;
    if (!b.root)
        return fail_at(&b, &(struct fy_mark){0}, "keys such as domain, fluids, solids", "the file is empty");
    *root = b.root;
    return RHEO_OK;
}

node *node_find(const node *map, const char *key) {
    for (node *n = map->first; n; n = n->next)
        if (n->key && strcmp(n->key, key) == 0) return n;
    return NULL;
}

node *node_at(const node *list, int index) {
    node *n = list->first;
    while (n && index-- > 0) n = n->next;
    return n;
}

const char *node_kind_name(const node *n) {
    if (n->kind == NODE_MAP) return n->count ? "a map" : "an empty map";
    if (n->kind == NODE_LIST) return n->count ? "a list" : "an empty list";
    if (!n->quoted && (!n->text[0] || !strcmp(n->text, "~") || !strcmp(n->text, "null"))) return "nothing";
    return "a single value";
}

/* One part of a path: a name or an index. Returns what follows, or NULL when the text is not a path. */
typedef struct step {
    char name[64]; /* "" for an index */
    int index;
} step;

static const char *next_step(step *s, const char *path, bool first) {
    *s = (step){.index = -1};
    if (*path == '[') {
        char *end;
        long index = strtol(path + 1, &end, 10);
        if (!isdigit((unsigned char)path[1]) || *end != ']' || index > NODE_COUNT_MAX) return NULL;
        s->index = (int)index;
        return end + 1;
    }
    if (*path == '.' && !first) ++path;
    else if (!first) return NULL;
    size_t length = strcspn(path, ".[");
    if (length == 0 || length >= sizeof s->name) return NULL;
    memcpy(s->name, path, length);
    return path + length;
}

const node *node_locate(const node *root, const char *path) {
    const node *n = root;
    for (bool first = true; *path; first = false) {
        step s;
        path = next_step(&s, path, first);
        if (!path) return n;
        const node *child = NULL;
        if (s.name[0] && n->kind == NODE_MAP) child = node_find(n, s.name);
        else if (!s.name[0] && n->kind == NODE_LIST) child = node_at(n, s.index);
        if (!child) return n;
        n = child;
    }
    return n;
}

static void replace_child(node *parent, node *old, node *value) {
    value->key = old->key;
    value->key_line = old->key_line;
    value->key_column = old->key_column;
    value->next = old->next;
    if (parent->first == old) parent->first = value;
    for (node *n = parent->first; n; n = n->next)
        if (n->next == old) n->next = value;
    if (parent->last == old) parent->last = value;
}

/* Makes room for a step under `n`: a scalar or nothing becomes an empty map or list. */
static bool fits_step(node *n, const step *s) {
    node_kind want = s->name[0] ? NODE_MAP : NODE_LIST;
    if (n->kind != want && n->kind == NODE_SCALAR && !strcmp(node_kind_name(n), "nothing")) n->kind = want;
    return n->kind == want;
}

rheo_status node_set(node *root, const char *path, node *value, arena *memory, rheo_report *report) {
    static const char shape[] = "a path such as domain.cells or fluids[0].density";
    node *n = root;
    const char *rest = path;
    for (bool first = true;; first = false) {
        step s;
        rest = next_step(&s, rest, first);
        if (!rest) return report_fail(report, RHEO_USAGE, shape, "'%.100s' is not a path", path);
        if (!fits_step(n, &s))
            return report_fail(report, RHEO_USAGE, shape, "nothing in the scene has the path '%.100s'", path);
        node *child = s.name[0] ? node_find(n, s.name) : node_at(n, s.index);
        if (!child) {
            if (!s.name[0] && s.index != n->count)
                return report_fail(report, RHEO_USAGE, shape, "'%.100s' counts past the end of a list of %d",
                                   path, n->count);
            child = arena_alloc(memory, sizeof *child);
            char *name = s.name[0] ? arena_text(memory, s.name) : NULL;
            if (!child || (s.name[0] && !name)) return report_no_memory(report, "the scene");
            *child = (node){.kind = NODE_SCALAR, .text = "", .key = name, .source = value->source};
            append(n, child);
        }
        if (!*rest) {
            replace_child(n, child, value);
            return RHEO_OK;
        }
        n = child;
    }
}

/* Writing: one line a key of the top level, flow style below; quotes where a plain scalar could be misread.
 */
typedef struct writer {
    char *text;
    size_t length, capacity;
    bool failed;
} writer;

static void put(writer *w, const char *text, size_t length) {
    if (w->failed) return;
    if (w->length + length + 1 > w->capacity) {
        size_t capacity = 2 * (w->length + length + 1);
        char *grown = realloc(w->text, capacity);
        if (!grown) {
            w->failed = true;
            return;
        }
        w->text = grown;
        w->capacity = capacity;
    }
    memcpy(w->text + w->length, text, length);
    w->length += length;
    w->text[w->length] = '\0';
}

static void put_text(writer *w, const char *text) {
    put(w, text, strlen(text));
}

static void put_quoted(writer *w, const char *text) {
    put_text(w, "\"");
    for (; *text; ++text) {
        char code[8];
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') put(w, (char[]){'\\', *text}, 2);
        else if (c < 32 || c == 127) put(w, code, (size_t)snprintf(code, sizeof code, "\\x%02x", c));
        else put(w, text, 1);
    }
    put_text(w, "\"");
}

static void put_scalar(writer *w, const char *text, bool quoted) {
    for (const char *c = text; *c && !quoted; ++c)
        quoted = !isalnum((unsigned char)*c) && !strchr(" _.+-", *c);
    if (quoted) put_quoted(w, text);
    else put_text(w, text);
}

static void put_node(writer *w, const node *n) {
    if (n->kind == NODE_SCALAR) {
        put_scalar(w, n->text, n->quoted);
        return;
    }
    put_text(w, n->kind == NODE_MAP ? "{ " : "[ ");
    for (const node *child = n->first; child; child = child->next) {
        if (n->kind == NODE_MAP) {
            put_scalar(w, child->key, false);
            put_text(w, ": ");
        }
        put_node(w, child);
        if (child->next) put_text(w, ", ");
    }
    put_text(w, n->kind == NODE_MAP ? " }" : " ]");
}

char *node_write(const node *root, arena *memory) {
    writer w = {0};
    for (const node *child = root->first; child; child = child->next) {
        put_scalar(&w, child->key, false);
        put_text(&w, ": ");
        put_node(&w, child);
        put_text(&w, "\n");
    }
    char *copy = w.failed ? NULL : arena_text(memory, w.text ? w.text : "");
    free(w.text);
    return copy;
}

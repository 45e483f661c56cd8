/* Shapes of a scene: one key says what it is, others beside it where and how large; sets of shapes nest. */
#include "scene/read.h"

#include <stdio.h>
#include <string.h>
#include "core/report.h"
#include "scene/mesh_file.h"

/* The tree keeps the absolute path, for the copy in the cache. */
static rheo_status find_mesh(reader *r, rheo_shape *shape, node *n, const char *path) {
    const rheo_status status = mesh_file_find(&shape->file, r->memory, r->directory, n->text, r->report);
    if (status == RHEO_INVALID) report_place(r->report, n->source, n->line, n->column, path);
    if (status != RHEO_OK || strcmp(n->text, shape->file) == 0) return status;
    n->text = shape->file;
    n->quoted = true;
    r->rewritten = true;
    return RHEO_OK;
}

static rheo_status read_children(reader *r, rheo_shape *shape, const node *n, const char *path) {
    if (n->kind != NODE_LIST || !n->count)
        return read_fail(r, n, path, "a list of shapes", NULL, "%s is not what belongs here",
                         node_kind_name(n));
    if (r->depth >= SHAPE_DEPTH_MAX)
        return read_fail(r, n, path, "at most 16 levels", NULL, "shapes nested too deeply");
    rheo_shape *children = arena_alloc(r->memory, (size_t)n->count * sizeof *children);
    if (!children) return report_no_memory(r->report, "the scene's shapes");
    rheo_status status = RHEO_OK;
    int i = 0;
    ++r->depth;
    for (const node *item = n->first; item && status == RHEO_OK; item = item->next, ++i) {
        char at[NODE_PATH_MAX];
        read_join_index(at, path, i);
        status = read_shape(r, &children[i], item, at);
    }
    --r->depth;
    shape->children = children;
    shape->child_count = n->count;
    return status;
}

/* Every key beside the shape's own must be one of scale, rotate, move; beside a fill's, at. */
static rheo_status check_shape_keys(reader *r, const node *n, const node **body, int *kind,
                                    const char *path) {
    const char *known[32] = {"scale", "rotate", "move"};
    char allowed[160];
    int others = 3;
    snprintf(allowed, sizeof allowed,
             "box, sphere, capsule, cylinder, torus, plane, mesh, union, difference or intersection; beside "
             "it scale, rotate, move%s",
             r->is_fill ? ", at" : "");
    *body = NULL;
    if (r->is_fill) known[others++] = "at";
    for (int k = 0; shape_names[k]; ++k) known[others + k] = shape_names[k];
    for (const node *item = n->first; item; item = item->next) {
        node key = {.source = item->source, .line = item->key_line, .column = item->key_column};
        int k = 0;
        while (shape_names[k] && strcmp(shape_names[k], item->key) != 0) ++k;
        if (shape_names[k]) {
            if (*body)
                return read_fail(r, &key, path, "one shape (use union for more)", NULL, "a second shape '%s'",
                                 item->key);
            *body = item;
            *kind = k;
        } else if (strcmp(item->key, "scale") && strcmp(item->key, "rotate") && strcmp(item->key, "move") &&
                   !(r->is_fill && !strcmp(item->key, "at"))) {
            char at[NODE_PATH_MAX];
            read_join(at, path, item->key);
            return read_fail(r, &key, at, allowed, report_nearest(item->key, known), "unknown key '%.60s'",
                             item->key);
        }
    }
    if (!*body) return read_fail(r, n, path, allowed, NULL, "no shape is given");
    return RHEO_OK;
}

/* The rows of IN_PLACEMENT, or of a fill's IN_APPEARANCE, read from a map that also holds the shape itself.
 */
static rheo_status read_beside(reader *r, rheo_shape *shape, const node *n, const node *body, section in,
                               const char *path) {
    node beside = {.kind = NODE_MAP, .source = n->source, .line = n->line, .column = n->column};
    node copies[4];
    int count = 0;
    for (const node *item = n->first; item; item = item->next) {
        if (item == body || (!strcmp(item->key, "at")) != (in == IN_APPEARANCE)) continue;
        copies[count] = *item;
        copies[count].next = NULL;
        if (count) copies[count - 1].next = &copies[count];
        ++count;
    }
    beside.first = count ? copies : NULL;
    beside.count = count;
    return read_section(r, shape, &beside, in, path);
}

rheo_status read_shape(reader *r, rheo_shape *shape, const node *n, const char *path) {
    int kind = 0;
    const node *body;
    char at[NODE_PATH_MAX];
    const bool is_fill = r->is_fill;
    if (n->kind != NODE_MAP)
        return read_fail(r, n, path, "a map, for example { sphere: { center: [x, y, z], radius: r } }", NULL,
                         "%s is not a shape", node_kind_name(n));
    rheo_status status = check_shape_keys(r, n, &body, &kind, path);
    if (status != RHEO_OK) return status;
    r->is_fill = false; /* its parts are none */
    *shape = rheo_default_shape((rheo_shape_kind)kind);
    shape->line = n->line;
    read_join(at, path, body->key);
    if (kind >= RHEO_SHAPE_UNION) {
        status = read_children(r, shape, body, at);
    } else {
        status = read_section(r, shape, body, (section)(IN_BOX + kind), at);
    }
    if (status == RHEO_OK) status = read_beside(r, shape, n, body, IN_PLACEMENT, path);
    if (status == RHEO_OK && is_fill) status = read_beside(r, shape, n, body, IN_APPEARANCE, path);
    if (status == RHEO_OK && kind == RHEO_SHAPE_MESH) {
        snprintf(at, sizeof at, "%.240s.mesh.file", path);
        status = find_mesh(r, shape, node_find(body, "file"), at);
    }
    return status;
}

rheo_status read_shapes(reader *r, rheo_fluid *fluid, const node *n, const char *path, const param *p) {
    if (n->kind != NODE_LIST) return read_fail_type(r, n, path, p);
    rheo_shape *shapes = arena_alloc(r->memory, (size_t)n->count * sizeof *shapes);
    if (!shapes) return report_no_memory(r->report, "the scene's shapes");
    int i = 0;
    for (const node *item = n->first; item; item = item->next, ++i) {
        char at[NODE_PATH_MAX];
        read_join_index(at, path, i);
        r->is_fill = true;
        rheo_status status = read_shape(r, &shapes[i], item, at);
        r->is_fill = false;
        if (status != RHEO_OK) return status;
    }
    fluid->fill = shapes;
    fluid->fill_count = n->count;
    return RHEO_OK;
}

/* Parts of a mesh that are inside out.
 *
 * Triangles that share vertices are a part. A part that lies in an even number of others is solid, in an odd
 * number a hole in one of them; so a solid part of negative volume is turned. Where all solid parts are, the
 * whole mesh is inside out, holes too, and who asks turns that.
 *
 * Limits: of parts that cross each other, one counts as inside where its bounds are and its first vertex is;
 * a hole that faces outwards is left, and weighs twice. */
#include "core/memory.h"
#include "geom/mesh_reader.h"
#include "geom/sweep.h"

typedef struct part {
    uint32_t first, count; /* of the triangles in order of parts */
    double volume;
} part;

typedef struct parts {
    uint32_t count;
    part *item;
    uint32_t *of;    /* [triangles]: the part of each */
    uint32_t *order; /* [triangles]: part after part */
    sweep bounds;
} parts;

static void parts_free(parts *p) {
    mem_free(p->item);
    mem_free(p->of);
    mem_free(p->order);
    sweep_free(&p->bounds);
}

static uint32_t top_of(uint32_t *above, uint32_t v) {
    while (above[v] != v) v = above[v] = above[above[v]];
    return v;
}

/* Numbers the parts in the order of their first triangles; false: no memory. */
static bool number_parts(parts *p, const tri_mesh *m) {
    const uint32_t none = UINT32_MAX;
    uint32_t *above = mem_alloc(m->vertex_count * sizeof *above);
    uint32_t *number = mem_alloc(m->vertex_count * sizeof *number);
    p->of = mem_alloc(m->triangle_count * sizeof *p->of);
    const bool good = above && number && p->of;
    for (size_t v = 0; good && v < m->vertex_count; ++v) {
        above[v] = (uint32_t)v;
        number[v] = none;
    }
    for (size_t t = 0; good && t < m->triangle_count; ++t)
        for (int c = 1; c < 3; ++c)
            above[top_of(above, m->triangle[t][c])] = top_of(above, m->triangle[t][0]);
    for (size_t t = 0; good && t < m->triangle_count; ++t) {
        uint32_t *own = &number[top_of(above, m->triangle[t][0])];
        if (*own == none) *own = p->count++;
        p->of[t] = *own;
    }
    mem_free(above);
    mem_free(number);
    return good;
}

/* Triangles part after part. */
static bool sort_parts(parts *p, const tri_mesh *m) {
    p->item = mem_alloc(p->count * sizeof *p->item);
    p->order = mem_alloc(m->triangle_count * sizeof *p->order);
    if (!p->item || !p->order) return false;
    for (size_t t = 0; t < m->triangle_count; ++t) ++p->item[p->of[t]].count;
    for (uint32_t i = 1; i < p->count; ++i) p->item[i].first = p->item[i - 1].first + p->item[i - 1].count;
    for (uint32_t i = 0; i < p->count; ++i) p->item[i].count = 0;
    for (size_t t = 0; t < m->triangle_count; ++t) {
        part *own = &p->item[p->of[t]];
        p->order[own->first + own->count++] = (uint32_t)t;
    }
    return true;
}

/* The mesh of one part, with the vertices of all. */
static tri_mesh only(const tri_mesh *m, const parts *p, uint32_t i, uint32_t (*triangles)[3]) {
    for (uint32_t k = 0; k < p->item[i].count; ++k)
        for (int c = 0; c < 3; ++c) triangles[k][c] = m->triangle[p->order[p->item[i].first + k]][c];
    return (tri_mesh){.vertex = m->vertex,
                      .vertex_count = m->vertex_count,
                      .triangle = triangles,
                      .triangle_count = p->item[i].count};
}

static bool measure_parts(parts *p, const tri_mesh *m, uint32_t (*triangles)[3]) {
    if (sweep_reserve(&p->bounds, (int)p->count)) return false;
    for (uint32_t i = 0; i < p->count; ++i) {
        const tri_mesh own = only(m, p, i, triangles);
        sweep_box *b = &p->bounds.box[i];
        p->item[i].volume = mesh_volume(&own);
        for (int a = 0; a < 3; ++a) b->lower[a] = b->upper[a] = m->vertex[triangles[0][0]][a];
        for (size_t k = 0; k < 3 * own.triangle_count; ++k)
            for (int a = 0; a < 3; ++a) {
                const double x = m->vertex[triangles[k / 3][k % 3]][a];
                b->lower[a] = x < b->lower[a] ? x : b->lower[a];
                b->upper[a] = x > b->upper[a] ? x : b->upper[a];
            }
    }
    return sweep_overlaps(&p->bounds, (int)p->count) == 0;
}

static bool is_within(const sweep_box *inner, const sweep_box *outer) {
    for (int a = 0; a < 3; ++a)
        if (inner->lower[a] < outer->lower[a] || inner->upper[a] > outer->upper[a]) return false;
    return true;
}

/* Counts for all parts in how many others they are: `depth`. */
static bool count_around(uint32_t *depth, const parts *p, const tri_mesh *m, uint32_t (*triangles)[3]) {
    for (uint32_t outer = 0; outer < p->count; ++outer) {
        mesh_tree *tree = NULL; /* made for the first that may be inside */
        for (size_t k = p->bounds.start[outer]; k < p->bounds.start[outer + 1]; ++k) {
            const int inner = p->bounds.near[k];
            if (!is_within(&p->bounds.box[inner], &p->bounds.box[outer])) continue;
            if (!tree) {
                tri_mesh own = only(m, p, outer, triangles);
                for (uint32_t t = 0; p->item[outer].volume < 0 && t < p->item[outer].count; ++t)
                    mesh_turn_triangle(triangles[t]);
                if (!(tree = mesh_tree_make(&own))) return false;
            }
            const uint32_t vertex = m->triangle[p->order[p->item[inner].first]][0];
            depth[inner] += mesh_tree_distance(tree, m->vertex[vertex]) < 0;
        }
        mesh_tree_free(tree);
    }
    return true;
}

/* Turns solid parts that are inside out, unless all are. */
static void turn_parts(tri_mesh *m, const parts *p, const uint32_t *depth) {
    uint32_t solid = 0, wrong = 0;
    for (uint32_t i = 0; i < p->count; ++i) {
        solid += depth[i] % 2 == 0;
        wrong += depth[i] % 2 == 0 && p->item[i].volume < 0;
    }
    if (wrong == solid) return;
    for (uint32_t i = 0; i < p->count; ++i) {
        if (depth[i] % 2 || !(p->item[i].volume < 0)) continue;
        for (uint32_t k = 0; k < p->item[i].count; ++k)
            mesh_turn_triangle(m->triangle[p->order[p->item[i].first + k]]);
        m->repaired.flipped += p->item[i].count;
    }
}

bool mesh_turn_parts(tri_mesh *m) {
    parts p = {0};
    bool good = number_parts(&p, m);
    if (good && p.count > 1) {
        uint32_t(*triangles)[3] = mem_alloc(m->triangle_count * sizeof *triangles);
        uint32_t *depth = mem_alloc(p.count * sizeof *depth);
        good = triangles && depth && sort_parts(&p, m) && measure_parts(&p, m, triangles) &&
               count_around(depth, &p, m, triangles);
        if (good) turn_parts(m, &p, depth);
        mem_free(triangles);
        mem_free(depth);
    }
    parts_free(&p);
    return good;
}

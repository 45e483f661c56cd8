/* Marching cubes (Lorensen and Cline 1987) with the cases of marching_table.c, which keep the surface closed
 * and manifold for any signs.
 *
 * The sign of every sample is one bit of its row. Cut edges are exclusive ors of rows and their shifts, cubes
 * with a surface in them those whose eight corners do not agree: 64 at a time, so that only these cost
 * anything. The number of a vertex is the count of the set bits before it, so nothing has to be looked up or
 * searched. Three passes over planes: signs, counts, and after a running sum over rows, writing.
 *
 * At the sides of the box: the border samples lie on them, and one more layer outside those is taken as
 * outside everywhere, in the same place. The cubes between the two are flat, and the surface in them is the
 * part of the side that is inside, cut sharply off where the surface meets it.
 *
 * Vertices: by rows, in each row first those on edges along x, then y, z, then the middles of cubes. They are
 * kept away from the samples by LEAST_SHARE of an edge, and the border samples from the sides by as much of a
 * cell, so that no two coincide and no triangle vanishes. */
#include "geom/marching.h"

#include <math.h>
#include <stdbool.h>
#include "core/hot.h"
#include "core/memory.h"
#include "core/report.h"
#include "geom/marching_sample.h"
#include "geom/marching_table.h"

static const float LEAST_SHARE = 0x1p-11f;

/* Shared with the plane
 * ---------------------------------------------------------------------------------------- */

double sample_place(const box *b, int at, int axis) {
    const double inset = (double)LEAST_SHARE;
    if (at == -1) return inset;
    if (at == b->n[axis]) return b->n[axis] - inset;
    return at < 0 ? 0 : at > b->n[axis] ? b->n[axis] : at + 0.5;
}

static void gradient(float g[3], const field_view *f, const int at[3]) {
    ptrdiff_t c = box_at(f->b, at[0], at[1], at[2]);
    for (int a = 0; a < 3; ++a) {
        g[a] = 0;
        if (a >= f->b->dim) continue;
        const int low = at[a] > -1, high = at[a] < f->b->n[a]; /* the samples end on the sides */
        const float rise = f->field[c + high * f->b->step[a]] - f->field[c - low * f->b->step[a]];
        const int inside = at[a] > 0 && at[a] + 1 < f->b->n[a];
        g[a] =
            rise /
            (inside ? 2 : (float)(sample_place(f->b, at[a] + high, a) - sample_place(f->b, at[a] - low, a)));
    }
}

/* On the side itself, where the inside goes on to it. */
static void side_vertex(float position[3], float normal[3], const field_view *f, const int at[3], int axis) {
    const int high = at[axis] >= 0;
    for (int e = 0; e < 3; ++e) {
        const double cells = e == axis ? high * f->b->n[e] : sample_place(f->b, at[e], e);
        position[e] = (float)(f->origin[e] + f->dx * cells);
        normal[e] = 0;
    }
    normal[axis] = high ? 1 : -1;
}

void crossing_vertex(float position[3], float normal[3], const field_view *f, const int at[3], int axis) {
    if (at[axis] < -1 || at[axis] >= f->b->n[axis]) {
        side_vertex(position, normal, f, at, axis);
        return;
    }
    int to[3] = {at[0], at[1], at[2]};
    to[axis] += 1;
    ptrdiff_t c = box_at(f->b, at[0], at[1], at[2]);
    float a = f->field[c], b = f->field[c + f->b->step[axis]], t = a / (a - b);
    if (!(t > LEAST_SHARE)) t = LEAST_SHARE; /* also where it is not a number */
    if (t > 1 - LEAST_SHARE) t = 1 - LEAST_SHARE;
    float from[3], there[3], size2 = 0;
    gradient(from, f, at);
    gradient(there, f, to);
    for (int e = 0; e < 3; ++e) {
        double cells = sample_place(f->b, at[e], e);
        if (e == axis) cells += (double)t * (sample_place(f->b, to[e], e) - cells);
        position[e] = (float)(f->origin[e] + f->dx * cells);
        normal[e] = (1 - t) * from[e] + t * there[e];
        size2 += normal[e] * normal[e];
    }
    bool usable = size2 > 1e-30f && isfinite(size2);
    float scale = usable ? 1 / sqrtf(size2) : 0;
    for (int e = 0; e < 3; ++e) normal[e] *= scale;
    if (usable) return;
    for (int e = 0; e < 3; ++e) normal[e] = 0;
    normal[axis] = a < 0 ? 1 : -1; /* a crest or flat noise: along the edge, outwards */
}

rheo_status marching_allocate(rheo_mesh *mesh, size_t vertices, size_t triangles, rheo_report *report) {
    *mesh = (rheo_mesh){0};
    if (vertices > UINT32_MAX) return report_no_memory(report, "a surface of more than 2^32 vertices");
    mesh->position = mem_alloc(3 * vertices * sizeof(float));
    mesh->normal = mem_alloc(3 * vertices * sizeof(float));
    mesh->velocity = mem_alloc(3 * vertices * sizeof(float));
    mesh->triangle = mem_alloc(3 * triangles * sizeof(uint32_t));
    if (!mesh->position || !mesh->normal || !mesh->velocity || !mesh->triangle) {
        rheo_free_mesh(mesh);
        return report_no_memory(report, "a surface");
    }
    mesh->vertex_count = vertices;
    mesh->triangle_count = triangles;
    return RHEO_OK;
}

void rheo_free_mesh(rheo_mesh *mesh) {
    if (!mesh) return;
    mem_free(mesh->position);
    mem_free(mesh->normal);
    mem_free(mesh->velocity);
    mem_free(mesh->temperature);
    mem_free(mesh->rest);
    mem_free(mesh->triangle);
    *mesh = (rheo_mesh){0};
}

/* Bits
 * ---------------------------------------------------------------------------------------------------------
 */

typedef struct {
    size_t vertex, triangle; /* counts, then first numbers */
} row_base;

typedef struct {
    field_view view;
    int samples[3]; /* owned cells, and on both sides the border layer and one outside it */
    int words;      /* of 64 samples a row */
    uint64_t *bits; /* [rows][words], set inside */
    uint32_t *rank; /* [rows][words][3]: vertices of the row before those of this word and axis */
    row_base *base; /* [rows] */
    const cube_case *cases;
    rheo_mesh *mesh;
} job;

INLINE size_t row_of(const job *s, int j, int k) {
    return (size_t)k * (size_t)s->samples[1] + (size_t)j;
}
INLINE const uint64_t *bits_of(const job *s, int j, int k) {
    return s->bits + row_of(s, j, k) * (size_t)s->words;
}

/* The word moved by one sample, with the first of the next word coming in. */
INLINE uint64_t shifted(const uint64_t *row, int w, int words) {
    return row[w] >> 1 | (w + 1 < words ? row[w + 1] << 63 : 0);
}

/* Which samples of a word have another sample after them along x. */
INLINE uint64_t before_last(const job *s, int w) {
    int left = s->samples[0] - 1 - 64 * w;
    return left >= 64 ? ~0ull : left > 0 ? (1ull << left) - 1 : 0;
}

/* Edges of an axis that are cut, by their low sample. */
INLINE uint64_t cut_edges(const job *s, int j, int k, int w, int axis) {
    const uint64_t *row = bits_of(s, j, k);
    if (axis == 0) return (row[w] ^ shifted(row, w, s->words)) & before_last(s, w);
    if (axis == 1) return j + 1 < s->samples[1] ? row[w] ^ bits_of(s, j + 1, k)[w] : 0;
    return k + 1 < s->samples[2] ? row[w] ^ bits_of(s, j, k + 1)[w] : 0;
}

/* The signs of the corners of 64 cubes, by the cubes' low samples. */
typedef struct {
    uint64_t corner[8];
} cube_word;

INLINE cube_word cubes_of(const job *s, int j, int k, int w) {
    cube_word c;
    for (int q = 0; q < 4; ++q) {
        const uint64_t *row = bits_of(s, j + (q & 1), k + (q >> 1));
        c.corner[2 * q] = row[w];
        c.corner[2 * q + 1] = shifted(row, w, s->words);
    }
    return c;
}

/* Cubes through which the surface passes. */
INLINE uint64_t cut_cubes(const job *s, const cube_word *c, int w) {
    uint64_t any = 0, all = ~0ull;
    for (int q = 0; q < 8; ++q) {
        any |= c->corner[q];
        all &= c->corner[q];
    }
    return any & ~all & before_last(s, w);
}

INLINE int cube_signs(const cube_word *c, int bit) {
    int signs = 0;
    for (int q = 0; q < 8; ++q) signs |= (int)(c->corner[q] >> bit & 1) << q;
    return signs;
}

INLINE int count_bits(uint64_t x) {
    return __builtin_popcountll(x);
}

/* Passes
 * ------------------------------------------------------------------------------------------------------- */

HOT static void sign_task(void *context, int k) {
    job *s = context;
    const int last = s->samples[0] - 1;
    for (int j = 1; k > 0 && k + 1 < s->samples[2] && j + 1 < s->samples[1]; ++j) {
        const float *field = s->view.field + box_at(s->view.b, -2, j - 2, k - 2);
        uint64_t *row = s->bits + row_of(s, j, k) * (size_t)s->words;
        for (int w = 0; w < s->words; ++w) {
            const int from = w ? 0 : 1, count = last - 64 * w < 64 ? last - 64 * w : 64;
            uint64_t word = 0;
            for (int i = from; i < count; ++i) word |= (uint64_t)(field[64 * w + i] < 0) << i;
            row[w] = word;
        }
    }
}

HOT static void count_task(void *context, int k) {
    job *s = context;
    for (int j = 0; j < s->samples[1]; ++j) {
        size_t r = row_of(s, j, k), triangles = 0;
        uint32_t vertices = 0;
        for (int axis = 0; axis < 3; ++axis)
            for (int w = 0; w < s->words; ++w) {
                s->rank[(r * (size_t)s->words + (size_t)w) * 3 + (size_t)axis] = vertices;
                vertices += (uint32_t)count_bits(cut_edges(s, j, k, w, axis));
            }
        bool cubes = j + 1 < s->samples[1] && k + 1 < s->samples[2];
        for (int w = 0; cubes && w < s->words; ++w) {
            const cube_word cube = cubes_of(s, j, k, w);
            for (uint64_t cut = cut_cubes(s, &cube, w); cut; cut &= cut - 1) {
                const cube_case *c = &s->cases[cube_signs(&cube, __builtin_ctzll(cut))];
                triangles += c->triangle_count;
                vertices += c->centre_count;
            }
        }
        s->base[r] = (row_base){vertices, triangles};
    }
}

/* Where the cubes of a word have one of their edges: the cut ones by their low sample, the number of the
 * first one's vertex, and the bit of the first cube's sample. */
typedef struct {
    uint64_t cut, sample;
    size_t first;
} edge_word;

INLINE edge_word edges_of(const job *s, int j, int k, int w, int axis, uint64_t sample) {
    const size_t r = row_of(s, j, k), rank = (r * (size_t)s->words + (size_t)w) * 3 + (size_t)axis;
    return (edge_word){cut_edges(s, j, k, w, axis), sample, s->base[r].vertex + s->rank[rank]};
}

/* In the order of marching_table.h. Of the edges along y and z a cube has two more at its upper samples. */
INLINE void find_edges(edge_word to[CUBE_EDGES], const job *s, int j, int k, int w) {
    for (int q = 0; q < 4; ++q) to[q] = edges_of(s, j + (q & 1), k + (q >> 1), w, 0, 1);
    for (int z = 0; z < 2; ++z) to[4 + z] = edges_of(s, j, k + z, w, 1, 1);
    for (int y = 0; y < 2; ++y) to[8 + 2 * y] = edges_of(s, j + y, k, w, 2, 1);
    for (int q = 0; q < 2; ++q) {
        to[6 + q] = (edge_word){to[4 + q].cut, 2, to[4 + q].first};
        to[9 + 2 * q] = (edge_word){to[8 + 2 * q].cut, 2, to[8 + 2 * q].first};
    }
}

/* Of the cube at a bit of the word. The sample after the last of a word begins the next one: all of this
 * word's vertices are before it. */
INLINE size_t vertex_number(const edge_word *edge, int bit) {
    return edge->first + (size_t)count_bits(edge->cut & ((edge->sample << bit) - 1));
}

/* The mean of a loop's vertices, which are computed again: their own row may not have been written yet. */
static void write_centre(const job *s, size_t vertex, const cube_case *c, int centre, const int at[3]) {
    float position[3], normal[3], sum[3] = {0, 0, 0}, count = 0;
    double place[3] = {0, 0, 0};
    for (int t = 0; t < c->triangle_count; ++t) {
        if (c->triangle[t][2] != CUBE_EDGES + centre) continue;
        int edge = c->triangle[t][0], corner = edge_corner(edge);
        const int from[3] = {at[0] + (corner & 1), at[1] + (corner >> 1 & 1), at[2] + (corner >> 2)};
        crossing_vertex(position, normal, &s->view, from, edge_axis(edge));
        for (int e = 0; e < 3; ++e) {
            place[e] += (double)position[e];
            sum[e] += normal[e];
        }
        count += 1;
    }
    float size = sqrtf(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    for (int e = 0; e < 3; ++e) {
        s->mesh->position[3 * vertex + (size_t)e] = (float)(place[e] / (double)count);
        s->mesh->normal[3 * vertex + (size_t)e] = size > 1e-6f ? sum[e] / size : normal[e];
    }
}

INLINE void write_vertices(const job *s, int j, int k) {
    size_t v = s->base[row_of(s, j, k)].vertex;
    for (int axis = 0; axis < 3; ++axis)
        for (int w = 0; w < s->words; ++w)
            for (uint64_t cut = cut_edges(s, j, k, w, axis); cut; cut &= cut - 1, ++v) {
                const int at[3] = {64 * w + __builtin_ctzll(cut) - 2, j - 2, k - 2};
                crossing_vertex(&s->mesh->position[3 * v], &s->mesh->normal[3 * v], &s->view, at, axis);
            }
}

INLINE void write_triangles(const job *s, int j, int k) {
    size_t r = row_of(s, j, k), last = (r + 1) * (size_t)s->words - 1;
    uint32_t *out = s->mesh->triangle + 3 * s->base[r].triangle;
    size_t centre =
        s->base[r].vertex + s->rank[3 * last + 2] + (size_t)count_bits(cut_edges(s, j, k, s->words - 1, 2));
    for (int w = 0; w < s->words; ++w) {
        const cube_word cube = cubes_of(s, j, k, w);
        edge_word edge[CUBE_EDGES];
        uint64_t cut = cut_cubes(s, &cube, w);
        if (cut) find_edges(edge, s, j, k, w);
        for (; cut; cut &= cut - 1) {
            const int bit = __builtin_ctzll(cut), at[3] = {64 * w + bit - 2, j - 2, k - 2};
            const cube_case *c = &s->cases[cube_signs(&cube, bit)];
            uint32_t number[CUBE_EDGES + CUBE_TRIANGLES]; /* of those that the case has */
            for (unsigned edges = c->edges; edges; edges &= edges - 1) {
                const int e = __builtin_ctz(edges);
                number[e] = (uint32_t)vertex_number(&edge[e], bit);
            }
            for (int m = 0; m < c->centre_count; ++m, ++centre) {
                number[CUBE_EDGES + m] = (uint32_t)centre;
                write_centre(s, centre, c, m, at);
            }
            for (int t = 0; t < c->triangle_count; ++t)
                for (int e = 0; e < 3; ++e) *out++ = number[c->triangle[t][e]];
        }
    }
}

HOT static void write_task(void *context, int k) {
    job *s = context;
    for (int j = 0; j < s->samples[1]; ++j) {
        write_vertices(s, j, k);
        if (j + 1 < s->samples[1] && k + 1 < s->samples[2]) write_triangles(s, j, k);
    }
}

static rheo_status march(job *s, pool *p, rheo_report *report) {
    size_t rows = (size_t)s->samples[1] * (size_t)s->samples[2], words = rows * (size_t)s->words;
    s->bits = mem_alloc(words * sizeof *s->bits);
    s->rank = mem_alloc(3 * words * sizeof *s->rank);
    s->base = mem_alloc(rows * sizeof *s->base);
    if (!s->bits || !s->rank || !s->base) return report_no_memory(report, "marching cubes");
    parallel_for(p, s->samples[2], sign_task, s);
    parallel_for(p, s->samples[2], count_task, s);
    row_base sum = {0, 0};
    for (size_t r = 0; r < rows; ++r) {
        row_base count = s->base[r];
        s->base[r] = sum;
        sum.vertex += count.vertex;
        sum.triangle += count.triangle;
    }
    rheo_status status = marching_allocate(s->mesh, sum.vertex, sum.triangle, report);
    if (!status) parallel_for(p, s->samples[2], write_task, s);
    return status;
}

rheo_status marching_cubes(rheo_mesh *mesh, const box *b, double dx, const double origin[3],
                           const float *field, pool *p, rheo_report *report) {
    *mesh = (rheo_mesh){0};
    job s = {.view = {b, field, dx, {origin[0], origin[1], origin[2]}}, .mesh = mesh};
    if (b->dim == 2) return marching_flat(mesh, &s.view, report);
    for (int a = 0; a < 3; ++a) s.samples[a] = b->n[a] + 4;
    s.words = (s.samples[0] + 63) / 64;
    s.cases = marching_cases();
    rheo_status status = march(&s, p, report);
    mem_free(s.bits);
    mem_free(s.rank);
    mem_free(s.base);
    return status;
}

/* Putting meshes right where only one thing can be meant: small holes, triangles that face the wrong way.
 *
 * A directed edge a -> b without its opposite b -> a is open; open edges chain into loops, each the rim of a
 * hole. A rim no longer across than SMALL of the mesh's diagonal is closed by a fan about its middle, turned
 * like its neighbours; one of three edges, where a triangle is missing and only one can be meant, is closed
 * up to MISSING of it, and of any size where it completes a flat face. Larger ones are left: what belongs
 * there is not for us to say. Limits: rims that touch in a vertex are left too, as are rims of more than
 * LOOP_MAX edges.
 *
 * Two triangles face the same side when they go opposite ways along their edge. Each pair says whether one of
 * the two must be turned, and a forest of triangles that carry their parity to the root (disjoint sets)
 * gathers these. Where two ways round say different things, the surface has one side and nothing is done.
 * Else each connected part is two sets, and the smaller of them is turned. */
#include <math.h>
#include <string.h>
#include "core/memory.h"
#include "geom/mesh_reader.h"

static const double SMALL = 0.05, MISSING = 0.25;
enum { LOOP_MAX = 256 };

/* Growth of a mesh's arrays by a fan. */
static bool reserve(tri_mesh *m, size_t triangles) {
    double(*vertex)[3] =
        mem_grow(m->vertex, m->vertex_count * sizeof *vertex, (m->vertex_count + 1) * sizeof *vertex);
    if (!vertex) return false;
    m->vertex = vertex;
    uint32_t(*triangle)[3] = mem_grow(m->triangle, m->triangle_count * sizeof *triangle,
                                      (m->triangle_count + triangles) * sizeof *triangle);
    if (!triangle) return false;
    m->triangle = triangle;
    return true;
}

static double loop_size(double middle[3], const tri_mesh *m, const uint32_t *loop, size_t count) {
    double lower[3], upper[3], size = 0;
    for (int a = 0; a < 3; ++a) {
        lower[a] = upper[a] = m->vertex[loop[0]][a];
        middle[a] = 0;
        for (size_t i = 0; i < count; ++i) {
            const double x = m->vertex[loop[i]][a];
            lower[a] = fmin(lower[a], x);
            upper[a] = fmax(upper[a], x);
            middle[a] += x / (double)count;
        }
        size += (upper[a] - lower[a]) * (upper[a] - lower[a]);
    }
    return sqrt(size);
}

static bool close_loop(tri_mesh *m, const uint32_t *loop, size_t count, const double middle[3]) {
    if (count == 3) {
        if (!reserve(m, 1)) return false;
        memcpy(m->triangle[m->triangle_count++], (uint32_t[]){loop[2], loop[1], loop[0]},
               sizeof *m->triangle);
        return true;
    }
    if (!reserve(m, count)) return false;
    const uint32_t tip = (uint32_t)m->vertex_count++;
    memcpy(m->vertex[tip], middle, sizeof *m->vertex);
    for (size_t i = 0; i < count; ++i)
        memcpy(m->triangle[m->triangle_count++], (uint32_t[]){loop[(i + 1) % count], loop[i], tip},
               sizeof *m->triangle);
    return true;
}

static bool is_in(uint32_t v, const uint32_t loop[3]) {
    return v == loop[0] || v == loop[1] || v == loop[2];
}

/* Whether a triangle beside a rim of three edges lies in its plane: half of a cube's side is missing. */
static bool completes_a_face(const tri_mesh *m, const uint32_t loop[3], double diagonal) {
    double u[3], v[3], n[3], size = 0;
    for (int a = 0; a < 3; ++a) {
        u[a] = m->vertex[loop[1]][a] - m->vertex[loop[0]][a];
        v[a] = m->vertex[loop[2]][a] - m->vertex[loop[0]][a];
    }
    for (int a = 0; a < 3; ++a) {
        n[a] = u[(a + 1) % 3] * v[(a + 2) % 3] - u[(a + 2) % 3] * v[(a + 1) % 3];
        size += n[a] * n[a];
    }
    for (size_t t = 0; t < m->triangle_count && size > 0; ++t) {
        int shared = 0, other = 0;
        for (int c = 0; c < 3; ++c)
            if (is_in(m->triangle[t][c], loop)) ++shared;
            else other = c;
        if (shared != 2) continue;
        double off = 0;
        for (int a = 0; a < 3; ++a)
            off += n[a] * (m->vertex[m->triangle[t][other]][a] - m->vertex[loop[0]][a]);
        if (fabs(off) <= 1e-6 * diagonal * sqrt(size)) return true;
    }
    return false;
}

/* Triangles joined so far: the one above (itself at the top), and whether it must face the other way. */
typedef struct {
    uint32_t *above;
    uint8_t *differs;
} parities;

/* The top above t; *differs from it. The way up is shortened. */
static uint32_t find_top(parities *p, uint32_t t, uint8_t *differs) {
    uint32_t top = t;
    uint8_t sum = 0;
    for (; p->above[top] != top; top = p->above[top]) sum ^= p->differs[top];
    *differs = sum;
    while (p->above[t] != top && t != top) {
        const uint32_t next = p->above[t];
        const uint8_t own = p->differs[t];
        p->above[t] = top;
        p->differs[t] = sum;
        sum ^= own;
        t = next;
    }
    return top;
}

/* False where the surface has one side only. */
static bool join_neighbours(parities *p, const mesh_edge *e, size_t count) {
    for (size_t i = 0; i + 1 < count; ++i) {
        if (e[i].low != e[i + 1].low || e[i].high != e[i + 1].high) continue;
        uint8_t differs[2];
        const uint32_t a = find_top(p, e[i].triangle, &differs[0]),
                       b = find_top(p, e[i + 1].triangle, &differs[1]);
        const uint8_t other = (uint8_t)(differs[0] ^ differs[1] ^ (e[i].way == e[i + 1].way));
        if (a == b && other) return false;
        if (a == b) continue;
        const uint32_t upper = a < b ? a : b, lower = a < b ? b : a;
        p->above[lower] = upper;
        p->differs[lower] = other;
    }
    return true;
}

bool mesh_orient(tri_mesh *m, const mesh_edge *edges, size_t count) {
    const size_t n = m->triangle_count;
    parities p = {mem_alloc(n * sizeof *p.above), mem_alloc(n)};
    uint32_t *sizes = mem_alloc(2 * n * sizeof *sizes); /* by the top: of those like it, of the others */
    const bool good = p.above && p.differs && sizes;
    for (size_t t = 0; good && t < n; ++t) p.above[t] = (uint32_t)t;
    if (good && join_neighbours(&p, edges, count)) {
        uint8_t differs;
        for (size_t t = 0; t < n; ++t) {
            const uint32_t top = find_top(&p, (uint32_t)t, &differs);
            ++sizes[2 * (size_t)top + differs];
        }
        for (size_t t = 0; t < n; ++t) {
            const uint32_t *size = &sizes[2 * (size_t)find_top(&p, (uint32_t)t, &differs)];
            if (differs != (size[1] <= size[0])) continue;
            mesh_turn_triangle(m->triangle[t]);
            ++m->repaired.flipped;
        }
    }
    mem_free(p.above);
    mem_free(p.differs);
    mem_free(sizes);
    return good;
}

bool mesh_close_small_holes(tri_mesh *m, const uint32_t (*open)[2], size_t count) {
    const uint32_t none = UINT32_MAX, many = UINT32_MAX - 1;
    const size_t vertices = m->vertex_count;
    uint32_t *next = mem_alloc(vertices * sizeof *next), loop[LOOP_MAX];
    double lower[3], upper[3], diagonal = 0;
    if (!next) return false;
    mesh_bounds(lower, upper, m);
    for (int a = 0; a < 3; ++a) diagonal += (upper[a] - lower[a]) * (upper[a] - lower[a]);
    diagonal = sqrt(diagonal);
    for (size_t v = 0; v < vertices; ++v) next[v] = none;
    for (size_t e = 0; e < count; ++e) next[open[e][0]] = next[open[e][0]] == none ? open[e][1] : many;
    bool good = true;
    for (size_t e = 0; e < count && good; ++e) {
        size_t length = 0;
        uint32_t v = open[e][0];
        while (length < LOOP_MAX && v < many && next[v] < many && (length == 0 || v != loop[0])) {
            loop[length++] = v;
            v = next[v];
        }
        double middle[3];
        if (length < 3 || v != loop[0]) continue;
        const double size = loop_size(middle, m, loop, length);
        if (size > (length == 3 ? MISSING : SMALL) * diagonal &&
            (length != 3 || !completes_a_face(m, loop, diagonal)))
            continue;
        good = close_loop(m, loop, length, middle);
        for (size_t i = 0; i < length; ++i) next[loop[i]] = none;
        if (m->repaired.holes++ == 0) memcpy(m->repaired.place, middle, sizeof middle);
    }
    mem_free(next);
    return good;
}

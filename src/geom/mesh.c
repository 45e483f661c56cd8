/* Measuring and checking triangle meshes.
 *
 * Volume: sum of the signed tetrahedra from a vertex, V = 1/6 sum (a - o) . (b - o) x (c - o) (divergence
 * theorem). Closed: every directed edge a -> b occurs once and b -> a occurs once. Edges are sorted by their
 * vertex pair (radix, linear time), so the test is exact and its messages do not depend on anything but the
 * mesh. */
#include "geom/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/memory.h"
#include "core/report.h"
#include "geom/mesh_reader.h"

static const char *const CLOSED = "a closed surface: every edge shared by exactly two triangles";
static const char *const CLOSED_OR_THIN = "a closed surface: every edge shared by exactly two triangles; or, "
                                          "for a static or keyed solid in 3D, thin: true beside its shape";

void mesh_free(tri_mesh *m) {
    mem_free(m->vertex);
    mem_free(m->triangle);
    *m = (tri_mesh){0};
}

static void corner_from(double r[3], const tri_mesh *m, size_t t, int corner, const double from[3]) {
    for (int a = 0; a < 3; ++a) r[a] = m->vertex[m->triangle[t][corner]][a] - from[a];
}

double mesh_volume(const tri_mesh *m) {
    double sum = 0;
    if (m->triangle_count == 0) return 0;
    const double *o = m->vertex[m->triangle[0][0]]; /* near the mesh: keeps digits when it is far from zero */
    for (size_t t = 0; t < m->triangle_count; ++t) {
        double a[3], b[3], c[3];
        corner_from(a, m, t, 0, o);
        corner_from(b, m, t, 1, o);
        corner_from(c, m, t, 2, o);
        sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return sum / 6;
}

/* Of the vertices that triangles use: files often hold others. */
void mesh_bounds(double lower[3], double upper[3], const tri_mesh *m) {
    for (int a = 0; a < 3; ++a) {
        lower[a] = INFINITY;
        upper[a] = -INFINITY;
    }
    for (size_t t = 0; t < m->triangle_count; ++t)
        for (int corner = 0; corner < 3; ++corner)
            for (int a = 0; a < 3; ++a) {
                double x = m->vertex[m->triangle[t][corner]][a];
                lower[a] = fmin(lower[a], x);
                upper[a] = fmax(upper[a], x);
            }
}

/* Checking
 * ----------------------------------------------------------------------------------------------------- */

/* Triangles with two corners in one vertex hold no surface and, taken out, leave no hole. Those with two
 * vertices at one place are left: taking them out would. */
static void drop_degenerate(tri_mesh *m) {
    size_t kept = 0;
    for (size_t t = 0; t < m->triangle_count; ++t) {
        const uint32_t *v = m->triangle[t];
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]) continue;
        memmove(m->triangle[kept++], v, sizeof *m->triangle);
    }
    m->triangle_count = kept;
}

static void sort_pass(mesh_edge *to, const mesh_edge *from, size_t count, bool by_high, unsigned shift,
                      size_t *place) {
    memset(place, 0, 65536 * sizeof *place);
    for (size_t e = 0; e < count; ++e) place[(by_high ? from[e].high : from[e].low) >> shift & 0xFFFF]++;
    size_t sum = 0;
    for (size_t d = 0; d < 65536; ++d) {
        size_t here = place[d];
        place[d] = sum;
        sum += here;
    }
    for (size_t e = 0; e < count; ++e)
        to[place[(by_high ? from[e].high : from[e].low) >> shift & 0xFFFF]++] = from[e];
}

/* Sorted by (low, high), stable; `edges` and `other` each hold `count`, the result is in `edges`. */
static void sort_edges(mesh_edge *edges, mesh_edge *other, size_t count, size_t *place) {
    sort_pass(other, edges, count, true, 0, place);
    sort_pass(edges, other, count, true, 16, place);
    sort_pass(other, edges, count, false, 0, place);
    sort_pass(edges, other, count, false, 16, place);
}

typedef struct {
    size_t open, crowded, twisted; /* edges with one triangle, with more than two, with two the same way */
    mesh_edge first_open, first_crowded, first_twisted;
} edge_faults;

/* `rims`, if there is one, gets the open edges, each as its triangle goes along it. */
static void look_at_edges(edge_faults *f, uint32_t (*rims)[2], const mesh_edge *e, size_t count) {
    for (size_t i = 0, j; i < count; i = j) {
        int way = 0;
        for (j = i; j < count && e[j].low == e[i].low && e[j].high == e[i].high; ++j) way += e[j].way;
        if (j - i == 1 && rims) {
            rims[f->open][0] = e[i].way > 0 ? e[i].low : e[i].high;
            rims[f->open][1] = e[i].way > 0 ? e[i].high : e[i].low;
        }
        if (j - i == 1 && f->open++ == 0) f->first_open = e[i];
        if (j - i > 2 && f->crowded++ == 0) f->first_crowded = e[i];
        if (j - i == 2 && way != 0 && f->twisted++ == 0) f->first_twisted = e[i];
    }
}

/* All edges of all triangles, sorted; *edges is the caller's to free. */
static rheo_status list_edges(mesh_edge **edges, const tri_mesh *m, rheo_report *report) {
    const size_t count = 3 * m->triangle_count;
    mesh_edge *e = *edges = mem_alloc(2 * count * sizeof *e);
    size_t *place = mem_alloc(65536 * sizeof *place);
    rheo_status status = e && place ? RHEO_OK : report_no_memory(report, "checking a mesh");
    for (size_t t = 0; !status && t < m->triangle_count; ++t)
        for (int c = 0; c < 3; ++c) {
            const uint32_t a = m->triangle[t][c], b = m->triangle[t][(c + 1) % 3], which = (uint32_t)t;
            e[3 * t + (size_t)c] = a < b ? (mesh_edge){a, b, 1, which} : (mesh_edge){b, a, -1, which};
        }
    if (!status) sort_edges(e, e + count, count, place);
    mem_free(place);
    return status;
}

static rheo_status find_faults(edge_faults *f, uint32_t (*rims)[2], const tri_mesh *m, rheo_report *report) {
    mesh_edge *edges;
    *f = (edge_faults){0};
    rheo_status status = list_edges(&edges, m, report);
    if (!status) look_at_edges(f, rims, edges, 3 * m->triangle_count);
    mem_free(edges);
    return status;
}

/* Triangles that face another way than their neighbours turned, and all looked at again. */
static rheo_status orient(edge_faults *f, tri_mesh *m, rheo_report *report) {
    mesh_edge *edges;
    rheo_status status = list_edges(&edges, m, report);
    if (!status && !mesh_orient(m, edges, 3 * m->triangle_count))
        status = report_no_memory(report, "turning triangles of a mesh");
    mem_free(edges);
    return status ? status : find_faults(f, NULL, m, report);
}

static rheo_status refuse_edge(rheo_report *report, const tri_mesh *m, const mesh_edge *e, const char *what,
                               size_t count, const char *which, const char *allowed) {
    const double *a = m->vertex[e->low], *b = m->vertex[e->high];
    return report_fail(report, RHEO_INVALID, allowed,
                       "%s near (%.6g, %.6g, %.6g) in the file's coordinates, %zu %s edges", what,
                       0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2]), count, which);
}

/* Small holes of a mesh with `open` open edges closed, and looked at again. */
static rheo_status close_holes(edge_faults *f, tri_mesh *m, rheo_report *report) {
    uint32_t(*rims)[2] = mem_alloc(f->open * sizeof *rims);
    rheo_status status = rims ? find_faults(f, rims, m, report) : report_no_memory(report, "holes of a mesh");
    if (!status && !mesh_close_small_holes(m, (const uint32_t(*)[2])rims, f->open))
        status = report_no_memory(report, "holes of a mesh");
    mem_free(rims);
    return status ? status : find_faults(f, NULL, m, report);
}

/* Many programs write a vertex once for every normal or texture it has: if there are holes, they may be
 * seams. */
static rheo_status check_edges(tri_mesh *m, rheo_report *report) {
    edge_faults f = {0};
    rheo_status status = find_faults(&f, NULL, m, report);
    if (!status && f.open) {
        if (!mesh_weld(m)) return report_no_memory(report, "joining a mesh's vertices");
        drop_degenerate(m);
        status = find_faults(&f, NULL, m, report);
    }
    if (!status && f.twisted && !f.crowded) status = orient(&f, m, report);
    if (!status && f.open && !f.crowded && !f.twisted) status = close_holes(&f, m, report);
    if (status) return status;
    if (f.open) return refuse_edge(report, m, &f.first_open, "hole", f.open, "open", CLOSED_OR_THIN);
    if (f.crowded)
        return refuse_edge(report, m, &f.first_crowded, "an edge with more than two triangles", f.crowded,
                           "non-manifold", CLOSED);
    if (f.twisted)
        return refuse_edge(report, m, &f.first_twisted, "neighbouring triangles face opposite ways",
                           f.twisted, "inconsistent", "a closed surface with two sides");
    return RHEO_OK;
}

static rheo_status check_finite(const tri_mesh *m, rheo_report *report) {
    for (size_t v = 0; v < m->vertex_count; ++v)
        for (int a = 0; a < 3; ++a)
            if (!isfinite(m->vertex[v][a]))
                return report_fail(report, RHEO_INVALID, "finite coordinates", "vertex %zu is not finite",
                                   v + 1);
    return RHEO_OK;
}

static rheo_status check_volume(tri_mesh *m, rheo_report *report) {
    double lower[3], upper[3], volume = mesh_volume(m);
    mesh_bounds(lower, upper, m);
    double whole = (upper[0] - lower[0]) * (upper[1] - lower[1]) * (upper[2] - lower[2]);
    if (m->triangle_count == 0 || !(fabs(volume) > 1e-12 * whole) || !isfinite(volume))
        return report_fail(report, RHEO_INVALID, "a surface that encloses something",
                           "the mesh has no volume");
    m->repaired.turned = volume < 0;
    for (size_t t = 0; volume < 0 && t < m->triangle_count; ++t) mesh_turn_triangle(m->triangle[t]);
    return RHEO_OK;
}

rheo_status mesh_require_surface(tri_mesh *m, const char *file, rheo_report *report) {
    drop_degenerate(m);
    rheo_status status = RHEO_OK;
    if (m->triangle_count == 0)
        status = report_fail(report, RHEO_INVALID, "at least one triangle", "the mesh has no triangles");
    if (!status) status = check_finite(m, report);
    if (status) report_place(report, file, 0, 0, NULL);
    return status;
}

rheo_status mesh_require_closed(tri_mesh *m, const char *file, rheo_report *report) {
    drop_degenerate(m);
    rheo_status status = RHEO_OK;
    if (m->triangle_count == 0)
        status = report_fail(report, RHEO_INVALID, CLOSED, "the mesh has no triangles");
    if (!status) status = check_finite(m, report);
    if (!status) status = check_edges(m, report);
    if (!status && !mesh_turn_parts(m)) status = report_no_memory(report, "parts of a mesh");
    if (!status) status = check_volume(m, report);
    if (status) report_place(report, file, 0, 0, NULL);
    return status;
}

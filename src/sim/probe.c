/* Interpolation between samples, and what lies beyond the last of them. */
#include "sim/probe.h"

#include <math.h>
#include "core/hot.h"
#include "core/memory.h"
#include "grid/sample.h"

static void between_centres(float to[3], const mac_grid *g, const float x[3]) {
    for (int a = 0; a < 3; ++a) {
        const int free = a >= g->box.dim || g->box.periodic[a];
        to[a] = free ? x[a] : fminf(fmaxf(x[a], 0.5f), (float)g->box.n[a] - 0.5f);
    }
}

double probe_cells(const float *field, const mac_grid *g, const float x[3]) {
    float inside[3];
    between_centres(inside, g, x);
    return (double)sample_cells(field, g, inside);
}

/* What is as far inside of the last centre as x is outside counts double back. */
double probe_distance(const float *phi, const mac_grid *g, const float x[3]) {
    float inside[3], mirrored[3];
    between_centres(inside, g, x);
    for (int a = 0; a < 3; ++a) mirrored[a] = 2 * inside[a] - x[a];
    return 2 * (double)sample_cells(phi, g, inside) - (double)sample_cells(phi, g, mirrored);
}

void probe_velocity(double u[3], const mac_field *vel, const mac_grid *g, const float x[3]) {
    float at[3] = {0, 0, 0};
    sample_faces(at, vel, g, x);
    for (int a = 0; a < 3; ++a) u[a] = (double)at[a];
}

/* ---- pressure ---- */

typedef struct {
    const float *q, *phi;
    const mac_grid *g;
} field_at;

/* Cells of solids hold none, though the surface goes on into them. */
static int has_pressure(const field_at *s, ptrdiff_t c) {
    return s->phi[c] < 0 && s->q[c] != 0;
}

/* q of a cell; carried on to one that has none from those beside it that have: across the surface by the
 * ghost value of the projection, q phi / phi_n, into solids along the slope of q. */
static double carried_pressure(const field_at *s, const int at[3]) {
    const box *b = &s->g->box;
    const ptrdiff_t c = box_at(b, at[0], at[1], at[2]);
    double sum = 0;
    int count = 0;
    if (has_pressure(s, c)) return (double)s->q[c];
    for (int d = 0; d < 2 * b->dim; ++d) {
        const int side = d % 2 ? 1 : -1, next = at[d / 2] + side, space = next > 0 && next < b->n[d / 2] - 1;
        const ptrdiff_t n = c + side * b->step[d / 2], m = 2 * n - c;
        if (next < 0 || next >= b->n[d / 2] || !has_pressure(s, n)) continue;
        const double q = (double)s->q[n];
        if (s->phi[c] >= 0) sum += q * (double)(s->phi[c] / s->phi[n]);
        else sum += space && has_pressure(s, m) ? 2 * q - (double)s->q[m] : q;
        ++count;
    }
    return count ? sum / count : 0;
}

/* Beyond the domain's sides straight on, axis by axis; around periodic ones. */
static double pressure_of_cell(const field_at *s, const int at[3]) {
    for (int a = 0; a < s->g->box.dim; ++a) {
        const int n = s->g->box.n[a], low = at[a] < 0, wraps = s->g->box.periodic[a] || n == 1;
        if (!low && at[a] < n) continue;
        int first[3] = {at[0], at[1], at[2]}, second[3] = {at[0], at[1], at[2]};
        first[a] = wraps ? (at[a] + n) % n : low ? 0 : n - 1;
        second[a] = low ? 1 : n - 2;
        const double value = pressure_of_cell(s, first);
        return wraps ? value : 2 * value - pressure_of_cell(s, second);
    }
    return carried_pressure(s, at);
}

double probe_pressure(const float *q, const float *phi, const float *surface, const mac_grid *g,
                      const float x[3]) {
    const box *b = &g->box;
    const field_at s = {q, phi, g};
    int low[3] = {0, 0, 0};
    double f[3] = {0, 0, 0}, sum = 0;
    if (probe_distance(surface, g, x) > 0) return 0;
    for (int a = 0; a < b->dim; ++a) { /* at most half a cell beyond the domain */
        const float at = fminf(fmaxf(x[a] - 0.5f, -0.5f), (float)b->n[a] - 0.5f);
        low[a] = (int)floorf(at);
        f[a] = (double)(at - (float)low[a]);
    }
    for (int corner = 0; corner < 1 << b->dim; ++corner) {
        double weight = 1;
        int at[3] = {low[0], low[1], low[2]};
        for (int a = 0; a < b->dim; ++a) {
            at[a] += corner >> a & 1;
            weight *= corner >> a & 1 ? f[a] : 1 - f[a];
        }
        if (weight > 0) sum += weight * pressure_of_cell(&s, at);
    }
    return sum;
}

/* ---- drawn surfaces ---- */

enum { GRAIN = 1024 }; /* vertices a block */

typedef struct {
    rheo_mesh *mesh;
    const mac_field *vel;
    const mac_grid *g;
} drawing;

HOT static void velocity_task(void *context, int block) {
    const drawing *d = context;
    const mac_grid *g = d->g;
    const size_t from = (size_t)block * GRAIN;
    for (size_t v = from; v < from + GRAIN && v < d->mesh->vertex_count; ++v) {
        float x[3] = {0, 0, 0};
        for (int a = 0; a < g->box.dim; ++a)
            x[a] = (float)(((double)d->mesh->position[3 * v + (size_t)a] - g->origin[a]) / g->dx);
        sample_faces(d->mesh->velocity + 3 * v, d->vel, g, x);
    }
}

/* X(x) = x + sum w (X_p - x_p) / sum w over the particles of the cells around, w = (1 - r^2 / 2.25)^2 within
 * a cell and a half (so a turned body's are right to second order); the nearest of them where none is so
 * near. */
typedef struct {
    rheo_mesh *mesh;
    const particles *p;
    float *const *rest;
    const mac_grid *g;
} resting;

enum { NEAR_CELLS = 2 };
#define NEAR_SQUARE 2.25f /* cells^2 */

typedef struct {
    double moved[3], weight; /* m */
    float nearest;           /* cells^2 */
    uint32_t last;
} company;

static void meet_cell(company *c, const resting *d, const float x[3], const int cell[3]) {
    const particles *p = d->p;
    const size_t dense = box_dense(&d->g->box, cell[0], cell[1], cell[2]);
    for (uint32_t q = p->cell_start[dense]; q < p->cell_start[dense + 1]; ++q) {
        float square = 0;
        for (int a = 0; a < p->dim; ++a) square += (p->x[a][q] - x[a]) * (p->x[a][q] - x[a]);
        if (square < c->nearest) {
            c->nearest = square;
            c->last = q;
        }
        if (square >= NEAR_SQUARE) continue;
        const double share = 1 - (double)(square / NEAR_SQUARE), w = share * share;
        for (int a = 0; a < p->dim; ++a)
            c->moved[a] += w * ((double)d->rest[a][q] - d->g->origin[a] - d->g->dx * (double)p->x[a][q]);
        c->weight += w;
    }
}

static void rest_of(float *out, const resting *d, const float *position) {
    const mac_grid *g = d->g;
    company c = {.nearest = INFINITY};
    float x[3] = {0, 0, 0};
    int from[3] = {0, 0, 0}, to[3] = {0, 0, 0}, cell[3];
    for (int a = 0; a < g->box.dim; ++a) {
        x[a] = (float)(((double)position[a] - g->origin[a]) / g->dx);
        const int middle = (int)floorf(x[a]), last = g->box.n[a] - 1;
        from[a] = middle - NEAR_CELLS > 0 ? middle - NEAR_CELLS : 0;
        to[a] = middle + NEAR_CELLS < last ? middle + NEAR_CELLS : last;
    }
    for (cell[2] = from[2]; cell[2] <= to[2]; ++cell[2])
        for (cell[1] = from[1]; cell[1] <= to[1]; ++cell[1])
            for (cell[0] = from[0]; cell[0] <= to[0]; ++cell[0]) meet_cell(&c, d, x, cell);
    for (int a = 0; a < 3; ++a) out[a] = position[a];
    for (int a = 0; a < g->box.dim && isfinite(c.nearest); ++a)
        out[a] = c.weight > 0 ? position[a] + (float)(c.moved[a] / c.weight) : d->rest[a][c.last];
}

static void rest_task(void *context, int block) {
    const resting *d = context;
    const size_t from = (size_t)block * GRAIN;
    for (size_t v = from; v < from + GRAIN && v < d->mesh->vertex_count; ++v)
        rest_of(d->mesh->rest + 3 * v, d, d->mesh->position + 3 * v);
}

int probe_mesh_rest(rheo_mesh *mesh, const particles *p, float *const rest[3], const mac_grid *g) {
    resting d = {mesh, p, rest, g};
    mesh->rest = mem_alloc(3 * mesh->vertex_count * sizeof *mesh->rest);
    if (!mesh->rest) return -1;
    parallel_for(g->pool, block_count((long)mesh->vertex_count, GRAIN), rest_task, &d);
    return 0;
}

void probe_mesh_velocity(rheo_mesh *mesh, const mac_field *vel, const mac_grid *g) {
    drawing d = {mesh, vel, g};
    parallel_for(g->pool, block_count((long)mesh->vertex_count, GRAIN), velocity_task, &d);
}

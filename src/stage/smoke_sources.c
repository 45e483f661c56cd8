/* What brings smoke and heat: d density / dt = rate inside a shape, or density held at 1 there.
 *
 * A cell takes part by the share of it that the shape covers, so that a source of volume V and rate r adds
 * r V dt, to second order in the cell for curved shapes and exactly for boxes. Temperature is that of a
 * mixture: what comes in takes the place of as much of what was there. The amounts returned are those that
 * the cells really gained outside solids. */
#include "stage/smoke_stages.h"

#include <math.h>
#include "core/memory.h"
#include "geom/fractions.h"

/* The cells that a shape's bounds touch. */
static void touched_cells(int lower[3], int upper[3], const mac_grid *g, const shape *s) {
    double low[3], high[3];
    shape_bounds(low, high, s);
    for (int a = 0; a < 3; ++a) {
        const double n = g->box.n[a], from = floor((low[a] - g->origin[a]) / g->dx),
                     to = ceil((high[a] - g->origin[a]) / g->dx);
        lower[a] = a < g->box.dim ? (int)fmin(fmax(from, 0), n) : 0;
        upper[a] = a < g->box.dim ? (int)fmax(fmin(to, n), 0) : 1;
    }
}

static float covered_part(const mac_grid *g, const shape *s, int i, int j, int k) {
    double corner[8];
    for (int c = 0; c < 1 << g->box.dim; ++c) {
        const double x[3] = {g->origin[0] + g->dx * (i + (c & 1)), g->origin[1] + g->dx * (j + (c >> 1 & 1)),
                             g->origin[2] + g->dx * (g->box.dim == 3 ? k + (c >> 2) : 0.5)};
        corner[c] = shape_distance(s, x);
    }
    return (float)fraction_negative_cube(corner, g->box.dim);
}

int smoke_cover_make(smoke_cover *c, const mac_grid *g, const shape *s) {
    int lower[3], upper[3];
    *c = (smoke_cover){0};
    touched_cells(lower, upper, g, s);
    size_t room = 1;
    for (int a = 0; a < 3; ++a) room *= (size_t)(upper[a] > lower[a] ? upper[a] - lower[a] : 0);
    c->cell = mem_alloc((room + 1) * sizeof *c->cell);
    c->part = mem_alloc((room + 1) * sizeof *c->part);
    if (!c->cell || !c->part) return -1;
    for (int k = lower[2]; k < upper[2]; ++k)
        for (int j = lower[1]; j < upper[1]; ++j)
            for (int i = lower[0]; i < upper[0]; ++i) {
                const float part = covered_part(g, s, i, j, k);
                if (!(part > 0)) continue;
                c->cell[c->count] = box_at(&g->box, i, j, k);
                c->part[c->count++] = part;
            }
    return 0;
}

void smoke_cover_free(smoke_cover *c) {
    mem_free(c->cell);
    mem_free(c->part);
    *c = (smoke_cover){0};
}

static void warm(float *temperature, float part, double degrees) {
    *temperature += part * ((float)degrees - *temperature);
}

double smoke_fill(float *density, float *temperature, const mac_grid *g, const smoke_cover *c,
                  const float *share, double degrees) {
    double gained = 0;
    for (size_t i = 0; i < c->count; ++i) {
        const ptrdiff_t at = c->cell[i];
        const float before = density[at];
        if (before < c->part[i]) density[at] = c->part[i];
        warm(&temperature[at], c->part[i], degrees);
        gained += (double)(density[at] - before) * (double)share[at];
    }
    return gained * g->dx * g->dx * g->dx;
}

double smoke_add(float *density, float *temperature, const mac_grid *g, const smoke_cover *c,
                 const float *share, double added, double degrees) {
    double gained = 0;
    for (size_t i = 0; i < c->count; ++i) {
        const ptrdiff_t at = c->cell[i];
        const float before = density[at], more = (float)added * c->part[i];
        density[at] += more;
        warm(&temperature[at], more < 1 ? more : 1, degrees);
        gained += (double)(density[at] - before) * (double)share[at];
    }
    return gained * g->dx * g->dx * g->dx;
}

void smoke_heat(float *temperature, const smoke_cover *c, double degrees) {
    for (size_t i = 0; i < c->count; ++i) warm(&temperature[c->cell[i]], c->part[i], degrees);
}

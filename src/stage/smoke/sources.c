/* What brings smoke and heat: d density / dt = rate inside a shape, or density held at 1 there.
 *
 * A cell takes part by the share of it that the shape covers, so that a source of volume V and rate r adds
 * r V dt, to second order in the cell for curved shapes and exactly for boxes. What a rate brings takes the
 * place of as much of what was there. A shape that is held full or at a temperature says what the covered
 * part p of a cell is, whatever the number of steps: with the rest between the air's and the scene's extreme,
 *
 *     p s <= T - T_ambient <= p s + (1 - p) m    for a source that is warmer by s, and mirrored for a colder
 *
 * where m is the most by which anything differs from the air. The amounts returned are those that the cells
 * really gained outside solids. */
#include "stage/smoke/smoke.h"

#include <math.h>
#include "core/memory.h"
#include "geom/fractions.h"

enum { SOURCE_PARTS = 4 }; /* of a cell along an axis */

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

/* Of a cube of the given side with its low corner at x. */
static double covered_cube(const shape *s, const double x[3], double side, int dim) {
    double corner[8];
    for (int c = 0; c < 1 << dim; ++c) {
        const double at[3] = {x[0] + side * (c & 1), x[1] + side * (c >> 1 & 1), x[2] + side * (c >> 2)};
        corner[c] = shape_distance(s, at);
    }
    return fraction_negative_cube(corner, dim);
}

/* By SOURCE_PARTS^dim cubes: a vent that is lower than a cell has none of the cell's corners inside. */
static float covered_part(const mac_grid *g, const shape *s, int i, int j, int k) {
    const int dim = g->box.dim, deep = dim == 3 ? SOURCE_PARTS : 1;
    const double half = 0.5 * g->dx, side = g->dx / SOURCE_PARTS;
    const double low[3] = {g->origin[0] + g->dx * i, g->origin[1] + g->dx * j,
                           g->origin[2] + (dim == 3 ? g->dx * k : half)};
    const double middle[3] = {low[0] + half, low[1] + half, low[2] + (dim == 3 ? half : 0)};
    const double d = shape_distance(s, middle);
    if (fabs(d) > half * sqrt((double)dim)) return d < 0;
    double sum = 0;
    for (int c = 0; c < deep; ++c)
        for (int b = 0; b < SOURCE_PARTS; ++b)
            for (int a = 0; a < SOURCE_PARTS; ++a) {
                const double x[3] = {low[0] + side * a, low[1] + side * b, low[2] + side * c};
                sum += covered_cube(s, x, side, dim);
            }
    return (float)(sum / (deep * SOURCE_PARTS * SOURCE_PARTS));
}

int smoke_cover_make(smoke_cover *c, const mac_grid *g, const shape *s) {
    int lower[3], upper[3];
    *c = (smoke_cover){0};
    touched_cells(lower, upper, g, s);
    size_t capacity = 1;
    for (int a = 0; a < 3; ++a) capacity *= (size_t)(upper[a] > lower[a] ? upper[a] - lower[a] : 0);
    c->cell = mem_alloc((capacity + 1) * sizeof *c->cell);
    c->part = mem_alloc((capacity + 1) * sizeof *c->part);
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

/* Mixed with `part` of another gas. */
static void mix(float *temperature, float part, double degrees) {
    *temperature += part * ((float)degrees - *temperature);
}

/* Of which `part` has the temperature of the source: what the whole can then be. */
static void bound(float *temperature, float part, const smoke_warmth *w) {
    const float ambient = (float)w->ambient, source = part * ((float)w->degrees - ambient),
                rest = (1 - part) * (float)w->most;
    const float least = ambient + source - (source > 0 ? 0 : rest),
                most = ambient + source + (source < 0 ? 0 : rest);
    if (*temperature < least) *temperature = least;
    if (*temperature > most) *temperature = most;
}

double smoke_fill(float *density, float *temperature, const mac_grid *g, const smoke_cover *c,
                  const float *share, const smoke_warmth *w) {
    double gained = 0;
    for (size_t i = 0; i < c->count; ++i) {
        const ptrdiff_t at = c->cell[i];
        const float before = density[at];
        if (before < c->part[i]) density[at] = c->part[i];
        bound(&temperature[at], c->part[i], w);
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
        mix(&temperature[at], more < 1 ? more : 1, degrees);
        gained += (double)(density[at] - before) * (double)share[at];
    }
    return gained * g->dx * g->dx * g->dx;
}

void smoke_heat(float *temperature, const smoke_cover *c, const smoke_warmth *w) {
    for (size_t i = 0; i < c->count; ++i) bound(&temperature[c->cell[i]], c->part[i], w);
}

/* Forces on smoke.
 *
 *   Boussinesq:  du/dt = g rho' / rho,  rho' / rho = weight c - expansion (T - T_ambient)
 *   confinement: du/dt = strength dx (N x w),  w = curl u,  N = grad |w| / |grad |w||   (Fedkiw et al. 2001)
 *
 * Densities differ from the air's only in their weight, so a layered or uniform gas is at rest: the force on
 * a face is the mean of its two cells, a function of height alone, and the pressure takes it up exactly, at
 * cut cells too. Confinement gives back the spin that interpolation wears off; it vanishes with the cell.
 *
 * Limits: Boussinesq overstates the lift of gas much hotter than the air (by T / T_ambient, in kelvin). */
#include "stage/smoke/smoke.h"

#include <math.h>
#include "core/hot.h"
#include "grid/rows.h"
#include "grid/wrap.h"

typedef struct {
    const mac_grid *g;
    float *u;
    const float *density, *temperature, *share;
    float weight, expansion, ambient, kick;
    mac_field *field;
    float *const *force; /* components, then |w| */
    cell_range range;
    int axis;
    const openings *o;
    const uint32_t *sees;
} job;

/* On a side of the domain there is a cell on one side of a face only, which then counts for both, unless the
 * axis is periodic. */
HOT static void buoyancy_task(void *context, int block) {
    const job *s = context;
    const box *b = &s->g->box;
    const int axis = s->axis, n = b->n[0], ends = !b->periodic[axis];
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k), step = b->step[axis];
        const int at = axis == 1 ? j : k;
        const ptrdiff_t high = axis && ends && at == b->n[axis] ? row - step : row;
        const ptrdiff_t low = axis && ends && at == 0 ? row : row - step;
        const float *c[2] = {s->density + low, s->density + high};
        const float *t[2] = {s->temperature + low, s->temperature + high};
        float *u = s->u + row;
        for (int i = axis == 0 && ends; i < n + (axis == 0 && !ends); ++i) {
            const float excess = 0.5f * (c[0][i] + c[1][i]), heat = 0.5f * (t[0][i] + t[1][i]) - s->ambient;
            u[i] += s->kick * (s->weight * excess - s->expansion * heat);
        }
        if (axis || !ends) continue;
        u[0] += s->kick * (s->weight * c[1][0] - s->expansion * (t[1][0] - s->ambient));
        u[n] += s->kick * (s->weight * c[1][n - 1] - s->expansion * (t[1][n - 1] - s->ambient));
    }
}

void smoke_buoyancy(mac_field *u, const mac_grid *g, const float *density, const float *temperature,
                    const double gravity[3], double weight, double expansion, double ambient, double dt) {
    job s = {.g = g, .density = density, .temperature = temperature};
    s.weight = (float)weight;
    s.expansion = (float)expansion;
    s.ambient = (float)ambient;
    for (s.axis = 0; s.axis < g->box.dim; ++s.axis) {
        if (gravity[s.axis] == 0) continue;
        s.kick = (float)(gravity[s.axis] * dt);
        s.u = u->value[s.axis];
        s.range = range_faces(g, s.axis);
        parallel_for(g->pool, range_blocks(&s.range), buoyancy_task, &s);
    }
}

/* ---- confinement ---- */

/* Twice the velocity component a at the centre of a cell. */
INLINE float twice_at_centre(const job *s, ptrdiff_t c, int a) {
    const float *u = s->field->value[a];
    return u[c] + u[c + s->g->box.step[a]];
}

/* 4 dx times the derivative of component a along axis d at a cell's centre. */
INLINE float slope(const job *s, ptrdiff_t c, int a, int d) {
    const ptrdiff_t step = s->g->box.step[d];
    return twice_at_centre(s, c + step, a) - twice_at_centre(s, c - step, a);
}

/* The curl in 2D has only its third component, kept in force[2]. */
HOT static void curl_task(void *context, int block) {
    const job *s = context;
    const float scale = (float)(0.25 / s->g->dx);
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const ptrdiff_t c = box_at(&s->g->box, i, j, k);
            float w[3] = {0, 0, 0};
            if (s->g->box.dim == 3) {
                w[0] = scale * (slope(s, c, 2, 1) - slope(s, c, 1, 2));
                w[1] = scale * (slope(s, c, 0, 2) - slope(s, c, 2, 0));
            }
            w[2] = scale * (slope(s, c, 1, 0) - slope(s, c, 0, 1));
            for (int a = 0; a < 3; ++a) s->force[a][c] = w[a];
            s->force[3][c] = sqrtf(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        }
    }
}

/* N x w in place of w; nothing where the spin is even, in solids, or where a thin wall lies in between. */
HOT static void cross_task(void *context, int block) {
    const job *s = context;
    const box *b = &s->g->box;
    const float *size = s->force[3];
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const ptrdiff_t c = box_at(b, i, j, k);
            float n[3] = {0, 0, 0}, w[3], length = 0;
            for (int a = 0; a < b->dim; ++a) {
                n[a] = size[c + b->step[a]] - size[c - b->step[a]];
                length += n[a] * n[a];
            }
            const int clear = s->share[c] >= 1 && (!s->sees || s->sees[c] == SIGHT_ALL);
            const float one = length > 0 && clear ? s->kick / sqrtf(length) : 0;
            for (int a = 0; a < 3; ++a) w[a] = one * s->force[a][c];
            s->force[0][c] = n[1] * w[2] - n[2] * w[1];
            s->force[1][c] = n[2] * w[0] - n[0] * w[2];
            s->force[2][c] = n[0] * w[1] - n[1] * w[0];
        }
    }
}

/* Faces between two cells; the domain's sides feel nothing where they are no such faces. */
HOT static void push_task(void *context, int block) {
    const job *s = context;
    const ptrdiff_t low = s->g->box.step[s->axis];
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const ptrdiff_t c = box_at(&s->g->box, i, j, k);
            s->u[c] += 0.5f * (s->force[s->axis][c] + s->force[s->axis][c - low]);
        }
    }
}

void smoke_confine(mac_field *u, float *const scratch[4], const mac_grid *g, const float *share,
                   const uint32_t *sees, double strength, double dt) {
    job s = {.g = g, .field = u, .share = share, .sees = sees, .force = scratch};
    s.kick = (float)(strength * g->dx * dt);
    s.range = range_grow(range_cells(g), g, 1); /* |w| needs neighbours; u is known two layers out */
    parallel_for(g->pool, range_blocks(&s.range), curl_task, &s);
    s.range = range_cells(g);
    parallel_for(g->pool, range_blocks(&s.range), cross_task, &s);
    for (int a = 0; a < g->box.dim; ++a) wrap_field(scratch[a], g);
    for (s.axis = 0; s.axis < g->box.dim; ++s.axis) {
        s.u = u->value[s.axis];
        s.range = range_faces(g, s.axis);
        s.range.lower[s.axis] += !g->box.periodic[s.axis];
        s.range.upper[s.axis] -= !g->box.periodic[s.axis];
        parallel_for(g->pool, range_blocks(&s.range), push_task, &s);
    }
}

/* ---- what leaves ---- */

/* What the column of cells behind a face holds within `way` cells of it, in cells. */
static float held_within(const job *s, ptrdiff_t inner, ptrdiff_t inward, int cells, float way) {
    float sum = 0;
    for (int m = 0; m < cells && way > 0; ++m, way -= 1)
        sum += (way < 1 ? way : 1) * (s->density[inner + m * inward] - s->ambient);
    return sum;
}

static double side_outflow(const job *s, int side) {
    const box *b = &s->g->box;
    const int a = side / 2, high = side & 1;
    cell_range r = range_cells(s->g);
    double sum = 0;
    r.lower[a] = high ? b->n[a] : 0;
    r.upper[a] = r.lower[a] + 1;
    for (int k = r.lower[2]; k < r.upper[2]; ++k)
        for (int j = r.lower[1]; j < r.upper[1]; ++j)
            for (int i = r.lower[0]; i < r.upper[0]; ++i) {
                const ptrdiff_t f = box_at(b, i, j, k), inner = high ? f - b->step[a] : f;
                const float way = s->kick * s->field->value[a][f] * (high ? 1.0f : -1.0f);
                if (way > 0)
                    sum += (double)(s->o->open.value[a][f] *
                                    held_within(s, inner, high ? -b->step[a] : b->step[a], b->n[a], way));
            }
    return sum;
}

double smoke_outflow(const float *f, double outside, const mac_field *u, const mac_grid *g, const openings *o,
                     double dt) {
    mac_field copy = *u;
    job s = {
        .g = g, .density = f, .ambient = (float)outside, .field = &copy, .o = o, .kick = (float)(dt / g->dx)};
    double sum = 0;
    for (int side = 0; side < 2 * g->box.dim; ++side)
        if (o->open_wall[side] && !g->box.periodic[side / 2]) sum += side_outflow(&s, side);
    return sum;
}

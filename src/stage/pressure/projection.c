/* Variational pressure projection on cut cells with a second-order free surface.
 *
 *   minimise the kinetic energy of u - grad q:   sum_f A_f (q_c - q_n) = - sum_f +-(A_f u_f + (1 - A_f) w_f)
 *
 * with A_f the open share of a face, w_f the solid's velocity, and q = p dt / (rho dx), so that the
 * coefficients are plain shares and u loses q_c - q_n. Across the surface q is zero at the distance theta
 * from the liquid cell's centre, theta = phi_c / (phi_c - phi_n) (ghost fluid), which adds A_f / theta to the
 * diagonal. A linear pressure, and so hydrostatic rest, is reproduced exactly on oblique walls.
 *
 * Along periodic axes phi and the velocity must have been wrapped; the rest is done here.
 *
 * Source: Batty et al. 2007, 3, with areas for volumes as Wang 2017, 2.5, explains; Wang 2.25-2.28 with theta
 * from the liquid side.
 *
 * Limits: those of the matrix (stage/pressure/assembly.c); the border is left to extrapolation. */
#include "stage/pressure/parts.h"

#include <math.h>
#include <string.h>
#include "grid/rows.h"
#include "grid/wrap.h"

typedef struct {
    const mac_grid *g;
    const openings *o;
    const float *phi, *source;
    cell_range range;
    const pressure_work *work;
    const mac_field *from, *flow;
    mac_field *u;
    float *q;
    int axis;
} job;

/* ---- the right-hand side ---- */

/* source - what flows out of the unknowns of a row. */
INLINE void rhs_row(const job *s, int j, int k, int dim) {
    const box *b = &s->g->box;
    const ptrdiff_t row = box_at(b, 0, j, k);
    uint64_t stretches[3] = {0};
    for (int a = 0; a < dim; ++a)
        stretches[a] =
            row_moves(s->o, b, a, j, k) | (a > 0 ? row_moves(s->o, b, a, j + (a == 1), k + (a == 2)) : 0);
    for (int i = 0; i < b->n[0]; i += LANES) {
        const ptrdiff_t c = row + i;
        const uint64_t bit = stretch_bit(s->o, i);
        const int moves[3] = {(stretches[0] & (bit | stretch_bit(s->o, i + LANES))) != 0,
                              (stretches[1] & bit) != 0, (stretches[2] & bit) != 0};
        const int left = b->n[0] - i;
        const vec8 source = s->source ? vec8_load(s->source + c) : vec8_all(0);
        const vec8 rhs = vec8_select(mask_load(s->work->unknown + c),
                                     source - outflow_of(s->o, s->flow, b, c, moves, dim), vec8_all(0));
        if (left >= LANES) vec8_store(s->work->rhs + c, rhs);
        else memcpy(s->work->rhs + c, &rhs, (size_t)left * sizeof(float));
    }
}

INLINE void rhs_block(const job *s, int block, int dim) {
    const box *b = &s->g->box;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        if (!memchr(s->work->unknown + row, 1, (size_t)b->n[0])) {
            memset(s->work->rhs + row, 0, (size_t)b->n[0] * sizeof(float));
            continue;
        }
        rhs_row(s, j, k, dim);
    }
}

HOT static void rhs_task(void *context, int block) {
    const job *s = context;
    if (s->g->box.dim == 3) rhs_block(s, block, 3);
    else rhs_block(s, block, 2);
}

void pressure_find_rhs(const pressure_work *work, const mac_grid *g, const openings *o, const float *phi,
                       const mac_field *u) {
    job s = {.g = g, .o = o, .phi = phi, .range = range_cells(g), .work = work, .flow = u};
    s.source = work->source;
    parallel_for(g->pool, range_blocks(&s.range), rhs_task, &s);
}

/* Sum of what walls that move push through the faces of unknowns, whichever way. */
INLINE double pushed_block(const job *s, int block, int dim) {
    const box *b = &s->g->box;
    double sum = 0;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        if (!memchr(s->work->unknown + row, 1, (size_t)b->n[0])) continue;
        for (int a = 0; a < dim; ++a) {
            const float *open = s->o->open.value[a] + row, *wall = s->o->wall.value[a];
            const ptrdiff_t step = b->step[a];
            for (int i = 0; wall && i < b->n[0]; ++i)
                if (s->work->unknown[row + i])
                    sum += (double)(fabsf((1 - open[i + step]) * wall[row + i + step]) +
                                    fabsf((1 - open[i]) * wall[row + i]));
        }
    }
    return sum;
}

static double pushed_task(void *context, int block) {
    const job *s = context;
    return s->g->box.dim == 3 ? pushed_block(s, block, 3) : pushed_block(s, block, 2);
}

void pressure_relate_to_walls(poisson_result *r, const pressure_work *work, const mac_grid *g,
                              const openings *o) {
    job s = {.g = g, .o = o, .range = range_cells(g), .work = work};
    if (!(r->incompatibility > 0) || !o->wall.value[0]) return;
    const double pushed = parallel_sum(g->pool, range_blocks(&s.range), pushed_task, &s);
    if (pushed > r->size) r->incompatibility *= r->size / pushed;
}

/* ---- the gradient ---- */

/* The pressure difference across a face; 0 where neither side is liquid. */
INLINE float gradient(const job *s, ptrdiff_t c, ptrdiff_t low) {
    const float *q = s->q, *phi = s->phi, least = least_depth(s->g);
    const uint8_t *unknown = s->work->unknown;
    const int here = unknown[c], there = unknown[low];
    if (here && there) return q[c] - q[low];
    if (here) return phi[low] >= 0 ? q[c] * ghost(phi[c], phi[low], least) : 0;
    if (there) return phi[c] >= 0 ? -q[low] * ghost(phi[low], phi[c], least) : 0;
    return 0;
}

/* wall: velocities of walls, NULL where all stand still */
INLINE void update_face(const job *s, ptrdiff_t c, ptrdiff_t low, const float *wall) {
    const float *open = s->o->open.value[s->axis];
    const uint8_t *unknown = s->work->unknown;
    float *to = s->u->value[s->axis];
    if (open[c] <= 0) to[c] = wall ? wall[c] : 0;
    else if (unknown[c] | unknown[low]) to[c] = s->from->value[s->axis][c] - gradient(s, c, low);
    else to[c] = 0;
}

/* The same for eight faces of a row, without a branch but for those wholly in liquid or in air: most. */
INLINE void update_faces(const job *s, ptrdiff_t c, ptrdiff_t low, const float *wall) {
    float *to = s->u->value[s->axis] + c;
    uint64_t words[2], any[4];
    memcpy(&words[0], s->work->unknown + c, sizeof words[0]);
    memcpy(&words[1], s->work->unknown + low, sizeof words[1]);
    if (!(words[0] | words[1]) && !wall) {
        vec8_store(to, (vec8){0});
        return;
    }
    const int8 closed = vec8_load(s->o->open.value[s->axis] + c) <= 0;
    if (!(words[0] | words[1])) {
        vec8_store(to, vec8_select(closed, vec8_load(wall + c), (vec8){0}));
        return;
    }
    const int8 here = mask_load(s->work->unknown + c), there = mask_load(s->work->unknown + low);
    const vec8 q = vec8_load(s->q + c), q_low = vec8_load(s->q + low);
    memcpy(any, &closed, sizeof any);
    vec8 slope = q - q_low;
    if ((words[0] & words[1]) != 0x0101010101010101u) {
        const vec8 phi = vec8_load(s->phi + c), phi_low = vec8_load(s->phi + low), none = {0},
                   least = vec8_all(least_depth(s->g));
        const vec8 down = vec8_select(phi_low >= 0, q * ghosts(phi, phi_low, least), none);
        const vec8 up = vec8_select(phi >= 0, -q_low * ghosts(phi_low, phi, least), none);
        slope = vec8_select(here & there, slope, vec8_select(here, down, up));
    }
    const vec8 free = vec8_load(s->from->value[s->axis] + c) - slope;
    vec8 next = vec8_select(here | there, free, (vec8){0});
    if ((any[0] | any[1]) | (any[2] | any[3]))
        next = vec8_select(closed, wall ? vec8_load(wall + c) : (vec8){0}, next);
    vec8_store(to, next);
}

/* Whether anything in a row is other than 0. */
INLINE int any_set(const float *row, int n) {
    int any = 0;
    for (int i = 0; i < n; ++i) any |= !(fabsf(row[i]) <= 0);
    return any;
}

/* u = from - grad q; u = 0 in the border, which extrapolation fills where it is near enough. */
INLINE void update_block(const job *s, int block) {
    const box *b = &s->g->box;
    const ptrdiff_t step = b->step[s->axis];
    const cell_range own = range_faces(s->g, s->axis);
    const uint8_t *unknown = s->work->unknown;
    float *u = s->u->value[s->axis];
    const int n = own.upper[0] - own.lower[0];
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        memset(u + row + s->range.lower[0], 0, (size_t)(own.lower[0] - s->range.lower[0]) * sizeof *u);
        memset(u + row + n, 0, (size_t)(s->range.upper[0] - own.upper[0]) * sizeof *u);
        const int is_own = j >= own.lower[1] && j < own.upper[1] && k >= own.lower[2] && k < own.upper[2];
        const uint64_t stretches = is_own ? row_moves(s->o, b, s->axis, j, k) : 0;
        const float *wall = stretches ? s->o->wall.value[s->axis] : NULL;
        if (!is_own || (!memchr(unknown + row, 1, (size_t)n) && !memchr(unknown + row - step, 1, (size_t)n) &&
                        !(wall && any_set(wall + row, n)))) {
            memset(u + row, 0, (size_t)n * sizeof *u);
            continue;
        }
        int i = 0;
        for (; i + LANES <= n; i += LANES)
            update_faces(s, row + i, row + i - step, stretches & stretch_bit(s->o, i) ? wall : NULL);
        for (; i < n; ++i) update_face(s, row + i, row + i - step, wall);
    }
}

HOT static void update_task(void *context, int block) {
    update_block(context, block);
}

/* u = from - grad q on every face; they may be the same field */
static void subtract_gradient(mac_field *u, const mac_field *from, float *q, const pressure_work *work,
                              const mac_grid *g, const openings *o, const float *phi) {
    job s = {.g = g, .o = o, .phi = phi, .work = work, .from = from, .u = u, .q = q};
    wrap_field(q, g);
    for (s.axis = 0; s.axis < g->box.dim; ++s.axis) {
        s.range = range_grow(range_faces(g, s.axis), g, GHOST - 1);
        parallel_for(g->pool, range_blocks(&s.range), update_task, &s);
    }
    pressure_move_films(u, q, work, g, o);
}

/* ---- the whole ---- */

poisson_result pressure_solve(float *q, poisson *solver, pressure_work *work, const mac_grid *g,
                              const openings *o, const float *phi, const mac_field *u, double tolerance,
                              int max_iterations) {
    pressure_find_rhs(work, g, o, phi, u);
    poisson_result r = poisson_solve(solver, q, work->rhs, tolerance, max_iterations);
    pressure_relate_to_walls(&r, work, g, o);
    return r;
}

void pressure_subtract(mac_field *u, float *q, const pressure_work *work, const mac_grid *g,
                       const openings *o, const float *phi) {
    subtract_gradient(u, u, q, work, g, o, phi);
}

poisson_result pressure_project(mac_field *u, float *q, poisson *solver, pressure_work *work,
                                const mac_grid *g, const openings *o, const float *phi, double tolerance,
                                int max_iterations) {
    const poisson_result result = pressure_solve(q, solver, work, g, o, phi, u, tolerance, max_iterations);
    pressure_subtract(u, q, work, g, o, phi);
    return result;
}

poisson_result pressure_displace(mac_field *u, const mac_field *from, float *psi, poisson *solver,
                                 const pressure_work *work, const mac_grid *g, const openings *o,
                                 const float *phi, const float *outflow, double tolerance,
                                 int max_iterations) {
    const poisson_result result = poisson_estimate(solver, psi, outflow, tolerance, max_iterations);
    subtract_gradient(u, from, psi, work, g, o, phi);
    return result;
}

/* Explicit convection, diffusion and body force (Carlson 2004, eq. 24-27; Harlow and Welch 1965).
 *
 *   u~ = u + dt [ -div(u u) + nu lap u + f ]
 *
 * Balances of momentum over each face's own control volume, with centred means of transporting and
 * transported velocity. Written per side, (25)-(27) are
 *
 *   dt/dx [U_low (u + u_low)/2 - U_high (u + u_high)/2] + k_low (u_low - u) + k_high (u_high - u),
 *
 * U the mean of the two transporting velocities next to the side, k = nu dt / dx^2. We leave out u times the
 * volume's divergence, U_high - U_low, which is zero after a projection; in cells that just filled or merged
 * it is not, and would make u grow where they are squeezed.
 *
 * Beside cut solids it is what passes, area times velocity, that has no divergence: U is that mean over the
 * open share of the face's own volume. With plain means a film on a plate that fills a fifth of its cells,
 * over which a jet turns aside, would seem to diverge by four fifths of what it spreads, and waves in it grow
 * at half that rate (3 m/s to 80). Where so little is open that a step would carry too much, all of a
 * volume's sides carry less alike.
 *
 * Centred differences with a forward Euler step amplify waves unless, with c = |U| dt/dx along an axis,
 *   sum over axes of c^2 / k <= 2   and   sum of 2 k <= 1          (Hindmarsh, Gresho and Griffiths 1984),
 * which water never fulfils. So a side uses k = max(nu dt/dx^2, dim c^2 / 2): what the first condition asks
 * for and no more. Where viscosity is enough this is Carlson's scheme to the letter; elsewhere the addition
 * vanishes with dt (along a grid line in one dimension it is Lax and Wendroff's). The second condition is met
 * by holding both parts of the step limit, (19) with 0.4 in place of 1 and half of (20).
 *
 * Walls: faces with solid on both sides hold the tangential velocity of the wall. They count as the face next
 * to them (free slip) or, about the wall's velocity, its negative (no slip), so that it is met half-way.
 *
 * Solids with no slip: half-way is where the domain's sides are, not where a solid is. With d the distance at
 * a face's centre, d > 0 here and d_g <= 0 one face over, the wall is met at theta = d / (d - d_g) of a cell.
 * A straight profile through its velocity w there gives the face over there w + (u - w) d_g / d, and the side
 *
 *   k (u_g - u) = k / theta (w - u)          (Gibou et al. 2002: of second order, though only first at the
 *                                             faces next to the wall),
 *
 * which the new u takes, u~ = (u + ... + K w) / (1 + K), K the sum of k / theta: a face as near to the wall
 * as it may be stays stable at the step of the others. Faces with their centre in a solid stick to it as
 * those at THETA_MIN do. Convection takes u_g no steeper than half-way, and only what comes from a wall:
 * centred differences of what runs into one make it grow, and water in a vessel with round walls with it.
 *
 * Limits: free slip takes solids as stairs; solids too thin for nodes are walls half-way, too; what liquid
 * drags on a body is not given to it; explicit diffusion makes steps tiny for thick liquids. First order in
 * time, second in space: on the whole second where viscosity limits the step (Taylor and Green's vortex, nu
 * 0.1: 1.97, 1.92) and first where the flow does, as dt goes with dx (without viscosity: 0.96, 0.98). */
#include <math.h>
#include <string.h>
#include "core/hot.h"
#include "grid/rows.h"
#include "stage/mac/mac.h"

#define FLOW_SHARE    0.4   /* cells a step, summed over axes */
#define VISCOUS_SHARE 0.5   /* of dx^2 / (2 dim nu) */
#define THETA_MIN     0.05f /* cells */

typedef struct {
    const mac_grid *g;
    const mac_field *u;
    const uint8_t *kind;
    const openings *o;
    const mac_solids *solids; /* those that liquid sticks to; NULL: none */
    const mac_field *area;    /* what solids leave open of faces; NULL: all */
    mac_field *out;
    float cells, viscous, kick; /* dt/dx, nu dt/dx^2, f dt */
    int axis, no_slip;
    cell_range range;
} job;

INLINE float wall_velocity(const openings *o, int axis, ptrdiff_t n) {
    return o->wall.value[axis] ? o->wall.value[axis][n] : 0;
}

/* The velocity one face over, as the face `here` sees it. */
INLINE float beside(const job *s, ptrdiff_t here, ptrdiff_t n) {
    const int a = s->axis;
    const float *u = s->u->value[a];
    if (s->kind[n] != MAC_SOLID || s->kind[n - s->g->box.step[a]] != MAC_SOLID) return u[n];
    return s->no_slip ? 2 * wall_velocity(s->o, a, n) - u[here] : u[here];
}

/* What one side changes: `carried` is the transporting velocity into the volume times dt/dx. */
INLINE float change(const job *s, float carried, float here, float there, int dim) {
    const float needed = 0.5f * (float)dim * carried * carried;
    const float k = needed > s->viscous ? needed : s->viscous;
    return (0.5f * carried + k) * (there - here);
}

/* Through a side, from the faces p and q next to it: twice the mean of what passes. */
INLINE float flow(const job *s, int axis, ptrdiff_t p, ptrdiff_t q) {
    const float *v = s->u->value[axis], *area = s->area ? s->area->value[axis] : NULL;
    return area ? area[p] * v[p] + area[q] * v[q] : v[p] + v[q];
}

/* What carries into a volume through its sides, times dt/dx: flows over what is open of the volume, all of
 * them less where that would be too much for a step. */
INLINE void carry(float carried[6], const job *s, ptrdiff_t c, int dim) {
    const ptrdiff_t *step = s->g->box.step, back = step[s->axis];
    float sum = 0;
    for (int d = 0; d < dim; ++d) {
        const ptrdiff_t up = c + step[d];
        carried[2 * d] = flow(s, d, c - back, c);
        carried[2 * d + 1] = -(d == s->axis ? flow(s, d, c, up) : flow(s, d, up - back, up));
        sum += fabsf(carried[2 * d]) + fabsf(carried[2 * d + 1]);
    }
    const float volume = s->area ? s->area->value[s->axis][c] : 1, half = 0.5f * s->cells;
    const int too_much = volume < 1 && half * sum > 2 * (float)FLOW_SHARE * volume;
    const float by = too_much ? 2 * (float)FLOW_SHARE / sum : half / volume;
    for (int f = 0; f < 2 * dim; ++f) carried[f] *= by;
}

INLINE float advance(const job *s, ptrdiff_t c, int dim) {
    const box *b = &s->g->box;
    const int a = s->axis;
    const float *u = s->u->value[a];
    float sum = u[c] + s->kick, carried[6];
    carry(carried, s, c, dim);
    for (int d = 0; d < dim; ++d) {
        const ptrdiff_t step = b->step[d];
        const float low = d == a ? u[c - step] : beside(s, c, c - step);
        const float high = d == a ? u[c + step] : beside(s, c, c + step);
        sum += change(s, carried[2 * d], u[c], low, dim) + change(s, carried[2 * d + 1], u[c], high, dim);
    }
    return sum;
}

/* The distance of a face's centre from solids, m. */
INLINE float face_distance(const job *s, ptrdiff_t n, int dim) {
    const box *b = &s->g->box;
    const float *phi = s->solids->distance + n;
    const ptrdiff_t p = b->step[s->axis == 0], q = b->step[s->axis == 2 ? 1 : 2];
    if (dim == 2) return 0.5f * (phi[0] + phi[p]);
    return 0.25f * ((phi[0] + phi[p]) + (phi[q] + phi[p + q]));
}

/* A face in a solid: not one that is open, in what only displaces liquid. */
INLINE int is_buried(const job *s, ptrdiff_t n, float distance) {
    return distance <= 0 && s->o->open.value[s->axis][n] < 1;
}

/* The velocity of the solid that closes the face n at a place in cells. */
static float solid_velocity(const job *s, ptrdiff_t n, const float x[3]) {
    const mac_grid *g = s->g;
    const int mover = s->o->mover[s->axis] ? s->o->mover[s->axis][n] : 0;
    double at[3], velocity[3];
    if (!mover) return 0;
    for (int a = 0; a < 3; ++a) at[a] = g->origin[a] + g->dx * (double)x[a];
    placement_velocity(velocity, &s->solids->solids[mover - 1].now, at);
    return (float)velocity[s->axis];
}

/* As advance(), for a face within a cell of a solid that liquid sticks to; at: its cell. */
static float advance_beside_solid(const job *s, ptrdiff_t c, const int at[3], int dim) {
    const box *b = &s->g->box;
    const int a = s->axis;
    const float *u = s->u->value[a], here = face_distance(s, c, dim);
    const int stuck = is_buried(s, c, here);
    float x[3], sum = u[c] + s->kick, stuck_by = 0, driven = 0, into[6]; /* K; K w */
    for (int d = 0; d < 3; ++d) x[d] = (float)at[d] + (d == a ? 0 : 0.5f);
    if (stuck) {
        stuck_by = 2 * (float)dim * s->viscous / THETA_MIN;
        driven = stuck_by * solid_velocity(s, c, x);
    }
    carry(into, s, c, dim);
    for (int f = 0; f < 2 * dim; ++f) {
        const int d = f / 2, up = f % 2;
        const ptrdiff_t step = b->step[d], n = up ? c + step : c - step;
        const float carried = into[f];
        const int outside = up ? at[d] + 1 >= b->n[d] + (d == a) : at[d] == 0;
        const float there = face_distance(s, n, dim);
        if (stuck || !is_buried(s, n, there) || (outside && !s->o->open_wall[f])) {
            sum += change(s, carried, u[c], d == a ? u[n] : beside(s, c, n), dim);
            continue;
        }
        const float theta = fmaxf(here / (here - there), THETA_MIN), mild = fmaxf(theta, 0.5f);
        float wall[3] = {x[0], x[1], x[2]};
        wall[d] += up ? theta : -theta;
        const float w = solid_velocity(s, n, wall), k = 0.5f * (float)dim * carried * carried - s->viscous;
        sum += ((carried > 0 ? 0.5f * carried : 0) + (k > 0 ? k : 0)) * (w - u[c]) / mild;
        stuck_by += s->viscous / theta;
        driven += s->viscous / theta * w;
    }
    return (sum + driven) / (1 + stuck_by);
}

/* Nodes are at most 0.71 cells from a face's centre and distances 1-Lipschitz, so that no face over there is
 * in a solid. */
INLINE int is_far_from_solids(const job *s, ptrdiff_t c) {
    return !s->solids || s->solids->distance[c] > 1.75f * (float)s->g->dx;
}

INLINE void momentum_block(const job *s, int block, int dim) {
    const ptrdiff_t step = s->g->box.step[s->axis];
    const float *u = s->u->value[s->axis], *open = s->o->open.value[s->axis];
    float *out = s->out->value[s->axis];
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const ptrdiff_t c = box_at(&s->g->box, i, j, k);
            const int liquid = (s->kind[c] == MAC_LIQUID) + (s->kind[c - step] == MAC_LIQUID);
            if (liquid == 0 || !(open[c] > 0)) out[c] = u[c];
            else if (liquid != 2) out[c] = u[c] + s->kick;
            else if (is_far_from_solids(s, c)) out[c] = advance(s, c, dim);
            else out[c] = advance_beside_solid(s, c, (const int[3]){i, j, k}, dim);
        }
    }
}

HOT static void momentum_task(void *context, int block) {
    const job *s = context;
    if (s->g->box.dim == 3) momentum_block(s, block, 3);
    else momentum_block(s, block, 2);
}

void mac_momentum(mac_field *out, const mac_grid *g, const mac_field *u, const uint8_t *kind,
                  const openings *o, const mac_field *area, double nu, const double gravity[3], int no_slip,
                  const mac_solids *solids, double dt) {
    job s = {.g = g, .u = u, .kind = kind, .o = o, .area = area, .out = out, .no_slip = no_slip};
    s.solids = no_slip ? solids : NULL;
    s.cells = (float)(dt / g->dx);
    s.viscous = (float)(nu * dt / (g->dx * g->dx));
    for (s.axis = 0; s.axis < g->box.dim; ++s.axis) {
        s.kick = (float)(gravity[s.axis] * dt);
        s.range = range_faces(g, s.axis);
        parallel_for(g->pool, range_blocks(&s.range), momentum_task, &s);
    }
}

static void wall_task(void *context, int block) {
    const job *s = context;
    const int a = s->axis;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const ptrdiff_t n = box_at(&s->g->box, i, j, k);
            if (!(s->o->open.value[a][n] > 0)) s->out->value[a][n] = wall_velocity(s->o, a, n);
        }
    }
}

void mac_set_walls(mac_field *u, const mac_grid *g, const openings *o) {
    job s = {.g = g, .o = o, .out = u};
    for (s.axis = 0; s.axis < g->box.dim; ++s.axis) {
        s.range = range_faces(g, s.axis);
        parallel_for(g->pool, range_blocks(&s.range), wall_task, &s);
    }
}

/* Bits of a non-negative float compare as integers do, infinities and NaN on top. */
static double speed_task(void *context, int block) {
    const job *s = context;
    uint32_t most = 0;
    FOR_ROWS(&s->range, block, j, k) {
        const float *row = s->u->value[s->axis] + box_at(&s->g->box, 0, j, k);
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            uint32_t bits;
            memcpy(&bits, row + i, sizeof bits);
            bits &= 0x7fffffffu;
            most = most > bits ? most : bits;
        }
    }
    float speed;
    memcpy(&speed, &most, sizeof speed);
    return isfinite(speed) ? (double)speed : INFINITY;
}

void mac_speed(double speed[3], const mac_grid *g, const mac_field *u) {
    job s = {.g = g, .u = u};
    speed[2] = 0;
    for (s.axis = 0; s.axis < g->box.dim; ++s.axis) {
        s.range = range_faces(g, s.axis);
        speed[s.axis] = parallel_max(g->pool, range_blocks(&s.range), speed_task, &s);
    }
}

double mac_stable_dt(const mac_grid *g, double speed, double acceleration, double nu, double cfl) {
    const double reach = fmin(cfl, FLOW_SHARE) * g->dx; /* m a step */
    const double fast = speed + sqrt(reach * acceleration);
    const double flow = fast > 0 ? reach / fast : INFINITY;
    const double viscous = nu > 0 ? VISCOUS_SHARE * g->dx * g->dx / (2 * g->box.dim * nu) : INFINITY;
    return fmin(flow, viscous);
}

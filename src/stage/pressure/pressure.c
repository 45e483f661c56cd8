/* Variational pressure projection on cut cells with a second-order free surface.
 *
 *   minimise the kinetic energy of u - grad q:   sum_f A_f (q_c - q_n) = - sum_f +-(A_f u_f + (1 - A_f) w_f)
 *
 * with A_f the open share of a face (Batty et al. 2007, with areas for volumes as Wang 2017, 2.5, explains),
 * w_f the solid's velocity, and q = p dt / (rho dx), so that the coefficients are plain shares and u loses
 * q_c - q_n. Across the surface q is zero at the distance theta from the liquid cell's centre, theta = phi_c
 * / (phi_c - phi_n) (ghost fluid, Wang 2.25-2.28 with theta from the liquid side), which adds A_f / theta to
 * the diagonal. A linear pressure, and so hydrostatic rest, is reproduced exactly on oblique walls.
 *
 * With separation (Batty et al. 2007, 4) q >= 0 in the cells that a solid or a closed side of the domain
 * bounds, and div u >= 0 there instead of = 0, one of the two an equality: liquid may leave a wall, nothing
 * sucks it back. The velocity of a closed face in the balance stays the wall's; what leaves it is a void that
 * opens in the cell.
 *
 * Along periodic axes phi and the velocity must have been wrapped; the rest is done here.
 *
 * Limits: what is liquid is so by DEPTH_MIN cells at least, which keeps the diagonal bounded; faces less open
 * than OPEN_MIN are closed, everywhere. */
#include "stage/pressure/pressure.h"

#include <math.h>
#include <string.h>
#include "core/lanes.h"
#include "grid/extrapolate.h"
#include "grid/rows.h"
#include "grid/wrap.h"

#define DEPTH_MIN 1e-4f /* cells */
/* What holds for slivers of faces holds for faces of a cell that is liquid by a hair's breadth: WET_MIN
 * cells. */
#define WET_MIN 0.25f

typedef struct {
    const mac_grid *g;
    const openings *o;
    const float *phi, *source;
    cell_range range;
    const pressure_work *work;
    const mac_field *from;
    mac_field *u;
    float *q;
    uint8_t *layer, *bounded;
    const uint8_t *voids;
    int axis;
    float quiet, quiet_air, *far;
} job;

/* The share 1 / theta of a face between liquid (a < 0) and air (b >= 0). What is bounded is the liquid's
 * depth and not theta, face by face: pressures across the axes must stay in the ratio of the thetas, or a
 * cell that is liquid by less is pushed sideways by as much as gravity. */
INLINE float ghost(float a, float b, float least) {
    const float depth = -a > least ? -a : least;
    return (depth + b) / depth;
}

INLINE vec8 ghosts(vec8 a, vec8 b, vec8 least) {
    const vec8 depth = vec8_select(-a > least, -a, least);
    return (depth + b) / depth;
}

/* What a cell is liquid by at least, m. */
INLINE float least_depth(const job *s) {
    return DEPTH_MIN * (float)s->g->dx;
}

/* Axis by axis: few fields at a time are work for vectors. */
INLINE void mark_row(const job *s, ptrdiff_t row, int dim) {
    const int n = s->g->box.n[0];
    const float *phi = s->phi + row;
    uint8_t *restrict unknown = s->work->unknown + row;
    for (int a = 0; a < dim; ++a) {
        const float *open = s->o->open.value[a] + row, *beyond = open + s->g->box.step[a];
        for (int i = 0; i < n; ++i)
            unknown[i] = (uint8_t)((a ? unknown[i] : 0) | (open[i] > 0) | (beyond[i] > 0));
    }
    for (int i = 0; i < n; ++i) unknown[i] &= phi[i] < 0;
}

INLINE void mark_block(const job *s, int block, int dim) {
    const box *b = &s->g->box;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        if (!row_is_wet(s->phi + row, b->n[0])) {
            memset(s->work->unknown + row, 0, (size_t)b->n[0]);
            continue;
        }
        mark_row(s, row, dim);
    }
}

enum { STRETCH = 16 }; /* cells looked at together: most lie wholly in liquid or wholly in air */

/* Whether none of the cells is an unknown. */
INLINE int is_dry_stretch(const uint8_t *is) {
    uint64_t any = 0, word;
    for (int w = 0; w < STRETCH; w += 8) {
        memcpy(&word, is + w, sizeof word);
        any |= word;
    }
    return !any;
}

/* Whether all of the cells, and all of their neighbours low and high along an axis, are unknowns. */
INLINE int is_deep_stretch(const uint8_t *is, ptrdiff_t step) {
    uint64_t all = 0x0101010101010101u, word;
    for (int w = 0; w < STRETCH; w += 8)
        for (int side = -1; side <= 1; ++side) {
            memcpy(&word, is + side * step + w, sizeof word);
            all &= word;
        }
    return all == 0x0101010101010101u;
}

/* A neighbour that is no unknown is air, unless it lies in liquid with no open face at all. */
INLINE void assemble_cell(float *face, float *extra, const job *s, ptrdiff_t c, ptrdiff_t step, int axis) {
    const float *open = s->o->open.value[axis] + c, *phi = s->phi + c;
    const uint8_t *is = s->work->unknown + c;
    const int low = is[-step] & is[0], high = is[0] & (1 ^ is[step]);
    const float least = least_depth(s);
    *face = low ? open[0] : 0;
    *extra += (is[0] && !low && phi[-step] >= 0 ? open[0] * ghost(phi[0], phi[-step], least) : 0) +
              (high && phi[step] >= 0 ? open[step] * ghost(phi[0], phi[step], least) : 0);
}

INLINE void assemble_eight(float *face, float *extra, const job *s, ptrdiff_t c, ptrdiff_t step, int axis) {
    const uint8_t *is = s->work->unknown + c;
    const int8 here = mask_load(is), low = here & mask_load(is - step), high = here & ~mask_load(is + step);
    const vec8 open = vec8_load(s->o->open.value[axis] + c),
               beyond = vec8_load(s->o->open.value[axis] + c + step);
    const vec8 phi = vec8_load(s->phi + c), below = vec8_load(s->phi + c - step),
               above = vec8_load(s->phi + c + step), none = {0}, least = vec8_all(least_depth(s));
    const vec8 down = vec8_select(here & ~low & (below >= 0), open * ghosts(phi, below, least), none);
    const vec8 up = vec8_select(high & (above >= 0), beyond * ghosts(phi, above, least), none);
    vec8_store(face, vec8_select(low, open, none));
    vec8_store(extra, vec8_load(extra) + (down + up));
}

INLINE void assemble_cells(float *face, float *extra, const job *s, ptrdiff_t c, ptrdiff_t step, int axis,
                           int count) {
    int i = 0;
    for (; i + LANES <= count; i += LANES) assemble_eight(face + i, extra + i, s, c + i, step, axis);
    for (; i < count; ++i) assemble_cell(face + i, extra + i, s, c + i, step, axis);
}

/* Face coefficients and the diagonal's share from air, row by row. The samples beyond the domain's sides
 * count as air behind open walls; closed walls have no open share to begin with. */
INLINE void assemble_block(const job *s, int block, int dim) {
    const box *b = &s->g->box;
    const uint8_t *unknown = s->work->unknown;
    const size_t bytes = (size_t)b->n[0] * sizeof(float);
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        memset(s->work->extra + row, 0, bytes);
        /* the last faces of the box couple nothing, or are the first ones again */
        s->work->face.value[0][row + b->n[0]] = 0;
        if (j == b->n[1] - 1) memset(s->work->face.value[1] + row + b->step[1], 0, bytes);
        if (dim == 3 && k == b->n[2] - 1) memset(s->work->face.value[2] + row + b->step[2], 0, bytes);
        if (!memchr(unknown + row, 1, (size_t)b->n[0])) { /* a row without liquid: most of the box */
            for (int a = 0; a < dim; ++a) memset(s->work->face.value[a] + row, 0, bytes);
            continue;
        }
        for (int a = 0; a < dim; ++a)
            for (int i = 0; i < b->n[0]; i += STRETCH) {
                const int count = b->n[0] - i < STRETCH ? b->n[0] - i : STRETCH;
                float *face = s->work->face.value[a] + row + i;
                if (count == STRETCH && is_dry_stretch(unknown + row + i))
                    memset(face, 0, STRETCH * sizeof *face);
                else if (count == STRETCH && is_deep_stretch(unknown + row + i, b->step[a]))
                    memcpy(face, s->o->open.value[a] + row + i, STRETCH * sizeof *face);
                else assemble_cells(face, s->work->extra + row + i, s, row + i, b->step[a], a, count);
            }
    }
}

/* Sum of the fluxes out of eight cells of a row, in m/s. moves: the axes across which walls may; most faces
 * are wholly open, and no wall is read. */
INLINE vec8 outflow_of(const job *s, ptrdiff_t c, const int moves[3], int dim) {
    vec8 sum = {0};
    for (int a = 0; a < dim; ++a) {
        const ptrdiff_t h = c + s->g->box.step[a];
        const vec8 low = vec8_load(s->o->open.value[a] + c), high = vec8_load(s->o->open.value[a] + h);
        sum += high * vec8_load(s->u->value[a] + h) - low * vec8_load(s->u->value[a] + c);
        if (!moves[a] || !mask_bits((low < 1) | (high < 1))) continue;
        const float *wall = s->o->wall.value[a];
        sum += (1 - high) * vec8_load(wall + h) - (1 - low) * vec8_load(wall + c);
    }
    return sum;
}

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
        const vec8 rhs =
            vec8_select(mask_load(s->work->unknown + c), source - outflow_of(s, c, moves, dim), vec8_all(0));
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

INLINE double divergence_block(const job *s, int block, int dim) {
    const int n = s->g->box.n[0], walls = s->o->wall.value[0] != NULL, moves[3] = {walls, walls, walls};
    const int8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
    int8 most = {0}; /* bits of a non-negative float compare as integers do, infinities and NaN on top */
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        if (!row_is_wet(s->phi + row, n)) continue;
        for (int i = 0; i < n; i += LANES) {
            const ptrdiff_t c = row + i;
            vec8 wide = {0}, out = outflow_of(s, c, moves, dim);
            for (int a = 0; a < dim; ++a)
                wide += vec8_load(s->o->open.value[a] + c) +
                        vec8_load(s->o->open.value[a] + c + s->g->box.step[a]);
            int8 counts = (vec8_load(s->phi + c) < 0) & (wide > 0) & (lane < n - i);
            if (s->voids) counts &= ~mask_load(s->voids + c);
            if (s->source) out -= vec8_load(s->source + c);
            const int8 size = (int8)out & 0x7fffffff & counts, more = size > most;
            most = (size & more) | (most & ~more);
        }
    }
    float each[LANES], largest = 0;
    memcpy(each, &most, sizeof each);
    for (int i = 0; i < LANES; ++i) largest = each[i] > largest || isnan(each[i]) ? each[i] : largest;
    return (double)largest;
}

/* Unknowns that something closed bounds. */
INLINE void bounded_block(const job *s, int block, int dim) {
    const box *b = &s->g->box;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        for (int i = 0; i < b->n[0]; ++i) {
            int closed = 0;
            for (int a = 0; a < dim; ++a) {
                const float *open = s->o->open.value[a] + row + i;
                closed |= (open[0] < 1) | (open[b->step[a]] < 1);
            }
            s->bounded[row + i] = (uint8_t)(closed & s->work->unknown[row + i]);
        }
    }
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

/* The pressure difference across a face; 0 where neither side is liquid. */
INLINE float gradient(const job *s, ptrdiff_t c, ptrdiff_t low) {
    const float *q = s->q, *phi = s->phi, least = least_depth(s);
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
                   least = vec8_all(least_depth(s));
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

/* The layer of a face before extrapolation: the projection's own faces are known; the domain's closed sides
 * keep their velocity, and pass it on only below the surface. */
INLINE int layer_of(const job *s, int i, int j, int k) {
    const box *b = &s->g->box;
    const int a = s->axis, at = a == 0 ? i : a == 1 ? j : k;
    const ptrdiff_t c = box_at(b, i, j, k);
    const float deep = -WET_MIN * (float)s->g->dx;
    const int wet = (s->phi[c] < deep) | (s->phi[c - b->step[a]] < deep), side = (at == 0) | (at == b->n[a]);
    if (!face_is_wide(s->o->open.value[a], s->o->mover[a], c) && !side) return EXTRAPOLATE_UNKNOWN;
    return wet ? 0 : side && s->o->open.value[a][c] <= 0 ? EXTRAPOLATE_FIXED : EXTRAPOLATE_UNKNOWN;
}

/* Whether a row of faces touches liquid at all: most rows of the box do not, and are passed over. */
INLINE int is_wet_row(const job *s, int j, int k) {
    const box *b = &s->g->box;
    const float deep = -WET_MIN * (float)s->g->dx, *phi = s->phi + box_at(b, 0, j, k);
    const ptrdiff_t low = b->step[s->axis];
    const int n = b->n[0] + (s->axis == 0);
    int wet = 0;
    for (int i = 0; i < n; ++i) wet |= (phi[i] < deep) | (phi[i - low] < deep);
    return wet;
}

/* Layers of a row of faces that no closed side of the domain lies on. */
INLINE void known_row(const job *s, ptrdiff_t row, int n) {
    const float deep = -WET_MIN * (float)s->g->dx;
    const float *open = s->o->open.value[s->axis] + row, *phi = s->phi + row,
                *low = phi - s->g->box.step[s->axis];
    const uint16_t *mover = s->o->mover[s->axis] ? s->o->mover[s->axis] + row : NULL;
    uint8_t *layer = s->layer + row;
    for (int i = 0; i < n; ++i) {
        const int known = ((phi[i] < deep) | (low[i] < deep)) & face_is_wide(open, mover, i);
        layer[i] = known ? 0 : EXTRAPOLATE_UNKNOWN;
    }
}

INLINE void known_block(const job *s, int block) {
    const box *b = &s->g->box;
    const cell_range own = range_faces(s->g, s->axis);
    const int n = own.upper[0] - own.lower[0], last = b->n[s->axis];
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        const int at = s->axis == 1 ? j : k, side = s->axis > 0 && (at == 0 || at == last);
        memset(s->layer + row + s->range.lower[0], EXTRAPOLATE_UNKNOWN,
               (size_t)(s->range.upper[0] - s->range.lower[0]));
        if (j < own.lower[1] || j >= own.upper[1] || k < own.lower[2] || k >= own.upper[2]) continue;
        if (side)
            for (int i = 0; i < n; ++i) s->layer[row + i] = (uint8_t)layer_of(s, i, j, k);
        else if (is_wet_row(s, j, k)) known_row(s, row, n);
        if (s->axis > 0) continue;
        s->layer[row] = (uint8_t)layer_of(s, 0, j, k);
        s->layer[row + last] = (uint8_t)layer_of(s, last, j, k);
    }
}

#define LOUD INFINITY /* for a velocity: not quiet */
/* Shares of a face: up to NARROW it is quiet below the given speed, up to HALF below a tenth of it. Wider and
 * faster ones carry the contact line of waves along walls at 45 degrees, which then go slow or gain
 * (tests/validation/sim_slosh.c). */
#define NARROW 0.35f
#define HALF   0.5f
#define TENTH  0.1f

/* Narrow faces of a row, beside the surface, slower than what the surface's own error gives them. */
INLINE void quiet_row(const job *s, ptrdiff_t row, int n) {
    const float near = -(float)s->g->dx;
    const float *open = s->o->open.value[s->axis] + row, *phi = s->phi + row,
                *low = phi - s->g->box.step[s->axis], *u = s->u->value[s->axis] + row;
    const uint16_t *mover = s->o->mover[s->axis] ? s->o->mover[s->axis] + row : NULL;
    uint8_t *layer = s->layer + row;
    float *solved = s->q + row;
    for (int i = 0; i < n; ++i) {
        const int cut = (open[i] > 0) & (open[i] < HALF) & !(mover && mover[i]);
        const float limit = open[i] < NARROW ? s->quiet : TENTH * s->quiet;
        const int quiet = cut & ((phi[i] > near) | (low[i] > near)) & (fabsf(u[i]) < limit);
        layer[i] = quiet ? EXTRAPOLATE_UNKNOWN : layer[i];
        solved[i] = quiet ? u[i] : LOUD;
    }
}

/* Whether air borders a liquid cell across more than one axis. */
INLINE int is_corner(const job *s, ptrdiff_t c) {
    int axes = 0;
    for (int a = 0; a < s->g->box.dim; ++a) {
        const ptrdiff_t step = s->g->box.step[a];
        const float *open = s->o->open.value[a] + c, *phi = s->phi + c;
        axes += ((open[0] > 0) & (phi[-step] >= 0)) | ((open[step] > 0) & (phi[step] >= 0));
    }
    return axes > 1;
}

/* Faces of a row between a corner of the liquid and air. Pressure must vanish at two places beside it, or
 * three, and what these are off one straight surface by drives a current in through one face and out through
 * another: without end, as it moves no surface. */
INLINE void quiet_corners(const job *s, ptrdiff_t row, int n) {
    const ptrdiff_t step = s->g->box.step[s->axis];
    const float *phi = s->phi + row, *u = s->u->value[s->axis] + row, *open = s->o->open.value[s->axis] + row;
    for (int i = 0; i < n; ++i) {
        const int wet = phi[i] < 0, below = phi[i - step] < 0;
        if (wet == below || !(open[i] > 0) || !(fabsf(u[i]) < s->quiet_air)) continue;
        if (!is_corner(s, row + i - (wet ? 0 : step))) continue;
        s->layer[row + i] = EXTRAPOLATE_UNKNOWN;
        s->q[row + i] = u[i];
    }
}

/* The slower of two velocities that go the same way, 0 where they do not. */
INLINE float slower(float a, float b) {
    return a * b > 0 ? fabsf(a) < fabsf(b) ? a : b : 0;
}

INLINE void recall_row(const job *s, ptrdiff_t row, int n) {
    const float *solved = s->q + row;
    float *u = s->u->value[s->axis] + row, *far = s->far ? s->far + row : NULL;
    for (int i = 0; i < n; ++i) {
        if (!(solved[i] < LOUD)) continue;
        const float held = slower(u[i], solved[i]);
        if (far) far[i] += held - u[i];
        u[i] = held;
    }
}

/* Bits of a non-negative float compare as integers do, infinities and NaN on top. */
INLINE double speed_block(const job *s, int block) {
    const float deep = -WET_MIN * (float)s->g->dx;
    const ptrdiff_t step = s->g->box.step[s->axis];
    int32_t most = 0;
    FOR_ROWS(&s->range, block, j, k) {
        if (!is_wet_row(s, j, k)) continue;
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        const float *open = s->o->open.value[s->axis] + row, *phi = s->phi + row,
                    *u = s->u->value[s->axis] + row;
        const uint16_t *mover = s->o->mover[s->axis] ? s->o->mover[s->axis] + row : NULL;
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            int32_t bits;
            memcpy(&bits, u + i, sizeof bits);
            const int set = ((phi[i] < deep) | (phi[i - step] < deep)) & face_is_wide(open, mover, i);
            bits = set ? bits & 0x7fffffff : 0;
            most = most > bits ? most : bits;
        }
    }
    float speed;
    memcpy(&speed, &most, sizeof speed);
    return isfinite(speed) ? (double)speed : INFINITY;
}

HOT static void mark_task(void *context, int block) {
    const job *s = context;
    if (s->g->box.dim == 3) mark_block(s, block, 3);
    else mark_block(s, block, 2);
}
HOT static void assemble_task(void *context, int block) {
    const job *s = context;
    if (s->g->box.dim == 3) assemble_block(s, block, 3);
    else assemble_block(s, block, 2);
}
HOT static void rhs_task(void *context, int block) {
    const job *s = context;
    if (s->g->box.dim == 3) rhs_block(s, block, 3);
    else rhs_block(s, block, 2);
}
HOT static void bounded_task(void *context, int block) {
    const job *s = context;
    if (s->g->box.dim == 3) bounded_block(s, block, 3);
    else bounded_block(s, block, 2);
}
HOT static double divergence_task(void *context, int block) {
    const job *s = context;
    return s->g->box.dim == 3 ? divergence_block(s, block, 3) : divergence_block(s, block, 2);
}
static double pushed_task(void *context, int block) {
    const job *s = context;
    return s->g->box.dim == 3 ? pushed_block(s, block, 3) : pushed_block(s, block, 2);
}
HOT static void update_task(void *context, int block) {
    update_block(context, block);
}
HOT static void known_task(void *context, int block) {
    known_block(context, block);
}

HOT static void quiet_task(void *context, int block) {
    const job *s = context;
    const int n = s->range.upper[0] - s->range.lower[0];
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        if (!is_wet_row(s, j, k)) continue;
        quiet_row(s, row, n);
        if (s->quiet_air > 0) quiet_corners(s, row, n);
    }
}

static void recall_task(void *context, int block) {
    const job *s = context;
    const int n = s->range.upper[0] - s->range.lower[0];
    FOR_ROWS(&s->range, block, j, k) {
        if (is_wet_row(s, j, k)) recall_row(s, box_at(&s->g->box, 0, j, k), n);
    }
}

HOT static double speed_task(void *context, int block) {
    return speed_block(context, block);
}

static poisson_system system_of(const pressure_work *work) {
    return (poisson_system){
        .face = {work->face.value[0], work->face.value[1], work->face.value[2]},
        .extra = work->extra,
        .unknown = work->unknown,
    };
}

/* The film face's place in fields, where it is open and both cells beside it are unknowns; else 0, which no
 * face has. */
static ptrdiff_t eased_face(const film_face *f, const pressure_work *work, const openings *o, const box *b) {
    const ptrdiff_t n = box_at(b, f->face.at[0], f->face.at[1], f->face.at[2]);
    const int joins = work->unknown[n] && work->unknown[n - b->step[f->face.axis]];
    return f->ease > 0 && joins && o->open.value[f->face.axis][n] > 0 ? n : 0;
}

/* Films flow more easily. */
static void ease_films(pressure_work *work, const mac_grid *g, const openings *o) {
    for (int i = 0; i < o->met.film_count; ++i) {
        const film_face *f = &o->met.film[i];
        const ptrdiff_t n = eased_face(f, work, o, &g->box);
        if (n) work->face.value[f->face.axis][n] *= f->ease;
    }
}

/* What they lose of a pressure's gradient more than others do. */
static void move_films(mac_field *u, const float *q, const pressure_work *work, const mac_grid *g,
                       const openings *o) {
    for (int i = 0; i < o->met.film_count; ++i) {
        const film_face *f = &o->met.film[i];
        const ptrdiff_t n = eased_face(f, work, o, &g->box);
        if (n) u->value[f->face.axis][n] -= (f->ease - 1) * (q[n] - q[n - g->box.step[f->face.axis]]);
    }
}

int pressure_assemble(poisson *solver, pressure_work *work, const mac_grid *g, const openings *o,
                      const float *phi) {
    job s = {.g = g, .o = o, .phi = phi, .range = range_cells(g), .work = work};
    parallel_for(g->pool, range_blocks(&s.range), mark_task, &s);
    wrap_bytes(work->unknown, g);
    parallel_for(g->pool, range_blocks(&s.range), assemble_task, &s);
    ease_films(work, g, o);
    wrap_faces(&work->face, g);
    const poisson_system system = system_of(work);
    return solver ? poisson_setup(solver, &system) : 0;
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
    move_films(u, q, work, g, o);
}

static void find_rhs(const pressure_work *work, const mac_grid *g, const openings *o, const float *phi,
                     const mac_field *u) {
    mac_field copy = *u; /* of the pointers: the job is shared with stages that write */
    job s = {.g = g, .o = o, .phi = phi, .range = range_cells(g), .work = work, .u = &copy};
    s.source = work->source;
    parallel_for(g->pool, range_blocks(&s.range), rhs_task, &s);
}

/* What closed regions cannot swallow, beside the flow that walls push through them where that is larger than
 * what the solve has to mend: a vessel that moves with its water asks nearly nothing of pressure, and what is
 * left of that is rounding of its walls. */
static void relate_to_walls(poisson_result *r, const pressure_work *work, const mac_grid *g,
                            const openings *o) {
    job s = {.g = g, .o = o, .range = range_cells(g), .work = work};
    if (!(r->incompatibility > 0) || !o->wall.value[0]) return;
    const double pushed = parallel_sum(g->pool, range_blocks(&s.range), pushed_task, &s);
    if (pushed > r->size) r->incompatibility *= r->size / pushed;
}

poisson_result pressure_solve(float *q, poisson *solver, pressure_work *work, const mac_grid *g,
                              const openings *o, const float *phi, const mac_field *u, double tolerance,
                              int max_iterations) {
    find_rhs(work, g, o, phi, u);
    poisson_result r = poisson_solve(solver, q, work->rhs, tolerance, max_iterations);
    relate_to_walls(&r, work, g, o);
    return r;
}

int pressure_separate(lcp_result *out, float *q, lcp *walls, uint8_t *bounded, poisson *solver,
                      pressure_work *work, const mac_grid *g, const openings *o, const float *phi,
                      const mac_field *u, const poisson_term *term, double tolerance, int max_iterations) {
    job s = {.g = g, .o = o, .range = range_cells(g), .work = work, .bounded = bounded};
    parallel_for(g->pool, range_blocks(&s.range), bounded_task, &s);
    find_rhs(work, g, o, phi, u);
    const lcp_problem problem = {.system = system_of(work), .bounded = bounded, .term = *term};
    const int failed = lcp_solve(out, walls, solver, q, work->rhs, &problem, tolerance, max_iterations);
    if (!failed) relate_to_walls(&out->solve, work, g, o);
    return failed;
}

/* One side: the cell's inner face says how fast the liquid leaves. */
static void release_side(mac_field *u, const mac_grid *g, const openings *o, const uint8_t *voids, int axis,
                         int side) {
    const ptrdiff_t step = g->box.step[axis];
    cell_range r = range_cells(g);
    r.lower[axis] = side ? g->box.n[axis] - 1 : 0;
    r.upper[axis] = r.lower[axis] + 1;
    for (int k = r.lower[2]; k < r.upper[2]; ++k)
        for (int j = r.lower[1]; j < r.upper[1]; ++j)
            for (int i = r.lower[0]; i < r.upper[0]; ++i) {
                const ptrdiff_t c = box_at(&g->box, i, j, k), wall = side ? c + step : c,
                                inner = side ? c : c + step;
                if (!voids[c] || o->open.value[axis][wall] > 0 || o->open.value[axis][inner] <= 0) continue;
                const float away = u->value[axis][inner];
                u->value[axis][wall] = side ? fminf(away, 0) : fmaxf(away, 0);
            }
}

void pressure_release(mac_field *u, const mac_grid *g, const openings *o, const uint8_t *voids) {
    for (int axis = 0; axis < g->box.dim; ++axis)
        for (int side = 0; side < 2; ++side) release_side(u, g, o, voids, axis, side);
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

void pressure_speed(double speed[3], const mac_field *u, const mac_grid *g, const openings *o,
                    const float *phi) {
    mac_field copy = *u;
    job s = {.g = g, .o = o, .phi = phi, .u = &copy};
    speed[2] = 0;
    for (s.axis = 0; s.axis < g->box.dim; ++s.axis) {
        s.range = range_faces(g, s.axis);
        speed[s.axis] = parallel_max(g->pool, range_blocks(&s.range), speed_task, &s);
    }
}

double pressure_divergence(const mac_field *u, const mac_grid *g, const openings *o, const float *phi,
                           const float *source, const uint8_t *voids) {
    mac_field copy = *u;
    job s = {.g = g, .o = o, .phi = phi, .source = source, .voids = voids, .u = &copy};
    s.range = range_cells(g);
    return parallel_max(g->pool, range_blocks(&s.range), divergence_task, &s) / g->dx;
}

void pressure_known_faces(uint8_t *layer, const mac_grid *g, const openings *o, const float *phi, int axis) {
    job s = {.g = g, .o = o, .phi = phi, .layer = layer, .axis = axis};
    s.range = range_grow(range_faces(g, axis), g, GHOST);
    parallel_for(g->pool, range_blocks(&s.range), known_task, &s);
}

void pressure_forget_quiet(uint8_t *layer, float *solved, const mac_grid *g, const openings *o,
                           const float *phi, const mac_field *u, double quiet, double quiet_air, int axis) {
    mac_field copy = *u;
    job s = {.g = g, .o = o, .phi = phi, .u = &copy, .q = solved, .layer = layer, .axis = axis};
    s.quiet = (float)quiet;
    s.quiet_air = (float)quiet_air;
    s.range = range_faces(g, axis);
    parallel_for(g->pool, range_blocks(&s.range), quiet_task, &s);
}

void pressure_recall_quiet(mac_field *u, mac_field *far, float *solved, const mac_grid *g, const float *phi,
                           int axis) {
    job s = {.g = g, .phi = phi, .u = u, .q = solved, .far = far ? far->value[axis] : NULL, .axis = axis};
    s.range = range_faces(g, axis);
    parallel_for(g->pool, range_blocks(&s.range), recall_task, &s);
}

/* Faces beside thin walls: closed where a wall keeps their cells apart, narrowed by what is small all around.
 *
 *   A_f = 0 where the cells do not see each other and the wall goes on beside the face,
 *   A_f <- A_f - (share of the cell-sized box about the face inside thin solids) elsewhere.
 *
 * Closed faces form a surface of the grid without holes wherever the wall has none, and its area across every
 * axis is the wall's own: a wall that moves displaces what it sweeps. The sum of the shares along every axis
 * is a small solid's volume.
 *
 * Source: Batty et al. 2007, 3, for the volumes; their 5 leaves thin walls open.
 *
 * Limits: walls along oblique directions are stairs to the pressure. */
#include "stage/walls/thin/parts.h"

#include "core/hot.h"
#include "stage/walls/solids.h"

/* Cells: more than distances are rounded by, so that none is taken for farther. */
#define DISTANCE_ROUNDING 1e-6

/* Whether a wall goes on beside the face between two cells that it keeps apart: along every other axis, at
 * least on one side, the way around through the neighbours is closed too. Else it is a rod or a ball. What a
 * cell sees whose own middle is in the solid does not count: it sees nothing. */
static int is_wall(const thin_job *s, ptrdiff_t low, int axis) {
    const box *b = &s->g->box;
    const uint32_t *sees = s->t->sees;
    int ahead[3] = {0, 0, 0};
    ahead[axis] = 1;
    const int over = sight_bit(ahead[0], ahead[1], ahead[2]);
    const ptrdiff_t high = low + b->step[axis];
    const int low_out = thin_is_outside(&s->v, low), high_out = thin_is_outside(&s->v, high);
    if (!low_out && !high_out) return 1;
    for (int e = 0; e < b->dim; ++e) {
        if (e == axis) continue;
        int closed = 0;
        for (int side = -1; side <= 1; side += 2) {
            int d[3] = {0, 0, 0};
            d[e] = side;
            const int dir = sight_bit(d[0], d[1], d[2]);
            closed |= (low_out && !(sees[low] >> dir & 1)) || (high_out && !(sees[high] >> dir & 1)) ||
                      !(sees[low + side * b->step[e]] >> over & 1);
        }
        if (!closed) return 0;
    }
    return 1;
}

/* Share of the cell-sized box about a face that thin solids take up, octant by octant. Samples are at most
 * 0.375 cells along each axis from the face and 0.125 from the middle of their octant: where that is farther
 * from a surface none of them, or where it is deeper all, are inside. */
static float taken_share(const thin_job *s, const double face[3]) {
    const int dim = s->g->box.dim, parts = 1 << dim;
    const double half = 0.25 * s->g->dx, root = sqrt((double)dim), edge = 0.5 / QUARTERS + DISTANCE_ROUNDING;
    double inside = 0;
    if (thin_distance(&s->v, face) > (0.375 * root + edge) * s->g->dx) return 0;
    for (int o = 0; o < parts; ++o) {
        double middle[3] = {face[0], face[1], face[2]}, distance;
        for (int a = 0; a < dim; ++a) middle[a] += o >> a & 1 ? half : -half;
        const double deep = thin_distance(&s->v, middle), clear = (0.125 * root + edge) * s->g->dx;
        if (deep > clear) continue;
        for (int q = 0; q < parts; ++q) {
            double x[3] = {middle[0], middle[1], middle[2]};
            for (int a = 0; a < dim; ++a) x[a] += q >> a & 1 ? 0.5 * half : -0.5 * half;
            const obstacle *solid = deep < -clear ? NULL : thin_nearest(&distance, &s->v, x);
            inside += solid ? thin_share_inside(&s->v, solid, distance) : 1;
        }
    }
    return (float)(inside / (parts * parts));
}

/* Whether the wall that closes a face is oblique to its axis, as seen from that of its two cells which is
 * farther away. Then part of the velocity along the wall is that of the face, a different one on each side.
 */
static int is_slanting(const thin_job *s, const double face[3], ptrdiff_t c) {
    double x[3] = {face[0], face[1], face[2]}, n[3], distance;
    const obstacle *wall = thin_nearest(&distance, &s->v, face);
    x[s->axis] +=
        s->t->distance[c] > s->t->distance[c - s->g->box.step[s->axis]] ? 0.5 * s->g->dx : -0.5 * s->g->dx;
    return !obstacle_normal(n, wall, x, s->g->box.dim, 0.05 * s->g->dx) || fabs(n[s->axis]) < FACE_ACROSS;
}

/* Whether the centres of two cells are both in a wall: they may see each other beside it, but the face
 * between them has its own centre in the wall too, and what is read there is of both sides. */
INLINE int is_buried(const thin_job *s, ptrdiff_t c, ptrdiff_t low) {
    const float skin = (float)(SKIN * s->g->dx);
    return s->t->distance[c] < skin && s->t->distance[low] < skin && thin_is_outside(&s->v, c) &&
           thin_is_outside(&s->v, low);
}

/* What gaps make of the face below cell c; whether there is nothing more to ask. */
static int close_in_gap(const thin_job *s, const int at[3], ptrdiff_t c, ptrdiff_t low) {
    const gap_view v = thin_gaps(s);
    const uint8_t *lies = s->t->gaps.lies;
    uint8_t *along = &s->t->gaps.along[c];
    *along = (uint8_t)(*along & ~(1u << s->axis));
    if (!lies[c] && !lies[low]) return 0;
    if (gap_at_face(&s->o->open.value[s->axis][c], &v, lies, at, s->axis))
        *along = (uint8_t)(*along | 1u << s->axis);
    return (lies[c] | lies[low]) & GAP_TURNED;
}

static void close_task(void *context, int block) {
    thin_job own = *(const thin_job *)context, *s = &own;
    const box *b = &s->g->box;
    const int a = s->axis;
    thin_pick pick;
    pick_begin(&pick, s->g, s->solids, s->count);
    const float near = (float)(1.4 * s->g->dx);
    int ahead[3] = {0, 0, 0};
    ahead[a] = 1;
    const int over = sight_bit(ahead[0], ahead[1], ahead[2]);
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = s->range.lower[0]; i < s->range.upper[0]; ++i) {
            const ptrdiff_t c = box_at(b, i, j, k), low = c - b->step[a];
            float *open = &s->o->open.value[a][c];
            double x[3];
            s->t->slants[c] = (uint8_t)(s->t->slants[c] & ~(1u << a));
            if (s->around && close_in_gap(s, (const int[3]){i, j, k}, c, low)) continue;
            if (*open <= 0 || (s->t->distance[c] > near && s->t->distance[low] > near)) continue;
            mac_place(x, s->g, i + (a != 0) * 0.5, j + (a != 1) * 0.5, k + (a != 2) * 0.5);
            s->v.near = pick_cell(&pick, (const int[3]){i, j, k});
            if (!(s->t->sees[low] >> over & 1) && is_wall(s, low, a)) {
                *open = 0;
                if (is_slanting(s, x, c)) s->t->slants[c] = (uint8_t)(s->t->slants[c] | 1u << a);
                continue;
            }
            *open -= taken_share(s, x);
            if (*open < (is_buried(s, c, low) ? SLIVER_IN_WALL : OPEN_MIN)) *open = 0;
        }
    }
}

void thin_close_faces(thin_job *s) {
    for (s->axis = 0; s->axis < s->g->box.dim; ++s->axis) {
        s->range = range_inner_faces(s->g, s->axis);
        parallel_for(s->g->pool, range_blocks(&s->range), close_task, s);
    }
}

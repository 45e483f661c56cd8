/* Which cell a place beside thin walls belongs to: its home.
 *
 *   home(x) = the nearest cell whose middle x sees, x's own cell first.
 *
 * A way is free without a march where balls about its two ends, as large as the walls are far, cover it.
 *
 * Source: docs/decisions/0010-shares-of-areas.md; after Batty et al. 2007, 5, who leave thin walls open.
 *
 * Limits: a place in a wall, or in a corner that sees no middle, has no home. */
#include "stage/walls/thin/parts.h"

#include "solid/vector.h"

int thin_is_hidden(const thin_view *v, const double from[3], const double to[3]) {
    return picked_hide(&v->near, from, to, SKIN * v->g->dx);
}

const obstacle *thin_nearest(double *distance, const thin_view *v, const double x[3]) {
    return picked_nearest(distance, &v->near, x);
}

double thin_distance(const thin_view *v, const double x[3]) {
    double distance;
    thin_nearest(&distance, v, x);
    return distance;
}

void thin_step_out(double x[3], const thin_view *v, const obstacle *solid, double depth) {
    double n[3];
    if (!obstacle_normal(n, solid, x, v->g->box.dim, 0.05 * v->g->dx)) return;
    for (int a = 0; a < 3; ++a) x[a] += n[a] * (depth + 1.1 * SKIN * v->g->dx);
}

void thin_middle_of(double x[3], const thin_view *v, const int c[3]) {
    const int32_t cut = v->t->cut[box_at(&v->g->box, c[0], c[1], c[2])];
    cell_centre(x, v->g, c);
    for (int a = 0; a < 3 && cut >= 0; ++a) x[a] += v->g->dx * (double)v->t->cells[cut].middle[a];
}

static int has_turned(const thin_view *v, ptrdiff_t c) {
    return v->t->gaps.lies && v->t->gaps.lies[c] & GAP_TURNED;
}

double thin_free_around(const thin_view *v, ptrdiff_t c) {
    return has_turned(v, c) ? 0 : (double)v->t->distance[c];
}

int thin_is_outside(const thin_view *v, ptrdiff_t c) {
    const int32_t cut = v->t->cut[c];
    if ((double)v->t->distance[c] >= SKIN * v->g->dx) return 1;
    const float *middle = cut >= 0 ? v->t->cells[cut].middle : NULL;
    return middle && (middle[0] != 0 || middle[1] != 0 || middle[2] != 0);
}

/* The nearest of the cells around that was not tried yet, by the distance of its centre from x. */
static int next_nearest(uint32_t *tried, const double far[27]) {
    int nearest = NOWHERE;
    for (int dir = 0; dir < 27; ++dir)
        if (!(*tried >> dir & 1) && (nearest == NOWHERE || far[dir] < far[nearest])) nearest = dir;
    if (nearest != NOWHERE) *tried |= 1u << nearest;
    return nearest;
}

/* Whether x, `near` to the walls, sees the middle y of a cell whose centre is at `clear` from them: at once
 * when a ball about y holds x, or balls about the two cover the way. */
static int sees_centre(const thin_view *v, const double x[3], double near, const double y[3], double far,
                       double clear) {
    const double skin = 0.5 * SKIN * v->g->dx; /* a particle rests nearer than a skin */
    if (clear > far + 2 * skin) return 1;
    if (near > skin && clear >= KEPT_OFF * v->g->dx && near + clear > far + 2 * skin)
        return 1; /* y is the centre */
    return !picked_hide(&v->near, x, y, skin);
}

int thin_find_home(const thin_view *v, const int c[3], const double x[3], double near) {
    const mac_grid *g = v->g;
    const ptrdiff_t at = box_at(&g->box, c[0], c[1], c[2]);
    double far[27], centre[3], y[3], way[3];
    uint32_t tried = 1u << SELF;
    thin_middle_of(centre, v, c);
    vec_sub(way, centre, x);
    if (sees_centre(v, x, near, centre, vec_length(way), thin_free_around(v, at))) return SELF;
    cell_centre(centre, g, c);
    vec_sub(way, centre, x);
    for (int dir = 0; dir < 27; ++dir) {
        int d[3];
        offset_of(d, dir);
        for (int a = 0; a < 3; ++a) y[a] = way[a] + g->dx * d[a];
        far[dir] = vec_length(y);
        if ((g->box.dim == 2 && d[2]) || !is_inside(&g->box, c[0] + d[0], c[1] + d[1], c[2] + d[2]))
            tried |= 1u << dir;
    }
    for (int dir; (dir = next_nearest(&tried, far)) != NOWHERE;) {
        int d[3];
        offset_of(d, dir);
        thin_middle_of(y, v, (const int[3]){c[0] + d[0], c[1] + d[1], c[2] + d[2]});
        const ptrdiff_t n = at + d[0] + d[1] * g->box.step[1] + d[2] * g->box.step[2];
        if (sees_centre(v, x, near, y, far[dir], thin_free_around(v, n))) return dir;
    }
    return NOWHERE;
}

int thin_find_home_of(const thin_view *v, const int c[3], const double x[3]) {
    double way[3];
    thin_middle_of(way, v, c);
    for (int a = 0; a < 3; ++a) way[a] -= x[a];
    const double clear = thin_free_around(v, box_at(&v->g->box, c[0], c[1], c[2]));
    if (clear > vec_length(way) + SKIN * v->g->dx) return SELF;
    return thin_find_home(v, c, x, thin_distance(v, x));
}

int thin_home(int home[3], const thin_scene *w, const mac_grid *g, const int c[3], const double x[3]) {
    const thin_view v = {.t = w->walls, .g = g, .near = {.all = w->solids, .count = w->count}};
    const int whole = w->walls->cut[box_at(&g->box, c[0], c[1], c[2])] < 0;
    const int dir = whole ? SELF : thin_find_home_of(&v, c, x);
    if (dir == NOWHERE) return 0;
    offset_of(home, dir);
    for (int a = 0; a < 3; ++a) home[a] += c[a];
    return 1;
}

int thin_middle(double x[3], const thin_walls *t, const mac_grid *g, const int c[3]) {
    const thin_view v = {.t = t, .g = g};
    thin_middle_of(x, &v, c);
    return thin_is_outside(&v, box_at(&g->box, c[0], c[1], c[2]));
}

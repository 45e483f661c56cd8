/* Walls thinner than a cell.
 *
 * Distances at nodes do not show a wall that passes between them. A thin solid is therefore asked itself. Two
 * neighbouring cells are apart when the straight way between their centres leads through a thin solid; a face
 * between cells that are apart is closed, so pressure differs on its two sides (Batty et al. 2007, 5, leave
 * this open). Closed faces then form a surface of the grid without holes wherever the wall has none, and its
 * area across every axis is the wall's own: a wall that moves displaces what it sweeps. A thing that is small
 * all around (a rod, a ball) leaves a way around it; it takes from each face its share of the cell-sized box
 * about the face (Batty's volumes: their sum along every axis is the solid's volume).
 *
 * A cell cut by a wall holds liquid of the side on which its centre lies or, where that is in the wall, of
 * the side that is nearer: its middle is then just outside, as long as that is in the cell. Particles on the
 * other side belong to a neighbour, their home: the nearest cell whose middle they see. Density counts, for
 * each cell, the particles whose home it sees, in the room that it would see filled: the liquid ends at the
 * wall.
 *
 * Particles never cross: see solid/thin.c.
 *
 * Limits: velocities on the two sides are interpolated across the wall (particles feel a drag along it when
 * both sides are wet); walls along oblique directions are stairs to the pressure. */
#include "stage/walls/thin/thin.h"

#include <math.h>
#include <string.h>
#include "core/hot.h"
#include "core/memory.h"
#include "grid/rows.h"
#include "grid/sample.h"
#include "solid/thin.h"
#include "solid/vector.h"
#include "stage/walls/solids.h"
#include "stage/walls/thin/parts.h"

enum { QUARTERS = 4 };
#define SKIN      THIN_SKIN
#define ROOM_MIN  0.02f                 /* as in stage/surface/surface.c */
#define MIDDLE    (MIDDLE_ROOM / 100.0) /* cells from its centre: a cell's middle */
#define KEPT_OFF  0.1   /* cells from a wall: as near as a middle may be where there is room */
#define ASIDE     1.2   /* cells: where a wall is looked for beside a place in it, */
#define BESIDE    0.25  /* and how near it must be there */
#define SLIVER    0.25f /* open share of faces in a wall: narrower ones are closed */
#define ACROSS    0.999 /* of a normal's part along an axis: the wall lies across it */
#define HAIR      1e-6  /* cells: more than distances are rounded by, so that none is taken for farther */
#define GAP_REACH 1.7   /* cells from a thin body: farther cells are in no gap below it */

typedef struct {
    thin_walls *t;
    const mac_grid *g;
    const obstacle *solids;
    int count, axis;
    picked_solids near; /* of them, those that the cell under way has to ask */
    cell_range range;
    openings *o;
    const thin_around *around;
    const float *filled; /* the room that densities are divided by */
    float *density;
    float full;
    const particles *p;
} job;

static void place(double x[3], const mac_grid *g, double i, double j, double k) {
    x[0] = g->origin[0] + g->dx * i;
    x[1] = g->origin[1] + g->dx * j;
    x[2] = g->box.dim == 3 ? g->origin[2] + g->dx * k : g->origin[2] + 0.5 * g->dx;
}

static void centre_of(double x[3], const mac_grid *g, const int c[3]) {
    place(x, g, c[0] + 0.5, c[1] + 0.5, c[2] + 0.5);
}

static int is_hidden(const job *s, const double from[3], const double to[3]) {
    return picked_hide(&s->near, from, to, SKIN * s->g->dx);
}

/* ---- making ---- */

int thin_make(thin_walls *t, const mac_grid *g, obstacle *solids, int count) {
    *t = (thin_walls){0};
    for (int i = 0; i < count; ++i) {
        const int thin = obstacle_is_thin(&solids[i], g->dx, g->box.dim);
        if (thin < 0) return -1;
        solids[i].thin = thin;
        t->count += thin;
    }
    if (t->count == 0) return 0;
    const cell_range cells = range_cells(g);
    t->then = mem_alloc((size_t)count * sizeof *t->then);
    t->swept = mem_alloc((size_t)count * sizeof *t->swept);
    t->gap = mem_alloc(g->box.size * sizeof *t->gap);
    t->sees = mem_alloc(g->box.size * sizeof *t->sees);
    t->slants = mem_alloc(g->box.size);
    t->cut = mem_alloc(g->box.size * sizeof *t->cut);
    t->row_count = mem_alloc(((size_t)range_rows(&cells) + 1) * sizeof *t->row_count);
    if (!t->then || !t->swept || !t->gap || !t->sees || !t->slants || !t->cut || !t->row_count) return -1;
    for (size_t i = 0; i < g->box.size; ++i) {
        t->gap[i] = (float)(THIN_BAND * g->dx);
        t->sees[i] = SIGHT_ALL;
        t->cut[i] = -1;
    }
    return 0;
}

void thin_free(thin_walls *t) {
    void *const blocks[] = {t->then,      t->swept,      t->gap,     t->sees,   t->slants,
                            t->gaps.lies, t->gaps.along, t->gaps.up, t->cut,    t->cells,
                            t->home,      t->was[0],     t->was[1],  t->was[2], t->row_count};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i) mem_free(blocks[i]);
    *t = (thin_walls){0};
}

size_t thin_bytes(const thin_walls *t, const mac_grid *g) {
    if (t->count == 0) return 0;
    const size_t beside = t->gaps.up ? 2 + sizeof *t->gaps.up : 0;
    return g->box.size * (sizeof *t->gap + sizeof *t->sees + sizeof *t->slants + sizeof *t->cut + beside) +
           (size_t)t->cut_room * sizeof *t->cells + t->home_room +
           t->was_room * (size_t)g->box.dim * sizeof(float);
}

/* ---- cells ---- */

/* Distances of a row; where the solids are far, as many cells are passed over as that proves far too. */
static void gap_task(void *context, int block) {
    const job *s = context;
    const mac_grid *g = s->g;
    const float cap = (float)(THIN_BAND * g->dx);
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&g->box, 0, j, k);
        int near = 0;
        for (int i = 0; i < g->box.n[0]; ++i) {
            double x[3];
            centre_of(x, g, (const int[3]){i, j, k});
            const double d = obstacles_thin_distance(s->solids, s->count, x);
            const int far =
                d > THIN_BAND * g->dx ? (int)fmin((d - THIN_BAND * g->dx) / g->dx, g->box.n[0]) : 0;
            const int end = i + far < g->box.n[0] ? i + far : g->box.n[0] - 1;
            s->t->gap[row + i] = d < (double)cap ? (float)d : cap;
            for (; i < end; ++i) s->t->gap[row + i + 1] = cap;
        }
        for (int i = 0; i < g->box.n[0]; ++i) near += s->t->gap[row + i] < (float)(CUT * g->dx);
        s->t->row_count[row_ + 1] = near;
    }
}

static const obstacle *nearest_thin(double *distance, const job *s, const double x[3]) {
    return picked_nearest(distance, &s->near, x);
}

static double thin_distance(const job *s, const double x[3]) {
    double distance;
    nearest_thin(&distance, s, x);
    return distance;
}

/* Out of the solid, straight to its surface and a skin beyond. */
static void step_out(double x[3], const job *s, const obstacle *solid, double depth) {
    double n[3];
    if (!obstacle_normal(n, solid, x, s->g->box.dim, 0.05 * s->g->dx)) return;
    for (int a = 0; a < 3; ++a) x[a] += n[a] * (depth + 1.1 * SKIN * s->g->dx);
}

/* Where a cell's liquid is asked for. */
static void middle_of(double x[3], const job *s, const int c[3]) {
    const int32_t cut = s->t->cut[box_at(&s->g->box, c[0], c[1], c[2])];
    centre_of(x, s->g, c);
    for (int a = 0; a < 3 && cut >= 0; ++a) x[a] += s->g->dx * (double)s->t->cells[cut].middle[a];
}

INLINE int has_turned(const job *s, ptrdiff_t c) {
    return s->t->gaps.lies && s->t->gaps.lies[c] & GAP_TURNED;
}

/* The walls' distance from a cell's middle, as far as that is known [m]. */
INLINE double free_around(const job *s, ptrdiff_t c) {
    return has_turned(s, c) ? 0 : (double)s->t->gap[c];
}

static int is_outside(const job *s, ptrdiff_t c) {
    const int32_t cut = s->t->cut[c];
    if ((double)s->t->gap[c] >= SKIN * s->g->dx) return 1;
    const float *middle = cut >= 0 ? s->t->cells[cut].middle : NULL;
    return middle && (middle[0] != 0 || middle[1] != 0 || middle[2] != 0);
}

/* Whether a solid goes on beside a place in it, across n: along both ways, at least on one side. Else it is
 * a rod or a ball there, which has no sides. */
static int goes_on(const job *s, const obstacle *solid, const double x[3], const double n[3]) {
    const double e[3] = {fabs(n[0]) < 0.7, fabs(n[0]) >= 0.7, 0};
    double ways[2][3], size;
    vec_cross(ways[0], n, s->g->box.dim == 3 ? e : (const double[3]){0, 0, 1});
    vec_cross(ways[1], n, ways[0]);
    for (int k = 0; k < s->g->box.dim - 1; ++k) {
        double nearest = INFINITY;
        size = vec_length(ways[k]);
        for (int side = -1; side <= 1; side += 2) {
            double y[3];
            for (int a = 0; a < 3; ++a) y[a] = x[a] + side * ASIDE * s->g->dx / size * ways[k][a];
            nearest = fmin(nearest, obstacle_distance(solid, y));
        }
        if (nearest > BESIDE * s->g->dx) return 0;
    }
    return 1;
}

/* Out of a solid at `distance` to `clear` from its surface, as long as that is in the cell and no other thin
 * solid is near. */
static int clear_of(float middle[3], const job *s, const obstacle *solid, const double centre[3],
                    double distance, double clear) {
    double x[3], way[3], n[3];
    if (!obstacle_normal(n, solid, centre, s->g->box.dim, 0.05 * s->g->dx)) return 0;
    for (int a = 0; a < 3; ++a) {
        way[a] = n[a] * (clear - distance);
        x[a] = centre[a] + way[a];
        if (fabs(way[a]) > MIDDLE * s->g->dx) return 0;
    }
    if (thin_distance(s, x) < SKIN * s->g->dx) return 0;
    if (distance < SKIN * s->g->dx && !goes_on(s, solid, centre, n)) return 0;
    for (int a = 0; a < s->g->box.dim; ++a) middle[a] = (float)(way[a] / s->g->dx);
    return 1;
}

/* Ways along a wall a skin away would take more steps than a march has: where there is room the middle keeps
 * farther from it. */
static void find_middle(cut_cell *cell, const job *s, const int c[3]) {
    double centre[3], distance;
    centre_of(centre, s->g, c);
    memset(cell->middle, 0, sizeof cell->middle);
    const obstacle *solid = nearest_thin(&distance, s, centre);
    if (!solid || distance >= KEPT_OFF * s->g->dx || shape_is_sheet(solid->shape)) return;
    if (clear_of(cell->middle, s, solid, centre, distance, KEPT_OFF * s->g->dx)) return;
    if (distance < SKIN * s->g->dx) clear_of(cell->middle, s, solid, centre, distance, 1.1 * SKIN * s->g->dx);
}

/* A pair is asked in one order only, so that both cells get the same answer. Balls about the two centres that
 * cover the way between them prove it free without a march. */
static uint32_t look_around(const job *s, const int c[3]) {
    const box *b = &s->g->box;
    const ptrdiff_t at = box_at(b, c[0], c[1], c[2]);
    const double skin = SKIN * s->g->dx;
    uint32_t sees = SIGHT_ALL;
    double x[3];
    middle_of(x, s, c);
    for (int dir = 0; dir < 27; ++dir) {
        int d[3];
        offset_of(d, dir);
        const int to[3] = {c[0] + d[0], c[1] + d[1], c[2] + d[2]};
        if (dir == SELF || (b->dim == 2 && d[2]) || !is_inside(b, to[0], to[1], to[2])) continue;
        const double length = sqrt((double)(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])) * s->g->dx;
        const double here = free_around(s, at), there = free_around(s, at + step_of(b, dir));
        if (here > skin && there > skin && here + there > length + 2 * skin) continue;
        double y[3];
        middle_of(y, s, to);
        if (dir > SELF ? is_hidden(s, x, y) : is_hidden(s, y, x)) sees &= ~(1u << dir);
    }
    return sees;
}

static gap_view gaps_of(const job *s) {
    return (gap_view){.g = s->g, .o = s->o, .around = s->around, .solids = s->solids, .count = s->count};
}

/* Where a thin body lies on something the cell between may turn to the gap. */
static void find_gap(cut_cell *cell, const job *s, const int c[3]) {
    const ptrdiff_t at = box_at(&s->g->box, c[0], c[1], c[2]);
    const gap_view v = gaps_of(s);
    float none[3] = {0, 0, 0}, *middle = cell ? cell->middle : none;
    const int near = s->t->gap[at] < (float)(GAP_REACH * s->g->dx);
    const int code = near ? gap_of_cell(middle, &v, c) : 0;
    s->t->gaps.lies[at] = (uint8_t)code;
    if (code & GAP_TURNED)
        s->t->gaps.up[at] = (float)((double)middle[gap_axis(code)] + gap_way(code) * 1.1 * SKIN);
}

static void middle_task(void *context, int block) {
    job own = *(const job *)context, *s = &own;
    thin_pick pick;
    pick_begin(&pick, s->g, s->solids, s->count);
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        int next = s->t->row_count[row_];
        for (int i = 0; i < s->g->box.n[0]; ++i) {
            const int cut = s->t->gap[row + i] < (float)(CUT * s->g->dx);
            s->t->cut[row + i] = cut ? next : -1;
            cut_cell *cell = cut ? &s->t->cells[next++] : NULL;
            if (cell) {
                s->near = pick_cell(&pick, (const int[3]){i, j, k});
                find_middle(cell, s, (const int[3]){i, j, k});
            }
            if (s->around) find_gap(cell, s, (const int[3]){i, j, k});
        }
    }
}

static void sees_task(void *context, int block) {
    job own = *(const job *)context, *s = &own;
    thin_pick pick;
    pick_begin(&pick, s->g, s->solids, s->count);
    const float reach = (float)(1.74 * s->g->dx);
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        for (int i = 0; i < s->g->box.n[0]; ++i) {
            s->t->sees[row + i] = SIGHT_ALL;
            if (!(s->t->gap[row + i] < reach)) continue;
            s->near = pick_cell(&pick, (const int[3]){i, j, k});
            s->t->sees[row + i] = look_around(s, (const int[3]){i, j, k});
        }
    }
}

/* The nearest of the cells around that was not tried yet, by the distance of its centre from x. */
static int next_nearest(uint32_t *tried, const double far[27]) {
    int nearest = NOWHERE;
    for (int dir = 0; dir < 27; ++dir)
        if (!(*tried >> dir & 1) && (nearest == NOWHERE || far[dir] < far[nearest])) nearest = dir;
    if (nearest != NOWHERE) *tried |= 1u << nearest;
    return nearest;
}

/* Whether x, `near` to the walls, sees the middle y of a cell whose centre is at `gap` from them: at once
 * when a ball about y holds x, or balls about the two cover the way. */
static int sees_centre(const job *s, const double x[3], double near, const double y[3], double far,
                       double gap) {
    const double skin = 0.5 * SKIN * s->g->dx; /* a particle rests nearer than a skin */
    if (gap > far + 2 * skin) return 1;
    if (near > skin && gap >= KEPT_OFF * s->g->dx && near + gap > far + 2 * skin)
        return 1; /* y is the centre */
    return !picked_hide(&s->near, x, y, skin);
}

/* The cell a place in cell c, `near` to the walls, belongs to: its own when it sees that one's centre, else
 * the nearest that it does see; NOWHERE: inside a wall or in a corner of it. */
static int find_home(const job *s, const int c[3], const double x[3], double near) {
    const mac_grid *g = s->g;
    const ptrdiff_t at = box_at(&g->box, c[0], c[1], c[2]);
    double far[27], centre[3], y[3], way[3];
    uint32_t tried = 1u << SELF;
    middle_of(centre, s, c);
    vec_sub(way, centre, x);
    if (sees_centre(s, x, near, centre, vec_length(way), free_around(s, at))) return SELF;
    centre_of(centre, g, c);
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
        middle_of(y, s, (const int[3]){c[0] + d[0], c[1] + d[1], c[2] + d[2]});
        const ptrdiff_t n = at + d[0] + d[1] * g->box.step[1] + d[2] * g->box.step[2];
        if (sees_centre(s, x, near, y, far[dir], free_around(s, n))) return dir;
    }
    return NOWHERE;
}

/* The same of a place that nothing is known of: most are near the middle of their cell. */
static int find_home_of(const job *s, const int c[3], const double x[3]) {
    double way[3];
    middle_of(way, s, c);
    for (int a = 0; a < 3; ++a) way[a] -= x[a];
    const double gap = free_around(s, box_at(&s->g->box, c[0], c[1], c[2]));
    if (gap > vec_length(way) + SKIN * s->g->dx) return SELF;
    return find_home(s, c, x, thin_distance(s, x));
}

int thin_home(int home[3], const thin_scene *w, const mac_grid *g, const int c[3], const double x[3]) {
    thin_walls walls = *w->walls;
    const job s = {.t = &walls, .g = g, .near = {.all = w->solids, .count = w->count}};
    const int whole = walls.cut[box_at(&g->box, c[0], c[1], c[2])] < 0;
    const int dir = whole ? SELF : find_home_of(&s, c, x);
    if (dir == NOWHERE) return 0;
    offset_of(home, dir);
    for (int a = 0; a < 3; ++a) home[a] += c[a];
    return 1;
}

int thin_middle(double x[3], const thin_walls *t, const mac_grid *g, const int c[3]) {
    thin_walls walls = *t;
    const job s = {.t = &walls, .g = g};
    middle_of(x, &s, c);
    return is_outside(&s, box_at(&g->box, c[0], c[1], c[2]));
}

/* Share of a quarter-wide box about a place that is inside a solid at a distance. */
static double share_inside(const job *s, const obstacle *solid, double distance) {
    if (solid && shape_is_sheet(solid->shape)) return distance < 0; /* it may have no thickness at all */
    return fmax(0, fmin(1, 0.5 - QUARTERS * distance / s->g->dx));
}

/* Parts of octants while they are gathered: sums of their samples' places [cells from the octant's middle].
 */
typedef struct part_sums {
    double place[8][2][3];
} part_sums;

static void add_part(cut_cell *cell, part_sums *sums, int octant, int home, int size, const double at[3]) {
    for (int part = 0; part < 2; ++part) {
        if (cell->share[octant][part] && cell->home[octant][part] != home) continue;
        cell->home[octant][part] = (uint8_t)home;
        cell->share[octant][part] = (uint8_t)(cell->share[octant][part] + size);
        for (int a = 0; a < 3; ++a) sums->place[octant][part][a] += size * at[a];
        return;
    }
}

static void place_parts(cut_cell *cell, const part_sums *sums) {
    for (int o = 0; o < 8; ++o)
        for (int part = 0; part < 2; ++part)
            for (int a = 0; a < 3; ++a) {
                const int size = cell->share[o][part];
                const double at = size ? sums->place[o][part][a] / size : 0;
                cell->place[o][part][a] = (int8_t)lround(PLACE * at);
            }
}

/* The middle of what is open of the sample at x, from the middle of its octant: as far out as half of what
 * is not. */
static void open_place(double at[3], const job *s, const int quarter[3], const obstacle *solid,
                       const double x[3], double inside) {
    double n[3];
    for (int a = 0; a < 3; ++a) at[a] = a < s->g->box.dim ? (quarter[a] % 2 - 0.5) / QUARTERS : 0;
    if (!(inside > 0) || !obstacle_normal(n, solid, x, s->g->box.dim, 0.05 * s->g->dx)) return;
    for (int a = 0; a < s->g->box.dim; ++a) at[a] += 0.5 * inside * n[a] / QUARTERS;
}

static void cut_one(cut_cell *cell, const job *s, const int c[3]) {
    const int dim = s->g->box.dim;
    part_sums sums = {0};
    memset(cell->share, 0, sizeof cell->share);
    for (int q = 0; q < (dim == 3 ? QUARTERS * QUARTERS * QUARTERS : QUARTERS * QUARTERS); ++q) {
        const int at[3] = {q % QUARTERS, q / QUARTERS % QUARTERS, q / (QUARTERS * QUARTERS)};
        double x[3], open[3], distance;
        place(x, s->g, c[0] + (at[0] + 0.5) / QUARTERS, c[1] + (at[1] + 0.5) / QUARTERS,
              c[2] + (at[2] + 0.5) / QUARTERS);
        const obstacle *solid = nearest_thin(&distance, s, x);
        const double inside = share_inside(s, solid, distance);
        const int size = (int)(PART * (1 - inside) + 0.5);
        if (size == 0) continue;
        open_place(open, s, at, solid, x, inside);
        const int stuck = distance < SKIN * s->g->dx; /* nearer it sees nothing */
        if (stuck) step_out(x, s, solid, -distance);
        const int home = find_home(s, c, x, stuck ? 0 : distance);
        const int octant = at[0] / 2 + 2 * (at[1] / 2) + (dim == 3 ? 4 * (at[2] / 2) : 0);
        if (home != NOWHERE) add_part(cell, &sums, octant, home, size, open);
    }
    place_parts(cell, &sums);
}

static void cut_task(void *context, int block) {
    job own = *(const job *)context, *s = &own;
    thin_pick pick;
    pick_begin(&pick, s->g, s->solids, s->count);
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(&s->g->box, 0, j, k);
        for (int i = 0; i < s->g->box.n[0]; ++i) {
            if (s->t->cut[row + i] < 0) continue;
            s->near = pick_cell(&pick, (const int[3]){i, j, k});
            cut_one(&s->t->cells[s->t->cut[row + i]], s, (const int[3]){i, j, k});
        }
    }
}

/* ---- faces ---- */

/* Whether a wall goes on beside the face between two cells that it keeps apart: along every other axis, at
 * least on one side, the way around through the neighbours is closed too. Else it is a rod or a ball. What a
 * cell sees whose own middle is in the solid does not count: it sees nothing. */
static int is_wall(const job *s, ptrdiff_t low, int axis) {
    const box *b = &s->g->box;
    const uint32_t *sees = s->t->sees;
    int ahead[3] = {0, 0, 0};
    ahead[axis] = 1;
    const int over = sight_bit(ahead[0], ahead[1], ahead[2]);
    const ptrdiff_t high = low + b->step[axis];
    const int low_out = is_outside(s, low), high_out = is_outside(s, high);
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
static float taken_share(const job *s, const double face[3]) {
    const int dim = s->g->box.dim, parts = 1 << dim;
    const double half = 0.25 * s->g->dx, root = sqrt((double)dim), edge = 0.5 / QUARTERS + HAIR;
    double inside = 0;
    if (thin_distance(s, face) > (0.375 * root + edge) * s->g->dx) return 0;
    for (int o = 0; o < parts; ++o) {
        double middle[3] = {face[0], face[1], face[2]}, distance;
        for (int a = 0; a < dim; ++a) middle[a] += o >> a & 1 ? half : -half;
        const double deep = thin_distance(s, middle), clear = (0.125 * root + edge) * s->g->dx;
        if (deep > clear) continue;
        for (int q = 0; q < parts; ++q) {
            double x[3] = {middle[0], middle[1], middle[2]};
            for (int a = 0; a < dim; ++a) x[a] += q >> a & 1 ? 0.5 * half : -0.5 * half;
            const obstacle *solid = deep < -clear ? NULL : nearest_thin(&distance, s, x);
            inside += solid ? share_inside(s, solid, distance) : 1;
        }
    }
    return (float)(inside / (parts * parts));
}

/* Whether the wall that closes a face is oblique to its axis, as seen from that of its two cells which is
 * farther away. Then part of the velocity along the wall is that of the face, a different one on each side.
 */
static int is_slanting(const job *s, const double face[3], ptrdiff_t c) {
    double x[3] = {face[0], face[1], face[2]}, n[3], distance;
    const obstacle *wall = nearest_thin(&distance, s, face);
    x[s->axis] += s->t->gap[c] > s->t->gap[c - s->g->box.step[s->axis]] ? 0.5 * s->g->dx : -0.5 * s->g->dx;
    return !obstacle_normal(n, wall, x, s->g->box.dim, 0.05 * s->g->dx) || fabs(n[s->axis]) < ACROSS;
}

/* Whether the centres of two cells are both in a wall: they may see each other beside it, but the face
 * between them has its own centre in the wall too, and what is read there is of both sides. */
INLINE int is_buried(const job *s, ptrdiff_t c, ptrdiff_t low) {
    const float skin = (float)(SKIN * s->g->dx);
    return s->t->gap[c] < skin && s->t->gap[low] < skin && is_outside(s, c) && is_outside(s, low);
}

/* What gaps make of the face below cell c; whether there is nothing more to ask. */
static int close_in_gap(const job *s, const int at[3], ptrdiff_t c, ptrdiff_t low) {
    const gap_view v = gaps_of(s);
    const uint8_t *lies = s->t->gaps.lies;
    uint8_t *along = &s->t->gaps.along[c];
    *along = (uint8_t)(*along & ~(1u << s->axis));
    if (!lies[c] && !lies[low]) return 0;
    if (gap_at_face(&s->o->open.value[s->axis][c], &v, lies, at, s->axis))
        *along = (uint8_t)(*along | 1u << s->axis);
    return (lies[c] | lies[low]) & GAP_TURNED;
}

static void close_task(void *context, int block) {
    job own = *(const job *)context, *s = &own;
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
            if (*open <= 0 || (s->t->gap[c] > near && s->t->gap[low] > near)) continue;
            place(x, s->g, i + (a != 0) * 0.5, j + (a != 1) * 0.5, k + (a != 2) * 0.5);
            s->near = pick_cell(&pick, (const int[3]){i, j, k});
            if (!(s->t->sees[low] >> over & 1) && is_wall(s, low, a)) {
                *open = 0;
                if (is_slanting(s, x, c)) s->t->slants[c] = (uint8_t)(s->t->slants[c] | 1u << a);
                continue;
            }
            *open -= taken_share(s, x);
            if (*open < (is_buried(s, c, low) ? SLIVER : OPEN_MIN)) *open = 0;
        }
    }
}

/* Room for what is known of gaps. -1: no memory. */
static int hold_gaps(thin_walls *t, const mac_grid *g) {
    if (t->gaps.up) return 0;
    if (!t->gaps.lies) t->gaps.lies = mem_alloc(g->box.size);
    if (!t->gaps.along) t->gaps.along = mem_alloc(g->box.size);
    t->gaps.up = mem_alloc(g->box.size * sizeof *t->gaps.up);
    return t->gaps.lies && t->gaps.along && t->gaps.up ? 0 : -1;
}

int thin_place(thin_walls *t, openings *o, const mac_grid *g, const obstacle *solids, int count,
               const thin_around *around) {
    job s = {.t = t, .g = g, .solids = solids, .count = count, .o = o, .range = range_cells(g)};
    s.around = around;
    if (around && hold_gaps(t, g)) return -1;
    const int rows = range_rows(&s.range);
    t->row_count[0] = 0;
    parallel_for(g->pool, range_blocks(&s.range), gap_task, &s);
    for (int r = 0; r < rows; ++r) t->row_count[r + 1] += t->row_count[r];
    t->cut_count = t->row_count[rows];
    if (t->cut_count > t->cut_room) {
        mem_free(t->cells);
        t->cut_room = t->cut_count + t->cut_count / 4;
        t->cells = mem_alloc((size_t)t->cut_room * sizeof *t->cells);
        if (!t->cells) {
            t->cut_room = t->cut_count = 0;
            for (size_t i = 0; i < g->box.size; ++i) t->cut[i] = -1; /* which no cell would answer to */
            return -1;
        }
    }
    parallel_for(g->pool, range_blocks(&s.range), middle_task, &s);
    parallel_for(g->pool, range_blocks(&s.range), sees_task, &s);
    parallel_for(g->pool, range_blocks(&s.range), cut_task, &s);
    for (s.axis = 0; s.axis < g->box.dim; ++s.axis) {
        s.range = range_faces(g, s.axis);
        s.range.lower[s.axis] += 1;
        s.range.upper[s.axis] -= 1;
        parallel_for(g->pool, range_blocks(&s.range), close_task, &s);
    }
    return around ? gap_list_films(o, t, g) : 0;
}

/* ---- density ---- */

static void particle_place(double x[3], const job *s, size_t q) {
    double cells[3] = {0, 0, 0};
    for (int a = 0; a < s->p->dim; ++a) cells[a] = (double)s->p->x[a][q];
    place(x, s->g, cells[0], cells[1], cells[2]);
}

static void home_task(void *context, int block) {
    job own = *(const job *)context, *s = &own;
    const box *b = &s->g->box;
    thin_pick pick;
    pick_begin(&pick, s->g, s->solids, s->count);
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = 0; i < b->n[0]; ++i) {
            const size_t cell = box_dense(b, i, j, k);
            const uint32_t from = s->p->cell_start[cell], to = s->p->cell_start[cell + 1];
            if (from == to) continue;
            if (s->t->cut[box_at(b, i, j, k)] < 0) {
                memset(s->t->home + from, SELF, to - from);
                continue;
            }
            s->near = pick_cell(&pick, (const int[3]){i, j, k});
            for (uint32_t q = from; q < to; ++q) {
                double x[3];
                particle_place(x, s, q);
                s->t->home[q] = (uint8_t)find_home_of(s, (const int[3]){i, j, k}, x);
            }
        }
    }
}

static float density_of_cell(const job *s, const int c[3]) {
    const box *b = &s->g->box;
    const int dim = b->dim;
    const particles *p = s->p;
    const uint32_t sees = s->t->sees[box_at(b, c[0], c[1], c[2])];
    float sum = 0;
    for (int dir = 0; dir < 27; ++dir) {
        int d[3];
        offset_of(d, dir);
        const int at[3] = {c[0] + d[0], c[1] + d[1], c[2] + d[2]};
        if ((dim == 2 && d[2]) || !is_inside(b, at[0], at[1], at[2])) continue;
        const size_t cell = box_dense(b, at[0], at[1], at[2]);
        for (uint32_t q = p->cell_start[cell]; q < p->cell_start[cell + 1]; ++q) {
            if (!is_in_sight(sees, dir, s->t->home[q])) continue;
            float way[3] = {0, 0, 0};
            for (int a = 0; a < dim; ++a) way[a] = p->x[a][q] - (float)c[a] - 0.5f;
            sum += reach_of(way, dim);
        }
    }
    return sum;
}

static void density_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        for (int i = 0; i < s->g->box.n[0]; ++i) {
            const ptrdiff_t c = box_at(&s->g->box, i, j, k);
            if (!is_near_thin(s->t, s->g, c)) continue;
            const float room = s->filled[c];
            s->density[c] =
                room > ROOM_MIN ? density_of_cell(s, (const int[3]){i, j, k}) / (s->full * room) : 0;
        }
    }
}

int thin_density(float *density, thin_walls *t, const mac_grid *g, const particles *p, const obstacle *solids,
                 int count, const float *room, float full) {
    if (t->home_room < p->count) {
        mem_free(t->home);
        t->home = mem_alloc(p->capacity);
        t->home_room = t->home ? p->capacity : 0;
        if (!t->home) return -1;
    }
    job s = {.t = t, .g = g, .solids = solids, .count = count, .p = p, .full = full, .filled = room};
    s.density = density;
    s.range = range_cells(g);
    parallel_for(g->pool, range_blocks(&s.range), home_task, &s);
    parallel_for(g->pool, range_blocks(&s.range), density_task, &s);
    return 0;
}

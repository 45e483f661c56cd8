/* Bodies thinner than a cell in the pressure solve.
 *
 * To a wall thinner than a cell pressure comes from the centres of the cells beside it, as if it were a cell
 * thick. The layers of liquid between these and its own surfaces count as part of it, each where its side is
 * wet: pressure at the centre carries body and layer, what is left for the body is the pressure at its
 * surface, and a plate on the water floats if it is lighter than water, not than a cell of it.
 *
 * A cell that is not half full has no pressure, and a film of a few hundredths of a cell is not even made of
 * particles, which are half a cell apart: a plate 0.3 cells thick and of 1.1 times the liquid's density comes
 * to rest with its dry upper side 0.03 cells below the surface, and stays. But liquid around flows over it,
 * and that is the end of it, for only bodies lighter than what they displace shed a film. So on heavier ones,
 * where the level L around stands above the upper side and nothing of the body is in the way at that height,
 * the film is taken to be there: the cell above has the pressure of still liquid, D = L - its height in cells
 * (negative with its centre above L), as mass rho dx^3 c_f D beside the layer between centre and plate, in
 * all the film's depth. A plate that is wet or covered all around displaces its own volume as any sunk body
 * does (stage/coupling/coupling.c), and goes down.
 *
 * L is the plane nearest to the surface in the columns of cells around the body.
 *
 * Limits: films are there at once; where they are deeper than LAYER_DEEPEST the grid shows them, or a dry pit
 * (of liquid of less than 3/4 of a cell the velocity is not its own, stage/pressure/known.c, and a wall
 * may lie a cell below the centre above it). L is known to a few hundredths of a cell: a wide plate heavier
 * than its water by less may stay up. */
#include "stage/coupling/thin.h"

#include <math.h>
#include "solid/thin.h"
#include "solid/vector.h"
#include "stage/coupling/tuning.h"

/* Of a sample: more than distances are rounded by, so that those on its edge are asked. */
#define SAMPLE_ROUNDING 1e-6

enum { LAYER_SAMPLES = 6 };

/* Sample `at` of the cell-sized box about x. */
static void sample_place(double y[3], const mac_grid *g, const double x[3], const int at[3]) {
    for (int a = 0; a < 3; ++a)
        y[a] = a < g->box.dim ? x[a] + g->dx * ((at[a] + 0.5) / LAYER_SAMPLES - 0.5) : x[a];
}

/* From the body's centre to that sample which is nearest to it. */
static void nearest_sample(double arm[3], const obstacle *solid, const mac_grid *g, const double x[3]) {
    const int layers = g->box.dim == 3 ? LAYER_SAMPLES : 1;
    double nearest = INFINITY, y[3];
    for (int q = 0; q < LAYER_SAMPLES * LAYER_SAMPLES * layers; ++q) {
        sample_place(y, g, x,
                     (const int[3]){q % LAYER_SAMPLES, q / LAYER_SAMPLES % LAYER_SAMPLES,
                                    q / (LAYER_SAMPLES * LAYER_SAMPLES)});
        const double d = obstacle_distance(solid, y);
        if (d >= nearest) continue;
        nearest = d;
        vec_sub(arm, y, solid->body->now->position);
    }
}

/* A distance tells, less by a sample's width, that of the samples beside it. Only where this is too little to
 * show that they are all in or all out the solid is asked. */
static double sample_distance(double known[LAYER_SAMPLES][LAYER_SAMPLES], const obstacle *solid,
                              const mac_grid *g, const double y[3], const int at[3]) {
    const double width = g->dx / LAYER_SAMPLES;
    double *here = &known[at[1]][at[0]]; /* of the layer before */
    if (at[0] && fabs(known[at[1]][at[0] - 1]) > fabs(*here)) *here = known[at[1]][at[0] - 1];
    if (at[1] && fabs(known[at[1] - 1][at[0]]) > fabs(*here)) *here = known[at[1] - 1][at[0]];
    const double left = fabs(*here) - width;
    *here = left > (0.5 + SAMPLE_ROUNDING) * width ? copysign(left, *here) : obstacle_distance(solid, y);
    return *here;
}

double thin_arm(double arm[3], const obstacle *solid, const mac_grid *g, const double x[3]) {
    const int dim = g->box.dim, layers = dim == 3 ? LAYER_SAMPLES : 1;
    const double *centre = solid->body->now->position;
    double all = 0, sum[3] = {0, 0, 0}, known[LAYER_SAMPLES][LAYER_SAMPLES] = {{0}};
    for (int k = 0; k < layers; ++k)
        for (int j = 0; j < LAYER_SAMPLES; ++j)
            for (int i = 0; i < LAYER_SAMPLES; ++i) {
                const int at[3] = {i, j, k};
                double y[3];
                sample_place(y, g, x, at);
                const double d = sample_distance(known, solid, g, y, at);
                const double inside = fmax(0, fmin(1, 0.5 - LAYER_SAMPLES * d / g->dx)); /* as far as it is */
                for (int a = 0; a < dim; ++a) sum[a] += inside * (y[a] - centre[a]);
                all += inside;
            }
    for (int a = 0; a < 3; ++a) arm[a] = all > 0 ? sum[a] / all : 0;
    if (!(all > 0)) nearest_sample(arm, solid, g, x);
    return all / (LAYER_SAMPLES * LAYER_SAMPLES * layers);
}

/* From the centre of the cell on one side of a face to a thin body across it, up to `most`. */
static double clear_way(const obstacle *solid, const mac_grid *g, const double face[3], int axis, int side,
                        double most) {
    enum { LAYER_STEPS = 24 };
    double x[3] = {face[0], face[1], face[2]}, gone = 0;
    for (int step = 0; step < LAYER_STEPS && gone < most; ++step) {
        x[axis] = face[axis] + side * (0.5 * g->dx - gone);
        const double d = obstacle_distance(solid, x);
        if (d < 1e-3 * g->dx) break;
        gone += d;
    }
    return fmin(gone, most);
}

/* What moves as the face does: k_f k_f^T of its mass. */
static void add_mass(double m[SIX * SIX], const body_face *f, double mass) {
    double k[SIX] = {0};
    k[f->axis] = 1;
    for (int r = 0; r < 3; ++r) k[3 + r] = f->turn[r] / f->share;
    for (int r = 0; r < SIX; ++r)
        for (int c = 0; c < SIX; ++c) m[SIX * r + c] += mass * k[r] * k[c];
}

void thin_layers(coupled_body *b, const body_face *f, const mac_grid *g, double fluid_density,
                 const double x[3]) {
    double thick = 0;
    if (f->low) thick += clear_way(b->solid, g, x, f->axis, -1, g->dx);
    if (f->high) thick += clear_way(b->solid, g, x, f->axis, 1, g->dx);
    add_mass(b->attached, f, fluid_density * g->dx * g->dx * f->share * thick);
}

/* Below the body the layer is negative where the cell's centre is above its underside. Without a layer above
 * it there is nothing to take that from: then as much of it counts as the mass can take. */
void thin_layers_over(coupled_body *b, const body_face *f, const mac_grid *g, double fluid_density,
                      const double x[3], const thin_turn *turn) {
    const int below = turn->way > 0 ? f->low : f->high, above = turn->way > 0 ? f->high : f->low;
    double thick = 0;
    if (below) thick += turn->way * turn->up * g->dx;
    if (above) thick += clear_way(b->solid, g, x, f->axis, turn->way, LAYER_CLEAR * g->dx);
    add_mass(thick > 0 ? b->attached : b->film, f, fluid_density * g->dx * g->dx * f->share * thick);
}

/* ---- films ---- */

typedef struct {
    coupled_body *b;
    const lift_view *v;
    double density;
    int axis, side;    /* along which films lie, and which way is up: 1 or -1 */
    double plane[SIX]; /* the level along the axis, from the body's centre: there, and its slopes */
    face_sums covered;
} job;

/* The cells beside a face: the upper one, and whether they are unknowns. */
static ptrdiff_t cell_over(const job *s, const body_face *f) {
    return s->side > 0 ? f->cell : f->cell - s->v->g->box.step[s->axis];
}
static int is_dry_over(const job *s, const body_face *f) {
    return f->axis == s->axis && (s->side > 0 ? f->low && !f->high : f->high && !f->low);
}

static void place_of(double x[3], const job *s, ptrdiff_t cell, double up) {
    const mac_grid *g = s->v->g;
    const ptrdiff_t at = cell - g->box.first, layer = g->box.dim == 3 ? at % g->box.step[2] : at;
    const double c[3] = {(double)(layer % g->box.step[1]), (double)(layer / g->box.step[1]),
                         g->box.dim == 3 ? (double)(at / g->box.step[2]) : 0};
    for (int a = 0; a < 3; ++a) x[a] = g->origin[a] + g->dx * (c[a] + 0.5 + (a == s->axis ? up : 0));
}

/* The surface in the column of a cell, where no wall is in it. */
static int find_surface(double x[3], const job *s, ptrdiff_t cell) {
    const ptrdiff_t step = s->v->g->box.step[s->axis], up = s->side * step;
    const float *phi = s->v->phi;
    for (int n = -2; n <= 1; ++n) {
        const ptrdiff_t low = cell + n * up, face = s->side > 0 ? low + step : low;
        if (!s->v->unknown[low] || s->v->unknown[low + up] || phi[low + up] < 0) continue;
        if ((double)s->v->o->open.value[s->axis][face] < 1 - THIN_WALL) continue;
        const double part = (double)(phi[low] / (phi[low] - phi[low + up]));
        place_of(x, s, low, s->side * part);
        return 1;
    }
    return 0;
}

static void add_surface(double m[SIX * SIX], double right[SIX], const job *s, ptrdiff_t cell) {
    double x[3], v[3];
    if (!find_surface(x, s, cell)) return;
    vec_sub(v, x, s->b->solid->body->now->position);
    const double high = v[s->axis];
    v[s->axis] = 1; /* slopes are along the other axes */
    for (int r = 0; r < s->v->g->box.dim; ++r) {
        for (int c = 0; c < s->v->g->box.dim; ++c) m[SIX * r + c] += v[r] * v[c];
        right[r] += v[r] * high;
    }
}

/* The plane nearest to the surface beside those faces that have none above them; 0: there is none. */
static int find_level(job *s) {
    const mac_grid *g = s->v->g;
    const double radius = s->b->solid->body->radius;
    double m[SIX * SIX] = {0}, factor[SIX * SIX];
    for (int i = 0; i < s->b->count; ++i) {
        const body_face *f = &s->b->faces[i];
        if (!is_dry_over(s, f)) continue;
        for (int a = 0; a < g->box.dim; ++a)
            for (int way = -1; way <= 1 && a != s->axis; way += 2)
                add_surface(m, s->plane, s, cell_over(s, f) + way * g->box.step[a]);
    }
    if (!(m[(SIX + 1) * s->axis] > 0)) return 0;
    for (int a = 0; a < SIX; ++a) /* no slope where only one side has a surface */
        if (a != s->axis) m[(SIX + 1) * a] += LEVEL_STIFFNESS * radius * radius;
    if (!six_factorise(factor, m)) return 0;
    six_solve_lower(s->plane, factor);
    six_solve_upper(s->plane, factor);
    return 1;
}

static double level_at(const job *s, const double x[3]) {
    const double *centre = s->b->solid->body->now->position;
    double level = centre[s->axis] + s->plane[s->axis];
    for (int a = 0; a < 3; ++a)
        if (a != s->axis) level += s->plane[a] * (x[a] - centre[a]);
    return level;
}

/* Whether the body leaves a way to the liquid around, straight along the grid. */
static int has_way_out(const job *s, const double x[3]) {
    const mac_grid *g = s->v->g;
    const body *rigid = s->b->solid->body;
    for (int a = 0; a < g->box.dim; ++a)
        for (int way = -1; way <= 1 && a != s->axis; way += 2) {
            double to[3] = {x[0], x[1], x[2]};
            to[a] = rigid->now->position[a] + way * (rigid->radius + g->dx);
            if (!obstacle_hides(s->b->solid, x, to, 0.5 * LAYER_ABOVE * g->dx)) return 1;
        }
    return 0;
}

/* The film on one face; what the liquid around makes of it counts as wet. */
static void add_film(job *s, const body_face *f) {
    const mac_grid *g = s->v->g;
    const int axis = s->axis, wall = f->share > THIN_WALL;
    const double area = s->density * g->dx * g->dx * f->share, *centre = s->b->solid->body->now->position;
    double x[3], lever[3], arm[3];
    place_of(x, s, cell_over(s, f), -0.5 * s->side);
    thin_arm(lever, s->b->solid, g, x);
    const double clear = wall ? clear_way(s->b->solid, g, x, axis, s->side, g->dx) : 0;
    const double middle = x[axis] + s->side * 0.5 * g->dx;
    const double top = wall ? middle - s->side * clear : centre[axis] + lever[axis];
    const double level = level_at(s, x), depth = s->side * (level - top);
    double over[3] = {x[0], x[1], x[2]};
    over[axis] = s->side * fmax(s->side * level, s->side * top + LAYER_ABOVE * g->dx);
    if (!(depth > 0 && depth < LAYER_DEEPEST * g->dx && has_way_out(s, over))) return;
    vec_sub(arm, x, centre);
    if (s->b->solid->body->flat) arm[2] = lever[2] = 0;
    coupling_place(&s->covered, s->side > 0 ? 0 : f->share, s->side > 0 ? f->share : 0, arm, lever);
    add_mass(s->b->attached, f, area * clear);
    add_mass(s->b->film, f, area * s->side * (level - middle));
}

void thin_films_on(coupled_body *b, const lift_view *v, double fluid_density) {
    job s = {.b = b, .v = v, .density = fluid_density, .axis = -1};
    if (b->solid->body->mass <= fluid_density * b->solid->body->volume) return;
    for (int a = 0; a < v->g->box.dim; ++a)
        if (fabs(v->up[a]) > LAYER_STEEP) s.axis = a;
    if (s.axis < 0) return;
    s.side = v->up[s.axis] > 0 ? 1 : -1;
    if (!find_level(&s)) return;
    for (int i = 0; i < b->count; ++i)
        if (is_dry_over(&s, &b->faces[i])) add_film(&s, &b->faces[i]);
    coupling_displaced(b, &s.covered, s.axis, v->g);
}

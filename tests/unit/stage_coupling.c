/* What the coupled solve sees of a body: its cells against the sum over its faces, its lift on the grid
 * against the volume below the surface. */
#include "check.h"
#include "core/memory.h"
#include "core/random.h"
#include "grid/cut_faces.h"
#include "grid/rows.h"
#include "grid/wrap.h"
#include "stage/coupling/body.h"
#include "stage/coupling/coupling.h"
#include "stage/coupling/lift.h"
#include "stage/coupling/thin.h"
#include "stage/pressure/pressure.h"
#include "stage/walls/solids.h"

typedef struct scene {
    mac_grid g;
    rheo_solid def;
    shape *form;
    body rigid;
    body_state state;
    active_constraints active;
    obstacle solid;
    openings open;
    float *node_phi, *phi;
    uint8_t *unknown;
} scene;

static rheo_shape plain(rheo_shape_kind kind) {
    return (rheo_shape){.kind = kind, .scale = {1, 1, 1}, .rotate_axis = {0, 0, 1}, .file_scale = 1};
}

static rheo_shape ball_at(double x, double y, double z, double radius) {
    rheo_shape s = plain(RHEO_SHAPE_SPHERE);
    memcpy(s.a, (double[]){x, y, z}, sizeof s.a);
    s.radius = radius;
    return s;
}

static rheo_shape box_within(const double low[3], const double high[3], double degrees) {
    rheo_shape s = plain(RHEO_SHAPE_BOX);
    memcpy(s.a, low, sizeof s.a);
    memcpy(s.b, high, sizeof s.b);
    s.rotate_degrees = degrees;
    return s;
}

static void find_unknowns(scene *s) {
    const box *b = &s->g.box;
    for (int k = 0; k < b->n[2]; ++k)
        for (int j = 0; j < b->n[1]; ++j)
            for (int i = 0; i < b->n[0]; ++i) {
                const ptrdiff_t c = box_at(b, i, j, k);
                float way = 0;
                for (int a = 0; a < b->dim; ++a)
                    way += s->open.open.value[a][c] + s->open.open.value[a][c + b->step[a]];
                s->unknown[c] = s->phi[c] < 0 && way > 0;
            }
}

/* What is below `level` cells is liquid. */
static void set_level(scene *s, double level) {
    const box *b = &s->g.box;
    for (size_t c = 0; c < b->size; ++c) s->phi[c] = 1;
    for (int k = 0; k < b->n[2]; ++k)
        for (int j = 0; j < b->n[1]; ++j)
            for (int i = 0; i < b->n[0]; ++i)
                s->phi[box_at(b, i, j, k)] = (float)((j + 0.5 - level) * s->g.dx);
    find_unknowns(s);
}

/* A body in a tank of liquid up to `level` cells. */
static void make_in(scene *s, const mac_grid *g, rheo_shape form, double density, double level,
                    int open_top) {
    const int dim = g->box.dim;
    rheo_report report = {0};
    memset(s, 0, sizeof *s);
    s->g = *g;
    s->def = (rheo_solid){.shape = form, .motion = RHEO_DYNAMIC, .density = density};
    assert_int_equal((dim == 3 ? shape_make : shape_make_flat)(&s->form, &form, &report), 0);
    assert_int_equal(body_make(&s->rigid, &s->state, &s->def, s->form, dim == 2, s->g.dx), 0);
    s->rigid.active = &s->active;
    s->solid = (obstacle){.def = &s->def, .shape = s->form, .body = &s->rigid};
    s->solid.now = body_placement(&s->rigid);
    for (int w = 0; w < 6; ++w) s->open.open_wall[w] = g->box.periodic[w / 2];
    if (open_top) s->open.open_wall[RHEO_TOP] = 1;
    s->node_phi = mem_alloc(s->g.box.size * sizeof *s->node_phi);
    s->phi = mem_alloc(s->g.box.size * sizeof *s->phi);
    s->unknown = mem_alloc(s->g.box.size);
    assert_false(mac_field_make(&s->open.open, &s->g) | openings_make_movers(&s->open, &s->g));
    solids_distance(s->node_phi, NULL, &s->g, &s->solid, 1);
    solids_open_faces(&s->open, &s->g, s->node_phi);
    assert_false(solids_movers(&s->open, &s->g, &s->solid, 1));
    set_level(s, level);
}

/* In one of 24 x 20 (x 22) cells. */
static void make(scene *s, int dim, rheo_shape form, double level, int open_top) {
    const mac_grid g = {.box = box_make(dim, (int[3]){24, 20, dim == 3 ? 22 : 1}), .dx = 0.05};
    make_in(s, &g, form, 500, level, open_top);
}

static void drop(scene *s) {
    shape_free(s->form);
    mem_free(s->node_phi);
    mem_free(s->phi);
    mem_free(s->unknown);
    mac_field_free(&s->open.open);
    openings_free_movers(&s->open);
}

/* ---- cells ---- */

/* The same from faces, one by one, into pushes by cells of the box. */
static void by_faces(coupled_body *b, double (*push)[SIX], const scene *s) {
    const box *in = &s->g.box;
    for (int axis = 0; axis < in->dim; ++axis) {
        const cell_range r = range_faces(&s->g, axis);
        const int p = (axis + 1) % 3, q = (axis + 2) % 3;
        face_sums sums = {0};
        for (int k = r.lower[2]; k < r.upper[2]; ++k)
            for (int j = r.lower[1]; j < r.upper[1]; ++j)
                for (int i = r.lower[0]; i < r.upper[0]; ++i) {
                    const ptrdiff_t c = box_at(in, i, j, k), cells[2] = {c - in->step[axis], c};
                    const double share = 1 - (double)s->open.open.value[axis][c];
                    const double at[3] = {i + (axis != 0) * 0.5, j + (axis != 1) * 0.5,
                                          k + (axis != 2) * 0.5};
                    const int wet[2] = {s->unknown[cells[0]], s->unknown[cells[1]]};
                    double arm[3], lever[3];
                    if (s->open.mover[axis][c] != 1 || !(share > 0)) continue;
                    for (int a = 0; a < 3; ++a)
                        arm[a] = s->g.origin[a] + s->g.dx * at[a] - s->state.position[a];
                    if (in->dim == 2) arm[2] = 0;
                    face_closed_middle(lever, s->node_phi + c, in, axis);
                    for (int a = 0; a < 3; ++a) lever[a] = arm[a] + s->g.dx * lever[a];
                    if (!(share < 1)) memcpy(lever, arm, sizeof lever);
                    coupling_place(&sums, wet[0] * share, wet[1] * share, arm, lever);
                    b->all += 0.5 * share * (wet[0] + wet[1]);
                    for (int side = 0; side < 2; ++side) {
                        const double sign = side ? -share : share;
                        push[cells[side]][axis] += wet[side] * sign;
                        push[cells[side]][3 + p] += wet[side] * sign * lever[q];
                        push[cells[side]][3 + q] -= wet[side] * sign * lever[p];
                    }
                }
        coupling_displaced(b, &sums, axis, &s->g);
    }
}

static void check_cells(scene *s, const char *what) {
    s->rigid.round = NOT_ROUND; /* all turns count */
    coupled_body found = {.solid = &s->solid}, asked = {.solid = &s->solid};
    double(*push)[SIX] = mem_alloc(s->g.box.size * sizeof *push);
    double worst = 0, volume = pow(s->g.dx, 3);
    int pushed = 0;
    assert_int_equal(coupling_find_cells(&found, &s->g, &s->open, s->node_phi, s->unknown, 1), 0);
    by_faces(&asked, push, s);
    for (int i = 0; i < found.cell_count; ++i) {
        if (i) assert_true(found.cells[i].cell > found.cells[i - 1].cell);
        for (int r = 0; r < SIX; ++r) {
            worst = larger(worst, fabs(found.cells[i].push[r] - push[found.cells[i].cell][r]));
            push[found.cells[i].cell][r] = 0;
        }
    }
    for (size_t c = 0; c < s->g.box.size; ++c) /* nothing is left over */
        for (int r = 0; r < SIX; ++r) pushed += !(fabs(push[c][r]) <= 1e-6);
    for (int i = 0; i < SIX * SIX; ++i)
        worst = larger(worst, fabs(found.excess[i] - asked.excess[i]) / (1000 * volume));
    for (int a = 0; a < 3; ++a) worst = larger(worst, fabs(found.closed[a] - asked.closed[a]) / 100);
    print_message("%s: %d cells, off by %.1e\n", what, found.cell_count, worst);
    assert_true(found.cell_count > 10);
    assert_int_equal(pushed, 0);
    assert_true(worst < 1e-6);
    assert_true(fabs(found.all - asked.all) < 1e-5 * asked.all);
    mem_free(found.cells);
    mem_free(found.faces);
    mem_free(push);
}

static void cells_are_sums_of_faces(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int open_top = 0; open_top < 2; ++open_top) {
            const rheo_shape forms[] = {
                ball_at(0.61, 0.47, 0.53, 0.23),                                         /* all wet */
                ball_at(0.17, 0.12, 0.1, 0.21),                                          /* in a corner */
                ball_at(1.13, 0.93, 0.95, 0.2),                                          /* and the other */
                box_within((double[]){0.3, 0.2, 0.2}, (double[]){0.93, 0.61, 0.71}, 31), /* at the surface */
                box_within((double[]){0.52, 0.7, 0.2}, (double[]){0.86, 1.4, 0.8}, 0),   /* out at the top */
            };
            static const char *const names[] = {"ball", "low corner", "high corner", "box", "chimney"};
            static const double levels[] = {30, 30, 30, 9.3, 30};
            for (int i = 0; i < 5; ++i) {
                scene s;
                make(&s, dim, forms[i], levels[i], open_top);
                check_cells(&s, names[i]);
                drop(&s);
            }
        }
}

/* ---- lifts ---- */

/* What pressure that grows with depth does to the faces of unknown cells, m3. */
static double lift_on_grid(const scene *s) {
    const box *b = &s->g.box;
    double sum = 0;
    for (int k = 0; k < b->n[2]; ++k)
        for (int j = 0; j < b->n[1]; ++j)
            for (int i = 0; i < b->n[0]; ++i) {
                const ptrdiff_t c = box_at(b, i, j, k);
                const float *open = s->open.open.value[1] + c;
                const uint16_t *mover = s->open.mover[1] + c;
                const double below = mover[0] ? 1 - (double)open[0] : 0,
                             above = mover[b->step[1]] ? 1 - (double)open[b->step[1]] : 0;
                if (s->unknown[c]) sum += -(double)s->phi[c] * (above - below) * s->g.dx * s->g.dx;
            }
    return sum;
}

static void find_lift(lift_error *e, const scene *s) {
    const lift_view view = {.g = &s->g,
                            .o = &s->open,
                            .node_phi = s->node_phi,
                            .phi = s->phi,
                            .unknown = s->unknown,
                            .up = {0, 1, 0}};
    lift_find(e, &view, &s->solid, 1, NULL);
}

static void check_lift(scene *s, double submerged, double waterline, const char *what) {
    lift_error e;
    find_lift(&e, s);
    const double on_grid = lift_on_grid(s), off = on_grid - e.excess[1] - submerged;
    print_message("%s: %.5f on the grid, %.5f below the surface; put right: off by %.1e\n", what, on_grid,
                  submerged, off / submerged);
    assert_true(fabs(off) < 0.008 * submerged);
    assert_true(fabs(e.waterline - waterline) < 0.05 * waterline + 1e-9);
    assert_true(fabs(e.excess[0]) + fabs(e.excess[2]) <= 0);
}

static void lifts_are_volumes(void **state) {
    (void)state;
    const double pi = 3.14159265358979, dx = 0.05;
    for (int at = 0; at < 4; ++at) {
        const double shift = at * 0.25 * dx + 0.003;
        scene s;
        /* sunk: in all its volume */
        make(&s, 3, ball_at(0.61, 0.47 + shift, 0.53, 0.23), 30, 1);
        check_lift(&s, s.rigid.volume, 0, "sunk ball");
        drop(&s);
        /* floating upright: as deep as it goes in */
        const double low[3] = {0.312, 0.21 + shift, 0.337}, high[3] = {0.871, 0.62 + shift, 0.793};
        const double area = (high[0] - low[0]) * (high[2] - low[2]);
        make(&s, 3, box_within(low, high, 0), 9.4, 1);
        check_lift(&s, area * (9.4 * dx - low[1]), area, "floating box");
        drop(&s);
        make(&s, 2, box_within(low, high, 0), 9.4, 1);
        check_lift(&s, (high[0] - low[0]) * dx * (9.4 * dx - low[1]), (high[0] - low[0]) * dx, "flat box");
        drop(&s);
        /* the cap of a ball that is below */
        const double deep = 9.4 * dx - (0.45 + shift - 0.23);
        make(&s, 3, ball_at(0.61, 0.45 + shift, 0.53, 0.23), 9.4, 1);
        check_lift(&s, pi * deep * deep * (3 * 0.23 - deep) / 3, pi * deep * (2 * 0.23 - deep),
                   "floating ball");
        drop(&s);
    }
}

enum { BALL, BOX, KINDS };
static const double RADIUS = 0.15, HALF[3] = {0.17, 0.07, 0.12};

static double displaced(int kind, double draught) {
    if (kind == BALL) return M_PI * draught * draught * (RADIUS - draught / 3);
    return 4 * HALF[0] * HALF[2] * draught;
}

/* Draughts from a third of a cell on, bottoms at all heights in a cell. */
static void still_water_lifts_as_it_should(void **state) {
    (void)state;
    static const char *const names[KINDS] = {"ball", "box"};
    const double dx = 0.75 / 24;
    const mac_grid g = {.box = box_make(3, (int[3]){24, 24, 24}), .dx = dx};
    for (int kind = 0; kind < KINDS; ++kind) {
        double worst = 0, before = 0;
        for (int p = 0; p < 7; ++p) {
            const double bottom = 0.2 + dx * p / 7, high = kind == BALL ? RADIUS : HALF[1];
            const double middle[3] = {0.3791, bottom + high, 0.3682};
            double low[3], top[3];
            for (int a = 0; a < 3; ++a) low[a] = middle[a] - HALF[a], top[a] = middle[a] + HALF[a];
            scene s;
            make_in(&s, &g,
                    kind == BOX ? box_within(low, top, 0) : ball_at(middle[0], middle[1], middle[2], RADIUS),
                    500, 3.2, 0);
            for (double draught = dx / 3; draught < 4 * dx; draught += dx / 3) {
                lift_error e;
                set_level(&s, (bottom + draught) / dx);
                find_lift(&e, &s);
                const double grid = lift_on_grid(&s), exact = displaced(kind, draught);
                const double layer = kind == BALL ? 2 * M_PI * RADIUS * draught * dx : displaced(kind, dx);
                before = larger(before, fabs(grid - exact) / layer);
                worst = larger(worst, fabs(grid - e.excess[1] - exact) / layer);
                check_near(e.excess[0], 0, 1e-12);
            }
            drop(&s);
        }
        print_message(
            "%s: still water lifts by %.3f cells of draught too much or too little, righted by %.3f\n",
            names[kind], before, worst);
        check_below(worst, 0.025);       /* 0.011 measured */
        assert_true(before > 4 * worst); /* else nothing was shown */
    }
}

/* ---- turns ---- */

/* How far from the centre of mass still water lifts the body, in cells: as the grid has it, and put right. */
static void find_arms(double arm[2], scene *s) {
    coupled_body b = {.solid = &s->solid};
    double push[SIX] = {0};
    lift_error e;
    body_felt_turn(b.felt, &s->rigid);
    assert_int_equal(coupling_find_cells(&b, &s->g, &s->open, s->node_phi, s->unknown, 1), 0);
    find_lift(&e, s);
    for (int i = 0; i < b.cell_count; ++i)
        for (int r = 0; r < SIX; ++r)
            push[r] -= b.cells[i].push[r] * (double)s->phi[b.cells[i].cell] * s->g.dx * s->g.dx;
    arm[0] = hypot(push[3], push[5]) / push[1] / s->g.dx;
    arm[1] = hypot(push[3] - e.excess[3], push[5] - e.excess[5]) / (push[1] - e.excess[1]) / s->g.dx;
    mem_free(b.cells);
    mem_free(b.faces);
}

/* A ball of 3.6 cells at many places, sunk and afloat: nothing turns it, and little would if it were not
 * known to be round. */
static void still_water_turns_no_ball(void **state) {
    (void)state;
    enum { PLACES = 40 };
    for (int afloat = 0; afloat < 2; ++afloat) {
        double sum[2] = {0, 0}, arm[2];
        for (uint64_t i = 0; i < PLACES; ++i) {
            double x[3];
            for (uint64_t a = 0; a < 3; ++a) x[a] = 0.5 + 0.05 * (double)random_unit(3, i, a);
            scene s;
            make(&s, 3, ball_at(x[0] + 0.1, x[1], x[2], 0.18),
                 afloat ? 8.6 + (double)random_unit(3, i, 3) : 30, 1);
            assert_int_equal(s.rigid.round, ROUND_BALL);
            find_arms(arm, &s);
            assert_true(arm[0] <= 0); /* as what it is */
            s.rigid.round = NOT_ROUND;
            find_arms(arm, &s);
            for (int a = 0; a < 2; ++a) sum[a] += arm[a] * arm[a];
            drop(&s);
        }
        print_message("%s: lifted %.5f cells off its centre, put right %.5f\n", afloat ? "afloat" : "sunk",
                      sqrt(sum[0] / PLACES), sqrt(sum[1] / PLACES));
        assert_true(sqrt(sum[1] / PLACES) < 0.0008); /* with places in the middles of faces 0.0014, 0.0011 */
    }
}

/* A tilted cylinder: no cell turns it about its axis, and what moves through the walls of a cell is what its
 * pressure is asked for. */
static void nothing_turns_an_axis(void **state) {
    (void)state;
    scene s;
    rheo_shape form = plain(RHEO_SHAPE_CYLINDER);
    memcpy(form.a, (double[]){0.4, 0.3, 0.4}, sizeof form.a);
    memcpy(form.b, (double[]){0.7, 0.6, 0.55}, sizeof form.b);
    form.radius = 0.2;
    make(&s, 3, form, 12.3, 1);
    coupled_body b = {.solid = &s.solid};
    double axis[3], worst = 0, off = 0;
    memcpy(axis, s.rigid.axis, sizeof axis);
    body_felt_turn(b.felt, &s.rigid);
    assert_int_equal(coupling_find_cells(&b, &s.g, &s.open, s.node_phi, s.unknown, 1), 0);
    memcpy(s.state.velocity, (double[]){0.3, -0.2, 0.1}, sizeof s.state.velocity);
    memcpy(s.state.spin, (double[]){1, 2, -3}, sizeof s.state.spin);
    coupling all = {.count = 1, .bodies = &b};
    coupling_walls(&s.open, &all, NULL);
    for (int i = 0; i < b.cell_count; ++i) {
        const double *push = b.cells[i].push, *v = s.state.velocity, *w = s.state.spin;
        double asked = 0, through = 0;
        worst = larger(worst, fabs(push[3] * axis[0] + push[4] * axis[1] + push[5] * axis[2]));
        for (int a = 0; a < 3; ++a) {
            const ptrdiff_t low = b.cells[i].cell, high = low + s.g.box.step[a];
            asked += push[a] * v[a] + push[3 + a] * w[a];
            through += (1 - (double)s.open.open.value[a][high]) * (double)s.open.wall.value[a][high] -
                       (1 - (double)s.open.open.value[a][low]) * (double)s.open.wall.value[a][low];
        }
        off = larger(off, fabs(asked - through));
    }
    print_message("%d cells, turned about the axis by %.1e, walls off by %.1e m/s\n", b.cell_count, worst,
                  off);
    assert_true(b.cell_count > 100 && worst < 1e-12 && off < 1e-6);
    mem_free(b.cells);
    mem_free(b.faces);
    drop(&s);
}

/* ---- thin bodies ---- */

/* By all of 6 x 6 x 6 samples. */
static double plain_arm(double arm[3], const scene *s, const double x[3]) {
    const int dim = s->g.box.dim, count = dim == 3 ? 216 : 36;
    double all = 0, sum[3] = {0}, least = INFINITY;
    for (int q = 0; q < count; ++q) {
        const int at[3] = {q % 6, q / 6 % 6, q / 36};
        double y[3] = {x[0], x[1], x[2]};
        for (int a = 0; a < dim; ++a) y[a] += s->g.dx * ((at[a] + 0.5) / 6 - 0.5);
        const double d = obstacle_distance(&s->solid, y), in = fmax(0, fmin(1, 0.5 - 6 * d / s->g.dx));
        for (int a = 0; a < dim; ++a) sum[a] += in * (y[a] - s->state.position[a]);
        for (int a = 0; a < 3 && d < least; ++a) arm[a] = y[a] - s->state.position[a];
        least = smaller(least, d);
        all += in;
    }
    for (int a = 0; a < 3 && all > 0; ++a) arm[a] = sum[a] / all;
    return all / count;
}

static void arms_are_sums_over_samples(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        scene s;
        int in = 0, part = 0, out = 0;
        make(&s, dim, box_within((double[]){0.4, 0.42, 0.3}, (double[]){0.9, dim == 2 ? 0.5 : 0.47, 0.7}, 17),
             8, 1);
        for (int q = 0; q < 400; ++q) {
            double x[3], arm[3], wanted[3];
            for (int a = 0; a < 3; ++a)
                x[a] = s.state.position[a] + 0.3 * ((double)random_unit(3, (uint64_t)q, (uint64_t)a) - 0.5);
            const double share = plain_arm(wanted, &s, x);
            assert_true(thin_arm(arm, &s.solid, &s.g, x) == share);
            for (int a = 0; a < 3; ++a) assert_true(arm[a] == wanted[a]);
            in += share >= 1;
            out += share <= 0;
            part += share > 0 && share < 1;
        }
        assert_true(part > 50 && out > 50 && (dim == 3 || in > 5));
        drop(&s);
    }
}

/* ---- projections ---- */

typedef struct {
    mac_field u, kept;
    float *q;
    pressure_work work;
    poisson *solver;
    coupling bodies;
} projection;

static void make_projection(projection *p, scene *s) {
    const size_t bytes = s->g.box.size * sizeof(float);
    *p = (projection){.q = mem_alloc(bytes), .solver = poisson_create(&s->g.box, NULL, POISSON_MULTIGRID)};
    p->work.extra = mem_alloc(bytes);
    p->work.rhs = mem_alloc(bytes);
    p->work.unknown = mem_alloc(s->g.box.size);
    assert_true(p->q && p->solver && p->work.extra && p->work.rhs && p->work.unknown);
    assert_false(mac_field_make(&p->u, &s->g) | mac_field_make(&p->kept, &s->g) |
                 mac_field_make(&p->work.face, &s->g) | coupling_make(&p->bodies, 1));
}

static void drop_projection(projection *p) {
    mac_field_free(&p->u);
    mac_field_free(&p->kept);
    mac_field_free(&p->work.face);
    coupling_free(&p->bodies);
    poisson_free(p->solver);
    void *const blocks[] = {p->q, p->work.extra, p->work.rhs, p->work.unknown};
    for (int i = 0; i < 4; ++i) mem_free(blocks[i]);
}

static void walls_follow(projection *p, scene *s) {
    s->solid.now = body_placement(&s->rigid);
    solids_changed_wall_velocity(&s->open, &s->g, &s->solid, 1);
    coupling_walls(&s->open, &p->bodies, NULL);
}

static const double DENSITY = 998; /* kg/m3, of the liquid */

/* As the solvers project liquid and bodies together. */
static void project_together(projection *p, scene *s) {
    const coupling_weight weight = {.dt = 1e-3, .flow = &p->u, .node_phi = s->node_phi, .phi = s->phi};
    assert_int_equal(pressure_assemble(p->solver, &p->work, &s->g, &s->open, s->phi), 0);
    assert_int_equal(coupling_attach(&p->bodies, p->solver, &s->g, &s->open, &s->solid, 1, NULL,
                                     p->work.unknown, DENSITY, &weight),
                     0);
    walls_follow(p, s);
    const poisson_result r =
        pressure_solve(p->q, p->solver, &p->work, &s->g, &s->open, s->phi, &p->u, 1e-7, 200);
    assert_true(r.converged);
    coupling_push(&p->bodies, &s->g, p->q, DENSITY);
    walls_follow(p, s);
    poisson_attach(p->solver, NULL, NULL, 0);
    pressure_subtract(&p->u, p->q, &p->work, &s->g, &s->open, s->phi);
}

/* Momentum along the axes and energy of what takes part in the projection. */
static double totals(double momentum[3], const projection *p, const scene *s) {
    const box *b = &s->g.box;
    const double mass = DENSITY * pow(s->g.dx, 3);
    double energy = 0, rigid[POISSON_RANK];
    coupling_momentum(rigid, &p->bodies, 0);
    for (int a = 0; a < 3; ++a) {
        momentum[a] = rigid[a];
        energy += 0.5 * (rigid[a] * s->state.velocity[a] + rigid[3 + a] * s->state.spin[a]);
    }
    for (int a = 0; a < b->dim; ++a)
        for (int k = 0; k < b->n[2]; ++k)
            for (int j = 0; j < b->n[1]; ++j)
                for (int i = 0; i < b->n[0]; ++i) {
                    const ptrdiff_t f = box_at(b, i, j, k);
                    const double u = (double)p->u.value[a][f], m = mass * (double)s->open.open.value[a][f];
                    momentum[a] += m * u;
                    energy += 0.5 * m * u * u;
                }
    return energy;
}

/* The momentum of a body and the liquid around it is the same before and after a projection, and their energy
 * has not grown; weightless, periodic. Random velocities on every face. */
static void projection_keeps_momentum(void **state) {
    (void)state;
    static const struct {
        int dim;
        double density;
    } runs[] = {{2, 100}, {2, 1000}, {2, 8000}, {3, 1000}};
    for (int n = 0; n < 4; ++n) {
        const int dim = runs[n].dim;
        mac_grid g = {.box = box_make(dim, (int[3]){32, 32, dim == 3 ? 32 : 1}), .dx = 1.0 / 32};
        for (int a = 0; a < dim; ++a) g.box.periodic[a] = 1;
        scene s;
        projection p;
        double before[3], after[3], size = 0, worst = 0;
        make_in(&s, &g, ball_at(0.47, 0.52, 0.51, 0.2), runs[n].density, 100, 0);
        make_projection(&p, &s);
        memcpy(s.state.velocity, (double[]){2, -1, dim == 3 ? 0.5 : 0}, sizeof s.state.velocity);
        for (uint64_t round = 0; round < 3; ++round) {
            for (int a = 0; a < dim; ++a)
                for (size_t f = 0; f < g.box.size; ++f)
                    p.u.value[a][f] = random_unit(9, f, 3 * round + (uint64_t)a) - 0.3f;
            wrap_faces(&p.u, &s.g);
            mac_field_copy(&p.kept, &p.u, &s.g);
            /* the mass on the grid is known after the first solve at a place */
            const body_state began = s.state;
            project_together(&p, &s);
            mac_field_copy(&p.u, &p.kept, &s.g);
            s.state = began;
            const double energy = totals(before, &p, &s);
            project_together(&p, &s);
            const double left = totals(after, &p, &s);
            for (int a = 0; a < dim; ++a) {
                size = larger(size, fabs(before[a]));
                worst = larger(worst, fabs(after[a] - before[a]));
            }
            check_below(left, energy);
        }
        print_message("%dD body of %g kg/m3: momentum changes by %.1e of %.3g kg m/s\n", dim, runs[n].density,
                      worst, size);
        check_below(worst, 1e-6 * size);
        drop_projection(&p);
        drop(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_sums_of_faces),        cmocka_unit_test(lifts_are_volumes),
        cmocka_unit_test(still_water_lifts_as_it_should), cmocka_unit_test(still_water_turns_no_ball),
        cmocka_unit_test(nothing_turns_an_axis),          cmocka_unit_test(arms_are_sums_over_samples),
        cmocka_unit_test(projection_keeps_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

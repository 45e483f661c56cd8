/* Gaps between solids on the grid: what is open of a gap narrower than a cell, and who closes the rest; with
 * the films of water in those that are hardly any. */
#include "check.h"
#include "core/memory.h"
#include "grid/rows.h"
#include "stage/coupling/body.h"
#include "stage/walls/solids.h"
#include "stage/walls/film.h"
#include "stage/walls/meet.h"

enum { WALL, LOWER, UPPER, SOLIDS };
#define HALF 8.0 /* cells, of the plates along the wall */
#define HIGH 1.5 /* and across it */

/* A wall that leans, and two plates over it that move: all parallel, with gaps between them. */
typedef struct scene {
    mac_grid g;
    rheo_solid def[SOLIDS];
    shape *shapes[SOLIDS];
    obstacle solids[SOLIDS];
    float *all, *still;
    openings open;
    double along[2], across[2],
        foot[2]; /* cells; the wall goes through the foot, below the plates' middles */
} scene;

static rheo_shape plain(rheo_shape_kind kind) {
    return (rheo_shape){.kind = kind, .scale = {1, 1, 1}, .rotate_axis = {0, 0, 1}, .file_scale = 1};
}

/* A plate whose lower side is `over` cells from the wall. */
static rheo_shape plate(const scene *s, double over, double slope) {
    rheo_shape p = plain(RHEO_SHAPE_BOX);
    const double half[3] = {HALF, HIGH, 5};
    double middle[3] = {0, 0, 11};
    for (int a = 0; a < 2; ++a) middle[a] = s->foot[a] + (over + HIGH) * s->across[a];
    for (int a = 0; a < 3; ++a) {
        p.a[a] = s->g.dx * (middle[a] - half[a]);
        p.b[a] = s->g.dx * (middle[a] + half[a]);
    }
    p.rotate_degrees = -atan(slope) * 180 / M_PI;
    return p;
}

static void make(scene *s, int dim, double slope, double gap) {
    memset(s, 0, sizeof *s);
    s->g = (mac_grid){
        .box = box_make(dim, (int[3]){24, 20, dim == 3 ? 22 : 1}), .dx = 0.05, .pool = pool_create(2)};
    const double length = sqrt(1 + slope * slope);
    memcpy(s->along, (double[]){1 / length, -slope / length}, sizeof s->along);
    memcpy(s->across, (double[]){slope / length, 1 / length}, sizeof s->across);
    memcpy(s->foot, (double[]){11.37, 6.41}, sizeof s->foot);
    rheo_shape wall = plain(RHEO_SHAPE_PLANE);
    for (int a = 0; a < 2; ++a) {
        wall.a[a] = s->g.dx * s->foot[a];
        wall.b[a] = s->across[a];
    }
    const rheo_shape shapes[SOLIDS] = {wall, plate(s, gap, slope), plate(s, 2 * (gap + HIGH), slope)};
    for (int i = 0; i < SOLIDS; ++i) {
        rheo_report report = {0};
        s->def[i] = (rheo_solid){.shape = shapes[i],
                                 .motion = i == WALL ? RHEO_STATIC : RHEO_KEYED,
                                 .position = {.width = 3},
                                 .rotation_degrees = {.width = 1},
                                 .rotation_axis = {0, 0, 1}};
        assert_int_equal((dim == 3 ? shape_make : shape_make_flat)(&s->shapes[i], &shapes[i], &report), 0);
        s->solids[i] = (obstacle){.def = &s->def[i], .shape = s->shapes[i]};
        s->solids[i].now = placement_of_solid(&s->def[i], s->shapes[i], 0, 0);
        for (int a = 0; a < 2; ++a) s->solids[i].now.velocity[a] = i * s->along[a];
    }
    const size_t bytes = s->g.box.size * sizeof(float);
    s->all = mem_alloc(bytes);
    s->still = mem_alloc(bytes);
    assert_false(mac_field_make(&s->open.open, &s->g) | openings_make_movers(&s->open, &s->g));
    solids_distance(s->still, NULL, &s->g, s->solids, 1);
    solids_distance(s->all, s->still, &s->g, s->solids + 1, SOLIDS - 1);
    solids_open_faces(&s->open, &s->g, s->all);
}

static void meet(scene *s) {
    assert_int_equal(solids_meet(&s->open, &s->g, s->still, s->all, s->solids, SOLIDS, 1), 0);
    assert_int_equal(solids_movers(&s->open, &s->g, s->solids, SOLIDS), 0);
    solids_wall_velocity(&s->open, &s->g, s->solids, SOLIDS);
}

static void drop(scene *s) {
    for (int i = 0; i < SOLIDS; ++i) shape_free(s->shapes[i]);
    mem_free(s->all);
    mem_free(s->still);
    mac_field_free(&s->open.open);
    openings_free_movers(&s->open);
    pool_free(s->g.pool);
}

/* Where a place is from the foot, in cells: along the wall and across it. */
static void from_foot(double out[2], const scene *s, double x, double y) {
    const double d[2] = {x - s->foot[0], y - s->foot[1]};
    out[0] = d[0] * s->along[0] + d[1] * s->along[1];
    out[1] = d[0] * s->across[0] + d[1] * s->across[1];
}

/* A plane of the grid across the first axis cuts a gap of width h in h / cos, wherever it is. */
static double check_gaps_as(const scene *s, double gap, double wide) {
    const box *b = &s->g.box;
    const int k = b->dim == 3 ? 11 : 0;
    const double cut = wide / s->across[1];
    double worst = 0;
    for (int i = 9; i <= 14; ++i) {
        double sum[2] = {0, 0};
        for (int j = 0; j < b->n[1]; ++j) {
            double at[2];
            from_foot(at, s, i, j + 0.5);
            if (at[1] < gap + 2 * HIGH + 2)
                sum[at[1] > gap + HIGH] += (double)s->open.open.value[0][box_at(b, i, j, k)];
        }
        for (int n = 0; n < 2; ++n) {
            /* the upper gap; what lies over the second plate is more than two cells away */
            const double off = fabs(sum[n] - cut);
            worst = larger(worst, off);
        }
    }
    return worst;
}

static double check_gaps(const scene *s, double gap) {
    return check_gaps_as(s, gap, gap);
}

static const double slopes[] = {0.1, 0.25, 0.4, 0.8};

static void gaps_are_open_by_their_width(void **state) {
    (void)state;
    static const double gaps[] = {0.01, 0.06, 0.3, 0.6, 0.83, 0.97};
    for (int dim = 2; dim <= 3; ++dim)
        for (int n = 0; n < 4; ++n)
            for (int h = 0; h < 6; ++h) {
                scene s;
                make(&s, dim, slopes[n], gaps[h]);
                const double before = check_gaps(&s, gaps[h]);
                meet(&s);
                const double worst = check_gaps(&s, gaps[h]);
                printf("%dD, slope %.2f, gap %.2f: %.5f cells off, %.3f by one distance\n", dim, slopes[n],
                       gaps[h], worst, before);
                check_below(worst, 2e-3); /* two pieces may be too small for a face */
                drop(&s);
            }
}

/* The plates slide along the wall and each other: they push nothing into the cells of the gaps, but at their
 * ends. */
static void sliding_pushes_nothing(void **state) {
    (void)state;
    static const double gaps[] = {0.02, 0.2, 0.6, 0.9};
    for (int dim = 2; dim <= 3; ++dim)
        for (int n = 0; n < 4; ++n)
            for (int h = 0; h < 4; ++h) {
                scene s;
                double worst = 0;
                int cells = 0;
                make(&s, dim, slopes[n], gaps[h]);
                meet(&s);
                const box *b = &s.g.box;
                const int k = dim == 3 ? 11 : 0;
                for (int j = 0; j < b->n[1]; ++j)
                    for (int i = 0; i < b->n[0]; ++i) {
                        double at[2], flux = 0;
                        from_foot(at, &s, i + 0.5, j + 0.5);
                        if (fabs(at[0]) > HALF - 3 || at[1] > gaps[h] + 2 * HIGH + 1) continue;
                        for (int a = 0; a < dim; ++a) {
                            const ptrdiff_t low = box_at(b, i, j, k), high = low + b->step[a];
                            const float *open = s.open.open.value[a], *wall = s.open.wall.value[a];
                            flux += (double)((1 - open[high]) * wall[high] - (1 - open[low]) * wall[low]);
                        }
                        worst = larger(worst, fabs(flux));
                        ++cells;
                    }
                assert_true(cells > 10);
                printf("%dD, slope %.2f, gap %.2f: %.5f m/s\n", dim, slopes[n], gaps[h], worst);
                check_below(worst, 4e-3); /* of plates at 1 and 2 m/s */
                drop(&s);
            }
}

/* What solids close of a face, whoever they are, is what is not open of it, at most: what stands still has
 * the rest. So also where they overlap. */
static void shares_add_up(void **state) {
    (void)state;
    static const double gaps[] = {0.4, 0.05, -0.3};
    for (int dim = 2; dim <= 3; ++dim)
        for (int h = 0; h < 3; ++h) {
            scene s;
            make(&s, dim, 0.25, gaps[h]);
            meet(&s);
            const meetings *m = &s.open.met;
            double most = -1;
            assert_true(m->count > 20);
            for (int i = 0; i < m->count; ++i) {
                const met_face *f = &m->face[i];
                const ptrdiff_t n = box_at(&s.g.box, f->at[0], f->at[1], f->at[2]);
                const int mover = s.open.mover[f->axis][n];
                double sum = mover ? 1 - (double)f->open : 0; /* unless it has another share */
                assert_true(i >= m->start[f->mover - 1] && i < m->start[f->mover]);
                for (int k = 0; k < m->count; ++k)
                    if (m->face[k].axis == f->axis && !memcmp(m->face[k].at, f->at, sizeof f->at))
                        sum += (double)m->face[k].more;
                most = larger(most, sum - (1 - (double)f->open));
                assert_true(f->share >= 0 && (double)s.open.open.value[f->axis][n] >= 0);
            }
            printf("%dD, gap %.2f: %d, shares %.1e too much\n", dim, gaps[h], m->count, most);
            check_below(most, 1e-6);
            drop(&s);
        }
}

/* Cracks have no open face at all. */
static void cracks_are_closed(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int n = 0; n < 4; ++n) {
            scene s;
            make(&s, dim, slopes[n], 0.003);
            meet(&s);
            const box *b = &s.g.box;
            const int k = dim == 3 ? 11 : 0;
            for (int j = 0; j < b->n[1]; ++j)
                for (int i = 0; i < b->n[0]; ++i)
                    for (int a = 0; a < dim; ++a) {
                        double at[2];
                        from_foot(at, &s, i + (a != 0) * 0.5, j + (a != 1) * 0.5);
                        if (fabs(at[0]) < HALF - 2 && at[1] < 2 * HIGH + 1)
                            check_near((double)s.open.open.value[a][box_at(b, i, j, k)], 0, 0);
                    }
            drop(&s);
        }
}

/* What is not near another solid is as it was, to the bit. */
static void far_solids_do_not_meet(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        scene s;
        make(&s, dim, 0.25, 2.2);
        const size_t bytes = (size_t)dim * s.g.box.size * sizeof(float);
        float *before = mem_alloc(bytes);
        memcpy(before, s.open.open.value[0], bytes);
        meet(&s);
        assert_memory_equal(before, s.open.open.value[0], bytes);
        assert_int_equal(s.open.met.count, 0);
        mem_free(before);
        drop(&s);
    }
}

/* The plates made bodies that move and turn. */
static void make_bodies(scene *s, body rigid[SOLIDS], body_state now[SOLIDS]) {
    const int dim = s->g.box.dim;
    for (int i = LOWER; i < SOLIDS; ++i) {
        s->def[i].motion = RHEO_DYNAMIC;
        s->def[i].density = 500;
        assert_int_equal(body_make(&rigid[i], &now[i], &s->def[i], s->shapes[i], dim == 2, s->g.dx), 0);
        memcpy(now[i].velocity, (double[]){0.3 * i, -0.2, dim == 3 ? 0.1 : 0}, sizeof now[i].velocity);
        memcpy(now[i].spin, (double[]){dim == 3 ? 0.4 * i : 0, dim == 3 ? -1 : 0, 2}, sizeof now[i].spin);
        s->solids[i].body = &rigid[i];
        s->solids[i].now = body_placement(&rigid[i]);
    }
}

/* Water wherever there is free_share for particles, and the films that it makes. */
typedef struct {
    float *phi, *free_share;
    uint8_t *mark;
    films found;
} bath;

static void make_bath(bath *w, const scene *s) {
    const box *b = &s->g.box;
    *w = (bath){.phi = mem_alloc(b->size * sizeof *w->phi),
                .free_share = mem_alloc(b->size * sizeof *w->free_share)};
    w->mark = mem_alloc(b->size);
    for (int k = 0; k < b->n[2]; ++k)
        for (int j = 0; j < b->n[1]; ++j)
            for (int i = 0; i < b->n[0]; ++i) {
                const ptrdiff_t c = box_at(b, i, j, k);
                const float above = 0.5f * (s->all[c] + s->all[c + 1 + b->step[1]]);
                w->free_share[c] = above > 0.25f * (float)s->g.dx;
                w->phi[c] = w->free_share[c] > 0 ? -(float)s->g.dx : (float)s->g.dx;
            }
}

static void find_films(bath *w, scene *s) {
    const double pull[3] = {0, -9.81, 0};
    assert_int_equal(films_find(&w->found, &s->open, w->phi, w->mark, &s->g, w->free_share, pull), 0);
}

static void drop_bath(bath *w) {
    films_free(&w->found);
    mem_free(w->phi);
    mem_free(w->free_share);
    mem_free(w->mark);
}

/* Under water a crack is open by a film's width for the solve, and as it was after it. */
static void films_open_cracks(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int n = 0; n < 4; ++n) {
            scene s;
            body rigid[SOLIDS];
            body_state now[SOLIDS];
            bath w;
            make(&s, dim, slopes[n], 0.003);
            make_bodies(&s, rigid, now);
            meet(&s);
            const size_t bytes = (size_t)dim * s.g.box.size * sizeof(float);
            float *before = mem_alloc(bytes);
            memcpy(before, s.open.open.value[0], bytes);
            make_bath(&w, &s);
            find_films(&w, &s);
            assert_true(w.found.any);
            assert_memory_equal(before, s.open.open.value[0], bytes);
            films_open(&s.open, &w.found, &s.g, SOLIDS);
            const double worst = check_gaps_as(&s, 0.003, 0.05);
            printf("%dD, slope %.2f: %.4f cells off a film\n", dim, slopes[n], worst);
            check_below(worst, 4e-3);
            mem_free(before);
            drop_bath(&w);
            drop(&s);
        }
}

/* Air on the lower rim, or water that nothing joins on both sides: no film. */
static void what_seals_has_no_film(void **state) {
    (void)state;
    for (int air = 0; air < 2; ++air) {
        scene s;
        body rigid[SOLIDS];
        body_state now[SOLIDS];
        bath w;
        make(&s, 2, 0.25, 0.003);
        make_bodies(&s, rigid, now);
        meet(&s);
        make_bath(&w, &s);
        const box *b = &s.g.box;
        for (int j = air ? 0 : 13; j < b->n[1]; ++j) /* a wall from the upper plate to the top */
            for (int i = 11; i < (air ? b->n[0] : 12); ++i) {
                const ptrdiff_t c = box_at(b, i, j, 0);
                w.phi[c] = (float)s.g.dx;
                if (!air) w.free_share[c] = s.open.open.value[0][c] = s.open.open.value[0][c + 1] = 0;
            }
        find_films(&w, &s);
        assert_false(w.found.any);
        drop_bath(&w);
        drop(&s);
    }
}

/* What goes through the walls of a cell is what the solve asks of its pressure, in gaps and in films. */
static void check_walls(int dim, double gap) {
    scene s;
    body rigid[SOLIDS];
    body_state now[SOLIDS];
    coupled_body bodies[SOLIDS] = {0};
    bath w;
    double worst = 0;
    int met = 0;
    make(&s, dim, 0.25, gap);
    uint8_t *unknown = mem_alloc(s.g.box.size);
    memset(unknown, 1, s.g.box.size);
    make_bodies(&s, rigid, now);
    for (int i = LOWER; i < SOLIDS; ++i) bodies[i].solid = &s.solids[i];
    meet(&s);
    make_bath(&w, &s);
    find_films(&w, &s);
    films_open(&s.open, &w.found, &s.g, SOLIDS);
    for (int i = LOWER; i < SOLIDS; ++i) {
        body_felt_turn(bodies[i].felt, &rigid[i]);
        assert_int_equal(coupling_find_cells(&bodies[i], &s.g, &s.open, s.all, unknown, (uint16_t)(i + 1)),
                         0);
    }
    coupling_walls(&s.open, &(coupling){.count = SOLIDS - 1, .bodies = bodies + 1}, s.g.pool);
    solids_meet_velocity(&s.open, &s.g, s.solids);
    float *asked = mem_alloc(s.g.box.size * sizeof *asked);
    for (int i = LOWER; i < SOLIDS; ++i)
        for (int c = 0; c < bodies[i].cell_count; ++c) {
            const body_cell *cell = &bodies[i].cells[c];
            met += cell->met;
            for (int a = 0; a < 3; ++a)
                asked[cell->cell] +=
                    (float)(cell->push[a] * now[i].velocity[a] + cell->push[3 + a] * now[i].spin[a]);
        }
    for (int c = 0; c < bodies[LOWER].cell_count; ++c) {
        const ptrdiff_t low = bodies[LOWER].cells[c].cell;
        double through = 0;
        for (int a = 0; a < dim; ++a) {
            const ptrdiff_t high = low + s.g.box.step[a];
            const float *open = s.open.open.value[a], *wall = s.open.wall.value[a];
            through += (double)((1 - open[high]) * wall[high] - (1 - open[low]) * wall[low]);
        }
        worst = larger(worst, fabs(through - (double)asked[low]));
    }
    printf("%dD, gap %.3f: %d cells met, walls off by %.1e m/s\n", dim, gap, met, worst);
    assert_true(met > 20);
    check_below(worst, 2e-6);
    for (int i = LOWER; i < SOLIDS; ++i) {
        mem_free(bodies[i].cells);
        mem_free(bodies[i].faces);
    }
    mem_free(asked);
    mem_free(unknown);
    drop_bath(&w);
    drop(&s);
}
static void walls_are_what_cells_are_asked_for(void **state) {
    (void)state;
    static const double gaps[] = {0.4, 0.02, 0.003, -0.01};
    for (int dim = 2; dim <= 3; ++dim)
        for (int n = 0; n < 4; ++n) check_walls(dim, gaps[n]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(gaps_are_open_by_their_width),
                                       cmocka_unit_test(sliding_pushes_nothing),
                                       cmocka_unit_test(shares_add_up),
                                       cmocka_unit_test(cracks_are_closed),
                                       cmocka_unit_test(far_solids_do_not_meet),
                                       cmocka_unit_test(films_open_cracks),
                                       cmocka_unit_test(what_seals_has_no_film),
                                       cmocka_unit_test(walls_are_what_cells_are_asked_for)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* An emitter as the pressure sees it: the sources add up to v A, and driven faces carry what the sources
 * give. Its particles: v A a second, however short the shape and long the step. */
#include "check.h"
#include "core/memory.h"
#include "stage/transport/emit.h"

typedef struct {
    mac_grid g;
    openings open, driven;
    float *source, *scratch;
} setting;

static void set(setting *s, int dim, int cells) {
    const int n[3] = {cells, cells, dim == 3 ? cells : 1};
    *s = (setting){.g = {.dx = 1.0 / cells, .pool = pool_create(1)}};
    s->g.box = box_make(dim, n);
    mac_field *const fields[] = {&s->open.open, &s->driven.open, &s->driven.wall};
    for (int i = 0; i < 3; ++i) assert_int_equal(mac_field_make(fields[i], &s->g), 0);
    s->source = mem_alloc(s->g.box.size * sizeof(float));
    s->scratch = mem_alloc(s->g.box.size * sizeof(float));
    for (int a = 0; a < dim; ++a)
        for (size_t i = 0; i < s->g.box.size; ++i) s->open.open.value[a][i] = s->driven.open.value[a][i] = 1;
}

static void unset(setting *s) {
    mac_field *const fields[] = {&s->open.open, &s->driven.open, &s->driven.wall};
    for (int i = 0; i < 3; ++i) mac_field_free(fields[i]);
    mem_free(s->source);
    mem_free(s->scratch);
    pool_free(s->g.pool);
}

/* Closes the faces below y in all columns: a floor. */
static void close_below(setting *s, int y) {
    const box *b = &s->g.box;
    for (int k = 0; k < b->n[2]; ++k)
        for (int j = 0; j <= y; ++j)
            for (int i = 0; i < b->n[0]; ++i)
                for (int a = 0; a < b->dim; ++a) {
                    if (a != 1 && j == y) continue;
                    s->open.open.value[a][box_at(b, i, j, k)] = 0;
                    s->driven.open.value[a][box_at(b, i, j, k)] = 0;
                }
}

static double sum_sources(const setting *s) {
    double sum = 0;
    for (size_t i = 0; i < s->g.box.size; ++i) sum += (double)s->source[i];
    return sum * s->g.dx * (s->g.box.dim == 3 ? s->g.dx : 1);
}

/* The largest difference between a cell's source and what its driven faces carry away, m/s, in cells whose
 * faces are all driven but for those across the flow's start. */
static double imbalance(const setting *s) {
    const box *b = &s->g.box;
    double most = 0;
    for (int k = 0; k < b->n[2]; ++k)
        for (int j = 0; j < b->n[1]; ++j)
            for (int i = 0; i < b->n[0]; ++i) {
                const ptrdiff_t c = box_at(b, i, j, k);
                double flow = -(double)s->source[c];
                for (int a = 0; a < b->dim; ++a)
                    for (int side = 0; side < 2; ++side) {
                        const ptrdiff_t n = side ? c + b->step[a] : c;
                        const double taken = (double)(1 - s->driven.open.value[a][n]);
                        flow += (side ? 1 : -1) * taken * (double)s->driven.wall.value[a][n];
                    }
                most = larger(most, s->source[c] > 0 ? fabs(flow) : flow);
            }
    return most;
}

static double drive(setting *s, const rheo_shape *def, const double velocity[3]) {
    rheo_report report = {0};
    shape *made;
    const rheo_status status =
        s->g.box.dim == 2 ? shape_make_flat(&made, def, &report) : shape_make(&made, def, &report);
    if (status) fail_msg("%s", report.message);
    emit_drive(&s->driven, s->source, s->scratch, &s->g, &s->open, &(emitter_reach){.inlet = made}, velocity);
    shape_free(made);
    return sum_sources(s);
}

static rheo_shape cylinder(double from, double to, double radius) {
    rheo_shape c = {.kind = RHEO_SHAPE_CYLINDER, .scale = {1, 1, 1}, .rotate_axis = {0, 1, 0}};
    c.a[0] = c.b[0] = c.a[2] = c.b[2] = 0.5;
    c.a[1] = from;
    c.b[1] = to;
    c.radius = radius;
    return c;
}

static void sources_add_up(void **state) {
    (void)state;
    const double up[3] = {0, 2, 0};
    for (int dim = 2; dim <= 3; ++dim) {
        const double area = dim == 3 ? 3.14159265358979 * 0.2 * 0.2 : 0.4;
        double error[2];
        for (int n = 0; n < 2; ++n) {
            setting s;
            set(&s, dim, 13 << n);
            const rheo_shape pipe = cylinder(0.21, 0.7, 0.2);
            error[n] = fabs(drive(&s, &pipe, up) / (2 * area) - 1);
            printf("pipe %dD, %d cells: off by %.2e of v A\n", dim, 13 << n, error[n]);
            check_below(imbalance(&s), 1e-5);
            unset(&s);
        }
        check_below(error[1], 0.01);
        check_below(error[1], fmax(error[0] / 3, 1e-6)); /* second order: a circle is cut straight */
    }
}

/* The part of an emitter inside a floor gives nothing, the floor's top does instead. */
static void nozzle_may_begin_inside_a_solid(void **state) {
    (void)state;
    const double up[3] = {0, 2, 0};
    setting s;
    set(&s, 2, 26);
    close_below(&s, 8);
    const rheo_shape pipe = cylinder(0.1, 0.7, 0.2);
    check_near(drive(&s, &pipe, up), 0.8, 1e-5);
    check_below(imbalance(&s), 1e-5);
    for (int j = 0; j < 8; ++j) assert_true(s.source[box_at(&s.g.box, 13, j, 0)] == 0);
    unset(&s);
}

static rheo_shape block(const double low[3], const double high[3]) {
    rheo_shape def = {.kind = RHEO_SHAPE_BOX, .scale = {1, 1, 1}, .rotate_axis = {0, 0, 1}};
    memcpy(def.a, low, sizeof def.a);
    memcpy(def.b, high, sizeof def.b);
    return def;
}

/* Sides on planes of the grid, where rounding leaves next to nothing of a face inside. */
static void sides_on_planes_of_the_grid(void **state) {
    (void)state;
    const double velocity[3] = {0.01, 0.02, -0.01};
    for (int n = 0; n < 40; ++n) {
        setting s;
        set(&s, 3, n % 2 ? 32 : 24);
        double low[3], high[3];
        for (int a = 0; a < 3; ++a) { /* of two decimals, as people write them */
            low[a] = 0.01 * (5 + (n * 7 + a * 13) % 40);
            high[a] = low[a] + 0.01 * (11 + (n * 5 + a * 3) % 30);
        }
        const rheo_shape def = block(low, high);
        drive(&s, &def, velocity);
        for (int a = 0; a < 3; ++a)
            for (size_t i = 0; i < s.g.box.size; ++i) {
                assert_true(isfinite(s.driven.wall.value[a][i]));
                assert_true(fabsf(s.driven.wall.value[a][i]) <= 1.0001f * (float)fabs(velocity[a]));
                assert_true(s.driven.open.value[a][i] >= 0 && s.driven.open.value[a][i] <= 1);
            }
        unset(&s);
    }
}

/* A face beside a moving solid is the solid's, and neither closes nor gives anything. */
static void moving_solids_keep_their_faces(void **state) {
    (void)state;
    const double velocity[3] = {1, 0, 0};
    setting s;
    set(&s, 3, 16);
    const box *b = &s.g.box;
    uint16_t *mover = mem_alloc(b->size * sizeof *mover);
    const ptrdiff_t face = box_at(b, 6, 6, 6);
    mover[face] = 1;
    s.open.mover[0] = mover;
    const rheo_shape def = block((double[3]){0.25, 0.25, 0.25}, (double[3]){0.5, 0.5, 0.5});
    drive(&s, &def, velocity);
    assert_true(s.driven.open.value[0][face] == 1 && s.driven.wall.value[0][face] == 0);
    assert_true(s.driven.open.value[0][box_at(b, 6, 5, 6)] == 0);
    mem_free(mover);
    unset(&s);
}

/* Around a periodic axis the first faces are the last ones. */
static void periodic_sides_are_one(void **state) {
    (void)state;
    const double velocity[3] = {0.5, 0, 0};
    for (int side = 0; side < 2; ++side) {
        setting s;
        set(&s, 3, 16);
        s.g.box.periodic[0] = 1;
        const box *b = &s.g.box;
        const rheo_shape def =
            block((double[3]){side ? 0.8 : -0.1, 0.3, 0.3}, (double[3]){side ? 1.1 : 0.2, 0.7, 0.7});
        drive(&s, &def, velocity);
        assert_true(s.driven.open.value[0][box_at(b, 0, 8, 8)] == 0);
        for (int k = 0; k < 16; ++k)
            for (int j = 0; j < 16; ++j) {
                const ptrdiff_t first = box_at(b, 0, j, k), last = box_at(b, 16, j, k);
                assert_true(s.driven.open.value[0][first] == s.driven.open.value[0][last]);
                assert_true(s.driven.wall.value[0][first] == s.driven.wall.value[0][last]);
            }
        unset(&s);
    }
}

/* Emits and moves for `steps` of `way` cells each; returns what came after the fill, in cells of length. */
static double emit_for(setting *s, particles *p, shape *made, double thick, int steps, double way) {
    const double start[1] = {0}, velocity[3] = {2, 0, 0}, dt = way * s->g.dx / velocity[0];
    const rheo_emitter emitter = {.velocity = {1, start, velocity, 3}, .during = {0, 1e9}};
    const double across = s->g.box.dim == 3 ? 8 * 64 : 4 * 8; /* particles a cell of length */
    uint32_t next_id = 0;
    size_t filled = 0;
    for (int n = 0; n < steps; ++n) {
        const emitter_step step = emit_step(&emitter, n * dt, dt);
        for (size_t q = 0; q < p->count; ++q) p->x[0][q] += (float)way;
        assert_int_equal(step.begins, n == 0);
        if (step.begins) {
            const emission fill = emit_begin(p, &next_id, &s->g, made, &step, 0, 1, NULL);
            assert_int_equal(fill.added, lround(thick * across));
            filled = p->count;
        }
        assert_int_equal(particles_sort(p, &s->g), 0);
        assert_true(
            emit_inflow(p, &next_id, &s->g, &(emitter_reach){.inlet = made}, &step, 0, 1, INFINITY).added >
            0);
        assert_int_equal(particles_sort(p, &s->g), 0);
    }
    return (double)(p->count - filled) / across;
}

/* The jet is whole: as many particles in each of its cells, within what jitter moves across their sides. */
static void short_emitters_give_v_a(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int k = 0; k < 9; ++k) {
            const double thick = (double[]){1, 2, 4}[k / 3], way = (double[]){0.7, 3, 5}[k % 3];
            const int steps = (int)(20 / way);
            rheo_report report = {0};
            setting s;
            particles p;
            shape *made;
            set(&s, dim, 32);
            assert_int_equal(particles_make(&p, &s.g, NULL, 0), 0);
            rheo_shape def = {.kind = RHEO_SHAPE_BOX, .scale = {1, 1, 1}, .rotate_axis = {0, 0, 1}};
            for (int a = 0; a < 3; ++a) {
                def.a[a] = (a ? 12 : 2) / 32.0;
                def.b[a] = (a ? 20 : 2 + thick) / 32.0;
            }
            assert_int_equal(
                dim == 2 ? shape_make_flat(&made, &def, &report) : shape_make(&made, &def, &report), RHEO_OK);
            const double length = emit_for(&s, &p, made, thick, steps, way);
            printf("%dD, %.0f cells long, %.1f cells a step: %.3f cells of jet (%.3f)\n", dim, thick, way,
                   length, steps * way);
            check_near(length, steps * way, 0.501); /* a layer of octants */
            for (int i = 3; i < 2 + (int)(steps * way); ++i) {
                const uint32_t from = p.cell_start[box_dense(&s.g.box, i, 14, dim == 3 ? 14 : 0)];
                const uint32_t to = p.cell_start[box_dense(&s.g.box, i + 1, 14, dim == 3 ? 14 : 0)];
                assert_in_range(to - from, 1, dim == 3 ? 15 : 7);
            }
            shape_free(made);
            particles_free(&p);
            unset(&s);
        }
}

/* The faces that two slits drive, far apart and both blowing at the floor; of them or of one alone. */
static int count_driven(setting *s, int slits, double turn) {
    const double velocity[3] = {0, -1, 0};
    rheo_shape both = {.kind = RHEO_SHAPE_UNION, .scale = {1, 1, 1}, .rotate_axis = {0, 0, 1}}, slit[2];
    rheo_report report = {0};
    shape *made;
    mac_field u;
    int count = 0;
    for (int i = 0; i < 2; ++i) {
        slit[i] = (rheo_shape){.kind = RHEO_SHAPE_BOX, .scale = {1, 1, 1}, .rotate_axis = {0, 0, 1}};
        slit[i].a[0] = 0.2 + 0.5 * i, slit[i].b[0] = slit[i].a[0] + 0.125;
        slit[i].a[1] = 0, slit[i].b[1] = 0.5;
    }
    both.children = slit;
    both.child_count = slits;
    both.rotate_degrees = turn;
    assert_int_equal(shape_make_flat(&made, &both, &report), RHEO_OK);
    assert_int_equal(mac_field_make(&u, &s->g), 0);
    const emitter_reach reach = emit_reach(made, velocity, &s->g, &s->open, NULL);
    emit_velocity(&u, NULL, &s->g, &reach, velocity);
    for (size_t i = 0; i < s->g.box.size; ++i) count += u.value[1][i] < 0;
    mac_field_free(&u);
    shape_free(made);
    return count;
}

/* Slits of a union are driven as far down as each alone. */
static void parts_have_their_own_gap(void **state) {
    (void)state;
    setting s;
    set(&s, 2, 32);
    const int one = count_driven(&s, 1, 0), two = count_driven(&s, 2, 0), turned = count_driven(&s, 2, 180);
    print_message("driven faces: %d by a slit, %d by two, %d turned\n", one, two, turned);
    assert_true(one > 0);
    assert_int_equal(two, 2 * one);
    assert_int_equal(turned, two);
    unset(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources_add_up),
        cmocka_unit_test(nozzle_may_begin_inside_a_solid),
        cmocka_unit_test(sides_on_planes_of_the_grid),
        cmocka_unit_test(moving_solids_keep_their_faces),
        cmocka_unit_test(periodic_sides_are_one),
        cmocka_unit_test(short_emitters_give_v_a),
        cmocka_unit_test(parts_have_their_own_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

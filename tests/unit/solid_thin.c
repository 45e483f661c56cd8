/* Solids thinner than a cell: told apart, seen as walls, never crossed. */
#include "check.h"
#include "core/random.h"
#include "rig.h"
#include "solid/thin.h"
#include "solid/vector.h"

static const double DX = 1.0 / 32;

static obstacle make(rig *r, rheo_shape s, rheo_motion motion) {
    rheo_report report = {0};
    rig_start(r);
    rheo_solid *def = rig_add(r, s, motion);
    if (shape_make(&r->shapes[0], &def->shape, &report)) fail_msg("%s", report.message);
    return (obstacle){.shape = r->shapes[0], .def = def, .now = placement_of_solid(def, r->shapes[0], 0, 0)};
}

static rheo_shape shell(rheo_shape children[2], double half, double wall) {
    children[0] = rig_box(0.5, 0.5, 0.5, half, half, half);
    children[1] = rig_box(0.5, 0.5, 0.5, half - wall, half - wall, half - wall);
    rheo_shape s = rig_box(0, 0, 0, 1, 1, 1);
    s.kind = RHEO_SHAPE_DIFFERENCE;
    s.children = children;
    s.child_count = 2;
    return s;
}

static void expect_thin(rheo_shape s, int wanted, const char *what) {
    rig r;
    const obstacle o = make(&r, s, RHEO_STATIC);
    if (obstacle_is_thin(&o, DX, 3) != wanted) fail_msg("%s: thin is not %d", what, wanted);
    shape_free(r.shapes[0]);
}

static void test_which(void **state) {
    (void)state;
    rheo_shape parts[2];
    expect_thin(rig_box(0.5, 0.5, 0.5, 0.3, 0.15 * DX, 0.3), 1, "a plate of 0.3 cells");
    expect_thin(rig_box(0.5, 0.5, 0.5, 0.3, 0.6 * DX, 0.3), 1, "a plate of 1.2 cells");
    expect_thin(rig_box(0.5, 0.5, 0.5, 0.3, DX, 0.3), 0, "a plate of two cells");
    expect_thin(rig_box(0.5, 0.5, 0.5, 0.1, 0.1, 0.1), 0, "a cube");
    expect_thin(shell(parts, 0.2, 0.3 * DX), 1, "a box with walls of 0.3 cells");
    expect_thin(shell(parts, 0.2, 2 * DX), 0, "a box with walls of two cells");
    expect_thin(rig_ball(0.5, 0.5, 0.5, 0.3 * DX), 1, "a ball of 0.6 cells");
    expect_thin(rig_ball(0.5, 0.5, 0.5, 0.6 * DX), 1, "a ball of 1.2 cells, between nodes");
    expect_thin(rig_ball(0.5, 0.5, 0.5, 0.9 * DX), 0, "a ball of 1.8 cells");
    expect_thin(rig_ball(0.5, 0.5, 0.5, 0.3), 0, "a ball");
}

/* A cone of radius r, full, or a hat whose wall is `wall` wide at the brim; all in cells. */
static rheo_shape cone(const char *file, double r, double high, double wall) {
    enum { AROUND = 48 };
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    const int layers = wall > 0 ? 2 : 1;
    for (int l = 0; l < layers; ++l) {
        const double off = l * wall;
        for (int i = 0; i < AROUND; ++i) {
            const double t = 2 * M_PI * i / AROUND;
            fprintf(f, "v %.9f %.9f %.9f\n", 0.5 + DX * (r - off) * cos(t), 0.3,
                    0.5 + DX * (r - off) * sin(t));
        }
        fprintf(f, "v 0.5 %.9f 0.5\n", 0.3 + DX * (high - off * high / r));
    }
    if (layers == 1) fputs("v 0.5 0.3 0.5\n", f);
    for (int i = 0; i < AROUND; ++i) {
        const int j = (i + 1) % AROUND, tip = AROUND + 1, in = AROUND + 1;
        fprintf(f, "f %d %d %d\n", tip, j + 1, i + 1);
        if (layers == 1) fprintf(f, "f %d %d %d\n", tip + 1, i + 1, j + 1);
        else {
            fprintf(f, "f %d %d %d\n", in + tip, in + i + 1, in + j + 1);
            fprintf(f, "f %d %d %d\nf %d %d %d\n", i + 1, j + 1, in + j + 1, i + 1, in + j + 1, in + i + 1);
        }
    }
    fclose(f);
    rheo_shape s = rig_box(0, 0, 0, 1, 1, 1);
    s.kind = RHEO_SHAPE_MESH;
    s.file = file;
    return s;
}

/* A block with one side cut off so that it ends in an edge of that many degrees, turned oblique to the axes.
 */
static rheo_shape wedge(rheo_shape children[2], double degrees, double high) {
    children[0] = rig_box(0.5, 0.5, 0.5, 8 * DX, 0.5 * high * DX, 8 * DX);
    children[1] = rig_box(0, 0, 0, 1, 1, 1);
    children[1].kind = RHEO_SHAPE_PLANE; /* through the lower edge on the left */
    const double a = degrees * M_PI / 180;
    memcpy(children[1].a, (double[]){0.5 - 8 * DX, 0.5 - 0.5 * high * DX, 0.5}, sizeof children[1].a);
    memcpy(children[1].b, (double[]){-sin(a), cos(a), 0}, sizeof children[1].b);
    rheo_shape s = rig_box(0, 0, 0, 1, 1, 1);
    s.kind = RHEO_SHAPE_INTERSECTION;
    s.children = children;
    s.child_count = 2;
    s.rotate_axis[0] = 1;
    s.rotate_axis[1] = 2;
    s.rotate_degrees = 25;
    return s;
}

/* Half a box, `side` cells wide and deep and `high` times as high: its edges end at faces. */
static rheo_shape prism(const char *file, double side, double high) {
    FILE *f = fopen(file, "w");
    rheo_shape s = rig_box(0, 0, 0, 1, 1, 1);
    assert_non_null(f);
    fprintf(f,
            "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 0 %g 0\nv 0 %g 1\n"
            "f 1 2 3\nf 1 3 4\nf 1 4 6\nf 1 6 5\nf 1 5 2\nf 2 5 6\nf 2 6 3\nf 3 6 4\n",
            high, high);
    fclose(f);
    s.kind = RHEO_SHAPE_MESH;
    s.file = file;
    s.file_scale = side * DX;
    return s;
}

/* Sharp edges and tips of what is thick are not thin, thin walls beside something thick are. */
static void test_edges(void **state) {
    (void)state;
    const char *file = "solid_thin_cone.obj";
    rheo_shape parts[3];
    expect_thin(cone(file, 6, 12, 0), 0, "a steep cone");
    expect_thin(cone(file, 8, 8, 0), 0, "a cone");
    expect_thin(cone(file, 9, 4.5, 0), 0, "a flat cone");
    expect_thin(cone(file, 3, 12, 0), 0, "a spike");
    expect_thin(cone(file, 1, 12, 0), 1, "a needle");
    expect_thin(cone(file, 9, 1.5, 0), 1, "a cone like a plate");
    expect_thin(cone(file, 9, 9, 0.8), 1, "a hat");
    expect_thin(prism(file, 6, 1), 0, "half a box");
    expect_thin(prism(file, 16, 1), 0, "half a large box");
    expect_thin(prism(file, 1.5, 1), 1, "half a small rod");
    expect_thin(prism(file, 8, 0.5), 0, "a mesh with an edge of 27 degrees");
    expect_thin(prism(file, 16, 0.5), 0, "a large one");
    expect_thin(prism(file, 16, 0.2), 1, "one of 11 degrees");
    remove(file);
    expect_thin(wedge(parts, 30, 10), 0, "a wedge of 30 degrees");
    expect_thin(wedge(parts, 45, 10), 0, "a wedge of 45 degrees");
    expect_thin(wedge(parts, 8, 10), 1, "a blade of 8 degrees");
    expect_thin(wedge(parts, 30, 1), 1, "a plate with a slanting side");
    parts[0] = rig_box(0.5, 0.3, 0.5, 0.1, 2.5 * DX, 0.1); /* a thick floor with walls around that are low */
    parts[1] = rig_box(0.5, 0.3 + 3.5 * DX, 0.5, 0.1, 1.5 * DX, 0.1);
    parts[2] = rig_box(0.5, 0.3 + 4 * DX, 0.5, 0.1 - 0.4 * DX, 2.01 * DX, 0.1 - 0.4 * DX);
    rheo_shape walls = rig_box(0, 0, 0, 1, 1, 1), cup = walls, both[2];
    walls.kind = RHEO_SHAPE_DIFFERENCE;
    walls.children = &parts[1];
    walls.child_count = 2;
    cup.kind = RHEO_SHAPE_UNION;
    both[0] = parts[0];
    both[1] = walls;
    cup.children = both;
    cup.child_count = 2;
    expect_thin(cup, 1, "low thin walls on a thick floor");
}

static void test_hides(void **state) {
    (void)state;
    rig r;
    const obstacle o = make(&r, rig_box(0.5, 0.5, 0.5, 0.3, 0.05 * DX, 0.3), RHEO_STATIC);
    const double skin = 0.02 * DX, low[3] = {0.5, 0.5 - 0.4 * DX, 0.5}, high[3] = {0.52, 0.5 + 0.5 * DX, 0.5};
    const double beside[3] = {0.55, 0.5 - 0.1 * DX, 0.5};
    assert_true(obstacle_hides(&o, low, high, skin));
    assert_true(obstacle_hides(&o, high, low, skin));
    assert_false(obstacle_hides(&o, low, beside, skin));
    assert_true(obstacle_hides(&o, (double[]){0.5, 0.5, 0.5}, high, skin)); /* from inside it */
    assert_false(obstacle_hides(&o, (double[]){0.9, 0.4, 0.5}, (double[]){0.9, 0.6, 0.5}, skin));
    shape_free(r.shapes[0]);
}

/* Points in a closed shell that tumbles, pushed about by several cells a step: all stay inside. */
static void test_never_crossed(void **state) {
    (void)state;
    rig r;
    rheo_shape parts[2];
    obstacle o = make(&r, shell(parts, 0.15, 0.1 * DX), RHEO_KEYED);
    const double times[3] = {0, 0.5, 1}, degrees[3] = {0, 200, -100},
                 places[9] = {0.5, 0.5, 0.5, 0.7, 0.3, 0.5, 0.3, 0.6, 0.7};
    rheo_solid *def = &r.solids[0];
    def->rotation_axis[0] = 1;
    def->rotation_degrees = (rheo_curve){.count = 3, .times = times, .values = degrees, .width = 1};
    def->position = (rheo_curve){.count = 3, .times = times, .values = places, .width = 3};
    enum { POINTS = 400, STEPS = 60 };
    double x[POINTS][3];
    int touches = 0, lost = 0;
    o.now = placement_of_solid(def, o.shape, 0, 0);
    for (int p = 0; p < POINTS; ++p)
        for (int a = 0; a < 3; ++a)
            x[p][a] = 0.5 + 0.28 * ((double)random_unit(1, (uint64_t)p, (uint64_t)a) - 0.5);
    for (int step = 0; step < STEPS; ++step) {
        const placement then = o.now;
        o.now = placement_of_solid(def, o.shape, (step + 1) / (double)STEPS, 0);
        for (int p = 0; p < POINTS; ++p) {
            double to[3], n[3], from[3], y[3];
            for (int a = 0; a < 3; ++a) /* up to four cells along each axis */
                to[a] = x[p][a] +
                        8 * DX * ((double)random_unit(2 + (uint64_t)step, (uint64_t)p, (uint64_t)a) - 0.5);
            touches += obstacle_block_path(to, n, &o, &then, x[p], 0.02 * DX);
            memcpy(x[p], to, sizeof to);
            vec_sub(from, to, o.now.position);
            for (int a = 0; a < 3; ++a)
                y[a] = o.now.rotation[a] * from[0] + o.now.rotation[3 + a] * from[1] +
                       o.now.rotation[6 + a] * from[2];
            lost += !(fabs(y[0]) <= 0.15 && fabs(y[1]) <= 0.15 && fabs(y[2]) <= 0.15);
        }
    }
    print_message("%d points, %d steps, %d touches: %d outside\n", POINTS, STEPS, touches, lost);
    assert_true(touches > POINTS);
    assert_int_equal(lost, 0);
    shape_free(r.shapes[0]);
}

/* What turns by more than half a turn in a step sees points all around it cross it; only one does. */
static void test_turns_far(void **state) {
    (void)state;
    rig r;
    body crumb = {.radius = 0.1 * DX};
    obstacle o = make(&r, rig_box(0.5, 0.5, 0.5, 0.05 * DX, 0.05 * DX, 0.05 * DX), RHEO_DYNAMIC);
    o.body = &crumb;
    o.now = (placement){.position = {0.5, 0.5, 0.5}, .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const placement then = o.now;
    double n[3];
    for (int turn = 1; turn < 16; ++turn) {
        const double c = cos(0.4 * turn), s = sin(0.4 * turn);
        memcpy(o.now.rotation, (const double[9]){c, -s, 0, s, c, 0, 0, 0, 1}, sizeof o.now.rotation);
        for (int p = 0; p < 360; ++p) {
            const double a = p * M_PI / 180, far = (0.2 + 0.03 * p) * DX;
            const double from[3] = {0.5 + far * cos(a), 0.5 + far * sin(a), 0.5};
            double to[3] = {from[0] + 0.3 * DX * cos(a), from[1] + 0.3 * DX * sin(a), 0.5};
            assert_false(obstacle_block_path(to, n, &o, &then, from, 0.02 * DX));
        }
    }
    shape_free(r.shapes[0]);
}

/* A touch stops the way across and keeps the way along. */
static void test_slides(void **state) {
    (void)state;
    rig r;
    const obstacle o = make(&r, rig_box(0.5, 0.5, 0.5, 0.3, 0.1 * DX, 0.3), RHEO_STATIC);
    double to[3] = {0.55, 0.4, 0.5}, n[3];
    assert_true(obstacle_block_path(to, n, &o, &o.now, (double[]){0.5, 0.52, 0.5}, 0.02 * DX));
    check_near(to[0], 0.55, 1e-3);
    check_near(to[1], 0.5 + 0.12 * DX, 0.02 * DX);
    check_near(n[1], 1, 1e-6);
    shape_free(r.shapes[0]);
}

/* An open mesh as a sheet: two triangles across the way. */
static void test_sheet(void **state) {
    (void)state;
    const char *file = "solid_thin_sheet.obj";
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    fputs("v 0 0.5 0\nv 1 0.5 0\nv 1 0.5 1\nv 0 0.5 1\nf 1 2 3\nf 1 3 4\n", f);
    fclose(f);
    rheo_shape s = rig_box(0, 0, 0, 1, 1, 1);
    s.kind = RHEO_SHAPE_MESH;
    s.file = file;
    s.thin = true;
    rig r;
    const obstacle o = make(&r, s, RHEO_STATIC);
    assert_true(obstacle_is_thin(&o, DX, 3));
    assert_true(obstacle_hides(&o, (double[]){0.3, 0.2, 0.3}, (double[]){0.4, 0.8, 0.3}, 0.02 * DX));
    assert_false(obstacle_hides(&o, (double[]){0.3, 0.6, 0.3}, (double[]){0.4, 0.8, 0.3}, 0.02 * DX));
    check_near(obstacle_distance(&o, (double[]){0.3, 0.4, 0.3}), 0.1, 1e-12);
    double to[3] = {0.3, 0.2, 0.3}, n[3];
    assert_true(obstacle_block_path(to, n, &o, &o.now, (double[]){0.3, 0.9, 0.3}, 0.02 * DX));
    assert_true(to[1] > 0.5);
    shape_free(r.shapes[0]);
    s.thin = false; /* the same mesh as a body has a hole */
    rheo_report report = {0};
    shape *closed = NULL;
    assert_int_equal(shape_make(&closed, &s, &report), RHEO_INVALID);
    remove(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_which),    cmocka_unit_test(test_edges),
                                       cmocka_unit_test(test_hides),    cmocka_unit_test(test_never_crossed),
                                       cmocka_unit_test(test_slides),   cmocka_unit_test(test_sheet),
                                       cmocka_unit_test(test_turns_far)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

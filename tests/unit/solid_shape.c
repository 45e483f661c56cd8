/* Shapes: distances against sampled surfaces and slopes, combinations, the order of transforms, keyed motion.
 */
#include "check.h"
#include <stdbool.h>
#include <unistd.h>
#include "core/random.h"
#include "solid/curve.h"
#include "solid/shape.h"

static rheo_shape base(rheo_shape_kind kind) {
    return (rheo_shape){.kind = kind, .scale = {1, 1, 1}, .rotate_axis = {0, 0, 1}, .file_scale = 1};
}
static rheo_shape make_def(rheo_shape_kind kind, double ax, double ay, double az, double bx, double by,
                           double bz, double radius, double tube) {
    rheo_shape d = base(kind);
    d.a[0] = ax, d.a[1] = ay, d.a[2] = az;
    d.b[0] = bx, d.b[1] = by, d.b[2] = bz;
    d.radius = radius;
    d.tube = tube;
    return d;
}

enum { PRIMITIVES = 6 };
static void primitives(rheo_shape def[PRIMITIVES]) {
    def[0] = make_def(RHEO_SHAPE_BOX, -0.4, -0.3, -0.2, 0.5, 0.3, 0.4, 0, 0);
    def[1] = make_def(RHEO_SHAPE_SPHERE, 0.1, 0.2, -0.1, 0, 0, 0, 0.45, 0);
    def[2] = make_def(RHEO_SHAPE_CAPSULE, -0.3, -0.2, 0.1, 0.4, 0.3, -0.2, 0.2, 0);
    def[3] = make_def(RHEO_SHAPE_CYLINDER, -0.3, -0.2, 0.1, 0.4, 0.3, -0.2, 0.3, 0);
    def[4] = make_def(RHEO_SHAPE_TORUS, 0.1, 0, 0.05, 1, 2, 3, 0.4, 0.15);
    def[5] = make_def(RHEO_SHAPE_PLANE, 0.1, 0.1, 0, 1, -2, 2, 0, 0);
}

static shape *compiled(const rheo_shape *def) {
    shape *s;
    rheo_report report = {0};
    if (shape_make(&s, def, &report)) fail_msg("%s", report.message);
    return s;
}

static void draw(double x[3], uint64_t i, double size) {
    for (uint64_t a = 0; a < 3; ++a) x[a] = size * (2 * (double)random_unit(7, i, a) - 1);
}

/* Walking from x along -d grad d must end on the surface: true for exact distances away from creases. */
static double worst_walk(const shape *s, double size, int *counted) {
    double worst = 0;
    *counted = 0;
    for (uint64_t i = 0; i < 4000; ++i) {
        double x[3], g[3], y[3], norm2 = 0, d;
        draw(x, i, size);
        d = shape_distance(s, x);
        for (int a = 0; a < 3; ++a) {
            double h = 1e-5, high[3] = {x[0], x[1], x[2]}, low[3] = {x[0], x[1], x[2]};
            high[a] += h;
            low[a] -= h;
            g[a] = (shape_distance(s, high) - shape_distance(s, low)) / (2 * h);
            norm2 += g[a] * g[a];
        }
        if (fabs(sqrt(norm2) - 1) > 1e-3) continue; /* on the medial axis */
        ++*counted;
        for (int a = 0; a < 3; ++a) y[a] = x[a] - d * g[a];
        worst = larger(worst, fabs(shape_distance(s, y)));
    }
    return worst;
}

/* A ball about any place holds the shape, and its farthest point lies on it. */
static void reach_is_tight(void **state) {
    (void)state;
    rheo_shape def[PRIMITIVES];
    primitives(def);
    def[5] = base(RHEO_SHAPE_DIFFERENCE); /* for the plane, which has no end */
    def[5].children = def;
    def[5].child_count = 2;
    for (int p = PRIMITIVES - 1; p >= 0; --p)
        for (int turned = 0; turned < 2; ++turned) {
            if (turned) {
                for (int a = 0; a < 3; ++a) def[p].scale[a] = 1.5;
                def[p].rotate_axis[1] = 2;
                def[p].rotate_degrees = 35;
                def[p].move[0] = -0.2;
            }
            shape *s = compiled(&def[p]);
            const double from[3] = {0.15, -0.1, 0.2}, reach = shape_radius(s, from);
            double most = 0;
            for (uint64_t i = 0; i < 200000; ++i) {
                double x[3], square = 0;
                draw(x, i, turned ? 1.8 : 1.2);
                if (shape_distance(s, x) > 0) continue;
                for (int a = 0; a < 3; ++a) square += (x[a] - from[a]) * (x[a] - from[a]);
                most = larger(most, sqrt(square));
            }
            assert_true(most <= reach * (1 + 1e-12));
            assert_true(most > 0.95 * reach);
            shape_free(s);
        }
}

static void primitives_are_exact(void **state) {
    (void)state;
    rheo_shape def[PRIMITIVES];
    primitives(def);
    for (int p = 0; p < PRIMITIVES; ++p)
        for (int turned = 0; turned < 2; ++turned) {
            if (turned) {
                for (int a = 0; a < 3; ++a) def[p].scale[a] = 1.5;
                def[p].rotate_axis[1] = 2;
                def[p].rotate_degrees = 35;
                def[p].move[0] = -0.2;
            }
            shape *s = compiled(&def[p]);
            int counted;
            double worst = worst_walk(s, 1.2, &counted);
            check_below(worst, 2e-4);
            check_below(3900, counted);
            shape_free(s);
        }
}

/* No surface point (a zero found by bisection on random chords) is nearer than the distance says, in any
 * shape. */
static void distance_is_a_bound(void **state) {
    (void)state;
    rheo_shape def[PRIMITIVES], all = base(RHEO_SHAPE_DIFFERENCE);
    primitives(def);
    def[1].scale[0] = 2;
    def[1].rotate_degrees = 30;
    def[4].scale[2] = 0.5;
    all.children = def;
    all.child_count = 3;
    for (int p = 0; p <= PRIMITIVES; ++p) {
        shape *s = compiled(p < PRIMITIVES ? &def[p] : &all);
        double zero[200][3];
        int zeros = 0;
        for (uint64_t i = 0; i < 60000 && zeros < 200; ++i) {
            double a[3], b[3];
            draw(a, 2 * i, 1);
            draw(b, 2 * i + 1, 1);
            if ((shape_distance(s, a) < 0) == (shape_distance(s, b) < 0)) continue;
            bool inside = shape_distance(s, a) < 0;
            double low = 0, high = 1, *m = zero[zeros];
            for (int r = 0; r < 50; ++r) {
                double t = 0.5 * (low + high);
                for (int c = 0; c < 3; ++c) m[c] = a[c] + t * (b[c] - a[c]);
                if ((shape_distance(s, m) < 0) == inside) low = t;
                else high = t;
            }
            ++zeros;
        }
        assert_int_equal(zeros, 200);
        double lower[3], upper[3];
        shape_bounds(lower, upper, s);
        for (int z = 0; z < zeros; ++z)
            for (int c = 0; c < 3; ++c)
                assert_true(zero[z][c] >= lower[c] - 1e-9 && zero[z][c] <= upper[c] + 1e-9);
        for (uint64_t i = 0; i < 300; ++i) {
            double x[3];
            draw(x, 100000 + i, 1.3);
            double d = fabs(shape_distance(s, x));
            for (int z = 0; z < zeros; ++z) {
                double e =
                    sqrt(pow(x[0] - zero[z][0], 2) + pow(x[1] - zero[z][1], 2) + pow(x[2] - zero[z][2], 2));
                check_below(d, e + 1e-9);
            }
        }
        shape_free(s);
    }
}

static double at(const shape *s, double x, double y, double z) {
    const double p[3] = {x, y, z};
    return shape_distance(s, p);
}

static void known_values(void **state) {
    (void)state;
    rheo_shape d = make_def(RHEO_SHAPE_CYLINDER, 0, 0, 0, 0, 2, 0, 1, 0);
    shape *s = compiled(&d);
    check_near(at(s, 0, 1, 0), -1, 1e-12);
    check_near(at(s, 4, 6, 0), 5, 1e-12);
    check_near(at(s, 0, -1, 0), 1, 1e-12);
    double low[3], high[3];
    shape_bounds(low, high, s);
    check_near(low[1], 0, 1e-12);
    check_near(high[0], 1, 1e-12);
    shape_free(s);
    d = make_def(RHEO_SHAPE_PLANE, 0, 1, 0, 0, 3, 0, 0, 0); /* inside is below */
    s = compiled(&d);
    check_near(at(s, 9, 0, 4), -1, 1e-12);
    shape_bounds(low, high, s);
    assert_true(isinf(low[0]) && isinf(high[1]));
    shape_free(s);
    d = make_def(RHEO_SHAPE_CAPSULE, 1, 1, 1, 1, 1, 1, 0.5, 0); /* of no length: a ball */
    s = compiled(&d);
    check_near(at(s, 1, 3, 1), 1.5, 1e-12);
    shape_free(s);
}

static void combinations(void **state) {
    (void)state;
    rheo_shape parts[3] = {make_def(RHEO_SHAPE_BOX, 0, 0, 0, 1, 1, 1, 0, 0),
                           make_def(RHEO_SHAPE_SPHERE, 1, 0.5, 0.5, 0, 0, 0, 0.25, 0),
                           make_def(RHEO_SHAPE_SPHERE, 0, 0.5, 0.5, 0, 0, 0, 0.25, 0)};
    rheo_shape both = base(RHEO_SHAPE_UNION);
    both.children = parts;
    both.child_count = 3;
    shape *s = compiled(&both);
    assert_true(at(s, 1.2, 0.5, 0.5) < 0 && at(s, -0.2, 0.5, 0.5) < 0 && at(s, 1.3, 0.5, 0.5) > 0);
    double low[3], high[3], centre[3];
    shape_bounds(low, high, s);
    check_near(low[0], -0.25, 1e-12);
    check_near(high[0], 1.25, 1e-12);
    shape_free(s);
    both.kind = RHEO_SHAPE_DIFFERENCE; /* the first minus the rest */
    s = compiled(&both);
    assert_true(at(s, 0.9, 0.5, 0.5) > 0 && at(s, 0.1, 0.5, 0.5) > 0 && at(s, 0.5, 0.5, 0.5) < 0);
    check_near(at(s, 0.75, 0.5, 0.5), 0, 1e-12);
    shape_free(s);
    both.kind = RHEO_SHAPE_INTERSECTION;
    both.child_count = 2;
    s = compiled(&both);
    assert_true(at(s, 0.9, 0.5, 0.5) < 0 && at(s, 1.1, 0.5, 0.5) > 0 && at(s, 0.5, 0.5, 0.5) > 0);
    shape_bounds(low, high, s);
    check_near(low[0], 0.75, 1e-12);
    check_near(high[0], 1, 1e-12);
    shape_centre(centre, s);
    check_near(centre[0], 0.875, 1e-12);
    shape_free(s);
}

/* Scale, then rotate, then move, about the centre of the shape. */
static void order_of_transforms(void **state) {
    (void)state;
    rheo_shape d = make_def(RHEO_SHAPE_BOX, 1, 1, 1, 3, 2, 2, 0, 0); /* centre (2, 1.5, 1.5) */
    d.scale[0] = 2;                                                  /* half sides 2, 0.5, 0.5 */
    d.rotate_degrees = 90;                                           /* now 0.5, 2, 0.5 */
    d.move[0] = 10;
    for (int inside_union = 0; inside_union < 2; ++inside_union) {
        rheo_shape u = base(RHEO_SHAPE_UNION);
        u.children = &d;
        u.child_count = 1;
        shape *s = compiled(inside_union ? &u : &d);
        double centre[3], low[3], high[3];
        shape_centre(centre, s);
        check_near(centre[0], 12, 1e-12);
        check_near(centre[1], 1.5, 1e-12);
        shape_bounds(low, high, s);
        check_near(low[0], 11.5, 1e-12);
        check_near(high[1], 3.5, 1e-12);
        check_near(at(s, 12, 3.5, 1.5), 0, 1e-12);
        check_near(at(s, 13, 1.5, 1.5), 0.5, 1e-12);
        check_near(at(s, 12, 4.5, 1.5), 1, 1e-12);
        shape_free(s);
    }
    rheo_shape e = make_def(RHEO_SHAPE_SPHERE, 0, 0, 0, 0, 0, 0, 1, 0);
    e.scale[0] = 3; /* an ellipsoid, long in y after the turn */
    e.rotate_degrees = 90;
    shape *s = compiled(&e);
    check_near(at(s, 0, 3, 0), 0, 1e-12);
    check_near(at(s, 1, 0, 0), 0, 1e-12);
    assert_true(at(s, 0, 2.9, 0) < 0 && at(s, 1.1, 0, 0) > 0);
    shape_free(s);
}

static void flat_shapes(void **state) {
    (void)state;
    shape *s;
    rheo_shape d = make_def(RHEO_SHAPE_BOX, 0, 0, 0, 1, 1, 0, 0, 0); /* no extent in z */
    assert_int_equal(shape_make(&s, &d, NULL), RHEO_INVALID);
    assert_int_equal(shape_make_flat(&s, &d, NULL), RHEO_OK);
    check_near(at(s, 0.5, 0.4, 7), -0.4, 1e-12);
    check_near(at(s, 4, 5, -3), 5, 1e-12);
    shape_free(s);
    d = make_def(RHEO_SHAPE_SPHERE, 0.5, 0.5, 0.5, 0, 0, 0, 0.25, 0);
    d.move[1] = 1;
    assert_int_equal(shape_make_flat(&s, &d, NULL), RHEO_OK);
    check_near(at(s, 0.5, 1.5, 0.001), -0.25, 1e-12);
    shape_free(s);
    d = make_def(RHEO_SHAPE_CYLINDER, 0, 0, 0, 0, 0, 1, 0.5, 0);
    assert_int_equal(shape_make_flat(&s, &d, NULL), RHEO_OK);
    check_near(at(s, 2, 0, 0.3), 1.5, 1e-12);
    shape_free(s);
}

static void mesh_shapes(void **state) {
    (void)state;
    char path[] = "/tmp/rheo-shape-XXXXXX.obj";
    int file = mkstemps(path, 4);
    static const char text[] = "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    assert_int_equal(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    rheo_shape d = base(RHEO_SHAPE_MESH);
    d.file = path;
    d.file_scale = 0.5;
    d.move[0] = 10;
    shape *s = compiled(&d);
    double centre[3];
    shape_centre(centre, s);
    check_near(centre[0], 10.5, 1e-12);
    check_near(at(s, 10.1, 0.1, 0.2), -0.1, 1e-12);
    check_near(at(s, 9, 0.1, 0.1), 1, 1e-12);
    shape_free(s);
    unlink(path);
    rheo_report report;
    assert_int_equal(shape_make(&s, &d, &report), RHEO_INVALID);
    assert_string_equal(report.file, path);
    assert_null(s);
}

static void bad_shapes(void **state) {
    (void)state;
    rheo_shape good[PRIMITIVES], bad = base(RHEO_SHAPE_UNION), child;
    shape *s;
    rheo_report report;
    primitives(good);
    assert_int_equal(shape_make(&s, &bad, &report), RHEO_INVALID); /* empty */
    for (int p = 0; p < 8; ++p) {
        child = good[p < PRIMITIVES ? p : 0];
        child.line = 12;
        if (p == 0) child.b[1] = child.a[1];
        if (p == 1) child.radius = 0;
        if (p == 2) child.radius = NAN;
        if (p == 3) memcpy(child.b, child.a, sizeof child.b);
        if (p == 4) child.tube = -1;
        if (p == 5) child.b[0] = child.b[1] = child.b[2] = 0;
        if (p == 6) child.scale[2] = 0;
        if (p == 7) child.rotate_degrees = 1, child.rotate_axis[2] = 0;
        rheo_shape list[2] = {good[0], child};
        bad.children = list;
        bad.child_count = 2;
        assert_int_equal(shape_make(&s, &bad, &report), RHEO_INVALID);
        assert_int_equal(report.line, 12);
        assert_true(report.allowed[0] != 0 && report.message[0] != 0);
    }
}

static void curves(void **state) {
    (void)state;
    const double times[3] = {1, 2, 4}, values[9] = {0, 0, 0, 1, 2, 3, 5, 2, -1};
    rheo_curve c = {3, times, values, 3};
    double v[3];
    rheo_evaluate_curve(v, &c, 0);
    check_near(v[2], 0, 0);
    rheo_evaluate_curve(v, &c, 1.5);
    check_near(v[1], 1, 1e-15);
    rheo_evaluate_curve(v, &c, 3);
    check_near(v[0], 3, 1e-15);
    check_near(v[2], 1, 1e-15);
    rheo_evaluate_curve(v, &c, 4);
    check_near(v[0], 5, 0);
    rheo_evaluate_curve(v, &c, 99);
    check_near(v[2], -1, 0);
    curve_mean_rate(v, &c, 0.5, 0.5);
    check_near(v[0], 0, 0);
    curve_mean_rate(v, &c, 1, 1); /* from the right */
    check_near(v[1], 2, 1e-15);
    curve_mean_rate(v, &c, 2, 2);
    check_near(v[0], 2, 1e-15);
    curve_mean_rate(v, &c, 4, 4);
    check_near(v[0], 0, 0);
    const double ends[][2] = {{0.2, 0.9}, {0.5, 1.25}, {1, 2},   {1.9, 2.1},
                              {1, 4},     {0.5, 4.5},  {3.5, 9}, {5, 6}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) { /* what the value gains in all */
        double from[3], to[3];
        rheo_evaluate_curve(from, &c, ends[i][0]);
        rheo_evaluate_curve(to, &c, ends[i][1]);
        curve_mean_rate(v, &c, ends[i][0], ends[i][1]);
        for (int w = 0; w < 3; ++w) check_near(v[w] * (ends[i][1] - ends[i][0]), to[w] - from[w], 1e-14);
    }
    curve_mean_rate(v, &c, 1.1, 1.9); /* inside a segment its slope, to the last bit */
    check_near(v[1], 2, 0);
    curve_mean_rate(v, &c, 1, 1); /* an instant: from the right */
    check_near(v[1], 2, 0);
    check_near(curve_fastest(&c, 1.5, 1.6), sqrt(14), 1e-14);
    check_near(curve_fastest(&c, 0, 3), sqrt(14),
               1e-14); /* the segment between counts, wherever the ends are */
    check_near(curve_fastest(&c, 2, 3), sqrt(8), 1e-14);
    check_near(curve_fastest(&c, 0, 0.5), 0, 0);
    check_near(curve_fastest(&c, 4, 9), 0, 0);
    check_near(curve_largest(&c, 1.9, 2.1), 6, 1e-14); /* on the key */
    check_near(curve_largest(&c, 0, 9), 8, 0);
    double pieces[3] = {0, 0, 0}, mean[3];
    enum { PIECES = 4000 };
    for (int i = 0; i < PIECES; ++i) { /* keys lie between pieces: the middles are exact */
        rheo_evaluate_curve(v, &c, 0.5 + 4 * (i + 0.5) / PIECES);
        for (int w = 0; w < 3; ++w) pieces[w] += v[w] / PIECES;
    }
    curve_mean(mean, &c, 0.5, 4.5);
    for (int w = 0; w < 3; ++w) check_near(mean[w], pieces[w], 1e-12);
    curve_mean(mean, &c, 1.25, 1.5);
    rheo_evaluate_curve(v, &c, 1.375);
    check_near(mean[0], v[0], 1e-14);
    const double one[3] = {4, 5, 6};
    c = (rheo_curve){1, NULL, one, 3};
    curve_mean(mean, &c, 0.1, 0.3);
    check_near(mean[2], 6, 0);
    rheo_evaluate_curve(v, &c, 7);
    check_near(v[1], 5, 0);
    curve_mean_rate(v, &c, 7, 7);
    check_near(v[1], 0, 0);
    curve_mean_rate(v, &c, 7, 8);
    check_near(v[1], 0, 0);
    check_near(curve_fastest(&c, 0, 9), 0, 0);
    check_near(curve_largest(&c, 0, 9), 15, 0);
    check_near(curve_longest(&c, 0, 9), sqrt(77), 1e-14);
    c.count = 0;
    check_near(curve_fastest(&c, 0, 9), 0, 0);
    rheo_evaluate_curve(v, &c, 7);
    check_near(v[1], 0, 0);
}

static void keyed_motion(void **state) {
    (void)state;
    const double times[2] = {0, 2}, places[6] = {1, 1, 1, 3, 1, 1}, degrees[2] = {0, 180};
    rheo_solid solid = {.shape = make_def(RHEO_SHAPE_BOX, -2, -0.5, -0.5, 2, 0.5, 0.5, 0, 0),
                        .motion = RHEO_KEYED,
                        .position = {2, times, places, 3},
                        .rotation_degrees = {2, times, degrees, 1},
                        .rotation_axis = {0, 0, 2}};
    shape *s = compiled(&solid.shape);
    placement p = placement_of_solid(&solid, s, 1, 0); /* at (2, 1, 1), turned by 90 degrees about z */
    check_near(p.position[0], 2, 1e-12);
    check_near(p.velocity[0], 1, 1e-12);
    check_near(p.spin[2], M_PI / 2, 1e-12);
    check_near(p.orientation[0], sqrt(0.5), 1e-12);
    check_near(p.orientation[3], sqrt(0.5), 1e-12);
    const double tip[3] = {2, 3, 1}, beside[3] = {3, 1, 1};
    check_near(placement_distance(&p, s, tip), 0, 1e-12);
    check_near(placement_distance(&p, s, beside), 0.5, 1e-12);
    double u[3], moved[3];
    placement_velocity(u, &p, tip);
    check_near(u[0], 1 - M_PI, 1e-12);
    check_near(u[1], 0, 1e-12);
    /* the velocity is the derivative of the motion: where the tip is a little later */
    double h = 1e-6;
    placement q = placement_of_solid(&solid, s, 1 + h, 0);
    for (int r = 0; r < 3; ++r) moved[r] = q.position[r] + 2 * q.rotation[3 * r];
    check_near((moved[0] - tip[0]) / h, u[0], 1e-4);
    check_near((moved[1] - tip[1]) / h, u[1], 1e-4);
    p = placement_of_solid(&solid, s, 1.5, 2); /* over a step that goes on beyond the last key */
    check_near(p.velocity[0], 0.25, 1e-12);
    check_near(p.spin[2], M_PI / 8, 1e-12);
    p = placement_of_solid(&solid, s, 5, 0);
    check_near(p.velocity[0], 0, 0);
    check_near(p.spin[2], 0, 0);
    check_near(p.position[0], 3, 0);
    solid.motion = RHEO_STATIC;
    p = placement_of_solid(&solid, s, 1, 0);
    check_near(p.position[0], 0, 0);
    check_near(p.rotation[0], 1, 0);
    check_near(placement_distance(&p, s, tip), shape_distance(s, tip), 0);
    shape_free(s);
}

static roundness round_of(double axis[3], rheo_shape_kind kind, const double scale[3], const double to[3],
                          int flat) {
    rheo_shape def = {.kind = kind, .rotate_axis = {0, 0, 1}, .file_scale = 1};
    rheo_report report = {0};
    shape *s;
    memcpy(def.scale, scale, sizeof def.scale);
    memcpy(def.b, to, sizeof def.b);
    def.radius = 0.3;
    def.tube = 0.1;
    def.rotate_degrees = 90;
    assert_int_equal((flat ? shape_make_flat : shape_make)(&s, &def, &report), 0);
    const roundness r = shape_round(axis, s);
    shape_free(s);
    return r;
}

/* All are turned by 90 degrees about z. */
static void round_shapes(void **state) {
    (void)state;
    const double one[3] = {1, 1, 1}, twice[3] = {2, -2, 2}, egg[3] = {1.5, 1, 1}, odd[3] = {1, 2, 3},
                 x[3] = {1, 0, 0}, xy[3] = {1, 1, 0}, z[3] = {0, 0, 1};
    double n[3];
    assert_int_equal(round_of(n, RHEO_SHAPE_SPHERE, twice, x, 0), ROUND_BALL);
    assert_int_equal(round_of(n, RHEO_SHAPE_SPHERE, egg, x, 0), ROUND_AXIS);
    check_near(fabs(n[1]), 1, 1e-12);
    assert_int_equal(round_of(n, RHEO_SHAPE_SPHERE, odd, x, 0), NOT_ROUND);
    assert_int_equal(round_of(n, RHEO_SHAPE_CAPSULE, one, xy, 0), ROUND_AXIS);
    check_near(fabs(n[0] - n[1]), sqrt(2), 1e-12);
    assert_int_equal(round_of(n, RHEO_SHAPE_CYLINDER, egg, x, 0), ROUND_AXIS);
    assert_int_equal(round_of(n, RHEO_SHAPE_CYLINDER, egg, xy, 0), NOT_ROUND);
    assert_int_equal(round_of(n, RHEO_SHAPE_TORUS, one, z, 0), ROUND_AXIS);
    check_near(fabs(n[2]), 1, 1e-12);
    assert_int_equal(round_of(n, RHEO_SHAPE_BOX, one, one, 0), NOT_ROUND);
    assert_int_equal(round_of(n, RHEO_SHAPE_SPHERE, one, x, 1), ROUND_BALL);
    assert_int_equal(round_of(n, RHEO_SHAPE_SPHERE, egg, x, 1), NOT_ROUND);
    assert_int_equal(round_of(n, RHEO_SHAPE_CAPSULE, one, x, 1), NOT_ROUND);
    assert_int_equal(round_of(n, RHEO_SHAPE_TORUS, one, z, 1), ROUND_BALL);
    assert_int_equal(round_of(n, RHEO_SHAPE_TORUS, one, xy, 1), NOT_ROUND);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primitives_are_exact), cmocka_unit_test(reach_is_tight),
        cmocka_unit_test(distance_is_a_bound),  cmocka_unit_test(known_values),
        cmocka_unit_test(combinations),         cmocka_unit_test(order_of_transforms),
        cmocka_unit_test(flat_shapes),          cmocka_unit_test(mesh_shapes),
        cmocka_unit_test(bad_shapes),           cmocka_unit_test(curves),
        cmocka_unit_test(keyed_motion),         cmocka_unit_test(round_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

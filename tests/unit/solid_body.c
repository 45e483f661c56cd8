/* Mass properties of shapes and meshes against closed forms; the free motion of a body. */
#include "check.h"
#include "geom/mass.h"
#include "../../bench/primitives.h"
#include "core/random.h"
#include "rig.h"
#include "solid/obstacle.h"
#include "solid/vector.h"

static double moments_error(const moments *m, const moments *exact) {
    double worst = fabs(m->volume / exact->volume - 1), size = 0;
    for (int e = 0; e < 9; ++e) size = larger(size, fabs(exact->second[e]));
    for (int e = 0; e < 9; ++e) worst = larger(worst, fabs(m->second[e] - exact->second[e]) / size);
    const double length = cbrt(exact->volume);
    for (int c = 0; c < 3; ++c) worst = larger(worst, fabs(m->centre[c] - exact->centre[c]) / length);
    return worst;
}

static moments of_shape(const rheo_shape *def) {
    shape *s;
    moments m;
    rheo_report report = {0};
    if (shape_make(&s, def, &report)) fail_msg("%s", report.message);
    assert_int_equal(shape_moments(&m, s, 1), 0);
    shape_free(s);
    return m;
}

static void box_mesh_is_exact(void **state) {
    (void)state;
    const double lower[3] = {100.1, -50.2, 7}, upper[3] = {100.4, -49.7, 7.9};
    tri_mesh mesh;
    moments m;
    assert_int_equal(mesh_make_box(&mesh, lower, upper), 0);
    moments_of_mesh(&m, &mesh);
    mesh_free(&mesh);
    moments exact = {.volume = 0.3 * 0.5 * 0.9, .centre = {100.25, -49.95, 7.45}};
    exact.second[0] = exact.volume * 0.09 / 12;
    exact.second[4] = exact.volume * 0.25 / 12;
    exact.second[8] = exact.volume * 0.81 / 12;
    check_below(moments_error(&m, &exact), 1e-11);
    double inertia[9];
    moments_inertia(inertia, &m, 700);
    check_near(inertia[8], 700 * exact.volume * (0.09 + 0.25) / 12, 1e-9);
    check_near(inertia[1], 0, 1e-9);
}

/* Two boxes in an L: the sum of its parts by the parallel axis theorem, as one concave mesh. */
static void concave_mesh_is_exact(void **state) {
    (void)state;
    static const double profile[6][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {0, 2}};
    static const uint32_t cap[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
    tri_mesh mesh = {.vertex_count = 12, .triangle_count = 20};
    double vertex[12][3];
    uint32_t triangle[20][3];
    for (uint32_t i = 0; i < 6; ++i) {
        const uint32_t j = (i + 1) % 6;
        for (int z = 0; z < 2; ++z)
            memcpy(vertex[i + 6 * (uint32_t)z], (double[]){profile[i][0], profile[i][1], z}, 24);
        memcpy(triangle[2 * i], (uint32_t[]){i, j, j + 6}, 12);
        memcpy(triangle[2 * i + 1], (uint32_t[]){i, j + 6, i + 6}, 12);
    }
    for (uint32_t t = 0; t < 4; ++t) {
        memcpy(triangle[12 + t], (uint32_t[]){cap[t][2], cap[t][1], cap[t][0]}, 12);
        memcpy(triangle[16 + t], (uint32_t[]){cap[t][0] + 6, cap[t][1] + 6, cap[t][2] + 6}, 12);
    }
    mesh.vertex = vertex;
    mesh.triangle = triangle;
    moments m,
        exact = {.volume = 4, .centre = {1.25, 0.75, 0.5}}; /* of 3 x 1 at (1.5, 0.5), 1 x 1 at (0.5, 1.5) */
    moments_of_mesh(&m, &mesh);
    exact.second[0] = 3 * (9.0 / 12 + 0.0625) + 1.0 / 12 + 0.5625;
    exact.second[4] = 3 * (1.0 / 12 + 0.0625) + 1.0 / 12 + 0.5625;
    exact.second[1] = exact.second[3] = 3 * 0.25 * -0.25 + 1 * -0.75 * 0.75;
    exact.second[8] = 4.0 / 12;
    check_below(moments_error(&m, &exact), 1e-14);
}

/* Meshes of round shapes tend to the closed forms with the square of their edges. */
static void round_meshes_converge(void **state) {
    (void)state;
    const double centre[3] = {0.3, 0.2, 0.1};
    rheo_shape ball = rig_ball(0.3, 0.2, 0.1, 0.4);
    rheo_shape ring = rig_shape(RHEO_SHAPE_TORUS, centre, (double[]){0, 0, 1}, 0.4);
    ring.tube = 0.15;
    const moments exact[2] = {of_shape(&ball), of_shape(&ring)};
    for (int kind = 0; kind < 2; ++kind) {
        double before = 0, order = 0;
        for (int level = 3; level <= 5; ++level) {
            tri_mesh mesh;
            moments m;
            if (kind)
                assert_int_equal(
                    mesh_make_torus(&mesh, centre, 0.4, 0.15, 16 << (level - 3), 12 << (level - 3)), 0);
            else assert_int_equal(mesh_make_sphere(&mesh, centre, 0.4, level), 0);
            moments_of_mesh(&m, &mesh);
            mesh_free(&mesh);
            const double error = moments_error(&m, &exact[kind]);
            order = before > 0 ? log2(before / error) : 0;
            printf("%s mesh level %d: error %.3g, order %.2f\n", kind ? "torus" : "sphere", level, error,
                   order);
            before = error;
        }
        check_below(fabs(order - 2), 0.1);
    }
}

/* Closed forms against quadrature of the distance, turned and scaled; the union of one shape is not special.
 */
static void closed_forms_agree_with_quadrature(void **state) {
    (void)state;
    rheo_shape def[5];
    def[0] = rig_box(0.1, 0.2, 0.3, 0.2, 0.3, 0.1);
    def[1] = rig_ball(0.1, 0.2, 0.3, 0.25);
    def[2] = rig_shape(RHEO_SHAPE_CAPSULE, (double[]){-0.1, 0, 0.1}, (double[]){0.2, 0.3, 0}, 0.12);
    def[3] = rig_shape(RHEO_SHAPE_CYLINDER, (double[]){-0.1, 0, 0.1}, (double[]){0.2, 0.3, 0}, 0.2);
    def[4] = rig_shape(RHEO_SHAPE_TORUS, (double[]){0.1, 0.1, 0.1}, (double[]){1, 2, 3}, 0.3);
    def[4].tube = 0.1;
    for (int i = 0; i < 5; ++i) {
        def[i].rotate_axis[0] = 1;
        def[i].rotate_axis[1] = 0.5;
        def[i].rotate_degrees = 33;
        def[i].move[1] = 0.7;
        if (i == 1 || i == 3) memcpy(def[i].scale, (double[]){1.5, 0.6, 1.1}, sizeof def[i].scale);
        rheo_shape wrapped = rig_shape(RHEO_SHAPE_UNION, (double[]){0, 0, 0}, NULL, 0);
        wrapped.children = &def[i];
        wrapped.child_count = 1;
        const moments closed = of_shape(&def[i]), counted = of_shape(&wrapped);
        const double error = moments_error(&counted, &closed);
        printf("shape %d: volume %.6g, quadrature off by %.2g\n", i, closed.volume, error);
        check_below(error, 1e-4);
    }
}

/* A plate far thinner than a cell weighs what it weighs. */
static void thin_plate_keeps_its_mass(void **state) {
    (void)state;
    rig r;
    rig_start(&r);
    rig_add(&r, rig_box(0.5, 0.5, 0.5, 0.2, 0.0005, 0.2), RHEO_DYNAMIC)->density = 800;
    rig_make(&r);
    check_near(world_body(r.w, 0)->mass, 800 * 0.4 * 0.4 * 0.001, 1e-12);
    rig_end(&r);
}

/* Fractions of a cell in size, in a place between the grid's planes. */
static void bodies_within_a_cell_keep_their_mass(void **state) {
    (void)state;
    rig r;
    rig_start(&r);
    const double dx = r.dx = 1.0 / 16, cell = dx * dx * dx, at[3] = {0.5132, 0.4871, 0.4907};
    const double ends[2][3] = {{at[0] - 3.1 * dx, at[1], at[2]}, {at[0] + 3.1 * dx, at[1], at[2]}};
    const char *const names[] = {"ball", "plate", "rod"};
    const double volume[] = {4 * M_PI / 3 * 0.027 * cell, 5.2 * 0.3 * 4.4 * cell, M_PI * 0.04 * 6.2 * cell};
    const rheo_shape forms[] = {rig_ball(at[0], at[1], at[2], 0.3 * dx),
                                rig_box(at[0], at[1], at[2], 2.6 * dx, 0.15 * dx, 2.2 * dx),
                                rig_shape(RHEO_SHAPE_CYLINDER, ends[0], ends[1], 0.2 * dx)};
    for (int i = 0; i < 3; ++i) rig_add(&r, forms[i], RHEO_DYNAMIC)->density = 2700;
    rig_make(&r);
    for (int i = 0; i < 3; ++i) {
        const double exact = 2700 * volume[i], ours = world_body(r.w, i)->mass;
        print_message("%-5s mass %.6g kg, exact %.6g\n", names[i], ours, exact);
        assert_true(fabs(ours / exact - 1) < 1e-9);
    }
    rig_end(&r);
}

/* In the plane a body is one cell deep: box, disc, and a ring by quadrature. */
static void plane_bodies(void **state) {
    (void)state;
    rig r;
    rig_start(&r);
    r.scene.dim = 2;
    rig_add(&r, rig_box(0.3, 0.5, 0, 0.2, 0.1, 1), RHEO_DYNAMIC)->shape.rotate_degrees = 30;
    rig_add(&r, rig_ball(0.8, 0.5, 0, 0.1), RHEO_DYNAMIC);
    rheo_shape parts[2] = {rig_ball(0.5, 0.9, 0, 0.08), rig_ball(0.5, 0.9, 0, 0.05)};
    rheo_shape ring = rig_shape(RHEO_SHAPE_DIFFERENCE, (double[]){0, 0, 0}, NULL, 0);
    ring.children = parts;
    ring.child_count = 2;
    rig_add(&r, ring, RHEO_DYNAMIC);
    rig_make(&r);
    const double area[3] = {0.08, M_PI * 0.01, M_PI * (0.0064 - 0.0025)};
    const double polar[3] = {(0.16 + 0.04) / 12, 0.005, 0.5 * (0.0064 + 0.0025)}; /* over the mass */
    for (int i = 0; i < 3; ++i) {
        const body *b = world_body(r.w, i);
        check_near(b->mass, 1000 * area[i] * r.dx, 1e-5 * b->mass);
        check_near(b->inertia[8], b->mass * polar[i], 1e-5 * b->inertia[8]);
    }
    rig_end(&r);
}

/* Velocity exact, place too but for the first step, which does not know yet that nothing else acts. */
static void free_fall(void **state) {
    (void)state;
    rig r;
    rig_start(&r);
    r.gravity[1] = -9.81;
    rheo_solid *s = rig_add(&r, rig_box(0.5, 0.5, 0.5, 0.1, 0.05, 0.02), RHEO_DYNAMIC);
    memcpy(s->velocity, (double[]){1, 2, 3}, sizeof s->velocity);
    rig_make(&r);
    rig_advance(&r, 1, 0.01);
    const body_state *now = world_body(r.w, 0)->now;
    check_near(now->velocity[1], 2 - 9.81, 1e-12);
    check_near(now->position[0], 1.5, 1e-12);
    check_near(now->position[1], 0.5 + 2 - 0.5 * 9.81 * (1 - 0.01 * 0.01), 1e-12);
    rig_end(&r);
}

/* A box set spinning about its middle axis tumbles; energy and momentum stay. */
static void tumbling_keeps_energy(void **state) {
    (void)state;
    double before = 0, order = 0;
    for (int k = 0; k < 3; ++k) {
        rig r;
        rig_start(&r);
        rheo_shape turned = rig_box(0.5, 0.5, 0.5, 0.3, 0.2, 0.1);
        turned.rotate_degrees = 40;
        rheo_solid *s = rig_add(&r, turned, RHEO_DYNAMIC);
        const double c = cos(40 * M_PI / 180),
                     w = sin(40 * M_PI / 180); /* the middle axis, and a little more */
        memcpy(s->spin, (double[]){-3 * w + 0.01, 3 * c, 0.02}, sizeof s->spin);
        const double middle[3] = {-w, c, 0};
        rig_make(&r);
        const body *b = world_body(r.w, 0);
        double inertia[9], l0[3], l[3], dl[3], energy = body_kinetic(b), drift = 0, least = 1;
        body_inertia(inertia, b);
        mat_times(l0, inertia, b->now->spin);
        const double dt = 0.033 / (1 << k);
        for (int i = 0; i < 600 << k; ++i) {
            assert_int_equal(world_step(r.w, 0, dt), 0);
            drift = larger(drift, fabs(body_kinetic(b) / energy - 1));
            double turn[9], now[3];
            body_rotation(turn, b);
            mat_times(now, turn, middle);
            least = smaller(least, vec_dot(now, middle));
        }
        body_inertia(inertia, b);
        mat_times(l, inertia, b->now->spin);
        vec_sub(dl, l, l0);
        order = before > 0 ? log2(before / drift) : 0;
        printf("tumbling for 20 s, dt %.4f: energy off by %.3g (order %.2f), momentum %.2g, spin turned to "
               "%.2f\n",
               dt, drift, order, vec_length(dl) / vec_length(l0), least);
        check_below(vec_length(dl) / vec_length(l0), 1e-12);
        check_below(least, -0.5); /* it did turn over */
        before = drift;
        rig_end(&r);
    }
    check_below(before, 2e-4);
    check_below(fabs(order - 2), 0.3);
}

/* The centre of a concave shape is not its centre of mass, and moves with spin. */
static void placement_of_concave_body(void **state) {
    (void)state;
    rig r;
    rig_start(&r);
    rheo_shape parts[2] = {rig_box(0.5, 0.5, 0.5, 0.2, 0.05, 0.05),
                           rig_box(0.35, 0.65, 0.5, 0.05, 0.1, 0.05)};
    rheo_shape ell = rig_shape(RHEO_SHAPE_UNION, (double[]){0, 0, 0}, NULL, 0);
    ell.children = parts;
    ell.child_count = 2;
    rheo_solid *s = rig_add(&r, ell, RHEO_DYNAMIC);
    memcpy(s->spin, (double[]){0, 0, 2}, sizeof s->spin);
    rig_make(&r);
    const body *b = world_body(r.w, 0);
    const double x = (0.004 * 0.5 + 0.002 * 0.35) / 0.006, y = (0.004 * 0.5 + 0.002 * 0.65) / 0.006;
    check_near(b->centre[0], x, 1e-5);
    check_near(b->centre[1], y, 1e-5);
    placement p = body_placement(b);
    check_near(p.position[0], 0.5, 1e-12);
    check_near(p.position[1], 0.6, 1e-12);
    check_near(p.velocity[0], -2 * (0.6 - y), 1e-4);
    check_near(p.velocity[1], 2 * (0.5 - x), 1e-4);
    assert_int_equal(world_step(r.w, 0, M_PI / 4), 0); /* a quarter turn about the centre of mass */
    p = body_placement(b);
    check_near(p.position[0], x - (0.6 - y), 1e-5);
    check_near(p.position[1], y + (0.5 - x), 1e-5);
    rig_end(&r);
}

/* An impulse J at r changes momentum by J and angular momentum by r x J. */
static void push_adds_momentum(void **state) {
    (void)state;
    rig r;
    rig_start(&r);
    rheo_shape turned = rig_box(0.5, 0.5, 0.5, 0.3, 0.2, 0.1);
    turned.rotate_axis[1] = 1;
    turned.rotate_degrees = 70;
    rig_add(&r, turned, RHEO_DYNAMIC);
    rig_make(&r);
    const body *b = world_body(r.w, 0);
    const double j[3] = {1, -2, 3}, at[3] = {0.6, 0.4, 0.55};
    double inertia[9], l[3], arm[3], turn[3];
    body_inertia(inertia, b);
    vec_sub(arm, at, b->now->position);
    vec_cross(turn, arm, j);
    body_add(b, j, turn);
    mat_times(l, inertia, b->now->spin);
    for (int c = 0; c < 3; ++c) {
        check_near(b->mass * b->now->velocity[c], j[c], 1e-12);
        check_near(l[c], turn[c], 1e-12);
    }
    rig_end(&r);
}

/* Distances of stretched shapes are less than they should be, and balls around bodies are asked first: all
 * the same one of two solids is the nearest at any point, or two threads would write what is there. */
static void one_of_two_is_nearest(void **state) {
    (void)state;
    enum { POINTS = 200000 };
    rheo_solid def[2];
    shape *form[2];
    body rigid[2];
    body_state now[2];
    obstacle solids[2];
    int owned[2] = {0, 0};
    for (int i = 0; i < 2; ++i) {
        rheo_report report = {0};
        def[i] = (rheo_solid){.motion = RHEO_DYNAMIC, .density = 1000};
        def[i].shape = (rheo_shape){
            .kind = i ? RHEO_SHAPE_SPHERE : RHEO_SHAPE_BOX, .rotate_axis = {0, 0, 1}, .file_scale = 1};
        memcpy(def[i].shape.a, (double[3]){i ? 0.3 : -0.3, 0, 0}, sizeof def[i].shape.a);
        memcpy(def[i].shape.b, (double[3]){-0.1, 0.25, 0.2}, sizeof def[i].shape.b);
        memcpy(def[i].shape.scale, (double[3]){1, i ? 3 : 1, i ? 0.6 : 1}, sizeof def[i].shape.scale);
        def[i].shape.radius = 0.15;
        assert_int_equal(shape_make(&form[i], &def[i].shape, &report), 0);
        assert_int_equal(body_make(&rigid[i], &now[i], &def[i], form[i], 0, 1), 0);
        solids[i] = (obstacle){.shape = form[i], .def = &def[i], .body = &rigid[i]};
        solids[i].now = body_placement(&rigid[i]);
    }
    for (unsigned n = 0; n < POINTS; ++n) {
        double x[3];
        int owners = 0;
        for (unsigned a = 0; a < 3; ++a) x[a] = 2 * (double)random_unit(5, n, a) - 1;
        for (int i = 0; i < 2; ++i) {
            const int mine = obstacle_is_nearest(solids, NULL, 2, i, x, obstacle_distance(&solids[i], x));
            owned[i] += mine;
            owners += mine;
        }
        assert_int_equal(owners, 1);
    }
    assert_true(owned[0] > POINTS / 10 && owned[1] > POINTS / 10);
    for (int i = 0; i < 2; ++i) shape_free(form[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_mesh_is_exact),
        cmocka_unit_test(concave_mesh_is_exact),
        cmocka_unit_test(round_meshes_converge),
        cmocka_unit_test(closed_forms_agree_with_quadrature),
        cmocka_unit_test(thin_plate_keeps_its_mass),
        cmocka_unit_test(bodies_within_a_cell_keep_their_mass),
        cmocka_unit_test(plane_bodies),
        cmocka_unit_test(free_fall),
        cmocka_unit_test(tumbling_keeps_energy),
        cmocka_unit_test(placement_of_concave_body),
        cmocka_unit_test(push_adds_momentum),
        cmocka_unit_test(one_of_two_is_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

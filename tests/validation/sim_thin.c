/* Water in vessels with walls thinner than a cell: still, carried, tipped, and in an open shell. Not one
 * particle may be outside. */
#include "check.h"
#include <rheo/rheo.h>
#include "sim/liquid.h"

static rheo_shape box_shape(double half, double top) {
    rheo_shape s = rheo_default_shape(RHEO_SHAPE_BOX);
    for (int a = 0; a < 3; ++a) {
        s.a[a] = 0.5 - half;
        s.b[a] = 0.5 + half;
    }
    s.b[1] = 0.5 + top;
    return s;
}

typedef struct vessel {
    rheo_scene scene;
    rheo_fluid water;
    rheo_solid solid;
    rheo_shape parts[2], fill;
    double half; /* m: inside */
} vessel;

/* A closed box, half full, with walls of 0.3 cells; `top`: how far the inside reaches up. */
static void make(vessel *v, int dim, double top) {
    const int cells = dim == 2 ? 48 : 24;
    const double wall = 0.3 / cells;
    *v =
        (vessel){.scene = rheo_default_scene(), .water = rheo_default_fluid(), .solid = rheo_default_solid()};
    v->half = 0.2;
    v->parts[0] = box_shape(v->half + wall, v->half + wall);
    v->parts[1] = box_shape(v->half, top);
    v->fill = box_shape(v->half, 0);
    v->solid.shape = rheo_default_shape(RHEO_SHAPE_DIFFERENCE);
    v->solid.shape.children = v->parts;
    v->solid.shape.child_count = 2;
    v->solid.name = "vessel";
    v->water.name = "water";
    v->water.fill = &v->fill;
    v->water.fill_count = 1;
    v->scene.dim = dim;
    v->scene.cells = cells;
    v->scene.fluids = &v->water;
    v->scene.solids = &v->solid;
    v->scene.fluid_count = v->scene.solid_count = 1;
}

/* How many particles are outside the inner box, but above its open top: from the vessel's own frame. */
static int count_outside(const rheo_sim *sim, const vessel *v, int open) {
    rheo_particle_view view;
    rheo_body_stats stand = {.orientation = {1, 0, 0, 0}, .position = {0.5, 0.5, 0.5}};
    const char *name;
    int outside = 0;
    rheo_view_particles(&view, sim);
    if (v->solid.motion == RHEO_KEYED) rheo_read_body(&stand, &name, sim, 0);
    const double c = 1 - 2 * stand.orientation[3] * stand.orientation[3],
                 s = 2 * stand.orientation[0] * stand.orientation[3]; /* turned about z */
    for (size_t q = 0; q < view.count; ++q) {
        double d[3] = {0, 0, 0};
        for (int a = 0; a < v->scene.dim; ++a)
            d[a] = view.origin[a] + view.dx * (double)view.position[a][q] - stand.position[a];
        const double x = c * d[0] + s * d[1], y = -s * d[0] + c * d[1], edge = v->half;
        outside += fabs(x) > edge || fabs(d[2]) > edge || y < -edge || (!open && y > edge);
    }
    return outside;
}

static rheo_frame_stats run(int *outside, vessel *v, int frames, int open) {
    rheo_sim *sim;
    rheo_report report = {0};
    rheo_frame_stats stats = {0};
    *outside = 0;
    if (rheo_create_sim(&sim, &v->scene, 1, &report)) fail_msg("%s", report.message);
    for (int f = 0; f < frames; ++f) {
        if (rheo_advance_frame(sim, NULL, &stats, &report)) fail_msg("%s", report.message);
        *outside += count_outside(sim, v, open);
    }
    assert_true(stats.particles > 100);
    rheo_free_sim(sim);
    return stats;
}

static void test_still(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        vessel v;
        int outside;
        make(&v, dim, 0.4);
        const rheo_frame_stats s = run(&outside, &v, 30, 1);
        print_message("still, %dD: %d outside, speed %.4f m/s, drift %.4f\n", dim, outside, s.speed,
                      s.volume_drift);
        assert_int_equal(outside, 0);
        check_below(s.speed, 0.03);
        check_below(fabs(s.volume_drift),
                    dim == 2 ? 0.02 : 0.05); /* 10 cells across in 3D: half an octant is 3 % */
    }
}

/* The volume that is read is the space that the water takes up in the vessel, whose sides lie between the
 * grid's planes: particles beside them, half a cell apart, are fewer or more than that. */
static void test_volume_is_space(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        vessel v;
        rheo_sim *sim;
        rheo_report report = {0};
        rheo_frame_stats stats = {0};
        double level = 0;
        int columns = 0;
        make(&v, dim, 0.4);
        if (rheo_create_sim(&sim, &v.scene, 1, &report)) fail_msg("%s", report.message);
        for (int f = 0; f < 15; ++f)
            if (rheo_advance_frame(sim, NULL, &stats, &report)) fail_msg("%s", report.message);
        const box *b = &sim->g.box;
        for (int k = 0; k < b->n[2]; ++k)
            for (int i = 0; i < b->n[0]; ++i)
                for (int j = 1; j < b->n[1]; ++j) {
                    const double low = (double)sim->phi[box_at(b, i, j - 1, k)],
                                 high = (double)sim->phi[box_at(b, i, j, k)];
                    if (!(low < 0 && high >= 0)) continue;
                    level += (j - 0.5 + low / (low - high)) * sim->g.dx;
                    ++columns;
                }
        const double side = 2 * v.half, deep = dim == 3 ? side : sim->g.dx;
        const double space = side * deep * (level / columns - 0.5 + v.half);
        print_message("%dD: volume %.5g, space below the level %.5g\n", dim, stats.volume, space);
        check_near(stats.volume, space, 0.01 * space);
        rheo_free_sim(sim);
    }
}

/* Thrown about and turned over, with the lid on, in long steps. */
static void test_tumbling(void **state) {
    (void)state;
    static const double times[4] = {0, 0.2, 0.4, 0.8}, degrees[4] = {0, 60, -40, 170};
    static const double places[12] = {0.5, 0.5, 0.5, 0.62, 0.5, 0.5, 0.4, 0.6, 0.5, 0.5, 0.45, 0.5};
    static const rheo_method methods[3] = {RHEO_FLIP, RHEO_APIC, RHEO_FLIP};
    for (int run_of = 0; run_of < 3; ++run_of) {
        vessel v;
        int outside;
        make(&v, run_of == 2 ? 3 : 2, 0.2);
        v.solid.motion = RHEO_KEYED;
        v.solid.position = (rheo_curve){.count = 4, .times = times, .values = places, .width = 3};
        v.solid.rotation_degrees = (rheo_curve){.count = 4, .times = times, .values = degrees, .width = 1};
        v.scene.method = methods[run_of];
        v.scene.cfl = 5;
        const rheo_frame_stats s = run(&outside, &v, 30, 0);
        print_message("tumbling, %dD: %d outside, speed %.2f m/s\n", v.scene.dim, outside, s.speed);
        assert_int_equal(outside, 0);
        assert_true(s.speed > 0.05);
    }
}

/* Five sides of a box as an open mesh. */
static void test_shell(void **state) {
    (void)state;
    const char *file = "sim_thin_shell.obj";
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    for (int i = 0; i < 8; ++i)
        fprintf(f, "v %g %g %g\n", i & 1 ? 0.7 : 0.3, i & 2 ? 0.8 : 0.3, i & 4 ? 0.7 : 0.3);
    fputs("f 1 2 6 5\nf 1 3 4 2\nf 5 6 8 7\nf 1 5 7 3\nf 2 4 8 6\n", f);
    fclose(f);
    vessel v;
    int outside;
    make(&v, 3, 0.3);
    v.solid.shape = rheo_default_shape(RHEO_SHAPE_MESH);
    v.solid.shape.file = file;
    v.solid.shape.thin = true;
    const rheo_frame_stats s = run(&outside, &v, 20, 1);
    print_message("open shell: %d outside, speed %.4f m/s, drift %.4f\n", outside, s.speed, s.volume_drift);
    assert_int_equal(outside, 0);
    check_below(s.speed, 0.05);
    remove(file);
}

static rheo_shape cylinder_shape(double low, double high, double radius) {
    rheo_shape s = rheo_default_shape(RHEO_SHAPE_CYLINDER);
    s.a[0] = s.b[0] = 0.3;
    s.a[2] = s.b[2] = 0.25;
    s.a[1] = low;
    s.b[1] = high;
    s.radius = radius;
    return s;
}

/* A bucket is pressed under the surface of a pool and fills over its rim. Cells of the coarse grids then hold
 * water of both sides of its wall, which makes both solves take more cycles than in a free pool; they end all
 * the same. */
static void test_filling(void **state) {
    (void)state;
    static const double times[2] = {0, 0.4}, places[6] = {0.3, 0.45, 0.25, 0.3, 0.14, 0.25};
    vessel v;
    rheo_sim *sim;
    rheo_report report = {0};
    rheo_frame_stats stats = {0};
    int density = 0, pressure = 0;
    make(&v, 3, 0.3);
    v.parts[0] = cylinder_shape(0.49, 0.71, 0.13);
    v.parts[1] = cylinder_shape(0.4947, 0.8, 0.1253);
    v.fill.a[0] = v.fill.a[1] = v.fill.a[2] = 0;
    v.fill.b[0] = v.scene.size[0] = 1;
    v.fill.b[1] = 0.3;
    v.fill.b[2] = v.scene.size[2] = 0.5;
    v.scene.size[1] = 0.9;
    v.scene.cells = 32;
    v.solid.motion = RHEO_KEYED;
    v.solid.position = (rheo_curve){.count = 2, .times = times, .values = places, .width = 3};
    v.scene.method = RHEO_APIC;
    if (rheo_create_sim(&sim, &v.scene, 1, &report)) fail_msg("%s", report.message);
    for (int f = 0; f < 28; ++f) {
        if (rheo_advance_frame(sim, NULL, &stats, &report)) fail_msg("%s", report.message);
        if (stats.density.iterations > density) density = stats.density.iterations;
        if (stats.pressure.iterations > pressure) pressure = stats.pressure.iterations;
        assert_true(stats.density.converged && stats.pressure.converged);
    }
    rheo_free_sim(sim);
    print_message("filling: %d and %d iterations, drift %.4f\n", density, pressure, stats.volume_drift);
    assert_true(density > 5); /* the walls are felt */
    check_below(fabs(stats.volume_drift), 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_still), cmocka_unit_test(test_volume_is_space),
                                       cmocka_unit_test(test_tumbling), cmocka_unit_test(test_shell),
                                       cmocka_unit_test(test_filling)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

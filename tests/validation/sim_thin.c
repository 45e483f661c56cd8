/* Water in vessels with walls thinner than a cell: still, carried, tipped, and in an open shell. Not one
 * particle may be outside, and as many as at the start are there. */
#include "check.h"
#include "scenes_by_hand.h"

static rheo_shape room(double half, double top) {
    return box_between(0.5 - half, 0.5 - half, 0.5 - half, 0.5 + half, 0.5 + top, 0.5 + half);
}

typedef struct vessel {
    setup t;
    rheo_solid *solid;
    rheo_shape parts[2];
    double half; /* m: inside */
} vessel;

/* A closed box, half full, with walls of 0.3 cells; `top`: how far the inside reaches up. */
static void make(vessel *v, int dim, double top) {
    const int cells = dim == 2 ? 48 : 24;
    const double wall = 0.3 / cells;
    rheo_shape form = rheo_default_shape(RHEO_SHAPE_DIFFERENCE);
    v->half = 0.2;
    v->parts[0] = room(v->half + wall, v->half + wall);
    v->parts[1] = room(v->half, top);
    form.children = v->parts;
    form.child_count = 2;
    set_up(&v->t, RHEO_FLIP, dim, cells);
    fill_with(&v->t, room(v->half, 0));
    v->solid = add_solid(&v->t, form);
}

/* How many particles are outside the inner box, but above its open top: from the vessel's own frame. */
static int count_outside(const rheo_sim *sim, const vessel *v, int open) {
    rheo_particle_view view;
    rheo_body_stats stand = {.orientation = {1, 0, 0, 0}, .position = {0.5, 0.5, 0.5}};
    int outside = 0;
    rheo_view_particles(&view, sim);
    if (v->solid->motion == RHEO_KEYED) stand = body_of(sim, 0);
    const double c = 1 - 2 * stand.orientation[3] * stand.orientation[3],
                 s = 2 * stand.orientation[0] * stand.orientation[3]; /* turned about z */
    for (size_t q = 0; q < view.count; ++q) {
        double d[3] = {0, 0, 0};
        for (int a = 0; a < v->t.scene.dim; ++a)
            d[a] = view.origin[a] + view.dx * (double)view.position[a][q] - stand.position[a];
        const double x = c * d[0] + s * d[1], y = -s * d[0] + c * d[1], edge = v->half;
        outside += !(fabs(x) <= edge && fabs(d[2]) <= edge && y >= -edge && (open || y <= edge));
    }
    return outside;
}

static rheo_frame_stats run(int *outside, vessel *v, int frames, int open) {
    rheo_sim *sim = start_sim(&v->t.scene, 1);
    const rheo_frame_stats first = stats_of(sim);
    rheo_frame_stats stats = first;
    *outside = 0;
    for (int f = 0; f < frames; ++f) {
        stats = run_frames(sim, 1);
        *outside += count_outside(sim, v, open);
    }
    assert_true(first.particles > 100);
    assert_int_equal(stats.particles, first.particles);
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
        rheo_volume_view grid;
        double level = 0;
        int columns = 0;
        make(&v, dim, 0.4);
        rheo_sim *sim = start_sim(&v.t.scene, 1);
        const rheo_frame_stats stats = run_frames(sim, 15);
        rheo_view_volume(&grid, sim);
        for (int k = 0; k < grid.cells[2]; ++k)
            for (int i = 0; i < grid.cells[0]; ++i) {
                const double height = surface_height(sim, i, k);
                if (isnan(height)) continue;
                level += height;
                ++columns;
            }
        const double side = 2 * v.half, deep = dim == 3 ? side : grid.dx;
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
        v.solid->motion = RHEO_KEYED;
        v.solid->position = (rheo_curve){.count = 4, .times = times, .values = places, .width = 3};
        v.solid->rotation_degrees = (rheo_curve){.count = 4, .times = times, .values = degrees, .width = 1};
        v.t.scene.method = methods[run_of];
        v.t.scene.cfl = 5;
        const rheo_frame_stats s = run(&outside, &v, 30, 0);
        print_message("tumbling, %dD: %d outside, speed %.2f m/s\n", v.t.scene.dim, outside, s.speed);
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
    v.solid->shape = rheo_default_shape(RHEO_SHAPE_MESH);
    v.solid->shape.file = file;
    v.solid->shape.thin = true;
    const rheo_frame_stats s = run(&outside, &v, 20, 1);
    print_message("open shell: %d outside, speed %.4f m/s, drift %.4f\n", outside, s.speed, s.volume_drift);
    assert_int_equal(outside, 0);
    check_below(s.speed, 0.05);
    remove(file);
}

/* A bucket is pressed under the surface of a pool and fills over its rim. Cells of the coarse grids then hold
 * water of both sides of its wall, which makes both solves take more cycles than in a free pool; they end all
 * the same. */
static void test_filling(void **state) {
    (void)state;
    static const double times[2] = {0, 0.4}, places[6] = {0.3, 0.45, 0.25, 0.3, 0.14, 0.25};
    vessel v;
    rheo_frame_stats stats = {0};
    int density = 0, pressure = 0;
    make(&v, 3, 0.3);
    v.parts[0] = cylinder_between((double[]){0.3, 0.49, 0.25}, (double[]){0.3, 0.71, 0.25}, 0.13);
    v.parts[1] = cylinder_between((double[]){0.3, 0.4947, 0.25}, (double[]){0.3, 0.8, 0.25}, 0.1253);
    set_size(&v.t, 1, 0.9, 0.5);
    fill_pool(&v.t, 0.3);
    v.t.scene.cells = 32;
    v.solid->motion = RHEO_KEYED;
    v.solid->position = (rheo_curve){.count = 2, .times = times, .values = places, .width = 3};
    v.t.scene.method = RHEO_APIC;
    rheo_sim *sim = start_sim(&v.t.scene, 1);
    for (int f = 0; f < 28; ++f) {
        stats = run_frames(sim, 1);
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

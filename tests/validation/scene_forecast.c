/* What the doctor foretells of a run - its steps, its time - beside what runs take. */
#include "check.h"
#include "scenes_by_hand.h"

typedef struct forecast {
    double steps, seconds; /* seconds of files left out */
} forecast;

static rheo_scene *short_run(const char *name, const char *method, int cells, int frames) {
    char sets[3][64];
    const char *const set[] = {sets[0], sets[1], sets[2], "output.mesh=false", "output.checkpoint_every=0"};
    rheo_scene *scene;
    rheo_report report = {0};
    snprintf(sets[0], sizeof sets[0], "domain.cells=%d", cells);
    snprintf(sets[1], sizeof sets[1], "time.frames=%d", frames);
    snprintf(sets[2], sizeof sets[2], "solver.method=%s", method);
    assert_int_equal(rheo_load_scene(&scene, name, set, 5, &report), RHEO_OK);
    return scene;
}

static forecast foretell(const rheo_scene *scene) {
    rheo_preflight p;
    rheo_report report = {0};
    assert_int_equal(rheo_check_scene(&p, scene, NULL, &report), RHEO_OK);
    return (forecast){p.steps, p.seconds};
}

/* Foretold steps beside those of a run, over as long as the liquid is lively. */
static void check_steps(const char *name, const char *method, int cells, int frames) {
    rheo_scene *scene = short_run(name, method, cells, frames);
    const forecast f = foretell(scene);
    rheo_sim *sim = start_sim(scene, 1);
    int taken = 0;
    for (int k = 0; k < frames; ++k) taken += run_frames(sim, 1).steps;
    print_message("%s, %s, %d cells: %.0f steps foretold, %d taken\n", name, method, cells, f.steps, taken);
    assert_true(f.steps >= 0.6 * taken && f.steps <= 1.6 * taken);
    rheo_free_sim(sim);
    rheo_free_scene(scene);
}

/* A run and the processor time that it takes by that of twelve frames of dam-break at 48 cells, both with
 * flip on one thread: measured once, as a clock in a test would measure what else runs. Nothing but the
 * forecast is computed here. */
typedef struct timed {
    const char *name;
    int cells, frames;
    double taken;
} timed;

static void check_time(const timed *t) {
    rheo_scene *dam = short_run("dam-break", "flip", 48, 12),
               *scene = short_run(t->name, "flip", t->cells, t->frames);
    const double foretold = foretell(scene).seconds / foretell(dam).seconds, ratio = foretold / t->taken;
    print_message("%s, %d cells: %.2f dam breaks foretold, %.2f taken\n", t->name, t->cells, foretold,
                  t->taken);
    assert_true(ratio > 0.25 && ratio < 4);
    rheo_free_scene(scene);
    rheo_free_scene(dam);
}

static void times_are_near_the_taken_ones(void **state) {
    (void)state;
    static const timed runs[] = {
        {"moving-wall", 64, 12, 0.40},   {"bucket", 32, 12, 0.66},         {"lead-and-wood", 40, 30, 0.80},
        {"block-splash", 40, 12, 0.68},  {"tumbling-gems", 64, 10, 0.054}, {"gears-and-bunnies", 24, 8, 2.54},
        {"bodies-in-box", 30, 10, 0.27}, {"fountain", 32, 12, 0.139},      {"tumbling-stones", 96, 6, 0.113},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) check_time(&runs[i]);
}

/* A ball of 480 triangles. */
static void write_mesh(const char *name) {
    enum { RINGS = 15, ROUND = 16 };
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    for (int i = 0; i <= RINGS; ++i)
        for (int j = 0; j < ROUND; ++j) {
            const double t = acos(-1) * i / RINGS, u = 2 * acos(-1) * j / ROUND;
            fprintf(file, "v %.9g %.9g %.9g\n", sin(t) * cos(u), cos(t), sin(t) * sin(u));
        }
    for (int i = 0; i < RINGS; ++i)
        for (int j = 0; j < ROUND; ++j) {
            const int a = 1 + i * ROUND + j, b = 1 + i * ROUND + (j + 1) % ROUND;
            fprintf(file, "f %d %d %d %d\n", a, b, b + ROUND, a + ROUND);
        }
    fclose(file);
}

static void times_of_meshes_are_near_the_taken_ones(void **state) {
    (void)state;
    static const char name[] = "preflight-mesh.yaml", mesh[] = "preflight-mesh.obj";
    static const double taken[2] = {0.67, 7.05}; /* all of a solid, and only its triangles */
    for (int thin = 0; thin < 2; ++thin) {
        FILE *file = fopen(name, "w");
        assert_non_null(file);
        fprintf(file,
                "fluids: [ { fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.6, 1] } } ] } ]\n"
                "solids: [ { shape: { mesh: { file: %s, scale: 0.2 }, move: [0.6, 0.4, 0.5] }, thin: %s,\n"
                "            position: { keys: [[0, [0.6, 0.4, 0.5]], [2, [0.7, 0.4, 0.5]]] } } ]\n",
                mesh, thin ? "true" : "false");
        fclose(file);
        write_mesh(mesh);
        check_time(&(timed){name, 40, 8, taken[thin]});
        remove(name);
        remove(mesh);
    }
}

static void steps_are_near_the_taken_ones(void **state) {
    (void)state;
    check_steps("dam-break", "flip", 32, 24);
    check_steps("dam-break", "apic", 48, 8);
    check_steps("dam-break", "mac", 16, 24);
    check_steps("drop-in-pool", "flip", 24, 24);
    check_steps("fountain", "apic", 32, 24);
    check_steps("moving-wall", "flip", 32, 24);
}

/* Bodies that are thrown, struck and sink: they count with the liquid's speed, or alone. */
static void steps_with_bodies_are_near_the_taken_ones(void **state) {
    (void)state;
    check_steps("lead-and-wood", "flip", 48, 15);
    check_steps("block-splash", "flip", 40, 20);
    check_steps("tumbling-gems", "flip", 64, 15);
    check_steps("bodies-in-box", "flip", 30, 30);
}

/* A ball of a hundredth of the water's density: its steps are shorter than the liquid's own. And gravity that
 * begins late counts as if it always were there. */
static void light_bodies_take_more_steps(void **state) {
    (void)state;
    const char name[] = "preflight-light.yaml";
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs("domain: { size: [1, 1, 1], cells: 24 }\n"
          "time: { fps: 30 }\n"
          "gravity: { keys: [[0, [0, 0, 0]], [0.01, [0, -9.81, 0]]] }\n"
          "fluids: [ { fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } ] } ]\n"
          "solids: [ { name: ball, motion: dynamic, density: 10,\n"
          "            shape: { sphere: { center: [0.5, 0.25, 0.5], radius: 0.12 } } } ]\n",
          file);
    fclose(file);
    check_steps(name, "apic", 24, 16);
    remove(name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_near_the_taken_ones),
        cmocka_unit_test(steps_with_bodies_are_near_the_taken_ones),
        cmocka_unit_test(light_bodies_take_more_steps),
        cmocka_unit_test(times_are_near_the_taken_ones),
        cmocka_unit_test(times_of_meshes_are_near_the_taken_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

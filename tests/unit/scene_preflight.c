/* The doctor: volumes against exact ones, what must be found, what must not. */
#include "check.h"

#include <rheo/rheo.h>
#include "scene/scene_internal.h"

static rheo_status look(rheo_preflight *p, rheo_report *report, const char *text) {
    rheo_scene *scene = NULL;
    *report = (rheo_report){0};
    rheo_status status = scene_parse_text(&scene, text, strlen(text), "t.yaml", ".", NULL, 0, report);
    if (status != RHEO_OK) fail_msg("%s: %s", report->path, report->message);
    status = rheo_check_scene(p, scene, "/tmp", report);
    rheo_free_scene(scene);
    return status;
}

static bool found(const rheo_preflight *p, int severity, const char *path, const char *words) {
    for (int i = 0; i < p->count; ++i) {
        const rheo_finding *f = &p->findings[i];
        if ((int)f->severity == severity && !strcmp(f->report.path, path) && strstr(f->report.message, words))
            return true;
    }
    return false;
}

#define FILL "fluids: [ { fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } ] } ]\n"

static void volumes_are_near_the_exact_ones(void **state) {
    (void)state;
    rheo_preflight p;
    rheo_report r;
    assert_int_equal(look(&p, &r, FILL), RHEO_OK);
    check_near(p.fluid_volume, 0.5, 1e-9);
    check_near(p.particles, 0.5 * 64 * 64 * 64 * 8, 1);
    assert_int_equal(p.count, 0);
    look(&p, &r, "fluids: [ { fill: [ { sphere: { center: [0.5, 0.5, 0.5], radius: 0.4 } } ] } ]");
    check_near(p.fluid_volume, 4.0 / 3 * acos(-1) * 0.064, 0.003);
    /* two fills that overlap count once; a solid takes its share */
    look(&p, &r,
         "fluids: [ { fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } }, "
         "{ box: { min: [0, 0, 0], max: [0.5, 1, 1] } } ] } ]");
    check_near(p.fluid_volume, 0.75, 0.01);
    look(&p, &r, FILL "solids: [ { shape: { box: { min: [0, 0, 0], max: [0.5, 1, 1] } } } ]");
    check_near(p.fluid_volume, 0.25, 0.01);
    assert_true(found(&p, RHEO_WARNING, "fluids[0].fill[0]", "inside solids"));
    look(&p, &r,
         "domain: { dim: 2, size: [1, 1], cells: 32 }\nfluids: [ { fill: [ { sphere: { center: [0.5, 0.5], "
         "radius: 0.3 } } ] } ]");
    check_near(p.fluid_volume, acos(-1) * 0.09, 0.003);
    assert_int_equal(p.cells[2], 1);
}

/* A post in a pool is said, but is nothing to warn of. */
static void common_losses_are_notes(void **state) {
    (void)state;
    rheo_preflight p;
    rheo_report r;
    assert_int_equal(
        look(&p, &r, FILL "solids: [ { shape: { box: { min: [0.4, 0, 0.4], max: [0.55, 1, 0.55] } } } ]"),
        RHEO_OK);
    assert_true(found(&p, RHEO_NOTE, "fluids[0].fill[0]", "inside solids"));
    assert_false(found(&p, RHEO_WARNING, "fluids[0].fill[0]", "inside solids"));
}

/* Octants count by their middles: 12 of 0.4 m / (1 / 32) = 12.8 a side at 16 cells, 26 of 25.6 at 32. */
static void fills_are_compared_with_the_grid(void **state) {
    (void)state;
    static const char box[] =
        "fluids: [ { fill: [ { box: { min: [0.3, 0.3, 0.3], max: [0.7, 0.7, 0.7] } } ] } ]";
    char text[256];
    rheo_preflight p;
    rheo_report r;
    snprintf(text, sizeof text, "domain: { cells: 16 }\n%s", box);
    assert_int_equal(look(&p, &r, text), RHEO_OK);
    assert_true(found(&p, RHEO_WARNING, "fluids[0].fill", "0.0527 m3 of 0.064 m3"));
    check_near(p.particles, 12 * 12 * 12, 0);
    snprintf(text, sizeof text, "domain: { cells: 32 }\n%s", box);
    assert_int_equal(look(&p, &r, text), RHEO_OK);
    assert_true(found(&p, RHEO_NOTE, "fluids[0].fill", "0.067 m3 of 0.064 m3"));
    check_near(p.particles, 26 * 26 * 26, 0);
}

/* A cube that falls by 0.4 m lands at 2.8 m/s: 0.89 and 0.28 times the speed of its shear waves. */
static void what_tears_is_noted(void **state) {
    (void)state;
    rheo_preflight p;
    rheo_report r;
    for (int stiff = 0; stiff < 2; ++stiff) {
        char text[256];
        snprintf(text, sizeof text,
                 "solver: { method: sph }\nfluids: [ { density: 1000, elasticity: %s, fill: [ { box: { min: "
                 "[0.4, 0.4, 0.4], max: [0.6, 0.6, 0.6] } } ] } ]",
                 stiff ? "1e5" : "1e4");
        assert_int_equal(look(&p, &r, text), RHEO_OK);
        assert_int_equal(found(&p, RHEO_NOTE, "fluids[0]", "it may land at 2.8 m/s"), !stiff);
    }
}

static void warnings_are_found(void **state) {
    (void)state;
    rheo_preflight p;
    rheo_report r;
    look(&p, &r, "fluids: [ { fill: [ { box: { min: [0, 0, 0], max: [2, 0.5, 1] } } ] } ]");
    assert_true(found(&p, RHEO_WARNING, "fluids[0].fill[0]", "outside the domain"));
    look(&p, &r, FILL "domain: { size: [1, 0.52, 1], cells: 10 }");
    assert_true(found(&p, RHEO_NOTE, "domain.size", "along y"));
    look(&p, &r, FILL "domain: { size: [1, 0.36, 1], cells: 10 }");
    assert_true(found(&p, RHEO_WARNING, "domain.size", "along y"));
    look(&p, &r, FILL "solids: [ { shape: { box: { min: [0.3, 0.6, 0], max: [0.305, 1, 1] } } } ]");
    assert_true(found(&p, RHEO_NOTE, "solids[0].shape", "thinner"));
    look(&p, &r,
         FILL "solids: [ { shape: { box: { min: [0.3, 0.6, 0], max: [0.305, 1, 1] }, "
              "rotate: { axis: [1, 1, 1], degrees: 40 } } } ]");
    assert_true(found(&p, RHEO_NOTE, "solids[0].shape", "thinner"));
    look(&p, &r,
         FILL "solver: { method: smoke }\n"
              "solids: [ { shape: { box: { min: [0.3, 0.6, 0], max: [0.305, 1, 1] } } } ]");
    assert_true(found(&p, RHEO_NOTE, "solids[0].shape", "no gas passes it"));
    look(&p, &r,
         FILL "camera: { eye: [0.5, 0.8, 0.5], target: [0, 0, 0] }\n"
              "solids: [ { name: ball, shape: { sphere: { center: [0.5, 0.8, 0.5], radius: 0.1 } } } ]");
    assert_true(found(&p, RHEO_WARNING, "camera.eye", "ball"));
    assert_false(found(&p, RHEO_NOTE, "solids[0].shape", "thinner"));
    look(&p, &r, FILL "emitters: [ { shape: { sphere: { center: [5, 5, 5], radius: 0.1 } } } ]");
    assert_true(found(&p, RHEO_WARNING, "emitters[0].shape", "outside the domain"));
    look(&p, &r,
         FILL "emitters: [ { shape: { sphere: { center: [0.5, 0.8, 0.5], radius: 0.05 } } } ]\n"
              "solids: [ { shape: { sphere: { center: [0.5, 0.8, 0.5], radius: 0.2 } } } ]");
    assert_true(found(&p, RHEO_WARNING, "emitters[0].shape", "inside solids"));
    look(&p, &r, "fluids: [ { material: honey, fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } ] } ]");
    assert_true(found(&p, RHEO_NOTE, "solver.viscosity", "solved as 'full'"));
    look(&p, &r,
         "domain: { slip: no }\nsolver: { viscosity: none }\nfluids: [ { material: honey, fill: [ { box: { "
         "min: "
         "[0, 0, 0], max: [1, 0.5, 1] } } ] } ]");
    assert_true(found(&p, RHEO_WARNING, "domain.slip", "no effect"));
    look(&p, &r,
         "solver: { separation: true }\nfluids: [ { material: honey, fill: [ { box: { min: [0, 0, 0], max: "
         "[1, "
         "0.5, 1] } } ] } ]");
    assert_true(found(&p, RHEO_WARNING, "solver.viscosity", "separation"));
    look(&p, &r,
         "domain: { cells: 32 }\nsolver: { viscosity: tree, levels: 3 }\nfluids: [ { material: honey, fill: "
         "[ { "
         "box: { min: [0, 0, 0], max: [1, 0.9, 1] } } ] } ]\n"
         "solids: [ { shape: { sphere: { center: [0.5, 0.5, 0.5], radius: 0.1 } } } ]\n");
    assert_true(found(&p, RHEO_NOTE, "solver.viscosity", "on cells of 1 to 4"));
    look(&p, &r,
         "solver: { method: mac }\nfluids: [ { material: honey, fill: [ { box: { min: [0, 0, 0], max: [1, "
         "0.5, 1] } } ] } ]");
    assert_int_equal(p.count, 0);
}

/* What is allowed and surely not meant. */
static void slips_are_found(void **state) {
    (void)state;
    static const char box[] = "fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } ]";
    char text[400];
    rheo_preflight p;
    rheo_report r;
    look(&p, &r, FILL "solids: [ { shape: { sphere: { center: [3, 0.5, 0.5], radius: 0.1 } } } ]");
    assert_true(found(&p, RHEO_WARNING, "solids[0].shape", "outside the domain"));
    look(&p, &r,
         FILL "solids: [ { name: away, shape: { sphere: { center: [3, 0.5, 0.5], radius: 0.1 } },\n"
              "            position: { keys: [[0, [3, 0.5, 0.5]], [1, [4, 0.5, 0.5]]] } },\n"
              " { name: visitor, shape: { sphere: { center: [3, 0.5, 0.5], radius: 0.1 } },\n"
              "   position: { keys: [[0, [3, 0.5, 0.5]], [1, [0.5, 0.5, 0.5]], [2, [3, 0.5, 0.5]]] } } ]");
    assert_true(found(&p, RHEO_WARNING, "solids[0].shape", "stays outside the domain"));
    assert_false(found(&p, RHEO_WARNING, "solids[1].shape", "outside"));
    look(&p, &r,
         FILL "probes: [ { name: a, from: [0.5, 2, 0.5], of: [phi] },\n"
              " { name: b, from: [0.5, 0.5, 0.5], to: [0.5, 2, 0.5], of: [phi] },\n"
              " { name: c, from: [0, 0, 0], to: [1, 1, 1], of: [phi] } ]");
    assert_true(found(&p, RHEO_WARNING, "probes[0]", "outside the domain"));
    assert_true(found(&p, RHEO_NOTE, "probes[1]", "part of the probe"));
    assert_false(found(&p, RHEO_WARNING, "probes[2]", "") || found(&p, RHEO_NOTE, "probes[2]", ""));
    snprintf(text, sizeof text, "fluids: [ { material: smoke, %s } ]", box);
    look(&p, &r, text);
    assert_true(found(&p, RHEO_WARNING, "fluids[0]", "is a gas"));
    snprintf(text, sizeof text, "solver: { method: smoke }\nfluids: [ { material: water, %s } ]", box);
    look(&p, &r, text);
    assert_true(found(&p, RHEO_WARNING, "fluids[0]", "is a liquid"));
    snprintf(text, sizeof text, "solver: { method: smoke }\nfluids: [ { %s } ]", box);
    look(&p, &r, text);
    assert_false(found(&p, RHEO_WARNING, "fluids[0]", "is a liquid"));
    look(
        &p, &r,
        FILL
        "solids: [ { name: a, motion: dynamic, shape: { sphere: { center: [0.5, 0.7, 0.5], radius: 0.1 } } } "
        "]\n"
        "joints: [ { type: hinge, a: a }, { type: ball, a: a, anchor: [0, 0, 0] },\n"
        " { type: slider, a: a, axis: [0, 1, 0] } ]");
    assert_true(found(&p, RHEO_WARNING, "joints[0]", "no anchor"));
    assert_true(found(&p, RHEO_WARNING, "joints[0]", "no axis"));
    assert_false(found(&p, RHEO_WARNING, "joints[1]", "") || found(&p, RHEO_WARNING, "joints[2]", ""));
}

/* What has no end is nowhere outside, and what flies through between two frames (1/30 s) was inside. */
static void keyed_solids_are_outside_all_the_time(void **state) {
    (void)state;
    static const struct {
        const char *shape, *position;
        bool outside;
    } item[] = {
        {"plane: { point: [0.5, 0.5, 0.5], normal: [0, 1, 0] }", "[[0, [0.5, -3, 0.5]], [1, [0.5, -2, 0.5]]]",
         false},
        {"union: [ { plane: { point: [0.5, 0.1, 0.5], normal: [0, 1, 0] } }, { sphere: { center: [0.5, 0.1, "
         "0.5], radius: 0.1 } } ]",
         "[[0, [0.5, 3, 0.5]], [1, [0.5, 4, 0.5]]]", false},
        {"sphere: { center: [3, 0.5, 0.5], radius: 0.1 }", "[[0, [3, 0.5, 0.5]], [0.01, [-3, 0.5, 0.5]]]",
         false},
        {"sphere: { center: [3, 0.5, 0.5], radius: 0.1 }",
         "[[0, [3, 0.5, 0.5]], [0.005, [1, 0.5, 0.5]], [0.01, [3, 0.5, 0.5]]]", false},
        {"sphere: { center: [3, 0.5, 0.5], radius: 0.1 }", "[[0, [3, 0.5, 0.5]], [0.01, [3, -3, 0.5]]]",
         true},
        {"sphere: { center: [3, 0.5, 0.5], radius: 0.1 }", "[[0, [3, 0.5, 0.5]], [90, [0.5, 0.5, 0.5]]]",
         true},
    };
    for (size_t i = 0; i < sizeof item / sizeof *item; ++i) {
        char text[600];
        rheo_preflight p;
        rheo_report r;
        snprintf(text, sizeof text, FILL "solids: [ { shape: { %s }, position: { keys: %s } } ]",
                 item[i].shape, item[i].position);
        look(&p, &r, text);
        if (found(&p, RHEO_WARNING, "solids[0].shape", "stays outside") != item[i].outside)
            fail_msg("%s at %s", item[i].shape, item[i].position);
    }
}

#define KEYED(keys)                                                                                          \
    FILL "solids: [ { shape: { box: { min: [0.4, 0.6, 0.4], max: [0.6, 0.8, 0.6] } }, " keys " } ]\n"

/* 0.4 m in 0.1 ms at 32 cells and cfl 3: 3 / 32 / 4000 s a step. */
static void leaps_are_warned_of(void **state) {
    (void)state;
    rheo_preflight p;
    rheo_report r;
    look(&p, &r,
         "domain: { cells: 32 }\n" KEYED(
             "position: { keys: [[0, [0.5, 0.7, 0.5]], [1, [0.5, 0.7, 0.5]], [1.0001, [0.9, 0.7, 0.5]]] }"));
    assert_true(found(&p, RHEO_WARNING, "solids[0].position.keys[2]", "leaps 0.4 m in 0.0001 s (4000 m/s)"));
    assert_true(
        found(&p, RHEO_WARNING, "solids[0].position.keys[2]", "steps of at most 2.3e-05 s, 1423 in a frame"));
    assert_int_equal(p.findings[p.count - 1].report.line, 3);
    assert_true(p.steps > 1400 && p.steps < 2400); /* one frame of the 120 has so many */
    look(&p, &r,
         KEYED("position: { keys: [[0, [0.5, 0.7, 0.5]], [1, [40, 0.7, 0.5]]] }")); /* out in a frame */
    assert_true(found(&p, RHEO_WARNING, "solids[0].position.keys[1]", "leaps"));
    look(&p, &r, KEYED("rotation: { axis: [0, 1, 0], degrees: { keys: [[0, 0], [0.01, 72000]] } }"));
    assert_true(found(&p, RHEO_WARNING, "solids[0].rotation.degrees.keys[1]", "leaps"));
    look(&p, &r,
         KEYED("position: { keys: [[0, [0.5, 0.7, 0.5]], [5, [9, 0.7, 0.5]]] }")); /* slowly, however far */
    assert_false(found(&p, RHEO_WARNING, "solids[0].position.keys[1]", ""));
    look(&p, &r,
         KEYED("position: { keys: [[90, [0.5, 0.7, 0.5]], [90.0001, [9, 0.7, 0.5]]] }")); /* after the end */
    assert_false(found(&p, RHEO_WARNING, "solids[0].position.keys[1]", ""));
}

static void absurd_numbers_are_warned_of(void **state) {
    (void)state;
    rheo_preflight p;
    rheo_report r;
    look(&p, &r, FILL "gravity: [0, -981, 0]\n");
    assert_true(found(&p, RHEO_WARNING, "gravity", "100 times the earth's: steps of at most 0.002 s"));
    look(&p, &r, FILL "gravity: { keys: [[0, [0, 0, 0]], [1, [0, -5000, 0]]] }\n");
    assert_true(found(&p, RHEO_WARNING, "gravity.keys[1]", "5000 m/s2"));
    look(&p, &r,
         "solver: { method: mac }\nfluids: [ { viscosity: 1e5, fill: [ { box: { min: [0, 0, 0], max: [1, "
         "0.5, 1] } } ] } ]\n");
    assert_true(found(&p, RHEO_WARNING, "fluids[0].viscosity", "a viscosity of 100000 Pa s"));
    look(&p, &r,
         "solver: { method: mac }\nfluids: [ { material: oil, fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, "
         "1] } } ] } ]\n");
    assert_false(found(&p, RHEO_WARNING, "fluids[0].viscosity", ""));
    look(&p, &r,
         FILL "emitters: [ { shape: { sphere: { center: [0.5, 0.8, 0.5], radius: 0.1 } }, velocity: [0, "
              "-3000, 0] } ]\n");
    assert_true(found(&p, RHEO_WARNING, "emitters[0].velocity", "3000 m/s"));
    look(&p, &r,
         FILL "solids: [ { shape: { sphere: { center: [0.5, 0.8, 0.5], radius: 0.1 } }, motion: dynamic, "
              "spin: [0, 0, 9e4] } ]\n");
    assert_true(found(&p, RHEO_WARNING, "solids[0].spin", "the body starts at"));
    look(&p, &r, FILL);
    assert_int_equal(p.count, 0);
}

#define PLATE(width)                                                                                         \
    "{ shape: { box: { min: [0.498, 0.6, 0.4], max: [" width                                                 \
    ", 0.8, 0.6] } }, position: { keys: [[0, [0.5, "                                                         \
    "0.7, 0.5]], [5, [0.6, 0.7, 0.5]]] } }"

static void thin_solids_that_move_take_longer(void **state) {
    (void)state;
    rheo_preflight thick, thin, many;
    rheo_report r;
    look(&thick, &r, FILL "domain: { cells: 64 }\nsolids: [" PLATE("0.6") "]\n");
    look(&thin, &r, FILL "domain: { cells: 64 }\nsolids: [" PLATE("0.502") "]\n");
    look(&many, &r,
         FILL "domain: { cells: 64 }\nsolids: [" PLATE("0.502") "," PLATE("0.503") "," PLATE("0.504") "]\n");
    check_near(thin.steps, thick.steps, 1e-9);
    check_near(many.steps, thick.steps, 1e-9);
    assert_true(thin.seconds > thick.seconds && many.seconds > thin.seconds);
}

/* Unions and what is cut out of them are asked part by part. */
static void thin_solids_of_many_parts_take_longer(void **state) {
    (void)state;
    rheo_preflight plain, parts;
    rheo_report r;
    look(&plain, &r, FILL "solids: [" PLATE("0.502") "]\n");
    look(&parts, &r,
         FILL
         "solids: [ { shape: { union: [ { box: { min: [0.498, 0.6, 0.4], max: [0.502, 0.8, 0.6] } }, { box: "
         "{ min: [0.498, 0.65, 0.45], max: [0.502, 0.75, 0.55] } }, { box: { min: [0.498, 0.7, 0.5], max: "
         "[0.502, 0.75, 0.55] } } ] }, position: { keys: [[0, [0.5, 0.7, 0.5]], [5, [0.6, 0.7, 0.5]]] } } "
         "]\n");
    check_near(plain.steps, parts.steps, 1e-9);
    assert_true(parts.seconds > plain.seconds);
}

/* Of a plate only what lies in the domain costs time, however far it goes on and however it is turned. */
static void thin_solids_count_within_the_domain(void **state) {
    (void)state;
    static const char *const place[] = {
        "min: [0, 0.748, 0], max: [1, 0.752, 1] } }, position: { keys: [[0, [0.5, 0.75, 0.5]], [5, [0.5, "
        "0.7, "
        "0.5]]] }",
        "min: [-4.5, 0.748, -4.5], max: [5.5, 0.752, 5.5] } }, position: { keys: [[0, [0.5, 0.75, 0.5]], [5, "
        "[0.5, 0.7, 0.5]]] }",
        "min: [-4.5, 0.748, -4.5], max: [5.5, 0.752, 5.5] } }, rotation: { axis: [0, 0, 1], degrees: { keys: "
        "[[0, 90], [5, 90.1]] } }",
    };
    double seconds[3];
    for (int i = 0; i < 3; ++i) {
        char text[500];
        rheo_preflight p;
        rheo_report r;
        snprintf(text, sizeof text, FILL "domain: { cells: 64 }\nsolids: [ { shape: { box: { %s } ]",
                 place[i]);
        look(&p, &r, text);
        seconds[i] = p.seconds / p.steps;
    }
    check_near(seconds[1] / seconds[0], 1, 0.1);
    check_near(seconds[2] / seconds[0], 1, 0.1);
}

static void hopeless_scenes_are_refused(void **state) {
    (void)state;
    rheo_preflight p;
    rheo_report r;
    assert_int_equal(look(&p, &r, "fluids: [ { name: water } ]"), RHEO_INVALID);
    assert_non_null(strstr(r.message, "no fluid at all"));
    assert_int_equal(look(&p, &r, "fluids: [ { fill: [ { box: { min: [0, -2, 0], max: [1, -1, 1] } } ] } ]"),
                     RHEO_INVALID);
    assert_int_equal(
        look(&p, &r,
             FILL "solids: [ { shape: { sphere: { center: [9, 9, 9], radius: 1 } }, inside: fluid } ]"),
        RHEO_INVALID);
    assert_non_null(strstr(r.message, "entirely inside solids"));
    assert_int_equal(r.line, 1);
    assert_int_equal(look(&p, &r, FILL "domain: { cells: 4096 }\n"), RHEO_INVALID);
    assert_non_null(strstr(r.message, "TB of memory"));
    assert_true(p.memory > 1e12);
}

static void estimates_grow_as_they_should(void **state) {
    (void)state;
    rheo_preflight a, b;
    rheo_report r;
    look(&a, &r, FILL "domain: { cells: 64 }\n");
    look(&b, &r, FILL "domain: { cells: 128 }\n");
    check_near(b.particles / a.particles, 8, 1e-6);
    assert_true(b.memory > 5 * a.memory && b.memory < 8 * a.memory);
    assert_true(b.seconds > 8 * a.seconds && b.disk > 3 * a.disk);
    assert_true(a.memory_available > 0 && a.disk_available > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volumes_are_near_the_exact_ones),
        cmocka_unit_test(what_tears_is_noted),
        cmocka_unit_test(warnings_are_found),
        cmocka_unit_test(slips_are_found),
        cmocka_unit_test(keyed_solids_are_outside_all_the_time),
        cmocka_unit_test(fills_are_compared_with_the_grid),
        cmocka_unit_test(common_losses_are_notes),
        cmocka_unit_test(leaps_are_warned_of),
        cmocka_unit_test(absurd_numbers_are_warned_of),
        cmocka_unit_test(thin_solids_that_move_take_longer),
        cmocka_unit_test(thin_solids_of_many_parts_take_longer),
        cmocka_unit_test(thin_solids_count_within_the_domain),
        cmocka_unit_test(hopeless_scenes_are_refused),
        cmocka_unit_test(estimates_grow_as_they_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

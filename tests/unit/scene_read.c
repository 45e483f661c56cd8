/* Reading scenes: every key of the contract lands where it belongs, with its default; names, places and
 * copies. */
#include "check.h"

#include <unistd.h>
#include <rheo/rheo.h>
#include "scene/params.h"
#include "scene/scene_internal.h"

static rheo_scene *read_text(const char *text) {
    rheo_scene *scene = NULL;
    rheo_report report = {0};
    if (scene_parse_text(&scene, text, strlen(text), "t.yaml", ".", NULL, 0, &report) != RHEO_OK) {
        char words[2048];
        rheo_print_report(words, sizeof words, &report);
        fail_msg("%s", words);
    }
    return scene;
}

static rheo_status read_bad(rheo_report *report, const char *text, const char *set) {
    rheo_scene *scene = NULL;
    *report = (rheo_report){0};
    rheo_status status =
        scene_parse_text(&scene, text, strlen(text), "t.yaml", ".", set ? &set : NULL, set ? 1 : 0, report);
    rheo_free_scene(scene);
    return status;
}

static const char contract[] =
    "title: Ball in a tank\n"
    "domain: { size: [1, 2, 3], cells: 48, walls: { top: open, x: closed }, slip: no }\n"
    "time:   { frames: 120, fps: 25, cfl: 2, dt_max: 0.01 }\n"
    "gravity: { keys: [[0, [0, -9.81, 0]], [2, [1, 0, 0]]] }\n"
    "solver: { method: apic, pressure: mic, tolerance: 1e-5, max_iterations: 77, pic_blend: 0.2, seed: 5,\n"
    "          volume_correction: false }\n"
    "fluids:\n"
    "  - name: water\n"
    "    material: honey\n"
    "    density: 1100\n"
    "    fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } ]\n"
    "    velocity: [1, 2, 3]\n"
    "emitters:\n"
    "  - { fluid: water, shape: { sphere: { center: [0.5, 0.9, 0.5], radius: 0.05 } }, velocity: [0, -2, "
    "0],\n"
    "      during: [0, 1] }\n"
    "solids:\n"
    "  - name: ball\n"
    "    shape: { capsule: { from: [0.5, 0.8, 0.5], to: [0.5, 1, 0.5], radius: 0.1 }, scale: 2,\n"
    "             rotate: { axis: [1, 0, 0], degrees: 30 }, move: [0, 0.1, 0] }\n"
    "    position: { keys: [[0, [0, 0, 0]], [1, [1, 0, 0]]] }\n"
    "    rotation: { axis: [0, 1, 0], degrees: { keys: [[0, 0], [1, 90]] } }\n"
    "  - shape: { difference: [ { sphere: { center: [0.5, 0.5, 0.5], radius: 0.4 } },\n"
    "                           { torus: { center: [0.5, 0.5, 0.5], axis: [0, 0, 1], radius: 0.3, tube: 0.1 "
    "} } ] }\n"
    "    inside: fluid\n"
    "heat: { ambient: 15 }\n"
    "probes:\n"
    "  - { name: middle, from: [0.5, 0, 0.5], to: [0.5, 1, 0.5], samples: 32, of: [velocity, pressure] }\n"
    "  - { name: point, from: [0.5, 0, 0.5], of: [phi] }\n"
    "output: { mesh: false, particles: true, checkpoint_every: 3, surface: average }\n"
    "camera: { eye: [2, 1.5, 2], target: [0.5, 0.4, 0.5], fov: 40 }\n";

static void contract_lands_in_the_struct(void **state) {
    (void)state;
    rheo_scene *s = read_text(contract);
    assert_string_equal(s->title, "Ball in a tank");
    assert_int_equal(s->dim, 3);
    assert_int_equal(s->cells, 48);
    check_near(s->size[2], 3, 0);
    assert_int_equal(s->wall[RHEO_TOP], RHEO_WALL_OPEN);
    assert_int_equal(s->wall[RHEO_LEFT], RHEO_WALL_CLOSED);
    assert_true(s->slip == 0);
    assert_int_equal(s->frames, 120);
    check_near(s->fps, 25, 0);
    check_near(s->cfl, 2, 0);
    check_near(s->ambient, 15, 0);
    check_near(s->dt_max, 0.01, 0);
    assert_int_equal(s->gravity.count, 2);
    check_near(s->gravity.values[3], 1, 0);
    assert_int_equal(s->method, RHEO_APIC);
    assert_int_equal(s->pressure, RHEO_MIC);
    check_near(s->tolerance, 1e-5, 0);
    assert_int_equal(s->max_iterations, 77);
    check_near(s->pic_blend, 0.2, 0);
    assert_int_equal(s->seed, 5);
    assert_false(s->volume_correction);
    assert_int_equal(s->fluid_count, 1);
    check_near(s->fluids[0].density, 1100, 0); /* overrides honey's */
    check_near(s->fluids[0].viscosity, 10, 0); /* honey's */
    assert_int_equal(s->fluids[0].fill_count, 1);
    check_near(s->fluids[0].fill[0].b[1], 0.5, 0);
    check_near(s->fluids[0].velocity[2], 3, 0);
    assert_int_equal(s->emitters[0].fluid, 0);
    check_near(s->emitters[0].velocity.values[1], -2, 0);
    check_near(s->emitters[0].during[1], 1, 0);
    rheo_free_scene(s);
}

static void fills_that_appear_and_looks_land(void **state) {
    (void)state;
    rheo_scene *s = read_text(
        "fluids:\n"
        "  - material: chocolate\n"
        "    fill:\n"
        "      - box: { min: [0, 0, 0], max: [1, 0.1, 1] }\n"
        "      - { sphere: { center: [0.5, 0.5, 0.5], radius: 0.1 }, at: 1.5, move: [0, 0.2, 0] }\n"
        "  - { name: clear, material: chocolate, look: clear }\n"
        "solids:\n"
        "  - { shape: { sphere: { center: [0.5, 0.5, 0.5], radius: 0.4 } }, inside: fluid, look: hidden }\n");
    check_near(s->fluids[0].fill[0].at, 0, 0);
    check_near(s->fluids[0].fill[1].at, 1.5, 0);
    check_near(s->fluids[0].fill[1].move[1], 0.2, 0);
    assert_int_equal(s->fluids[0].look, RHEO_FLUID_AUTO);
    assert_int_equal(s->fluids[1].look, RHEO_FLUID_CLEAR);
    assert_int_equal(s->solids[0].look, RHEO_LOOK_HIDDEN);
    for (const rheo_material *m = rheo_list_materials(); m->name; ++m)
        assert_int_not_equal(m->look, RHEO_FLUID_AUTO);
    rheo_free_scene(s);
}

static void solids_probes_and_output_land(void **state) {
    (void)state;
    rheo_scene *s = read_text(contract);
    const rheo_solid *ball = &s->solids[0], *shell = &s->solids[1];
    assert_int_equal(ball->motion, RHEO_KEYED); /* implied by its keys */
    check_near(ball->rotation_axis[1], 1, 0);
    check_near(ball->rotation_degrees.values[1], 90, 0);
    assert_int_equal(ball->shape.kind, RHEO_SHAPE_CAPSULE);
    check_near(ball->shape.scale[2], 2, 0);
    check_near(ball->shape.rotate_degrees, 30, 0);
    check_near(ball->shape.move[1], 0.1, 0);
    assert_int_equal(shell->motion, RHEO_STATIC);
    assert_true(shell->inside_fluid);
    assert_int_equal(shell->shape.child_count, 2);
    check_near(shell->shape.children[1].tube, 0.1, 0);
    check_near(shell->shape.children[1].scale[0], 1, 0);
    assert_int_equal(s->probes[0].samples, 32);
    assert_int_equal(s->probes[0].of, RHEO_OF_VELOCITY | RHEO_OF_PRESSURE);
    assert_int_equal(s->probes[1].samples, 1);
    check_near(s->probes[1].to[0], 0.5, 0);
    assert_false(s->output_mesh);
    assert_true(s->output_particles);
    assert_int_equal(s->checkpoint_every, 3);
    assert_int_equal(s->surface, RHEO_SURFACE_AVERAGE);
    check_near(s->camera_eye.values[1], 1.5, 0);
    check_near(s->camera_fov.values[0], 40, 0);
    rheo_free_scene(s);
}

/* The struct of defaults, and a file that says nothing, agree with what the table and the reference promise.
 */
static void defaults_are_those_of_the_table(void **state) {
    (void)state;
    rheo_scene d = rheo_default_scene();
    assert_int_equal(d.dim, 3);
    assert_int_equal(d.cells, 64);
    assert_int_equal(d.frames, 120);
    check_near(d.fps, 30, 0);
    check_near(d.cfl, 3, 0);
    check_near(d.tolerance, 1e-6, 0);
    assert_true(d.output_mesh && d.volume_correction && !d.output_particles && d.slip == RHEO_SLIP_AUTO);
    assert_int_equal(d.method, RHEO_FLIP);
    check_near(d.gravity.values[1], -9.81, 0);
    check_near(d.camera_fov.values[0], 35, 0);
    rheo_scene *s = read_text("fluids: [ { fill: [ { box: { min: [0, 0, 0], max: [1, 1, 1] } } ] } ]");
    assert_int_equal(s->cells, d.cells);
    check_near(s->gravity.values[1], -9.81, 0);
    assert_string_equal(s->fluids[0].name, "water");
    check_near(s->fluids[0].density, 998, 0);
    rheo_free_scene(s);
    rheo_shape shape = rheo_default_shape(RHEO_SHAPE_MESH);
    check_near(shape.scale[1] * shape.file_scale, 1, 0);
}

/* A scene filled by hand needs no more than the default functions and the shapes. */
static void hand_made_scene_validates(void **state) {
    (void)state;
    rheo_scene scene = rheo_default_scene();
    rheo_shape box = rheo_default_shape(RHEO_SHAPE_BOX);
    rheo_fluid water = rheo_default_fluid();
    rheo_report report = {0};
    box.b[0] = box.b[1] = box.b[2] = 0.5;
    water.fill = &box;
    water.fill_count = 1;
    scene.fluids = &water;
    assert_int_equal(rheo_validate_scene(&scene, &report), RHEO_INVALID); /* no fluid yet */
    scene.fluid_count = 1;
    assert_int_equal(rheo_validate_scene(&scene, &report), RHEO_OK);
    scene.fps = NAN;
    assert_int_equal(rheo_validate_scene(&scene, &report), RHEO_INVALID);
    assert_string_equal(report.path, "time.fps");
}

#define FILL "fluids: [ { fill: [ { box: { min: [0, 0, 0], max: [1, 1, 1] } } ] } ]\n"

static void sets_replace_and_add(void **state) {
    (void)state;
    static const char *const sets[] = {
        "domain.cells=32",
        "fluids[0].density=900",
        "solver.method=apic",
        "gravity={ keys: [[0, [0, 0, 0]], [1, [0, -1, 0]]] }",
        "solids[0]={ name: ball, shape: { sphere: { center: [0, 0, 0], radius: 1 } } }",
        "title=\"a, b: [c]\""};
    rheo_scene *s = NULL, *again = NULL;
    rheo_report report = {0};
    assert_int_equal(scene_parse_text(&s, FILL, strlen(FILL), "t.yaml", ".", sets, 6, &report), RHEO_OK);
    assert_int_equal(s->cells, 32);
    check_near(s->fluids[0].density, 900, 0);
    assert_int_equal(s->method, RHEO_APIC);
    assert_int_equal(s->gravity.count, 2);
    assert_string_equal(s->solids[0].name, "ball");
    /* the copy for the cache says the same without the sets */
    assert_int_equal(scene_parse_text(&again, s->source, strlen(s->source), "copy", ".", NULL, 0, &report),
                     RHEO_OK);
    assert_int_equal(again->cells, 32);
    assert_int_equal(again->method, RHEO_APIC);
    assert_string_equal(again->title, "a, b: [c]");
    assert_string_equal(again->solids[0].name, "ball");
    rheo_free_scene(again);
    rheo_free_scene(s);
}

static void places_are_those_of_the_file(void **state) {
    (void)state;
    rheo_report r;
    assert_int_equal(read_bad(&r, FILL "domain: { cels: 3 }\n", NULL), RHEO_INVALID);
    assert_string_equal(r.file, "t.yaml");
    assert_int_equal(r.line, 2);
    assert_int_equal(r.column, 11);
    assert_string_equal(r.path, "domain.cels");
    assert_string_equal(r.nearest, "cells");
    assert_int_equal(read_bad(&r, FILL "domain:\n  cells: 1\n", NULL), RHEO_INVALID);
    assert_int_equal(r.line, 3); /* found by validation, placed by the tree */
    assert_int_equal(r.column, 10);
    assert_int_equal(read_bad(&r, FILL, "domain.cells=1"), RHEO_INVALID);
    assert_string_equal(r.file, "--set domain.cells=1");
    assert_int_equal(r.line, 0);
    assert_int_equal(read_bad(&r, FILL, "cells"), RHEO_USAGE);
    assert_int_equal(read_bad(&r, FILL, "title.x=1"), RHEO_INVALID);
}

static void plane_scenes_take_two_components(void **state) {
    (void)state;
    rheo_scene *s =
        read_text("domain: { dim: 2, size: [2, 1] }\ngravity: [0, -1]\n"
                  "fluids: [ { fill: [ { box: { min: [0, 0], max: [1, 1] } } ], velocity: [1, 0] } ]\n");
    assert_int_equal(s->dim, 2);
    check_near(s->size[0], 2, 0);
    check_near(s->gravity.values[1], -1, 0);
    check_near(s->gravity.values[2], 0, 0);
    rheo_free_scene(s);
}

static void rotations_can_be_written_three_ways(void **state) {
    (void)state;
    static const char *const ways[] = {"{ axis: [0, 0, 1], degrees: { keys: [[0, 0], [1, 90]] } }",
                                       "{ axis: [0, 0, 1], keys: [[0, 0], [1, 90]] }",
                                       "{ keys: [[0, 0], [1, 90]] }"};
    for (int i = 0; i < 3; ++i) {
        char text[400];
        snprintf(text, sizeof text,
                 FILL "solids: [ { shape: { sphere: { center: [2, 2, 2], radius: 1 } }, rotation: %s } ]",
                 ways[i]);
        rheo_scene *s = read_text(text);
        assert_int_equal(s->solids[0].rotation_degrees.count, 2);
        check_near(s->solids[0].rotation_axis[2], 1, 0);
        rheo_free_scene(s);
    }
}

static void builtin_scenes_load_and_have_no_findings(void **state) {
    (void)state;
    static const char *const wanted[] = {"dam-break",     "double-dam",  "drop-in-pool", "fountain",
                                         "tilted-tank",   "moving-wall", "bucket",       "box-in-channel",
                                         "vortex-in-box", "sph-dam",     "sph-drop",     "boat-in-a-tub"};
    for (int i = 0; i < 12; ++i) {
        rheo_scene *s = NULL;
        rheo_report report = {0};
        rheo_preflight p;
        assert_int_equal(rheo_load_scene(&s, wanted[i], NULL, 0, &report), RHEO_OK);
        assert_int_equal(rheo_check_scene(&p, s, NULL, &report), RHEO_OK);
        for (int k = 0; k < p.count; ++k)
            if (p.findings[k].severity != RHEO_NOTE)
                fail_msg("%s: %s", wanted[i], p.findings[k].report.message);
        rheo_free_scene(s);
    }
}

static void materials_are_those_of_the_design(void **state) {
    (void)state;
    static const char *const wanted[] = {"water", "oil",        "honey",    "syrup",     "paraffin wax",
                                         "lava",  "toothpaste", "wet sand", "chocolate", "egg white",
                                         "yolk",  "slime",      "dough",    "gelatin",   "smoke"};
    const rheo_material *m = rheo_list_materials();
    for (int i = 0; i < 15; ++i, ++m) {
        assert_string_equal(m->name, wanted[i]);
        assert_true(m->density > 0 && m->viscosity > 0 && m->conductivity > 0 && m->heat_capacity > 0 &&
                    m->help[0]);
    }
    assert_null(m->name);
}

/* Each row of the table can be written, is described, and has a default that its own range allows. */
static void table_rows_are_sound(void **state) {
    (void)state;
    for (int i = 0; i < scene_param_count; ++i) {
        const param *p = &scene_params[i];
        char allowed[400];
        param_allowed(allowed, sizeof allowed, p);
        assert_true(allowed[0] && p->help[0]);
        for (int k = 0; k < i; ++k)
            if (scene_params[k].in == p->in && !strcmp(scene_params[k].name, p->name))
                fail_msg("%s twice", p->name);
        if ((p->type == P_INT || p->type == P_REAL) && p->standard[0]) {
            double standard = strtod(p->standard, NULL);
            assert_true(standard >= p->low && standard <= p->high);
        }
    }
}

/* Each material has its row in the documentation, with the same numbers, and lies in the span given there. */
static void materials_are_documented(void **state) {
    (void)state;
    for (const rheo_material *m = rheo_list_materials(); m->name; ++m) {
        char line[512], name[64];
        double density, low, high, viscosity;
        bool seen = false;
        FILE *f = fopen(RHEO_SOURCE_DIR "/docs/materials.md", "r");
        assert_non_null(f);
        while (!seen && fgets(line, sizeof line, f)) {
            if (sscanf(line, "| %63[^|]| %lf |", name, &density) != 2) continue;
            name[strcspn(name, "|") - 1] = '\0'; /* the blank before the bar */
            if (strcmp(name, m->name)) continue;
            seen = true;
            const int read =
                sscanf(line, "| %*[^|]| %*f | %lf to %lf | %lf |", &low, &high, &viscosity) == 3 ||
                (sscanf(line, "| %*[^|]| %*f | %lf | %lf |", &low, &viscosity) == 2 && (high = low) > 0);
            assert_true(read);
            check_near(density, m->density, 1e-9);
            check_near(viscosity, m->viscosity, 1e-9);
            assert_true(m->density >= 0.999 * low && m->density <= 1.001 * high);
        }
        fclose(f);
        if (!seen) fail_msg("docs/materials.md has no row '%s'", m->name);
    }
}

/* What this version refuses is neither listed nor suggested to somebody who mistyped. */
static void later_methods_are_not_suggested(void **state) {
    (void)state;
    int refused = 0;
    for (int i = 0; method_names[i]; ++i) {
        char text[256];
        rheo_report report;
        snprintf(text, sizeof text, "solver: { method: %s }\nfluids: [ { fill: [] } ]\n", method_names[i]);
        read_bad(&report, text, NULL);
        if (!strstr(report.message, "not in this version")) continue;
        ++refused;
        snprintf(text, sizeof text, "solver: { method: %sx }\nfluids: [ { fill: [] } ]\n", method_names[i]);
        assert_int_equal(read_bad(&report, text, NULL), RHEO_INVALID);
        assert_non_null(strstr(report.message, "not known"));
        assert_null(strstr(report.allowed, method_names[i]));
        assert_string_not_equal(report.nearest, method_names[i]);
    }
    assert_true(refused > 0);
}

static void reference_is_up_to_date(void **state) {
    (void)state;
    int length = rheo_describe_scene_format(NULL, 0, true);
    char *text = malloc((size_t)length + 1), *file = calloc(1, (size_t)length + 2);
    rheo_describe_scene_format(text, length + 1, true);
    FILE *f = fopen(RHEO_SOURCE_DIR "/docs/scene-reference.md", "rb");
    assert_non_null(f);
    size_t got = fread(file, 1, (size_t)length + 1, f);
    fclose(f);
    if (got != (size_t)length || memcmp(file, text, got) != 0)
        fail_msg("docs/scene-reference.md is old: write it with `rheo help scene --markdown`");
    free(text);
    free(file);
}

static void write_to(const char *file, const char *text) {
    FILE *f = fopen(file, "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* The examples of the reference load, and the doctor finds nothing to warn of. */
static void examples_are_sound(void **state) {
    (void)state;
    static const char stone[] = "v -100 -150 -80\nv 100 -150 -80\nv 0 150 -80\nv 0 0 120\n"
                                "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    char directory[] = "/tmp/rheo-examples-XXXXXX", mesh[64], file[64];
    assert_non_null(mkdtemp(directory));
    snprintf(mesh, sizeof mesh, "%s/stone.obj", directory);
    snprintf(file, sizeof file, "%s/example.yaml", directory);
    write_to(mesh, stone);
    int count = 0;
    for (const scene_example *e = scene_examples; e->title; ++e, ++count) {
        rheo_scene *scene;
        rheo_report report = {0};
        rheo_preflight preflight;
        write_to(file, e->text);
        if (rheo_load_scene(&scene, file, NULL, 0, &report))
            fail_msg("%s: %d:%d: %s", e->title, report.line, report.column, report.message);
        if (rheo_check_scene(&preflight, scene, directory, &report))
            fail_msg("%s: %s", e->title, report.message);
        for (int i = 0; i < preflight.count; ++i)
            if (preflight.findings[i].severity != RHEO_NOTE)
                fail_msg("%s: %s", e->title, preflight.findings[i].report.message);
        rheo_free_scene(scene);
    }
    assert_true(count >= 7);
    remove(file);
    remove(mesh);
    rmdir(directory);
}

/* A scene from memory is that of the same file; its errors carry the name it was given. */
static void parsed_from_memory(void **state) {
    (void)state;
    static const char text[] = "domain: { cells: 12 }\n"
                               "fluids: [ { fill: [ { box: { min: [0, 0, 0], max: [1, 0.5, 1] } } ] } ]\n";
    rheo_scene *scene;
    rheo_report report = {0};
    assert_int_equal(rheo_parse_scene(&scene, text, strlen(text), "pool", &report), RHEO_OK);
    assert_int_equal(scene->cells, 12);
    assert_int_equal(scene->fluid_count, 1);
    rheo_free_scene(scene);
    assert_int_equal(rheo_parse_scene(&scene, "domain: { cels: 12 }\n", 21, "pool", &report), RHEO_INVALID);
    assert_null(scene);
    assert_string_equal(report.file, "pool");
    assert_int_equal(report.line, 1);
    assert_string_equal(report.nearest, "cells");
    assert_int_equal(rheo_parse_scene(&scene, NULL, 0, "pool", &report), RHEO_USAGE);
}

/* From a file's name to a simulation in one call; what fails in the making has its place in the file. */
static void opened_by_name(void **state) {
    (void)state;
    static const char pool[] = "domain: { dim: 2, size: [1, 1], cells: 8 }\n"
                               "fluids: [ { fill: [ { box: { min: [0, 0], max: [1, 0.5] } } ] } ]\n",
                      huge[] = "fluids: [ { fill: [ { box: { min: [0, 0, 0], max: [1, 1, 1] } } ] } ]\n"
                               "domain: { cells: 1300 }\n";
    char file[] = "/tmp/rheo-open-XXXXXX";
    rheo_report report = {0};
    rheo_frame_stats now;
    rheo_sim *sim;
    const int made = mkstemp(file);
    assert_true(made >= 0);
    close(made);
    write_to(file, pool);
    assert_int_equal(rheo_open_sim(&sim, file, &report), RHEO_OK);
    assert_int_equal(rheo_advance_frame(sim, NULL, &now, &report), RHEO_OK);
    assert_true(now.frame == 1 && now.particles == 4 * 8 * 4 && report.status == RHEO_OK);
    rheo_free_sim(sim);
    write_to(file, huge);
    assert_int_equal(rheo_open_sim(&sim, file, &report), RHEO_INVALID);
    assert_null(sim);
    assert_string_equal(report.file, file);
    assert_int_equal(report.line, 2);
    remove(file);
    assert_int_equal(rheo_open_sim(&sim, "dam-brake", &report), RHEO_INVALID);
    assert_null(sim);
    assert_string_equal(report.nearest, "dam-break");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opened_by_name),
        cmocka_unit_test(parsed_from_memory),
        cmocka_unit_test(contract_lands_in_the_struct),
        cmocka_unit_test(fills_that_appear_and_looks_land),
        cmocka_unit_test(solids_probes_and_output_land),
        cmocka_unit_test(defaults_are_those_of_the_table),
        cmocka_unit_test(hand_made_scene_validates),
        cmocka_unit_test(sets_replace_and_add),
        cmocka_unit_test(places_are_those_of_the_file),
        cmocka_unit_test(plane_scenes_take_two_components),
        cmocka_unit_test(rotations_can_be_written_three_ways),
        cmocka_unit_test(builtin_scenes_load_and_have_no_findings),
        cmocka_unit_test(materials_are_those_of_the_design),
        cmocka_unit_test(table_rows_are_sound),
        cmocka_unit_test(materials_are_documented),
        cmocka_unit_test(later_methods_are_not_suggested),
        cmocka_unit_test(reference_is_up_to_date),
        cmocka_unit_test(examples_are_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* When memory runs out, at whatever allocation of a simulation's start or of its steps, the call says so: no
 * crash, no step made with half of the contacts or without the thin walls. The linker puts the functions here
 * in the place of the library's. */
#include "check.h"
#include <rheo/rheo.h>
#include "scratch.h"

void *__real_mem_alloc(size_t bytes);
void *__real_mem_grow(void *block, size_t old_bytes, size_t new_bytes);
void *__wrap_mem_alloc(size_t bytes);
void *__wrap_mem_grow(void *block, size_t old_bytes, size_t new_bytes);

enum { FRAMES = 8 };
static int asked, refused_at; /* counted from 1; 0: none is refused */
static const void *refused;   /* who asked then is refused ever after: what it wants is too large */

static int is_refused(const void *who) {
    if (++asked == refused_at) refused = who;
    return who == refused;
}

void *__wrap_mem_alloc(size_t bytes) {
    return is_refused(__builtin_return_address(0)) ? NULL : __real_mem_alloc(bytes);
}

void *__wrap_mem_grow(void *block, size_t old_bytes, size_t new_bytes) {
    if (is_refused(__builtin_return_address(0))) return NULL;
    return __real_mem_grow(block, old_bytes, new_bytes);
}

/* Two bodies that fall onto the floor and each other beside a thin gate that comes down into water and turns:
 * contacts and cut cells begin in the steps. */
static const char text[] =
    "domain: { dim: 2, size: [1, 1], cells: 16 }\n"
    "time: { frames: 12, fps: 20 }\n"
    "fluids: [ { name: water, material: water, fill: [ { box: { min: [0, 0], max: [1, 0.3] } } ] } ]\n"
    "solids:\n"
    "  - { name: low, motion: dynamic, density: 3000, shape: { box: { min: [0.1, 0.05], max: [0.35, 0.2] } } "
    "}\n"
    "  - { name: high, motion: dynamic, density: 2000, shape: { sphere: { center: [0.25, 0.45], radius: 0.09 "
    "} } }\n"
    "  - name: gate\n"
    "    shape: { box: { min: [0.69, 1.3], max: [0.71, 2.1] } }\n"
    "    position: { keys: [[0, [0.7, 1.7]], [0.3, [0.7, 0.6]]] }\n"
    "    rotation: { axis: [0, 0, 1], degrees: { keys: [[0, 0], [0.4, 40]] } }\n";

static rheo_scene *load(void) {
    rheo_scene *scene;
    rheo_report report = {0};
    const char *path = in_directory("scene.yaml");
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    refused_at = 0;
    refused = NULL;
    if (rheo_load_scene(&scene, path, NULL, 0, &report)) fail_msg("%s", report.message);
    return scene;
}

typedef struct {
    rheo_status status;
    int asked;
    double volume, kinetic, potential;
} outcome;

/* Refuses allocation `at` of the start or, after it, of the steps. */
static outcome run(const rheo_scene *scene, int at, int after_start, rheo_report *report) {
    rheo_sim *sim;
    rheo_frame_stats stats = {0};
    asked = 0;
    refused = NULL;
    refused_at = after_start ? 0 : at;
    outcome out = {.status = rheo_create_sim(&sim, scene, 1, report)};
    assert_true((sim != NULL) == (out.status == RHEO_OK));
    out.asked = asked;
    asked = 0;
    refused_at = after_start ? at : 0;
    for (int i = 0; i < FRAMES && !out.status; ++i)
        out.status = rheo_advance_frame(sim, NULL, &stats, report);
    refused_at = 0;
    if (after_start) out.asked = asked;
    out.volume = stats.volume;
    out.kinetic = stats.kinetic;
    out.potential = stats.potential;
    rheo_free_sim(sim);
    return out;
}

/* Refuses the first allocation, then the second, ... until all are granted. Each time the call says so, or
 * has found another way to the same end. Returns how many it said of. */
static int refuse_each(int after_start) {
    rheo_scene *scene = load();
    rheo_report report = {0};
    const outcome whole = run(scene, 0, after_start, &report);
    assert_int_equal(whole.status, RHEO_OK);
    outcome out;
    int said = 0, at = 0;
    do {
        report = (rheo_report){0};
        out = run(scene, ++at, after_start, &report);
        const int same =
            out.volume == whole.volume && out.kinetic == whole.kinetic && out.potential == whole.potential;
        const int says = out.status == RHEO_INVALID && strstr(report.message, "out of memory") != NULL;
        if (!says && (out.status || !same))
            fail_msg("allocation %d refused: status %d, '%s'", at, out.status, report.message);
        said += says;
    } while (out.asked >= at);
    rheo_free_scene(scene);
    return said;
}

static void start_says_so(void **state) {
    (void)state;
    assert_true(refuse_each(0) > 80);
}

static void steps_say_so(void **state) {
    (void)state;
    assert_true(refuse_each(1) > 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(start_says_so), cmocka_unit_test(steps_say_so)};
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}

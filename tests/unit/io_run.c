#include "check.h"
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <rheo/cache.h>
#include "core/memory.h"
#include "io/cache.h"
#include "io/checkpoint.h"
#include "io/ply.h"

/* Runs that end, are interrupted, resumed, refused and damaged: what is in the cache afterwards. */

static char base[64];

static const char SCENE[] =
    "title: Small dam\n"
    "domain: { size: [1, 1, 1], cells: 12 }\n"
    "time: { frames: 6, fps: 24 }\n"
    "fluids: [ { name: water, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.6, 1] } } ] } ]\n"
    "solids:\n"
    "  - name: paddle\n"
    "    shape: { box: { min: [0.7, 0, 0.3], max: [0.85, 0.4, 0.7] } }\n"
    "    motion: keyed\n"
    "    position: { keys: [[0, [0.775, 0.2, 0.5]], [1, [0.4, 0.2, 0.5]]] }\n"
    "probes: [ { name: middle, from: [0.5, 0, 0.5], to: [0.5, 1, 0.5], samples: 3, "
    "of: [velocity, pressure] } ]\n"
    "output: { particles: true, checkpoint_every: 2 }\n";

/* A club that sinks and turns: its centre of mass is not its shape's centre. */
static const char SINKING[] =
    "domain: { size: [1, 1, 1], cells: 16 }\n"
    "time: { frames: 6, fps: 24 }\n"
    "fluids: [ { name: water, fill: [ { box: { min: [0, 0, 0], max: [1, 0.6, 1] } } ] } ]\n"
    "solids:\n"
    "  - name: club\n"
    "    shape: { union: [ { sphere: { center: [0.4, 0.75, 0.5], radius: 0.16 } },\n"
    "                      { capsule: { from: [0.4, 0.75, 0.5], to: [0.75, 0.75, 0.5], radius: 0.07 } } ] }\n"
    "    motion: dynamic\n"
    "    density: 5000\n"
    "    velocity: [0, -2, 0]\n"
    "    spin: [0, 0, 5]\n"
    "output: { particles: true, checkpoint_every: 0 }\n";

/* Wax that melts at its floor; no checkpoints: only particles tell how warm it is. */
static const char WARM[] = "domain: { size: [0.1, 0.1, 0.1], cells: 12 }\n"
                           "time: { frames: 3, fps: 10 }\n"
                           "fluids: [ { name: wax, density: 900, temperature: 20, conductivity: 0.25, "
                           "heat_capacity: 2900, viscosity: 1,\n"
                           "            latent_heat: 2e5, melting: [50, 56], fill: [ { box: { min: [0, 0, "
                           "0], max: [0.06, 0.05, 0.1] } } ] } ]\n"
                           "heat: { ambient: 20, speed: 4000, walls: { bottom: 90 } }\n"
                           "output: { particles: true, checkpoint_every: 0 }\n";

/* Two fluids, the second one first by name; no mesh. */
static const char TWO[] = "domain: { size: [1, 1, 1], cells: 12 }\n"
                          "time: { frames: 2, fps: 24 }\n"
                          "fluids:\n"
                          "  - { name: b, fill: [ { box: { min: [0, 0, 0], max: [0.4, 0.6, 1] } } ] }\n"
                          "  - { name: a, fill: [ { box: { min: [0.6, 0, 0], max: [1, 0.6, 1] } } ] }\n"
                          "output: { mesh: false, particles: true }\n";

static char *in_base(const char *name) {
    static char path[4][256];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", base, name);
    return path[next];
}

static void shell(const char *format, ...) {
    char command[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    assert_int_equal(system(command), 0);
}

/* In place of the C library's: what another run does in the moment before a directory is locked. */
static char before_lock[512];
int flock(int descriptor, int operation);
int flock(int descriptor, int operation) {
    if (before_lock[0]) {
        assert_int_equal(system(before_lock), 0);
        before_lock[0] = 0;
    }
    return (int)syscall(SYS_flock, descriptor, operation);
}

static rheo_scene *load(const char *set) {
    rheo_scene *scene;
    rheo_report report;
    if (rheo_load_scene(&scene, in_base("small.yaml"), &set, set ? 1 : 0, &report) != RHEO_OK)
        fail_msg("%s", report.message);
    return scene;
}

/* `cancel` may be NULL; `user` goes to on_frame. */
static rheo_status run(const char *out, const char *set, bool resume, bool overwrite, rheo_run_options *more,
                       rheo_report *report) {
    rheo_run_options o = {.threads = 1};
    rheo_run_summary summary;
    if (more) o = *more;
    o.out = in_base(out);
    o.resume = resume;
    o.overwrite = overwrite;
    rheo_scene *scene = load(set);
    rheo_status status = rheo_run_scene(&summary, scene, &o, report);
    rheo_free_scene(scene);
    return status;
}

static int prepare(void **state) {
    (void)state;
    strcpy(base, "/tmp/rheo-io-run-XXXXXX");
    if (!mkdtemp(base)) return -1;
    FILE *f = fopen(in_base("small.yaml"), "w");
    if (!f) return -1;
    fputs(SCENE, f);
    fclose(f);
    rheo_report report = {0};
    rheo_status status = run("whole", NULL, false, false, NULL, &report);
    if (status != RHEO_OK) printf("run: %s %s\n", report.path, report.message);
    return status == RHEO_OK ? 0 : -1;
}

static int clean(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", base);
    return system(command);
}

/* Frames, probes and manifest equal those of the run that nothing happened to. */
static void assert_same_cache(const char *out) {
    shell("diff -rq '%s/whole' '%s/%s' 1>&2", base, base, out);
}

static void whole_run(void **state) {
    (void)state;
    rheo_cache_info info;
    rheo_report report;
    assert_int_equal(rheo_read_cache_info(&info, in_base("whole"), true, &report), RHEO_OK);
    assert_string_equal(info.status, "done");
    assert_string_equal(info.title, "Small dam");
    assert_int_equal(info.last_frame, 6);
    assert_int_equal(info.meshes, 7);
    assert_int_equal(info.particles, 7);
    assert_int_equal(info.checkpoints, 2);
    assert_int_equal(info.cells[1], 12);
    check_near(info.dx, 1.0 / 12, 1e-12);
    assert_true(info.bytes > 10000);
    cache_manifest m;
    assert_int_equal(cache_read_manifest(&m, in_base("whole"), NULL), RHEO_OK);
    assert_string_equal(m.scene, SCENE);
    rheo_scene *again, *first = load(NULL);
    if (cache_load_scene(&again, &m, &report) != RHEO_OK) fail_msg("%s: %s", report.path, report.message);
    assert_true(again->cells == 12 && again->frames == 6 &&
                again->fluids[0].density == first->fluids[0].density);
    assert_true(again->solids[0].position.count == 2 && again->probes[0].of == first->probes[0].of);
    cache_body body;
    int count;
    assert_int_equal(cache_read_bodies(&body, &count, 1, in_base("whole/bodies/bodies.000006.json"), NULL),
                     RHEO_OK);
    check_near(body.body.position[0], 0.775 - 0.375 * 0.25, 1e-9);
    check_near(body.body.velocity[0], -0.375, 1e-6);
    rheo_free_scene(first);
    rheo_free_scene(again);
    cache_free_manifest(&m);
}

static void probe_file(void **state) {
    (void)state;
    FILE *f = fopen(in_base("whole/probes/middle.csv"), "r");
    assert_non_null(f);
    char line[256];
    int rows = 0;
    double time = -1;
    assert_non_null(fgets(line, sizeof line, f));
    assert_string_equal(line, "time,x,y,z,velocity_x,velocity_y,velocity_z,pressure\n");
    while (fgets(line, sizeof line, f)) {
        double t, x, y, z, u, v, w, p;
        assert_int_equal(sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &t, &x, &y, &z, &u, &v, &w, &p), 8);
        check_near(t, (rows / 3) / 24.0, 1e-8);
        check_near(y, 0.5 * (rows % 3), 1e-12);
        time = t;
        ++rows;
    }
    fclose(f);
    assert_int_equal(rows, 21);
    check_near(time, 0.25, 1e-8);
}

/* The manifest tells what the kinds of files that there are carry, and of no others. */
static void attributes_of_what_is_there(void **state) {
    (void)state;
    shell("grep -q '\"mesh\": \\[\"normal\", \"velocity\"\\].*\"bodies\": \\[\"position\"' %s",
          in_base("whole/manifest.json"));
    shell("! grep -q '\"attributes\".*\"volume\"' %s", in_base("whole/manifest.json"));
}

/* What a user keeps beside the probes stays; what a replaced cache had of them goes. */
static void foreign_tables_stay(void **state) {
    (void)state;
    rheo_report report;
    assert_int_equal(run("tables", "time.frames=1", false, false, NULL, &report), RHEO_OK);
    shell("echo mine > %s", in_base("tables/probes/analysis.csv"));
    assert_int_equal(run("tables", "time.frames=2", true, false, NULL, &report), RHEO_OK);
    assert_int_equal(run("tables", "time.frames=1", true, false, NULL, &report), RHEO_OK); /* nothing to do */
    shell("test -s %s", in_base("tables/probes/middle.csv"));
    assert_int_equal(run("tables", "probes[0].name=other", false, true, NULL, &report), RHEO_OK);
    shell("grep -q mine %s", in_base("tables/probes/analysis.csv"));
    shell("test -s %s && test ! -e %s", in_base("tables/probes/other.csv"),
          in_base("tables/probes/middle.csv"));
}

typedef struct stopper {
    volatile int cancel;
    int after;
} stopper;
static void stop_after(void *user, rheo_sim *sim, const rheo_frame_stats *stats) {
    (void)sim;
    stopper *s = user;
    if (stats->frame == s->after) s->cancel = 1;
}

static void interrupted_and_resumed(void **state) {
    (void)state;
    for (int after = 1; after <= 4; after += 3) {
        char out[16];
        stopper s = {0, after};
        rheo_report report;
        rheo_cache_info info;
        snprintf(out, sizeof out, "stop%d", after);
        rheo_run_options o = {.threads = 2, .cancel = &s.cancel, .on_frame = stop_after, .user = &s};
        assert_int_equal(run(out, NULL, false, false, &o, &report), RHEO_INTERRUPTED);
        assert_int_equal(rheo_read_cache_info(&info, in_base(out), true, NULL), RHEO_OK);
        assert_string_equal(info.status, "interrupted");
        assert_int_equal(info.last_frame, after);
        assert_true(info.checkpoints >= 1);
        assert_int_equal(run(out, NULL, true, false, NULL, &report), RHEO_OK);
        assert_same_cache(out);
    }
}

/* In the middle of the step that is `after` steps away. */
static void stop_in_step(void *user, const char *stage, double time) {
    stopper *s = user;
    (void)time;
    if (strcmp(stage, "pressure") == 0 && --s->after == 0) s->cancel = 1;
}

static void watch_steps(void *user, rheo_sim *sim, int first_frame) {
    (void)first_frame;
    rheo_watch_stages(sim, stop_in_step, user);
}

/* Stopped again and again between steps; in the end nobody can tell. */
static void interrupted_between_steps(void **state) {
    (void)state;
    static const char slow[] = "time.cfl=0.2";
    rheo_report report;
    int stops = 0, inside = 0;
    assert_int_equal(run("calm", slow, false, false, NULL, &report), RHEO_OK);
    rheo_status status = RHEO_INTERRUPTED;
    for (int steps = 2; status == RHEO_INTERRUPTED; steps += 1 + steps / 2) {
        stopper s = {0, steps};
        rheo_run_options o = {.threads = 1, .cancel = &s.cancel, .on_start = watch_steps, .user = &s};
        status = run("nervous", slow, stops > 0, false, &o, &report);
        stops += status == RHEO_INTERRUPTED;
        inside += status == RHEO_INTERRUPTED && strstr(report.message, "in frame") != NULL;
    }
    printf("%d interruptions, %d of them inside a frame\n", stops, inside);
    assert_int_equal(status, RHEO_OK);
    assert_true(stops > 0 && inside > 0);
    shell("diff -rq '%s/calm' '%s/nervous' 1>&2", base, base);
}

static void resumed_to_more_frames(void **state) {
    (void)state;
    rheo_report report;
    assert_int_equal(run("more", "time.frames=3", false, false, NULL, &report), RHEO_OK);
    assert_int_equal(run("more", NULL, true, false, NULL, &report), RHEO_OK);
    /* checkpoints and frame counts differ by the way; frames and probes must not */
    shell(
        "cd '%s' && for d in mesh particles probes bodies; do diff -rq whole/$d more/$d 1>&2 || exit 1; done",
        base);
    /* nothing to do: nothing changes */
    shell("cp -a '%s/more' '%s/still'", base, base);
    assert_int_equal(run("still", NULL, true, false, NULL, &report), RHEO_OK);
    shell("diff -rq '%s/more' '%s/still' 1>&2", base, base);
}

/* Fewer frames than there are, of a run that was killed between two checkpoints: none of them is lost. */
static void resumed_to_fewer_frames(void **state) {
    (void)state;
    rheo_report report;
    shell("cp -a '%s/whole' '%s/fewer' && sed -i 's/\"status\": \"done\"/\"status\": \"running\"/' "
          "'%s/fewer/manifest.json' && rm '%s/fewer/state/state.000006.h5' && cp -a '%s/fewer' "
          "'%s/fewer.before'",
          base, base, base, base, base, base);
    assert_int_equal(run("fewer", "time.frames=2", true, false, NULL, &report), RHEO_OK);
    shell("diff -rq '%s/fewer/mesh' '%s/fewer.before/mesh' 1>&2 && grep -q '\"status\": \"running\"' "
          "'%s/fewer/manifest.json'",
          base, base, base);
    assert_int_equal(run("fewer", NULL, true, false, NULL, &report), RHEO_OK);
    assert_same_cache("fewer");
}

static void damaged_checkpoint_falls_back(void **state) {
    (void)state;
    rheo_report report;
    stopper s = {0, 5};
    rheo_run_options o = {.threads = 1, .cancel = &s.cancel, .on_frame = stop_after, .user = &s};
    assert_int_equal(run("fall", NULL, false, false, &o, &report), RHEO_INTERRUPTED);
    shell("cd '%s/fall/state' && test -f partial.000005.h5 && test -f state.000004.h5 && "
          "truncate -s -100 partial.000005.h5",
          base);
    assert_int_equal(run("fall", NULL, true, false, NULL, &report), RHEO_OK);
    assert_same_cache("fall");
    /* all of them gone: the frames are not given up unasked */
    shell("cp -a '%s/whole' '%s/gone' && rm '%s'/gone/state/*", base, base, base);
    shell("sed -i 's/\"status\": \"done\"/\"status\": \"running\"/' '%s/gone/manifest.json'", base);
    shell("cp -a '%s/gone' '%s/gone.before'", base, base);
    assert_int_equal(run("gone", NULL, true, false, NULL, &report), RHEO_INVALID);
    assert_non_null(strstr(report.allowed, "--overwrite"));
    shell("diff -r '%s/gone' '%s/gone.before' 1>&2", base, base);
    assert_int_equal(run("gone", NULL, false, true, NULL, &report), RHEO_OK);
    assert_same_cache("gone");
}

/* Colours, looks and the camera are not the simulation: a run goes on with others, and they count from then
 * on. */
static void goes_on_with_other_looks(void **state) {
    (void)state;
    static const char *const sets[] = {"fluids[0].color=[1, 0, 0]", "solids[0].color=[0, 0.25, 0]",
                                       "solids[0].look=glass", "camera.fov=20"};
    rheo_report report;
    stopper s = {0, 3};
    rheo_run_options o = {.threads = 1, .cancel = &s.cancel, .on_frame = stop_after, .user = &s};
    assert_int_equal(run("looks", NULL, false, false, &o, &report), RHEO_INTERRUPTED);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; ++i)
        if (run("looks", sets[i], true, false, NULL, &report)) fail_msg("%s: %s", sets[i], report.message);
    shell("cd '%s' && grep -q '\"fov\": 20' looks/manifest.json && cmp looks/mesh/water.000006.ply "
          "whole/mesh/water.000006.ply",
          base);
    assert_int_equal(run("looks", "solids[0].friction=0.9", true, false, NULL, &report), RHEO_INVALID);
    assert_non_null(strstr(report.message, "different: solids"));
}

/* Liquids do not move otherwise in warm air, but report it: frames of one run must agree. */
static void stops_at_another_temperature(void **state) {
    (void)state;
    rheo_report report;
    stopper s = {0, 3};
    rheo_run_options o = {.threads = 1, .cancel = &s.cancel, .on_frame = stop_after, .user = &s};
    assert_int_equal(run("warm", "heat.ambient=10", false, false, &o, &report), RHEO_INTERRUPTED);
    shell("grep -q '\"heat\": *{ *\"ambient\": *10' '%s/warm/manifest.json'", base);
    assert_int_equal(run("warm", "heat.ambient=80", true, false, NULL, &report), RHEO_INVALID);
    assert_non_null(strstr(report.message, "different: fluids"));
    assert_int_equal(run("warm", "heat.ambient=10", true, false, NULL, &report), RHEO_OK);
}

static void refusals(void **state) {
    (void)state;
    rheo_report report;
    assert_int_equal(run("whole", NULL, false, false, NULL, &report), RHEO_USAGE);
    assert_non_null(strstr(report.message, "Small dam"));
    assert_non_null(strstr(report.allowed, "--resume"));
    assert_int_equal(run("whole", "domain.cells=13", true, false, NULL, &report), RHEO_INVALID);
    assert_non_null(strstr(report.message, "different: domain"));
    shell("mkdir -p '%s/foreign' && echo keep > '%s/foreign/diary.txt'", base, base);
    assert_int_equal(run("foreign", NULL, false, true, NULL, &report), RHEO_USAGE);
    assert_int_equal(run("foreign", NULL, true, false, NULL, &report), RHEO_USAGE);
    shell("cd '%s/foreign' && test \"$(ls)\" = diary.txt", base);
    assert_int_equal(run("small.yaml/out", NULL, false, false, NULL, &report), RHEO_IO);
    assert_int_equal(run("small.yaml", NULL, false, false, NULL, &report), RHEO_IO);
    assert_same_cache("whole");
}

static void overwritten(void **state) {
    (void)state;
    rheo_report report;
    shell(
        "cp -a '%s/whole' '%s/over' && mkdir -p '%s/over/frames' && touch '%s/over/frames/frame.000001.png' "
        "'%s/over/frames/notes.txt'",
        base, base, base, base, base);
    assert_int_equal(run("over", "time.frames=1", false, true, NULL, &report), RHEO_OK);
    rheo_cache_info info;
    assert_int_equal(rheo_read_cache_info(&info, in_base("over"), true, NULL), RHEO_OK);
    assert_int_equal(info.last_frame, 1);
    shell("cd '%s/over' && test $(ls mesh | wc -l) = 2 && test \"$(ls frames)\" = notes.txt && test $(ls "
          "state | wc -l) = 1",
          base);
}

/* A cache whose manifest is damaged is refused, can be replaced, and the old manifest stays. */
static void damaged_overwritten(void **state) {
    (void)state;
    rheo_report report;
    shell("cp -a '%s/whole' '%s/hurt' && echo '{ \"half' > '%s/hurt/manifest.json'", base, base, base);
    shell("cp -a '%s/hurt' '%s/hurt.before'", base, base);
    for (int resume = 0; resume < 2; ++resume) {
        assert_int_equal(run("hurt", NULL, resume, resume, NULL, &report), RHEO_INVALID);
        assert_non_null(strstr(report.file, "manifest.json"));
        assert_non_null(strstr(report.allowed, "--overwrite"));
        shell("diff -r '%s/hurt' '%s/hurt.before' 1>&2", base, base);
    }
    assert_int_equal(run("hurt", NULL, false, true, NULL, &report), RHEO_OK);
    shell("cd '%s' && cmp hurt/" RHEO_DAMAGED_MANIFEST
          " hurt.before/manifest.json && rm hurt/" RHEO_DAMAGED_MANIFEST,
          base);
    assert_same_cache("hurt");
}

/* Killed after the last manifest, before what it no longer lists was removed: resuming removes it. */
static void finished_run_is_swept(void **state) {
    (void)state;
    rheo_report report;
    shell(
        "cp -a '%s/whole' '%s/swept' && cp '%s/whole/state/state.000004.h5' '%s/swept/state/state.000002.h5'",
        base, base, base, base);
    assert_int_equal(run("swept", NULL, true, false, NULL, &report), RHEO_OK);
    assert_same_cache("swept");
}

static void damage_is_found(void **state) {
    (void)state;
    rheo_cache_info info;
    rheo_report report;
    shell("cp -a '%s/whole' '%s/bad'", base, base);
    shell("printf x | dd of='%s/bad/mesh/water.000003.ply' bs=1 seek=700 conv=notrunc 2>/dev/null", base);
    assert_int_equal(rheo_read_cache_info(&info, in_base("bad"), false, &report), RHEO_OK);
    assert_int_equal(rheo_read_cache_info(&info, in_base("bad"), true, &report), RHEO_INVALID);
    assert_string_equal(info.problem, "mesh/water.000003.ply: the checksum differs");
    assert_int_equal(info.meshes, 6);
    shell("rm '%s/bad/mesh/water.000000.ply'", base); /* each damaged file is named */
    assert_int_equal(rheo_read_cache_info(&info, in_base("bad"), true, &report), RHEO_INVALID);
    assert_int_equal(info.problem_count, 2);
    assert_string_equal(info.problem, "mesh/water.000000.ply: missing");
    assert_string_equal(info.further[0], "mesh/water.000003.ply: the checksum differs");
    assert_non_null(strstr(report.message, "2 files are damaged"));
    shell("cp -a '%s/whole/mesh/water.000000.ply' '%s/bad/mesh'", base, base);
    shell("truncate -s 600 '%s/bad/mesh/water.000003.ply'", base);
    assert_int_equal(rheo_read_cache_info(&info, in_base("bad"), false, &report), RHEO_INVALID);
    assert_non_null(strstr(info.problem, "truncated, 600 of"));
    shell("rm '%s/bad/mesh/water.000003.ply'", base);
    assert_int_equal(rheo_read_cache_info(&info, in_base("bad"), false, &report), RHEO_INVALID);
    assert_non_null(strstr(info.problem, "missing"));
    shell("echo '{' > '%s/bad/manifest.json'", base);
    assert_int_equal(rheo_read_cache_info(&info, in_base("bad"), false, &report), RHEO_INVALID);
    assert_true(info.problem[0]);
}

/* The disk fills up at several places (played by a limit on file size): at the first manifest, a frame's
 * particles, a checkpoint. Each time what is listed is whole, nothing temporary stays and the run can go on.
 */
static void full_disk(void **state) {
    (void)state;
    struct rlimit before, tight;
    rheo_report report;
    rheo_cache_info info;
    uint64_t size;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(file_measure(&size, NULL, in_base("whole/particles/water.000000.ply"), 0), 0);
    const struct {
        rlim_t limit;
        int last;
    } cases[] = {{100, -2}, {5000, -1}, {size - 1, -1}, {size + 1, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char out[16];
        snprintf(out, sizeof out, "full%zu", i);
        tight = before;
        tight.rlim_cur = cases[i].limit;
        setrlimit(RLIMIT_FSIZE, &tight);
        rheo_status status = run(out, NULL, false, false, NULL, &report);
        setrlimit(RLIMIT_FSIZE, &before);
        if (status != RHEO_IO) fail_msg("case %zu: status %d %s", i, (int)status, report.message);
        assert_non_null(strstr(report.allowed, "--resume"));
        shell("test -z \"$(find '%s/%s' -name '*.tmp')\"", base, out);
        rheo_status found = rheo_read_cache_info(&info, in_base(out), true, NULL);
        assert_int_equal(found, cases[i].last == -2 ? RHEO_INVALID : RHEO_OK);
        if (found == RHEO_OK) assert_int_equal(info.last_frame, cases[i].last);
        assert_int_equal(run(out, NULL, true, false, NULL, &report), RHEO_OK);
        assert_same_cache(out);
    }
}

/* Of two runs started together the second finds what the first left, however late it gets the lock. */
static void other_run_before_the_lock(void **state) {
    (void)state;
    rheo_report report = {0};
    snprintf(before_lock, sizeof before_lock, "cp -a '%s'/whole/. '%s/late'", base, base);
    assert_int_equal(run("late", NULL, false, false, NULL, &report), RHEO_USAGE);
    assert_int_equal(before_lock[0], 0);
    assert_non_null(strstr(report.message, "there is a cache already"));
    assert_same_cache("late");

    snprintf(before_lock, sizeof before_lock, "cp -a '%s'/whole/. '%s/later'", base, base);
    assert_int_equal(run("later", NULL, true, false, NULL, &report), RHEO_OK); /* --resume: all is there */
    assert_int_equal(before_lock[0], 0);
    assert_same_cache("later");

    int meshes;
    rheo_cache_info info;
    assert_int_equal(run("shorter", "time.frames=2", false, false, NULL, &report), RHEO_OK);
    snprintf(before_lock, sizeof before_lock, "cp -a '%s'/whole/. '%s/shorter'", base, base);
    assert_int_equal(rheo_remesh_cache(&meshes, in_base("shorter"), NULL, 1, &report), RHEO_OK);
    assert_int_equal(before_lock[0], 0);
    assert_int_equal(rheo_read_cache_info(&info, in_base("shorter"), false, NULL), RHEO_OK);
    assert_int_equal(info.last_frame, 6);
}

/* Meshes from checkpoints are the same bytes; from particles nearly the same surface. */
static void meshed_again(void **state) {
    (void)state;
    static const rheo_surface density = RHEO_SURFACE_DENSITY, pressure = RHEO_SURFACE_PRESSURE;
    int meshes;
    rheo_report report = {0};
    shell("cp -a '%s/whole' '%s/again' && rm '%s'/again/mesh/*", base, base, base);
    if (rheo_remesh_cache(&meshes, in_base("again"), &density, 1, &report) != RHEO_OK)
        fail_msg("%s", report.message);
    assert_int_equal(meshes, 7);
    rheo_cache_info info;
    assert_int_equal(rheo_read_cache_info(&info, in_base("again"), true, NULL), RHEO_OK);
    shell("cmp '%s/whole/mesh/water.000006.ply' '%s/again/mesh/water.000006.ply'", base, base);
    rheo_mesh a, b;
    assert_int_equal(ply_read_mesh(&a, in_base("whole/mesh/water.000003.ply"), NULL), RHEO_OK);
    assert_int_equal(ply_read_mesh(&b, in_base("again/mesh/water.000003.ply"), NULL), RHEO_OK);
    check_near((double)b.vertex_count, (double)a.vertex_count, 0.02 * (double)a.vertex_count);
    rheo_free_mesh(&a);
    rheo_free_mesh(&b);
    assert_int_equal(rheo_remesh_cache(&meshes, in_base("again"), &pressure, 1, &report), RHEO_OK);
    assert_int_equal(meshes, 2);
    assert_int_equal(rheo_remesh_cache(&meshes, base, NULL, 1, &report), RHEO_INVALID);
}

/* Without a word about the surface, meshes come out as the scene had them, not as the default has them. */
static void meshed_again_as_the_scene_says(void **state) {
    (void)state;
    static const rheo_surface density = RHEO_SURFACE_DENSITY;
    int meshes;
    rheo_report report = {0};
    assert_int_equal(run("round", "output.surface=spheres", false, false, NULL, &report), RHEO_OK);
    shell("cp '%s/round/mesh/water.000006.ply' '%s/round.ply' && rm '%s'/round/mesh/*", base, base, base);
    assert_int_equal(rheo_remesh_cache(&meshes, in_base("round"), NULL, 1, &report), RHEO_OK);
    shell("cmp '%s/round/mesh/water.000006.ply' '%s/round.ply'", base, base);
    assert_int_equal(rheo_remesh_cache(&meshes, in_base("round"), &density, 1, &report), RHEO_OK);
    shell("! cmp -s '%s/round/mesh/water.000006.ply' '%s/round.ply'", base, base);
}

static rheo_status write_text(const char *text, const char *out, rheo_report *report) {
    FILE *f = fopen(in_base("other.yaml"), "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    rheo_scene *scene;
    assert_int_equal(rheo_load_scene(&scene, in_base("other.yaml"), NULL, 0, report), RHEO_OK);
    rheo_run_options o = {.threads = 1, .out = in_base(out)};
    const rheo_status status = rheo_run_scene(NULL, scene, &o, report);
    rheo_free_scene(scene);
    return status;
}

/* How far from b's vertices a vertex of a lies at most. */
static double farthest(const rheo_mesh *a, const rheo_mesh *b) {
    double most = 0;
    for (size_t i = 0; i < a->vertex_count; ++i) {
        double nearest = INFINITY;
        for (size_t k = 0; k < b->vertex_count; ++k) {
            double square = 0;
            for (size_t c = 0; c < 3; ++c) {
                const double apart = (double)a->position[3 * i + c] - (double)b->position[3 * k + c];
                square += apart * apart;
            }
            nearest = smaller(nearest, square);
        }
        most = larger(most, sqrt(nearest));
    }
    return most;
}

/* Meshes of several fluids that a run did not write are listed in the order of the fluids. */
static void meshed_again_in_order(void **state) {
    (void)state;
    static const char *const names[2] = {"mesh/b.", "mesh/a."};
    int meshes, found = 0;
    rheo_report report = {0};
    cache_manifest m;
    assert_int_equal(write_text(TWO, "two", &report), RHEO_OK);
    assert_int_equal(rheo_remesh_cache(&meshes, in_base("two"), NULL, 1, &report), RHEO_OK);
    assert_int_equal(meshes, 3);
    assert_int_equal(cache_read_manifest(&m, in_base("two"), &report), RHEO_OK);
    for (size_t i = 0; i < m.file_count; ++i) {
        if (m.files[i].kind != CACHE_MESH) continue;
        assert_int_equal(m.files[i].frame, found / 2);
        assert_memory_equal(m.files[i].name, names[found % 2], strlen(names[0]));
        ++found;
    }
    assert_int_equal(found, 6);
    cache_free_manifest(&m);
}

/* Mean and range of the temperatures of a mesh's vertices, degrees C. */
static double warmth_of(double range[2], const char *file) {
    rheo_mesh mesh;
    double sum = 0;
    range[0] = INFINITY, range[1] = -INFINITY;
    assert_int_equal(ply_read_mesh(&mesh, in_base(file), NULL), RHEO_OK);
    assert_non_null(mesh.temperature);
    for (size_t v = 0; v < mesh.vertex_count; ++v) {
        const double degrees = (double)mesh.temperature[v];
        range[0] = smaller(range[0], degrees);
        range[1] = larger(range[1], degrees);
        sum += degrees / (double)mesh.vertex_count;
    }
    rheo_free_mesh(&mesh);
    return sum;
}

/* What was warmed, and has begun to melt, is as warm in meshes made from particles. */
static void meshed_again_as_warm(void **state) {
    (void)state;
    int meshes;
    rheo_report report = {0};
    double before[2], after[2];
    assert_int_equal(write_text(WARM, "molten", &report), RHEO_OK);
    const double mean = warmth_of(before, "molten/mesh/wax.000002.ply");
    assert_true(before[0] < 45 && before[1] > 51);
    shell("rm '%s'/molten/mesh/*", base);
    assert_int_equal(rheo_remesh_cache(&meshes, in_base("molten"), NULL, 1, &report), RHEO_OK);
    assert_int_equal(meshes, 4);
    const double again = warmth_of(after, "molten/mesh/wax.000002.ply");
    printf("wax: %.4f of %.4f degrees, %.2f to %.2f\n", again, mean, after[0], after[1]);
    check_near(again, mean, 0.01);
    for (int i = 0; i < 2; ++i) check_near(after[i], before[i], 0.1);
}

/* Bodies are where the frame had them, not where the scene begins. */
static void meshed_again_with_bodies(void **state) {
    (void)state;
    int meshes;
    rheo_report report = {0};
    rheo_mesh before, after;
    assert_int_equal(write_text(SINKING, "sinking", &report), RHEO_OK);
    assert_int_equal(ply_read_mesh(&before, in_base("sinking/mesh/water.000005.ply"), NULL), RHEO_OK);
    shell("rm '%s'/sinking/mesh/*", base);
    assert_int_equal(rheo_remesh_cache(&meshes, in_base("sinking"), NULL, 1, &report), RHEO_OK);
    assert_int_equal(meshes, 7);
    assert_int_equal(ply_read_mesh(&after, in_base("sinking/mesh/water.000005.ply"), NULL), RHEO_OK);
    const double dx = 1.0 / 16;
    assert_true(farthest(&after, &before) < 0.1 * dx);
    assert_true(farthest(&before, &after) < 0.1 * dx);
    rheo_free_mesh(&before);
    rheo_free_mesh(&after);
}

/* A frame that does not tell where its bodies were keeps its mesh, and that is said. */
static void not_meshed_without_bodies(void **state) {
    (void)state;
    int meshes;
    rheo_report report = {0};
    assert_int_equal(write_text(SINKING, "lost", &report), RHEO_OK);
    shell("rm '%s/lost/bodies/bodies.000004.json' && cp '%s/lost/mesh/water.000004.ply' '%s/kept.ply'", base,
          base, base);
    assert_int_equal(rheo_remesh_cache(&meshes, in_base("lost"), NULL, 1, &report), RHEO_INVALID);
    assert_int_equal(meshes, 6);
    assert_non_null(strstr(report.message, "bodies/bodies.000004.json"));
    assert_non_null(strstr(report.allowed, "run the scene again"));
    shell("cmp '%s/lost/mesh/water.000004.ply' '%s/kept.ply'", base, base);
    shell("sed -i 's/\"bodies\": \\[/\"bodies\": []}/;5,$d' '%s/lost/bodies/bodies.000003.json'", base);
    assert_int_equal(rheo_remesh_cache(&meshes, in_base("lost"), NULL, 1, &report), RHEO_INVALID);
    assert_int_equal(meshes, 3);
    assert_non_null(strstr(report.message, "damaged"));
}

static void nothing_written(void **state) {
    (void)state;
    rheo_scene *scene = load("time.frames=1");
    rheo_run_summary summary;
    rheo_run_options o = {.threads = 1};
    assert_int_equal(rheo_run_scene(&summary, scene, &o, NULL), RHEO_OK);
    assert_int_equal(summary.frames, 1);
    assert_true(summary.peak_memory > 0 && summary.seconds > 0);
    rheo_free_scene(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_run),
        cmocka_unit_test(probe_file),
        cmocka_unit_test(attributes_of_what_is_there),
        cmocka_unit_test(foreign_tables_stay),
        cmocka_unit_test(interrupted_and_resumed),
        cmocka_unit_test(interrupted_between_steps),
        cmocka_unit_test(resumed_to_more_frames),
        cmocka_unit_test(resumed_to_fewer_frames),
        cmocka_unit_test(damaged_checkpoint_falls_back),
        cmocka_unit_test(goes_on_with_other_looks),
        cmocka_unit_test(stops_at_another_temperature),
        cmocka_unit_test(refusals),
        cmocka_unit_test(overwritten),
        cmocka_unit_test(damaged_overwritten),
        cmocka_unit_test(finished_run_is_swept),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(other_run_before_the_lock),
        cmocka_unit_test(meshed_again),
        cmocka_unit_test(meshed_again_as_the_scene_says),
        cmocka_unit_test(meshed_again_in_order),
        cmocka_unit_test(meshed_again_as_warm),
        cmocka_unit_test(meshed_again_with_bodies),
        cmocka_unit_test(not_meshed_without_bodies),
        cmocka_unit_test(nothing_written),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}

/* A small cache written by hand, drawn, kept, redrawn, refused, filmed and laid out on a sheet. */
#include "check.h"
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>
#include <rheo/cache.h>
#include <rheo/render.h>
#include "core/memory.h"
#include "io/cache.h"
#include "io/ply.h"
#include "io/scene_text.h"
#include "render/png_file.h"
#include "render/tracer.h"

enum { FRAMES = 4 };

static char cache[64];

static void remove_tree(const char *path) {
    DIR *directory = opendir(path);
    for (struct dirent *e; directory && (e = readdir(directory));) {
        char below[512];
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        if (snprintf(below, sizeof below, "%s/%s", path, e->d_name) < (int)sizeof below) remove_tree(below);
    }
    if (directory) closedir(directory);
    remove(path);
}

/* A closed block of liquid [0, 0.6] x [0, top] x [0, 1]. */
static void write_block(cache_manifest *m, int frame, float top) {
    float position[24], normal[24] = {0}, velocity[24] = {0};
    uint32_t triangle[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                             2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    const float high[3] = {0.6f, top, 1};
    for (int v = 0; v < 8; ++v)
        for (int a = 0; a < 3; ++a) {
            position[3 * v + a] = v >> a & 1 ? high[a] : 0;
            normal[3 * v + a] = v >> a & 1 ? 0.57735f : -0.57735f;
        }
    rheo_mesh mesh = {8, 12, position, normal, velocity, triangle, NULL, NULL};
    cache_file file = {.kind = CACHE_MESH, .frame = frame};
    char path[FILE_PATH_MAX];
    file_writer w;
    cache_name(file.name, CACHE_MESH, m->surface, frame);
    assert_true(cache_path(path, cache, CACHE_MESH, m->surface, frame));
    assert_int_equal(ply_write_mesh(path, &mesh, &w, NULL), RHEO_OK);
    file.bytes = w.bytes;
    file.checksum = w.checksum;
    assert_true(cache_add_file(m, &file));
}

/* Solids; NULL: a ball that moves upwards. */
static void write_cache_with(rheo_solid *others, int count, bool meshes, int dim) {
    rheo_scene scene = rheo_default_scene();
    double times[2] = {0, 0.1}, places[6] = {0.8, 0.2, 0.5, 0.8, 0.6, 0.5};
    rheo_shape fill = {
        .kind = RHEO_SHAPE_BOX, .b = {0.6, 0.5, 1}, .scale = {1, 1, 1}, .rotate_axis = {0, 0, 1}};
    rheo_shape ball = {.kind = RHEO_SHAPE_SPHERE,
                       .a = {0.8, 0.2, 0.5},
                       .radius = 0.15,
                       .scale = {1, 1, 1},
                       .rotate_axis = {0, 0, 1}};
    rheo_fluid water = {.name = "water",
                        .material = "water",
                        .density = 998,
                        .viscosity = 1e-3,
                        .fill = &fill,
                        .fill_count = 1,
                        .color = {0.55, 0.82, 0.9}};
    rheo_solid solid = {.name = "ball",
                        .shape = ball,
                        .motion = RHEO_KEYED,
                        .density = 500,
                        .rotation_axis = {0, 1, 0},
                        .color = {0.8, 0.2, 0.1},
                        .position = {.count = 2, .times = times, .values = places, .width = 3}};
    scene.title = "by hand";
    scene.dim = dim;
    scene.size[0] = scene.size[1] = scene.size[2] = 1;
    scene.cells = 16;
    scene.fps = 30;
    scene.fluids = &water;
    scene.fluid_count = 1;
    scene.solids = others ? others : &solid;
    scene.solid_count = others ? count : 1;

    strcpy(cache, "/tmp/rheo-cache-XXXXXX");
    assert_non_null(mkdtemp(cache));
    char path[128];
    snprintf(path, sizeof path, "%s/mesh", cache);
    assert_int_equal(mkdir(path, 0777), 0);
    cache_manifest m = {.version = "0.1.0",
                        .status = "done",
                        .title = "by hand",
                        .scene_file = "hand.yaml",
                        .fps = 30,
                        .dim = dim,
                        .cells = {16, 16, dim == 2 ? 1 : 16},
                        .dx = 1 / 16.0,
                        .surface = "water",
                        .frame_count = FRAMES};
    m.values = scene_text(m.section, &scene);
    assert_non_null(m.values);
    for (int f = 0; meshes && f < FRAMES; ++f) write_block(&m, f, 0.5f - 0.05f * (float)f);
    assert_int_equal(cache_write_manifest(&m, cache, NULL), RHEO_OK);
    mem_free(m.values);
    mem_free(m.files);
}

static void write_cache(bool meshes, int dim) {
    write_cache_with(NULL, 0, meshes, dim);
}

static int clean_up(void **state) {
    (void)state;
    if (cache[0]) remove_tree(cache);
    cache[0] = 0;
    return 0;
}

static rheo_render_options small(void) {
    rheo_render_options o = rheo_default_render_options();
    assert_int_equal(o.width, 640);
    assert_int_equal(o.height, 360);
    assert_int_equal(o.samples, 4);
    o.width = 64;
    o.height = 36;
    o.samples = 2;
    o.threads = 2;
    return o;
}

static const char *picture_of(int frame) {
    static char path[FILE_PATH_MAX];
    cache_path(path, cache, CACHE_PICTURE, NULL, frame);
    return path;
}

static void read_pixels(image *i, int frame) {
    assert_int_equal(png_read(i, picture_of(frame), NULL), RHEO_OK);
}

static void count_frame(void *user, int frame, int done, int total) {
    int *calls = user;
    assert_int_equal(done, ++*calls);
    assert_true(frame >= 0 && total >= done);
}

static void test_draws_and_keeps(void **state) {
    (void)state;
    if (!tracer_available()) skip();
    write_cache(true, 3);
    rheo_render_options o = small();
    int pictures, calls = 0;
    o.on_frame = count_frame;
    o.user = &calls;
    rheo_report report = {0};
    rheo_status status = rheo_render_cache(&pictures, cache, &o, &report);
    if (status) fail_msg("%s: %s", report.file, report.message);
    assert_int_equal(pictures, FRAMES);
    assert_int_equal(calls, FRAMES);
    image first, last;
    read_pixels(&first, 0);
    read_pixels(&last, FRAMES - 1);
    assert_int_equal(first.width, 64);
    assert_int_equal(first.height, 36);
    assert_memory_not_equal(first.pixels, last.pixels, 64 * 36 * 3); /* surface and ball have moved */
    image_free(&last);

    calls = 0;
    assert_int_equal(rheo_render_cache(&pictures, cache, &o, NULL), RHEO_OK);
    assert_int_equal(pictures, 0); /* all newer than their meshes */
    assert_int_equal(calls, FRAMES);
    o.on_frame = NULL;
    o.redo = true;
    o.first_frame = 0;
    o.every = 3;
    o.threads = 1;
    assert_int_equal(rheo_render_cache(&pictures, cache, &o, NULL), RHEO_OK);
    assert_int_equal(pictures, 2);
    read_pixels(&last, 0);
    assert_memory_equal(first.pixels, last.pixels, 64 * 36 * 3); /* the same again, on one thread */
    image_free(&first);
    image_free(&last);
    o = small();
    o.height = 40;
    assert_int_equal(rheo_render_cache(&pictures, cache, &o, NULL), RHEO_OK);
    assert_int_equal(pictures, FRAMES); /* another size is another picture */
}

/* Another value in the scene that the manifest holds, as --resume leaves it. */
static void change_value(const char *from, const char *to) {
    cache_manifest m;
    assert_int_equal(cache_read_manifest(&m, cache, NULL), RHEO_OK);
    const char *at = strstr(m.values, from);
    assert_non_null(at);
    const size_t room = strlen(m.values) + strlen(to) + 1;
    char *values = mem_alloc(room);
    assert_non_null(values);
    snprintf(values, room, "%.*s%s%s", (int)(at - m.values), m.values, to, at + strlen(from));
    mem_free(m.values);
    m.values = values;
    assert_int_equal(cache_write_manifest(&m, cache, NULL), RHEO_OK);
    cache_free_manifest(&m);
}

static int draw(const rheo_render_options *o) {
    int pictures;
    rheo_report report = {0};
    if (rheo_render_cache(&pictures, cache, o, &report)) fail_msg("%s", report.message);
    return pictures;
}

/* Pictures follow what --resume and the command line may change; what does not show in them keeps them. */
static void test_follows_looks_and_samples(void **state) {
    (void)state;
    if (!tracer_available()) skip();
    static const struct {
        const char *from, *to;
        int drawn;
    } changes[] = {
        {"[0.55, 0.82, 0.9]", "[0.9, 0.1, 0.1]", FRAMES},       /* the water's colour */
        {"[0.8, 0.2, 0.1]", "[0.1, 0.2, 0.8]", FRAMES},         /* the ball's */
        {"\"look\": \"auto\"", "\"look\": \"glossy\"", FRAMES}, /* the water */
        {"\"look\": \"glossy\"", "\"look\": \"matte\"", FRAMES},
        {"\"look\": \"matte\"", "\"look\": \"clear\"", FRAMES},
        {"\"look\": \"auto\"", "\"look\": \"glass\"", FRAMES}, /* the ball */
        {"\"look\": \"glass\"", "\"look\": \"hidden\"", FRAMES},
        {"\"fov\": 35", "\"fov\": 30", FRAMES},
        {"\"particles\": false", "\"particles\": true", 0},
    };
    write_cache(true, 3);
    rheo_render_options o = small();
    image before, after;
    assert_int_equal(draw(&o), FRAMES);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; ++i) {
        read_pixels(&before, 0);
        change_value(changes[i].from, changes[i].to);
        if (draw(&o) != changes[i].drawn) fail_msg("%s", changes[i].to);
        read_pixels(&after, 0);
        const bool same = !memcmp(before.pixels, after.pixels, 64 * 36 * 3);
        assert_int_equal(same, changes[i].drawn == 0);
        image_free(&before);
        image_free(&after);
        assert_int_equal(draw(&o), 0);
    }
    o.samples = 3;
    assert_int_equal(draw(&o), FRAMES);
    o.samples = 2;
    assert_int_equal(draw(&o), 0); /* finer than asked for */
}

static void test_plane_scene(void **state) {
    (void)state;
    if (!tracer_available()) skip();
    write_cache(true, 2);
    rheo_render_options o = small();
    int pictures;
    assert_int_equal(rheo_render_cache(&pictures, cache, &o, NULL), RHEO_OK);
    image i;
    read_pixels(&i, 0);
    /* the domain is centred: liquid low on the left is bluer than the paper, high on the left there is none
     */
    const unsigned char *low = i.pixels + 3 * (28 * 64 + 22), *high = i.pixels + 3 * (8 * 64 + 22);
    assert_true(low[2] - low[0] > 25);
    assert_true(high[2] - high[0] < 15);
    image_free(&i);
}

static void test_stops_on_request(void **state) {
    (void)state;
    if (!tracer_available()) skip();
    write_cache(true, 3);
    volatile int stop = 1;
    rheo_render_options o = small();
    o.cancel = &stop;
    int pictures;
    assert_int_equal(rheo_render_cache(&pictures, cache, &o, NULL), RHEO_INTERRUPTED);
    assert_int_equal(pictures, 0);
    assert_int_not_equal(access(picture_of(0), F_OK), 0);
}

/* A plane scene's vessel, a disc, is drawn around what it holds: its colour in the domain's corner (the
 * picture's square middle), liquid in its middle. A fixed solid that covers the whole picture's ground is
 * seen in the domain alone. */
static void test_vessels_and_cuts(void **state) {
    (void)state;
    if (!tracer_available()) skip();
    rheo_solid solid = rheo_default_solid();
    rheo_render_options o = small();
    int pictures;
    image seen[2];
    o.last_frame = 0;
    solid.shape = rheo_default_shape(RHEO_SHAPE_SPHERE);
    solid.shape.a[0] = solid.shape.a[1] = 0.5;
    solid.shape.radius = 0.4;
    solid.color[0] = 0.9, solid.color[1] = 0.05, solid.color[2] = 0.05;
    solid.inside_fluid = true;
    write_cache_with(&solid, 1, true, 2);
    assert_int_equal(rheo_render_cache(&pictures, cache, &o, NULL), RHEO_OK);
    read_pixels(&seen[0], 0);
    const unsigned char *corner = seen[0].pixels + 3 * (3 * 64 + 46),
                        *middle = seen[0].pixels + 3 * (22 * 64 + 30);
    assert_true(corner[0] > 2 * corner[2]);
    assert_true(middle[2] > middle[0]);
    image_free(&seen[0]);
    clean_up(NULL);

    solid.inside_fluid = false;
    solid.shape = rheo_default_shape(RHEO_SHAPE_BOX);
    for (int a = 0; a < 3; ++a) solid.shape.a[a] = -40, solid.shape.b[a] = a == 1 ? 0.1 : 40;
    write_cache_with(&solid, 1, true, 3);
    assert_int_equal(rheo_render_cache(&pictures, cache, &o, NULL), RHEO_OK);
    read_pixels(&seen[1], 0);
    const unsigned char *aside = seen[1].pixels + 3 * (34 * 64 + 1);
    assert_true(aside[0] < 1.2 * aside[2]); /* the floor, not the solid */
    image_free(&seen[1]);
}

/* A red wall before the liquid hides it; of glass, it does not. */
static void test_glass_shows_what_it_hides(void **state) {
    (void)state;
    if (!tracer_available()) skip();
    rheo_solid wall = rheo_default_solid();
    rheo_render_options o = small();
    o.last_frame = 0;
    wall.shape = rheo_default_shape(RHEO_SHAPE_BOX);
    for (int a = 0; a < 3; ++a) wall.shape.a[a] = a == 2 ? 0.96 : 0.01, wall.shape.b[a] = 0.99;
    wall.color[0] = 0.9, wall.color[1] = 0.05, wall.color[2] = 0.05;
    for (int glass = 0; glass < 2; ++glass) {
        int pictures;
        image i;
        wall.look = glass ? RHEO_LOOK_GLASS : RHEO_LOOK_AUTO;
        write_cache_with(&wall, 1, true, 3);
        assert_int_equal(rheo_render_cache(&pictures, cache, &o, NULL), RHEO_OK);
        read_pixels(&i, 0);
        const unsigned char *middle = i.pixels + 3 * (22 * 64 + 30);
        if (glass) assert_true(middle[0] < 1.4 * middle[2]);
        else assert_true(middle[0] > 2 * middle[2]);
        image_free(&i);
        clean_up(NULL);
    }
}

static void put_text(const char *name, const char *text) {
    char path[FILE_PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", cache, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static int brightness(const image *i, int x, int y) {
    const unsigned char *c = i->pixels + 3 * (y * i->width + x);
    return c[0] > c[1] ? (c[0] > c[2] ? c[0] : c[2]) : c[1] > c[2] ? c[1] : c[2];
}

/* Pixels darker by a quarter than something near on their left and on their right. */
static int count_dark_spots(const image *i) {
    enum { NEAR = 6 };
    int count = 0;
    for (int y = 0; y < i->height; ++y)
        for (int x = NEAR; x < i->width - NEAR; ++x) {
            int left = 0, right = 0;
            for (int d = 1; d <= NEAR; ++d) {
                left = brightness(i, x - d, y) > left ? brightness(i, x - d, y) : left;
                right = brightness(i, x + d, y) > right ? brightness(i, x + d, y) : right;
            }
            count += 4 * brightness(i, x, y) < 3 * (left < right ? left : right);
        }
    return count;
}

/* The wet sides of a block that is a mesh are as plain as they are: the liquid's surface ends on them, and
 * where it lay before them their light would be lost (232 spots). */
static void test_wet_mesh_has_no_patches(void **state) {
    (void)state;
    if (!tracer_available()) skip();
    char path[FILE_PATH_MAX], out[FILE_PATH_MAX];
    rheo_render_options o = small();
    rheo_scene *scene;
    rheo_report report = {0};
    int pictures;
    image i;
    strcpy(cache, "/tmp/rheo-cache-XXXXXX");
    assert_non_null(mkdtemp(cache));
    put_text("box.obj", "v 0.33 0.1 0.33\nv 0.61 0.1 0.33\nv 0.61 0.65 0.33\nv 0.33 0.65 0.33\n"
                        "v 0.33 0.1 0.61\nv 0.61 0.1 0.61\nv 0.61 0.65 0.61\nv 0.33 0.65 0.61\n"
                        "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 4 8 7 3\nf 1 5 8 4\nf 2 3 7 6\n");
    put_text("wet.yaml",
             "domain: { size: [1, 1, 1], cells: 16 }\n"
             "time: { frames: 1, fps: 30 }\n"
             "fluids: [ { name: water, fill: [ { box: { min: [0, 0, 0], max: [1, 0.45, 1] } } ] } ]\n"
             "solids: [ { color: [0.8, 0.8, 0.8], shape: { mesh: { file: box.obj } } } ]\n"
             "camera: { eye: [1.5, 0.9, 1.9], target: [0.5, 0.33, 0.5], fov: 9 }\n");
    snprintf(path, sizeof path, "%s/wet.yaml", cache);
    snprintf(out, sizeof out, "%s/out", cache);
    assert_int_equal(rheo_load_scene(&scene, path, NULL, 0, &report), RHEO_OK);
    const rheo_run_options run = {.out = out, .threads = 2};
    assert_int_equal(rheo_run_scene(NULL, scene, &run, &report), RHEO_OK);
    rheo_free_scene(scene);
    o.width = 160, o.height = 120, o.samples = 4, o.first_frame = 1;
    assert_int_equal(rheo_render_cache(&pictures, out, &o, &report), RHEO_OK);
    assert_true(cache_path(path, out, CACHE_PICTURE, NULL, 1));
    assert_int_equal(png_read(&i, path, NULL), RHEO_OK);
    print_message("dark spots: %d\n", count_dark_spots(&i));
    assert_true(count_dark_spots(&i) < 40);
    image_free(&i);
}

/* The file of the last frame's bodies, listed in the manifest. */
static void write_bodies(const double (*place)[3], int count) {
    char path[FILE_PATH_MAX];
    cache_file file = {.kind = CACHE_BODIES, .frame = FRAMES - 1};
    cache_manifest m;
    file_writer w;
    snprintf(path, sizeof path, "%s/bodies", cache);
    assert_int_equal(mkdir(path, 0777), 0);
    cache_name(file.name, CACHE_BODIES, NULL, FRAMES - 1);
    assert_true(cache_path(path, cache, CACHE_BODIES, NULL, FRAMES - 1));
    assert_int_equal(file_open(&w, path, NULL), RHEO_OK);
    file_print(&w, "{\"bodies\": [");
    for (int i = 0; i < count; ++i)
        file_print(&w,
                   "%s{\"name\": \"any\", \"position\": [%g, %g, %g], \"orientation\": [1, 0, 0, 0], "
                   "\"velocity\": [0, 0, 0], \"spin\": [0, 0, 0]}",
                   i ? ", " : "", place[i][0], place[i][1], place[i][2]);
    file_print(&w, "]}");
    assert_int_equal(file_commit(&w, NULL), RHEO_OK);
    file.bytes = w.bytes;
    file.checksum = w.checksum;
    assert_int_equal(cache_read_manifest(&m, cache, NULL), RHEO_OK);
    assert_true(cache_add_file(&m, &file));
    assert_int_equal(cache_write_manifest(&m, cache, NULL), RHEO_OK);
    cache_free_manifest(&m);
}

static int count_red(const image *i, int from, int to) {
    int count = 0;
    for (int y = 0; y < i->height; ++y)
        for (int x = from; x < to; ++x) {
            const unsigned char *c = i->pixels + 3 * (y * i->width + x);
            count += c[0] > 2 * c[2];
        }
    return count;
}

/* Bodies are told apart by their order, with names or without: both discs are where the frame had them. */
static void test_bodies_by_their_order(void **state) {
    (void)state;
    if (!tracer_available()) skip();
    const double place[3][3] = {{0.15, 0.8, 0}, {0.85, 0.8, 0}, {0, 0, 0}};
    rheo_solid disc[2] = {rheo_default_solid(), rheo_default_solid()};
    rheo_render_options o = small();
    int pictures;
    image i;
    rheo_report report = {0};
    o.first_frame = FRAMES - 1;
    for (int n = 0; n < 2; ++n) {
        disc[n].shape = rheo_default_shape(RHEO_SHAPE_SPHERE);
        disc[n].shape.a[0] = 0.3 + 0.4 * n, disc[n].shape.a[1] = 0.3;
        disc[n].shape.radius = 0.1;
        disc[n].motion = RHEO_DYNAMIC;
        disc[n].color[0] = 0.9, disc[n].color[1] = disc[n].color[2] = 0.05;
    }
    write_cache_with(disc, 2, true, 2);
    write_bodies(place, 2);
    assert_int_equal(rheo_render_cache(&pictures, cache, &o, NULL), RHEO_OK);
    read_pixels(&i, FRAMES - 1);
    print_message("red pixels: %d and %d\n", count_red(&i, 0, 32), count_red(&i, 32, 64));
    assert_true(count_red(&i, 0, 32) > 10);
    assert_true(count_red(&i, 32, 64) > 10);
    image_free(&i);
    clean_up(NULL);

    write_cache_with(disc, 2, true, 2);
    write_bodies(place, 3);
    assert_int_equal(rheo_render_cache(&pictures, cache, &o, &report), RHEO_INVALID);
    assert_non_null(strstr(report.message, "not the bodies of this scene"));
}

static void flip_byte(const char *path, long at) {
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    fseek(f, at, SEEK_SET);
    const int was = fgetc(f);
    fseek(f, at, SEEK_SET);
    fputc(was ^ 1, f);
    fclose(f);
}

/* A byte that differs leaves a file readable, and the picture wrong. */
static void test_damage_is_seen(void **state) {
    (void)state;
    if (!tracer_available()) skip();
    const double place[1][3] = {{0.15, 0.8, 0.5}};
    char path[FILE_PATH_MAX];
    rheo_solid ball = rheo_default_solid();
    rheo_render_options o = small();
    o.first_frame = FRAMES - 1;
    ball.name = "ball";
    ball.shape = rheo_default_shape(RHEO_SHAPE_SPHERE);
    ball.shape.radius = 0.1;
    ball.motion = RHEO_DYNAMIC;
    for (int bodies = 0; bodies < 2; ++bodies) {
        int pictures;
        rheo_report report = {0};
        write_cache_with(&ball, 1, true, 3);
        write_bodies(place, 1);
        cache_path(path, cache, bodies ? CACHE_BODIES : CACHE_MESH, "water", FRAMES - 1);
        flip_byte(path, bodies ? 44 : 400);
        assert_int_equal(rheo_render_cache(&pictures, cache, &o, &report), RHEO_INVALID);
        assert_int_equal(pictures, 0);
        assert_non_null(strstr(report.message, "checksum"));
        assert_string_equal(report.file, path);
        assert_int_not_equal(access(picture_of(FRAMES - 1), F_OK), 0);
        clean_up(NULL);
    }
}

static void test_refusals(void **state) {
    (void)state;
    if (!tracer_available()) skip();
    rheo_report report = {0};
    int pictures;
    write_cache(false, 3);
    rheo_render_options o = small();
    assert_int_equal(rheo_render_cache(&pictures, cache, &o, &report), RHEO_INVALID);
    assert_non_null(strstr(report.allowed, "mesh: true"));
    assert_int_equal(rheo_make_contact_sheet("/tmp/none.png", cache, 2, 2, &report), RHEO_INVALID);
    assert_non_null(strstr(report.allowed, "rheo render"));
    assert_int_equal(rheo_make_movie("/tmp/none.mp4", cache, &report), RHEO_INVALID);
    clean_up(NULL);

    write_cache(true, 3);
    o.first_frame = 50;
    assert_int_equal(rheo_render_cache(&pictures, cache, &o, &report), RHEO_INVALID);
    assert_non_null(strstr(report.message, "0 to 3"));
    const int bad[5][4] = {
        {0, 36, 1, 1}, {64, -1, 1, 1}, {64, 36, 0, 1}, {64, 36, 1, 0}, {64, 1 << 20, 1, 1}};
    for (int k = 0; k < 5; ++k) {
        o = small();
        o.width = bad[k][0], o.height = bad[k][1], o.samples = bad[k][2], o.every = bad[k][3];
        assert_int_equal(rheo_render_cache(&pictures, cache, &o, &report), RHEO_USAGE);
    }
    o = small();
    assert_int_not_equal(rheo_render_cache(&pictures, "/tmp/rheo-no-such-cache", &o, &report), RHEO_OK);

    char path[FILE_PATH_MAX]; /* a mesh cut short: said with its name, and no picture of it */
    cache_path(path, cache, CACHE_MESH, "water", 1);
    assert_int_equal(truncate(path, 150), 0);
    assert_int_not_equal(rheo_render_cache(&pictures, cache, &o, &report), RHEO_OK);
    assert_int_equal(pictures, 1);
    assert_non_null(strstr(report.file, "000001.ply"));
    assert_int_not_equal(access(picture_of(1), F_OK), 0);
    assert_int_equal(rheo_make_contact_sheet("/tmp/none.png", cache, 0, 2, &report), RHEO_USAGE);
}

/* A frame with particles alone: the cache, the fluid and the cure are named. */
static void a_mesh_that_is_missing_is_named(void **state) {
    (void)state;
    if (!tracer_available()) skip();
    rheo_report report = {0};
    cache_manifest m;
    int pictures;
    write_cache(true, 3);
    assert_int_equal(cache_read_manifest(&m, cache, &report), RHEO_OK);
    m.files[1].kind = CACHE_PARTICLES;
    cache_name(m.files[1].name, CACHE_PARTICLES, "water", 1);
    assert_int_equal(cache_write_manifest(&m, cache, NULL), RHEO_OK);
    cache_free_manifest(&m);
    rheo_render_options o = small();
    o.first_frame = 1;
    assert_int_equal(rheo_render_cache(&pictures, cache, &o, &report), RHEO_INVALID);
    assert_int_equal(pictures, 0);
    assert_string_equal(report.message, "frame 1 has no mesh of water");
    assert_string_equal(report.file, cache);
    assert_non_null(strstr(report.allowed, "`rheo mesh`"));
}

/* Frames 0 and 3 only: the movie holds frame 0 until 3 is due. */
static void test_movie_and_sheet(void **state) {
    (void)state;
    if (!tracer_available()) skip();
    write_cache(true, 3);
    rheo_render_options o = small();
    o.height = 37; /* odd: H.264 needs a line more */
    o.every = 3;
    int pictures;
    assert_int_equal(rheo_render_cache(&pictures, cache, &o, NULL), RHEO_OK);
    char file[128];
    rheo_report report = {0};
    snprintf(file, sizeof file, "%s/sheet.png", cache);
    assert_int_equal(rheo_make_contact_sheet(file, cache, 3, 2, &report), RHEO_OK);
    int width, height;
    assert_true(png_read_size(&width, &height, file));
    assert_int_equal(width, 2 * 64 + 3 * 6); /* two pictures: two columns, one row */
    assert_int_equal(height, 37 + 2 * 6);

    snprintf(file, sizeof file, "%s/movie.mp4", cache);
    char *path = strdup(getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    assert_int_equal(rheo_make_movie(file, cache, &report), RHEO_IO);
    assert_non_null(strstr(report.allowed, "ffmpeg"));
    assert_int_equal(rheo_check_movie(file, NULL, cache, &report), RHEO_IO);
    assert_non_null(strstr(report.allowed, "ffmpeg"));
    assert_int_not_equal(access(file, F_OK), 0);
    setenv("PATH", path, 1);
    free(path);
    assert_int_equal(rheo_make_movie("/nowhere/movie.mp4", cache, &report), RHEO_IO);
    rheo_status status = rheo_make_movie(file, cache, &report);
    if (status && strstr(report.message, "is not there")) skip(); /* no ffmpeg on this machine */
    if (status) fail_msg("%s", report.message);
    assert_int_equal(rheo_check_movie(file, NULL, cache, &report), RHEO_OK);
    struct stat s;
    assert_int_equal(stat(file, &s), 0);
    assert_true(s.st_size > 500);

    static const char *const wrong[] = {"scene.yaml", "movie", ".mp4", "a.mp4/b", "/.mov"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        assert_int_equal(rheo_check_movie(wrong[i], NULL, cache, &report), RHEO_USAGE);
        assert_int_equal(rheo_make_movie(wrong[i], cache, &report), RHEO_USAGE);
        assert_non_null(strstr(report.allowed, ".mkv"));
    }
    assert_int_equal(rheo_check_movie(file, "sheet.jpg", cache, &report), RHEO_USAGE);
    assert_int_equal(rheo_check_movie(file, "/nowhere/sheet.png", cache, &report), RHEO_IO);
    char other[140];
    snprintf(other, sizeof other, "%s/movie.MKV", cache);
    assert_int_equal(rheo_make_movie(other, cache, &report), RHEO_OK);

    FILE *damaged = fopen(picture_of(0), "wb"); /* what ffmpeg says about it comes back */
    fputs("no picture", damaged);
    fclose(damaged);
    assert_int_equal(remove(picture_of(3)), 0);
    assert_int_equal(rheo_make_movie(file, cache, &report), RHEO_IO);
    assert_non_null(strstr(report.message, "ffmpeg failed"));
    assert_int_equal(stat(file, &s), 0); /* the old movie stays */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_draws_and_keeps, clean_up),
        cmocka_unit_test_teardown(test_follows_looks_and_samples, clean_up),
        cmocka_unit_test_teardown(test_plane_scene, clean_up),
        cmocka_unit_test_teardown(test_vessels_and_cuts, clean_up),
        cmocka_unit_test(test_glass_shows_what_it_hides),
        cmocka_unit_test_teardown(test_stops_on_request, clean_up),
        cmocka_unit_test_teardown(test_wet_mesh_has_no_patches, clean_up),
        cmocka_unit_test_teardown(test_bodies_by_their_order, clean_up),
        cmocka_unit_test_teardown(test_damage_is_seen, clean_up),
        cmocka_unit_test_teardown(test_refusals, clean_up),
        cmocka_unit_test_teardown(a_mesh_that_is_missing_is_named, clean_up),
        cmocka_unit_test_teardown(test_movie_and_sheet, clean_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

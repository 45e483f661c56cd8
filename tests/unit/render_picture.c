/* Pictures of scenes made by hand: clear water under an even sky is invisible, threads do not matter, solids
 * and floor are where they should be, files come back as they went. */
#include "check.h"
#include <sys/stat.h>
#include <unistd.h>
#include "render/caustics.h"
#include "render/contact_sheet.h"
#include "render/picture.h"
#include "render/png_file.h"
#include "render/shade.h"

enum { LAT = 24, LON = 32 };

/* A closed unit block [0.2, 0.8]^3, or a ball, as liquid. */
static const float block_position[8][3] = {{.2f, .2f, .2f}, {.8f, .2f, .2f}, {.2f, .8f, .2f},
                                           {.8f, .8f, .2f}, {.2f, .2f, .8f}, {.8f, .2f, .8f},
                                           {.2f, .8f, .8f}, {.8f, .8f, .8f}};
static const uint32_t block_triangle[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                               {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                               {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

static picture_mesh block(int material) {
    return (picture_mesh){8, 12, block_position[0], NULL, block_triangle[0], material, NULL, NULL, NULL};
}

static float ball_position[(LAT + 1) * LON][3], ball_normal[(LAT + 1) * LON][3];
static uint32_t ball_triangle[2 * LAT * LON][3];

static picture_mesh ball(int material) {
    size_t count = 0;
    for (int i = 0; i <= LAT; ++i)
        for (int j = 0; j < LON; ++j) {
            double a = M_PI * i / LAT, b = 2 * M_PI * j / LON;
            const double n[3] = {sin(a) * cos(b), cos(a), sin(a) * sin(b)};
            for (int c = 0; c < 3; ++c) {
                ball_normal[i * LON + j][c] = (float)n[c];
                ball_position[i * LON + j][c] = (float)(0.5 + 0.3 * n[c]);
            }
        }
    for (uint32_t i = 0; i < LAT; ++i)
        for (uint32_t j = 0; j < LON; ++j) {
            uint32_t next = (j + 1) % LON;
            const uint32_t two[2][3] = {{i * LON + j, i * LON + next, (i + 1) * LON + j},
                                        {i * LON + next, (i + 1) * LON + next, (i + 1) * LON + j}};
            memcpy(ball_triangle[count], two, sizeof two);
            count += 2;
        }
    return (picture_mesh){(LAT + 1) * LON,
                          count,
                          ball_position[0],
                          ball_normal[0],
                          ball_triangle[0],
                          material,
                          NULL,
                          NULL,
                          NULL};
}

static double ball_distance(const void *body, const double x[3]) {
    const double *c = body;
    return sqrt((x[0] - c[0]) * (x[0] - c[0]) + (x[1] - c[1]) * (x[1] - c[1]) +
                (x[2] - c[2]) * (x[2] - c[2])) -
           c[3];
}

static double slope_distance(const void *body, const double x[3]) { /* everything below y = 0.3 */
    (void)body;
    return x[1] - 0.3;
}

static picture_scene *unit_scene(void) {
    picture_scene *s = test_malloc(sizeof *s);
    picture_begin(s, vec(0, 0, 0), vec(1, 1, 1), false, 1 / 64.0f, 16 / 9.0f);
    return s;
}

static void even_sky(picture_scene *s, float radiance) {
    s->sky = (sky){.zenith = grey(radiance),
                   .horizon = grey(radiance),
                   .ground = grey(radiance),
                   .sun_direction = {0, 1, 0}};
    s->floor = false;
}

static void need_embree(void) {
    if (!tracer_available()) skip();
}

/* Energy in = energy out at every surface, however deep: the result is the sky wherever one looks. */
static void test_furnace(void **state) {
    (void)state;
    need_embree();
    static const double glass[3][4] = {{0.5, 0.5, 0.5, 0.2},
                                       {0.8, 0.6, 0.5, 0.15},
                                       {0.15, 0.5, 0.8, 0.1}}; /* in, half in, beside the block */
    for (int shape = 0; shape < 6; ++shape) {
        picture_scene *s = unit_scene();
        even_sky(s, 0.7f);
        int clear = picture_add_material(s, PICTURE_LIQUID, grey(1));
        float drop[1][4] = {{0.5f, 0.5f, 0.5f, 0.3f}};
        if (shape > 2) {
            const int body = picture_add_material(s, PICTURE_CLEAR, grey(1));
            picture_add_solid(s, (picture_solid){ball_distance, glass[shape - 3], grey(0), grey(1), body, 0});
        }
        if (shape > 2) picture_add_mesh(s, block(clear));
        else if (shape < 2) picture_add_mesh(s, shape ? ball(clear) : block(clear));
        else picture_add_drops(s, (picture_drops){1, (const float(*)[4])drop, NULL, clear});
        tracer *t;
        assert_int_equal(tracer_make(&t, s, NULL), RHEO_OK);
        for (int k = 0; k < 900; ++k) {
            vec3 o, d;
            camera_ray(&o, &d, &s->camera, (float)(k % 30) * 2 + 0.5f, (float)(k / 30) + 3.5f, 60, 36);
            vec3 light = shade_ray(&(shade_maps){.tracer = t}, s, o, d, (uint64_t)k, 0);
            check_near(light.x, 0.7, 1e-4);
            check_near(light.z, 0.7, 1e-4);
        }
        tracer_free(t);
        test_free(s);
    }
}

static double cube_distance(const void *body, const double x[3]) {
    double out = 0, in = -INFINITY;
    for (int a = 0; a < 3; ++a) {
        const double d = fabs(x[a] - 0.5) - *(const double *)body;
        out += d > 0 ? d * d : 0;
        in = larger(in, d);
    }
    return out > 0 ? sqrt(out) : in;
}

/* A cube of glass in liquid, around which the liquid's mesh has a hollow, cannot be seen if it is white; with
 * a sky that differs up and down, so that a ray which bends in the wrong place shows. The same hollow full of
 * air is seen. */
static void test_glass_in_liquid(void **state) {
    (void)state;
    need_embree();
    static const double half = 0.153; /* drawn a little larger than its hollow, as solids are */
    static float hollow_position[8][3];
    static uint32_t hollow_triangle[12][3];
    for (int v = 0; v < 8; ++v)
        for (int a = 0; a < 3; ++a) hollow_position[v][a] = 0.5f + 0.5f * (block_position[v][a] - 0.5f);
    for (int t = 0; t < 12; ++t)
        for (int c = 0; c < 3; ++c) hollow_triangle[t][c] = block_triangle[t][2 - c];
    vec3 seen[3][900];
    for (int round = 0; round < 3; ++round) { /* all liquid; glass in it; air in it */
        picture_scene *s = unit_scene();
        even_sky(s, 0.7f);
        s->sky.ground = vec(0.1f, 0.2f, 0.9f);
        int liquid = picture_add_material(s, PICTURE_LIQUID, grey(1));
        int glass = picture_add_material(s, PICTURE_CLEAR, grey(1));
        picture_add_mesh(s, block(liquid));
        if (round)
            picture_add_mesh(s, (picture_mesh){8, 12, hollow_position[0], NULL, hollow_triangle[0], liquid,
                                               NULL, NULL, NULL});
        if (round == 1)
            picture_add_solid(s, (picture_solid){cube_distance, &half, grey(0.3f), grey(0.7f), glass, 0});
        tracer *t;
        assert_int_equal(tracer_make(&t, s, NULL), RHEO_OK);
        for (int k = 0; k < 900; ++k) {
            vec3 o, d;
            camera_ray(&o, &d, &s->camera, (float)(k % 30) * 2 + 0.5f, (float)(k / 30) + 3.5f, 60, 36);
            seen[round][k] = shade_ray(&(shade_maps){.tracer = t}, s, o, d, (uint64_t)k, 0);
        }
        tracer_free(t);
        test_free(s);
    }
    int glass_differs = 0, air_differs = 0;
    for (int k = 0; k < 900; ++k) {
        glass_differs += fabsf(seen[1][k].x - seen[0][k].x) > 0.01f;
        air_differs += fabsf(seen[2][k].x - seen[0][k].x) > 0.01f;
    }
    print_message("of 900 rays %d show glass in liquid, %d air in it\n", glass_differs, air_differs);
    assert_true(glass_differs < 5);
    assert_true(air_differs > 20);
}

static double shell_distance(const void *body, const double x[3]) {
    const double *half = body;
    return fmax(cube_distance(&half[1], x), -cube_distance(&half[0], x));
}

/* A hollow cube of glass full of liquid, whose mesh reaches more or less far into the glass: where both are
 * there is glass, so that all look the same. */
static void test_liquid_that_reaches_into_glass(void **state) {
    (void)state;
    need_embree();
    static const double shell[2] = {0.25, 0.3};
    static const float depth[3] = {0.003f, 0.02f, 0.045f};
    static float position[8][3];
    vec3 seen[3][900];
    float contrast = 0;
    for (int round = 0; round < 3; ++round) {
        for (int v = 0; v < 8; ++v)
            for (int a = 0; a < 3; ++a)
                position[v][a] = 0.5f + (block_position[v][a] > 0.5f ? 1.0f : -1.0f) * (0.25f + depth[round]);
        picture_scene *s = unit_scene();
        even_sky(s, 0.7f);
        s->sky.ground = vec(0.1f, 0.2f, 0.9f);
        const int liquid = picture_add_material(s, PICTURE_LIQUID, vec(0.5f, 0.8f, 0.9f)),
                  glass = picture_add_material(s, PICTURE_CLEAR, grey(0.9f));
        picture_add_mesh(
            s, (picture_mesh){8, 12, position[0], NULL, block_triangle[0], liquid, NULL, NULL, NULL});
        picture_add_solid(s, (picture_solid){shell_distance, shell, grey(0.15f), grey(0.85f), glass, 0});
        tracer *t;
        assert_int_equal(tracer_make(&t, s, NULL), RHEO_OK);
        for (int k = 0; k < 900; ++k) {
            vec3 o, d;
            camera_ray(&o, &d, &s->camera, (float)(k % 30) * 2 + 0.5f, (float)(k / 30) + 3.5f, 60, 36);
            seen[round][k] = shade_ray(&(shade_maps){.tracer = t}, s, o, d, (uint64_t)k, 0);
            contrast = fmaxf(contrast, fabsf(seen[round][k].x - seen[round][0].x));
        }
        tracer_free(t);
        test_free(s);
    }
    int differ = 0;
    for (int k = 0; k < 900; ++k)
        differ += fabsf(seen[1][k].x - seen[0][k].x) > 0.01f || fabsf(seen[2][k].x - seen[0][k].x) > 0.01f;
    print_message("of 900 rays %d show how far liquid reaches into glass\n", differ);
    assert_true(contrast > 0.2f); /* it is seen at all */
    assert_true(differ < 5);
}

/* Straight through 0.6 m of liquid: color^(0.6 tint) and both surfaces' losses. */
static void test_absorbed_light(void **state) {
    (void)state;
    need_embree();
    picture_scene *s = unit_scene();
    even_sky(s, 1);
    s->tint = 2;
    int red = picture_add_material(s, PICTURE_LIQUID, vec(1, 0.5f, 1e-6f));
    picture_add_mesh(s, block(red));
    tracer *t;
    assert_int_equal(tracer_make(&t, s, NULL), RHEO_OK);
    vec3 light = shade_ray(&(shade_maps){.tracer = t}, s, vec(0.45f, 0.55f, 3), vec(0, 0, -1), 0, 0);
    double left = pow(0.5, 1.2), tint = 0.3 * 0.5, surface = pow(0.33 / 2.33, 2);
    check_near(light.x, 1, 1e-4);
    check_near(light.y, surface + (1 - surface) * (left + tint * (1 - left)), 2e-3);
    check_below(light.z, surface + 1e-3);
    tracer_free(t);
    test_free(s);
}

/* Liquid that ends on a vessel's wall takes the wall's normal, bluntly meshed or not; the same wall as
 * something opaque, a face turned otherwise and one further away keep their own. */
static void test_against_vessel(void **state) {
    (void)state;
    need_embree();
    for (int kind = PICTURE_GLASS, round = 0; round < 2; kind = PICTURE_MATTE, ++round) {
        picture_scene *s = unit_scene();
        const double centre[4] = {0.5, 0.5, 0.5, 0.31}; /* drawn 0.01 larger than it is */
        int wall = picture_add_material(s, (picture_kind)kind, grey(1));
        picture_add_solid(s, (picture_solid){ball_distance, centre, grey(0), grey(1), wall, 0.01f});
        s->contact = 0.05f;
        tracer *t;
        assert_int_equal(tracer_make(&t, s, NULL), RHEO_OK);
        vec3 n, tilted = normalized(vec(0.8f, 0.5f, 0.1f));
        assert_int_equal(tracer_against_vessel(&n, t, vec(0.8f, 0.5f, 0.5f), tilted), kind == PICTURE_GLASS);
        if (kind == PICTURE_GLASS) check_near(n.x, 1, 1e-4);
        assert_false(tracer_against_vessel(&n, t, vec(0.8f, 0.5f, 0.5f), vec(0, 1, 0)));
        assert_false(tracer_against_vessel(&n, t, vec(0.78f, 0.5f, 0.5f), tilted));
        tracer_free(t);
        test_free(s);
    }
}

/* A ball of radius r at height h hides (r/h)^2 of the sky, cosine-weighted, from the floor under it. */
static void test_ambient_under_a_ball(void **state) {
    (void)state;
    need_embree();
    picture_scene *s = unit_scene();
    const double centre[4] = {0.5, 0.5, 0.5, 0.2};
    int matte = picture_add_material(s, PICTURE_MATTE, grey(0.5f));
    picture_add_solid(s, (picture_solid){ball_distance, centre, grey(0.25f), grey(0.75f), matte, 0});
    s->floor = true;
    tracer *t;
    ambient *m;
    assert_int_equal(tracer_make(&t, s, NULL), RHEO_OK);
    assert_int_equal(ambient_make(&m, t, s, NULL, NULL), RHEO_OK);
    check_near(ambient_on_floor(m, 0.5f, 0.5f).x, 1 - 0.88 * 0.16, 0.015);
    check_near(ambient_on_floor(m, 20, 0.5f).x, 1, 1e-6);
    assert_true(ambient_on_floor(m, 0.9f, 0.5f).x > ambient_on_floor(m, 0.6f, 0.5f).x);
    ambient_free(m);
    check_near(ambient_on_floor(NULL, 0, 0).y, 1, 0);
    tracer_free(t);
    test_free(s);
}

static void test_hits(void **state) {
    (void)state;
    need_embree();
    picture_scene *s = unit_scene();
    const double centre[4] = {0.5, 0.5, 0.5, 0.2};
    int matte = picture_add_material(s, PICTURE_MATTE, grey(0.5f));
    int liquid = picture_add_material(s, PICTURE_LIQUID, grey(1));
    picture_add_solid(s, (picture_solid){ball_distance, centre, grey(0.25f), grey(0.75f), matte, 0});
    picture_add_solid(s, (picture_solid){slope_distance, NULL, grey(0), grey(1), matte, 0});
    picture_add_mesh(s, block(liquid));
    tracer *t;
    assert_int_equal(tracer_make(&t, s, NULL), RHEO_OK);
    tracer_hit hit;
    vec3 o = vec(0.5f, 0.5f, 2), d = vec(0, 0, -1);
    assert_true(tracer_nearest(&hit, t, o, d, 0, INFINITY, SEE_ALL)); /* the block's face */
    check_near(hit.distance, 1.2, 1e-5);
    assert_int_equal(hit.what, SEE_LIQUID);
    check_near(hit.facet.z, 1, 1e-6);
    assert_true(tracer_nearest(&hit, t, o, d, 0, INFINITY, SEE_SOLID)); /* the ball */
    check_near(hit.distance, 1.3, 1e-4);
    check_near(hit.normal.z, 1, 1e-3);
    assert_true(tracer_nearest(&hit, t, vec(0.9f, 0.1f, 2), d, 0, INFINITY,
                               SEE_SOLID)); /* the cut of the half space */
    check_near(hit.distance, 1, 1e-4);
    check_near(hit.normal.z, 1, 1e-6);
    assert_true(
        tracer_nearest(&hit, t, vec(0.9f, 2, 0.9f), vec(0, -1, 0), 0, INFINITY, SEE_SOLID)); /* its top */
    check_near(hit.distance, 1.7, 1e-4);
    assert_true(tracer_nearest(&hit, t, vec(5, 2, 0), vec(0, -1, 0), 0, INFINITY, SEE_ALL));
    assert_int_equal(hit.what, SEE_FLOOR);
    assert_true(tracer_blocked(t, o, d, 0, INFINITY));
    assert_false(tracer_blocked(t, o, d, 0, 1));
    assert_false(tracer_blocked(t, vec(0.5f, 0.9f, 2), d, 0, INFINITY)); /* liquid lets light pass */
    tracer_free(t);
    test_free(s);
}

/* A film too thin to bend light changes nothing but the Fresnel loss; a ball of water focuses: bright in the
 * middle of its shadow, dark at its rim, and no more light in all than came. */
static void test_caustics(void **state) {
    (void)state;
    need_embree();
    for (int shape = 0; shape < 2; ++shape) {
        picture_scene *s = unit_scene();
        s->sky.sun_direction = vec(0, 1, 0);
        int clear = picture_add_material(s, PICTURE_LIQUID, grey(1));
        picture_add_mesh(s, shape ? ball(clear) : block(clear));
        tracer *t;
        caustics *c;
        pool *p = pool_create(2);
        assert_int_equal(tracer_make(&t, s, NULL), RHEO_OK);
        assert_int_equal(caustics_make(&c, t, s, p, NULL), RHEO_OK);
        assert_non_null(c);
        check_near(caustics_at(c, 0.02f, 0.02f).x, 1, 1e-6); /* beside it: free sun */
        check_near(caustics_at(c, 9, 9).x, 1, 0);
        double passed = pow(1 - pow(0.33 / 2.33, 2), 2), mean = 0;
        for (int k = 0; k < 10000; ++k)
            mean += 1e-4 * (double)caustics_at(c, 0.01f * (float)(k % 100) + 0.005f,
                                               0.01f * (float)(k / 100) + 0.005f)
                               .x;
        if (shape) {
            assert_true(caustics_at(c, 0.5f, 0.5f).x > 2);
            check_below(caustics_at(c, 0.5f, 0.75f).x, 0.3);
            check_below(mean, 1);
            check_below(0.93, mean);
        } else {
            check_near(caustics_at(c, 0.5f, 0.4f).x, passed, 2e-3);
            check_near(mean, 1 - 0.36 * (1 - passed), 2e-3);
        }
        caustics_free(c);
        tracer_free(t);
        pool_free(p);
        test_free(s);
    }
}

static void fill_all_kinds(picture_scene *s, picture_edges *edges, float drop[2][4], const double centre[4]) {
    int liquid = picture_add_material(s, PICTURE_LIQUID, vec(0.55f, 0.82f, 0.9f));
    int matte = picture_add_material(s, PICTURE_MATTE, vec(0.8f, 0.2f, 0.1f));
    int glass = picture_add_material(s, PICTURE_GLASS, grey(1));
    int line = picture_add_material(s, PICTURE_LINE, grey(0.1f));
    const float two[2][4] = {{0.9f, 0.9f, 0.9f, 0.04f}, {0.1f, 0.9f, 0.8f, 0.05f}};
    memcpy(drop, two, sizeof two);
    picture_add_mesh(s, ball(liquid));
    picture_add_mesh(s, picture_make_edges(edges, s, line));
    picture_add_drops(s, (picture_drops){2, (const float(*)[4])drop, NULL, liquid});
    picture_add_solid(s, (picture_solid){ball_distance, centre, grey(-0.1f), grey(0.5f), matte, 0});
    picture_add_solid(s, (picture_solid){ball_distance, centre + 4, grey(0), grey(1), glass, 0});
}

static void test_threads_do_not_matter(void **state) {
    (void)state;
    need_embree();
    enum { WIDTH = 64, HEIGHT = 36 };
    static unsigned char picture[3][HEIGHT * WIDTH * 3];
    static picture_edges edges;
    static const double centre[8] = {0.2, 0.2, 0.2, 0.15, 0.5, 0.5, 0.5, 0.45};
    float drop[2][4];
    const int threads[3] = {1, 2, 5};
    for (int k = 0; k < 3; ++k) {
        picture_scene *s = unit_scene();
        fill_all_kinds(s, &edges, drop, centre);
        pool *p = pool_create(threads[k]);
        assert_int_equal(picture_paint(picture[k], WIDTH, HEIGHT, 3, s, p, NULL, NULL), RHEO_OK);
        pool_free(p);
        test_free(s);
    }
    assert_memory_equal(picture[0], picture[1], sizeof picture[0]);
    assert_memory_equal(picture[0], picture[2], sizeof picture[0]);
    int least = 255, most = 0;
    for (size_t i = 0; i < sizeof picture[0]; ++i) {
        least = picture[0][i] < least ? picture[0][i] : least;
        most = picture[0][i] > most ? picture[0][i] : most;
    }
    assert_true(most - least > 100); /* and there is something to see */
}

static void test_cancelled_picture(void **state) {
    (void)state;
    need_embree();
    static unsigned char picture[32 * 32 * 3];
    picture_scene *s = unit_scene();
    volatile int stop = 1;
    rheo_report report = {0};
    assert_int_equal(picture_paint(picture, 32, 32, 1, s, NULL, &stop, &report), RHEO_INTERRUPTED);
    assert_int_equal(report.status, RHEO_INTERRUPTED);
    test_free(s);
}

static void test_png_round_trip(void **state) {
    (void)state;
    char directory[] = "/tmp/rheo-png-XXXXXX", file[64];
    assert_non_null(mkdtemp(directory));
    snprintf(file, sizeof file, "%s/a.png", directory);
    image out, back;
    int width, height;
    char note[NOTE_MAX];
    assert_int_equal(image_make(&out, 37, 21, NULL), RHEO_OK);
    for (int i = 0; i < 37 * 21 * 3; ++i) out.pixels[i] = (unsigned char)(i * 7 + i / 11);
    assert_int_equal(png_write(file, &out, NULL), RHEO_OK);
    assert_true(png_read_size(&width, &height, file));
    assert_int_equal(width, 37);
    assert_int_equal(height, 21);
    assert_int_equal(png_read(&back, file, NULL), RHEO_OK);
    assert_int_equal(back.width, 37);
    assert_memory_equal(back.pixels, out.pixels, 37 * 21 * 3);
    image_free(&back);
    png_read_note(note, file);
    assert_string_equal(note, "");
    strcpy(out.note, "what it shows");
    assert_int_equal(png_write(file, &out, NULL), RHEO_OK);
    png_read_note(note, file);
    assert_string_equal(note, "what it shows");
    assert_int_equal(png_read(&back, file, NULL), RHEO_OK);
    assert_memory_equal(back.pixels, out.pixels, 37 * 21 * 3);
    image_free(&back);

    assert_int_equal(truncate(file, 60), 0); /* damaged: an error, and no picture */
    rheo_report report = {0};
    assert_int_equal(png_read(&back, file, &report), RHEO_IO);
    assert_null(back.pixels);
    assert_non_null(strstr(report.file, "a.png"));
    unlink(file);
    assert_int_equal(png_read(&back, file, &report), RHEO_IO);
    assert_int_equal(png_write("/nowhere/at/all.png", &out, &report), RHEO_IO);
    assert_int_equal(rmdir(directory), 0); /* no temporary file is left */
    image_free(&out);
    assert_int_equal(image_make(&out, 0, 5, &report), RHEO_USAGE);
}

static void test_sheet_layout(void **state) {
    (void)state;
    sheet_layout l = sheet_plan(4, 3, 100, 640, 360);
    assert_int_equal(l.columns, 4);
    assert_int_equal(l.rows, 3);
    assert_int_equal(l.width, (SHEET_WIDTH - 5 * SHEET_GAP) / 4);
    assert_int_equal(l.height, (l.width * 360 + 320) / 640);
    assert_int_equal(l.sheet[0], 4 * l.width + 5 * SHEET_GAP);
    assert_int_equal(l.sheet[1], 3 * l.height + 4 * SHEET_GAP);
    l = sheet_plan(4, 3, 6, 100, 50); /* fewer pictures than places, and never enlarged */
    assert_int_equal(l.rows, 2);
    assert_int_equal(l.width, 100);
    l = sheet_plan(4, 3, 2, 100, 50);
    assert_int_equal(l.columns, 2);
    assert_int_equal(l.rows, 1);
    for (int places = 2; places < 13; ++places) {
        assert_int_equal(sheet_choose(0, places, 37), 0);
        assert_int_equal(sheet_choose(places - 1, places, 37), 36);
        for (int i = 1; i < places; ++i)
            assert_true(sheet_choose(i, places, 37) > sheet_choose(i - 1, places, 37));
    }
}

/* Half black, half white is half the light, not half the code; uneven ratios weigh by area. */
static void test_shrink(void **state) {
    (void)state;
    image big, small;
    image_make(&big, 3, 2, NULL);
    image_make(&small, 2, 1, NULL);
    for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 3; ++x) memset(big.pixels + 3 * (3 * y + x), x == 0 ? 255 : 0, 3);
    image_shrink(&small, &big); /* the left small pixel covers 1.5 columns: 2/3 white */
    check_near(small.pixels[0], optics_srgb(2 / 3.0f), 1);
    assert_int_equal(small.pixels[3], 0);
    image_free(&big);
    image_free(&small);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_furnace),
        cmocka_unit_test(test_glass_in_liquid),
        cmocka_unit_test(test_liquid_that_reaches_into_glass),
        cmocka_unit_test(test_absorbed_light),
        cmocka_unit_test(test_hits),
        cmocka_unit_test(test_ambient_under_a_ball),
        cmocka_unit_test(test_against_vessel),
        cmocka_unit_test(test_caustics),
        cmocka_unit_test(test_threads_do_not_matter),
        cmocka_unit_test(test_cancelled_picture),
        cmocka_unit_test(test_png_round_trip),
        cmocka_unit_test(test_sheet_layout),
        cmocka_unit_test(test_shrink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Particles that a step carried into walls: none comes out behind, whatever the wall's thickness and the
 * step's length, and what glides along a surface goes on. */
#include "check.h"
#include "core/memory.h"
#include "stage/walls/boundary.h"

enum { CELLS = 24, COUNT = 600 };
#define LOW 10.5f /* cells: where the wall begins; the grid knows one of 2 cells to be half a cell deep */

typedef struct {
    mac_grid g;
    openings open;
    particles p;
    float *solid;
    uint8_t keep[COUNT];
} setting;

/* A slab from LOW to `high` cells along y, up to `end` along x. */
static void set(setting *s, int dim, float high, float end) {
    const int n[3] = {CELLS, CELLS, dim == 3 ? CELLS : 1};
    *s = (setting){.g = {.dx = 0.1, .pool = pool_create(1)}};
    s->g.box = box_make(dim, n);
    s->solid = mem_alloc(s->g.box.size * sizeof(float));
    assert_int_equal(particles_make(&s->p, &s->g, NULL, 0), 0);
    assert_int_equal(particles_reserve(&s->p, COUNT), 0);
    for (int k = dim == 3 ? -GHOST : 0; k < (dim == 3 ? CELLS + GHOST : 1); ++k)
        for (int j = -GHOST; j < CELLS + GHOST; ++j)
            for (int i = -GHOST; i < CELLS + GHOST; ++i) {
                const float y = fmaxf(LOW - (float)j, (float)j - high), x = (float)i - end;
                const float outside = hypotf(fmaxf(x, 0), fmaxf(y, 0)), inside = fminf(0, fmaxf(x, y));
                s->solid[box_at(&s->g.box, i, j, k)] = 0.1f * (outside + inside);
            }
}

static void unset(setting *s) {
    particles_free(&s->p);
    mem_free(s->solid);
    pool_free(s->g.pool);
}

static double random_share(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) / 16777216.0;
}

static void put(setting *s, const float from[3], const float to[3], int spray) {
    const size_t q = s->p.count++;
    for (int a = 0; a < s->p.dim; ++a) {
        s->p.x[a][q] = from[a];
        s->p.v[a][q] = to[a] - from[a];
    }
    s->p.spray[q] = (uint8_t)spray;
}

/* Every particle goes its way at once. */
static int64_t move_marked(setting *s, int marked) {
    particles_remember(&s->p, s->g.pool);
    for (int a = 0; a < s->p.dim; ++a)
        for (size_t q = 0; q < s->p.count; ++q) s->p.x[a][q] += s->p.v[a][q];
    if (marked) boundary_mark(s->keep, &s->p, &s->g, s->solid);
    return boundary_particles(&s->p, s->keep, marked, &s->g, &s->open, s->solid, NULL);
}

static int64_t move(setting *s) {
    return move_marked(s, 0);
}

static void nothing_passes(int dim, float thick, int spray, float longest) {
    setting s;
    uint32_t random = 7;
    int falls_in[COUNT];
    set(&s, dim, LOW + thick, 100);
    for (int q = 0; q < COUNT; ++q) {
        const float fall = longest * (float)random_share(&random);
        const float from[3] = {8 + 8 * (float)random_share(&random),
                               LOW + thick + 0.01f + fall * (float)random_share(&random),
                               8 + 8 * (float)random_share(&random)};
        const float to[3] = {from[0] + 0.4f * fall, from[1] - fall, from[2]};
        put(&s, from, to, spray);
        falls_in[q] = to[1] < LOW + thick;
    }
    move(&s);
    int passed = 0;
    for (int q = 0; q < COUNT; ++q) {
        passed += s.p.x[1][q] < LOW + thick;
        if (falls_in[q] && spray) check_near((double)s.p.v[1][q], 0, 1e-4);
    }
    printf("%dD, %.2f cells thick, %s of up to %.0f cells: %d of %d passed\n", dim, (double)thick,
           spray ? "spray" : "liquid", (double)longest, passed, COUNT);
    assert_int_equal(passed, 0);
    unset(&s);
}

static void walls_hold_spray(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int k = 0; k < 4; ++k) nothing_passes(dim, (float[]){2, 2.5f, 3, 4}[k], 1, 9);
}

static void walls_hold_liquid(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int k = 0; k < 3; ++k) nothing_passes(dim, (float[]){2, 2.5f, 3}[k], 0, 5);
}

/* What ends a little below the surface that it glides along keeps its way along it; what passes above or is
 * far off is left alone. */
static void gliding_goes_on(void **state) {
    (void)state;
    for (int spray = 0; spray < 2; ++spray) {
        setting s;
        set(&s, 3, LOW + 3, 100);
        put(&s, (float[]){5, LOW + 3.01f, 12}, (float[]){11, LOW + 2.9f, 12}, spray);
        put(&s, (float[]){5, LOW + 3.01f, 12}, (float[]){11, LOW + 3.02f, 12}, spray);
        put(&s, (float[]){5, LOW + 8, 12}, (float[]){13, LOW + 5, 12}, spray);
        assert_int_equal(move(&s), 1);
        check_near((double)s.p.x[0][0], 11, 1e-4);
        check_near((double)s.p.x[1][0], (double)LOW + 3.01, 0.01);
        assert_true(s.p.x[0][1] == 5.0f + 6.0f && s.p.x[0][2] == 5.0f + 8.0f);
        unset(&s);
    }
}

/* Liquid that flowed around the end of the slab was never inside, though the straight way was. */
static void liquid_turns_corners(void **state) {
    (void)state;
    setting s;
    set(&s, 2, LOW + 6, 12);
    put(&s, (float[]){11.2f, LOW + 6.3f, 0}, (float[]){12.3f, LOW + 4.6f, 0}, 0);
    assert_int_equal(move(&s), 0);
    check_near((double)s.p.x[0][0], 12.3, 1e-5);
    unset(&s);
}

/* Groups far from the slab are passed over, groups near it or beyond it are not: some of both. */
static void marks_change_nothing(void **state) {
    (void)state;
    setting s[2];
    int64_t moved[2];
    for (int marked = 0; marked < 2; ++marked) {
        uint32_t random = 11;
        set(&s[marked], 3, LOW + 3, 100);
        for (int q = 0; q < COUNT; ++q) {
            const float group = (float)(q / PARTICLE_GROUP), share = (float)random_share(&random);
            const float from[3] = {8 + 8 * (float)random_share(&random), LOW + 3.2f + 0.5f * group, 12};
            put(&s[marked], from, (float[]){from[0], from[1] - 3 * share, 12}, q % 3 == 0);
        }
        moved[marked] = move_marked(&s[marked], marked);
    }
    assert_true(moved[0] > COUNT / 20 && moved[0] < COUNT / 2);
    assert_int_equal(moved[0], moved[1]);
    for (int a = 0; a < 3; ++a) {
        assert_memory_equal(s[0].p.x[a], s[1].p.x[a], COUNT * sizeof(float));
        assert_memory_equal(s[0].p.v[a], s[1].p.v[a], COUNT * sizeof(float));
    }
    assert_memory_equal(s[0].keep, s[1].keep, COUNT);
    memset(s[1].keep, 2, COUNT);
    boundary_mark(s[1].keep, &s[1].p, &s[1].g, s[1].solid);
    assert_int_equal(s[1].keep[0], 1);
    assert_int_equal(s[1].keep[(COUNT / PARTICLE_GROUP - 1) * PARTICLE_GROUP], 0);
    assert_int_equal(s[1].keep[COUNT / PARTICLE_GROUP * PARTICLE_GROUP], 2); /* left over */
    for (int i = 0; i < 2; ++i) unset(&s[i]);
}

/* Onto the floor of cells that hold a film of 0.6 cells: spray fills it evenly and stays in it, each particle
 * at its place, and what falls beside it or is liquid lies on the floor. */
static void spray_lands_on_films(void **state) {
    (void)state;
    enum { STEPS = 3, FILM = 12 }; /* cells along x */
    setting s;
    set(&s, 3, LOW + 3, 100);
    float *density = mem_alloc(s.g.box.size * sizeof *density);
    for (int i = 0; i < FILM; ++i) density[box_at(&s.g.box, i, 0, 12)] = 0.45f;
    for (int q = 0; q < COUNT; ++q) {
        const float x = (float)CELLS * ((float)q + 0.5f) / COUNT;
        put(&s, (float[]){x, 0.9f, 12.5f}, (float[]){x, -0.5f, 12.5f}, q % 5 != 0);
        s.p.id[q] = (uint32_t)q;
    }
    double mean = 0;
    int count = 0;
    for (int step = 0; step < STEPS; ++step) {
        for (int q = 0; q < COUNT; ++q) s.p.x[1][q] -= step == 0 ? 1.4f : 0.01f;
        boundary_particles(&s.p, s.keep, 0, &s.g, &s.open, NULL, density);
    }
    for (int q = 0; q < COUNT; ++q) {
        const float height = s.p.x[1][q];
        if (q % 5 == 0 || s.p.x[0][q] > FILM) {
            check_below(height, 0.01);
            continue;
        }
        assert_true(height > 0 && height < 0.6f && s.p.v[1][q] >= 0);
        mean += (double)height;
        ++count;
    }
    check_below(fabs(mean / count - 0.3), 0.03);
    mem_free(density);
    unset(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walls_hold_spray),     cmocka_unit_test(walls_hold_liquid),
        cmocka_unit_test(gliding_goes_on),      cmocka_unit_test(liquid_turns_corners),
        cmocka_unit_test(marks_change_nothing), cmocka_unit_test(spray_lands_on_films),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

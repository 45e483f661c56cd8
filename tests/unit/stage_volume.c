/* The drift correction in liquid at rest: what it lifts by little is taken back, all else is left as it is.
 * And how crowded liquid is, and what spreads it. */
#include "check.h"
#include "core/random.h"
#include "stage/rest/rest.h"
#include "stage/volume/volume.h"

enum { N = 32, COUNT = 4 * N * N };

typedef struct setup {
    mac_grid g;
    particles p;
    mac_field u, carry;
    float *scratch;
} setup;

static const double DX = 0.1, DT = 0.02, PULL[3] = {0, -9.81, 0};

/* A displacement of `up` cells a step above a velocity along x. */
static void make(setup *s, float up) {
    *s = (setup){.g = {.box = box_make(2, (int[3]){N, N, 1}), .dx = DX}};
    s->scratch = calloc(s->g.box.size, sizeof *s->scratch);
    assert_non_null(s->scratch);
    assert_int_equal(particles_make(&s->p, &s->g, NULL, 0), 0);
    assert_int_equal(particles_reserve(&s->p, COUNT), 0);
    assert_int_equal(mac_field_make(&s->u, &s->g) | mac_field_make(&s->carry, &s->g), 0);
    s->p.count = COUNT;
    for (size_t q = 0; q < COUNT; ++q) {
        for (int a = 0; a < 2; ++a) s->p.x[a][q] = (float)N * random_unit(1, q, (uint64_t)a);
        s->p.spray[q] = 0;
    }
    for (size_t c = 0; c < s->g.box.size; ++c) {
        s->u.value[0][c] = s->carry.value[0][c] = 0.25f;
        s->u.value[1][c] = 0;
        s->carry.value[1][c] = up * (float)(DX / DT);
    }
}

static void release(setup *s) {
    particles_free(&s->p);
    mac_field_free(&s->u);
    mac_field_free(&s->carry);
    free(s->scratch);
}

/* The displacement that is left, in cells a step. */
static double left_of(double speed, float up, const double gravity[3]) {
    setup s;
    make(&s, up);
    const ptrdiff_t c = box_at(&s.g.box, 3, 4, 0);
    double risen = 0;
    rest_limit_lift(&s.carry, &risen, s.scratch, &s.g, &s.u, &s.p, gravity, speed, DT);
    const double left = (double)s.carry.value[1][c] * DT / DX;
    check_near((double)s.carry.value[0][c], 0.25, 0);
    release(&s);
    return left;
}

static void still_liquid_is_not_lifted(void **state) {
    (void)state;
    check_near(left_of(0, 5e-4f, PULL), 0, 0);
    check_near(left_of(0, -5e-4f, PULL), -5e-4, 1e-9); /* it may settle */
    check_near(left_of(0, 5e-4f, (const double[3]){0, 0, 0}), 5e-4, 1e-9);
    check_near(left_of(0, 5e-4f, (const double[3]){9.81, 0, 0}), 5e-4, 1e-9);
}

/* What is beyond the band stays, and the band ends where the liquid could rise as high. */
static void more_is_moved(void **state) {
    (void)state;
    check_near(left_of(0, 0.01f, PULL), 0.009, 1e-6);
    check_near(left_of(0.0313, 0.01f, PULL), 0.0095, 1e-6); /* half: v^2 / 2 = 0.5e-3 g dx */
    check_near(left_of(0.05, 5e-4f, PULL), 5e-4, 1e-9);
}

/* What carries it where the velocity is `up`, and so far has lifted it by *risen. */
static double carried_by(double speed, float up, const double gravity[3], double *risen) {
    setup s;
    make(&s, 0);
    for (size_t c = 0; c < s.g.box.size; ++c) s.u.value[1][c] = s.carry.value[1][c] = up;
    for (size_t q = 0; q < COUNT; q += 3) s.p.spray[q] = 1; /* which it does not carry */
    const ptrdiff_t c = box_at(&s.g.box, 3, 4, 0);
    rest_limit_lift(&s.carry, risen, s.scratch, &s.g, &s.u, &s.p, gravity, speed, DT);
    const double by = (double)s.carry.value[1][c];
    release(&s);
    return by;
}

/* Nor by its velocity, on the whole, unless it is fast enough to be seen; what has sunk may rise again. */
static void still_liquid_does_not_rise(void **state) {
    (void)state;
    const double oblique[3] = {6, -8, 0};
    double risen = 0;
    check_near(carried_by(0.001, 1e-3f, PULL, &risen), 0, 1e-9);
    check_near(risen, 0, 0);
    check_near(carried_by(0.001, -2e-3f, PULL, &risen), -2e-3, 1e-9);
    check_near(risen, -2e-3 * DT, 1e-10);
    check_near(carried_by(0.001, 1.5e-3f, PULL, &risen), 1.5e-3, 1e-9);
    check_near(risen, -0.5e-3 * DT, 1e-10);
    check_near(carried_by(0.001, 1.5e-3f, PULL, &risen), 0.5e-3, 1e-9); /* to where it was */
    check_near(risen, 0, 0);
    /* above 0.01 sqrt(g dx), 0.0099 m/s, it goes as it goes, and slower again it may rise by what its speed
     * then carried it: waves that pass the limit to and fro are not pumped down */
    const double high = 0.5 * 0.011 * 0.011 / -PULL[1];
    risen = -1;
    check_near(carried_by(0.011, 1e-3f, PULL, &risen), 1e-3, 1e-9);
    check_near(risen, -high, 1e-12);
    check_near(carried_by(0.001, 1e-3f, PULL, &risen), high / DT, 1e-9);
    check_near(risen, 0, 0);
    /* u = (0.25, 0, 0) of make() sinks along gravity by more than 1e-3 lifts */
    check_near(carried_by(0.001, 1e-3f, oblique, &risen), 1e-3, 1e-9);
    check_near(risen, (-0.25 * 0.6 + 1e-3 * 0.8) * DT, 1e-8);
}

/* By what is beyond 1.2, in cells that no wall cuts. */
static void crowded_cells(void **state) {
    (void)state;
    openings o = {0};
    setup s;
    make(&s, 0);
    assert_int_equal(mac_field_make(&o.open, &s.g), 0);
    for (size_t c = 0; c < s.g.box.size; ++c) {
        s.scratch[c] = 1.19f;
        for (int a = 0; a < 2; ++a) o.open.value[a][c] = 1;
    }
    check_near(volume_crowding(&s.g, &o, s.scratch), 0, 0);
    s.scratch[box_at(&s.g.box, 0, 3, 0)] = 1.5f;
    s.scratch[box_at(&s.g.box, 5, 5, 0)] = 1.6f;
    check_near(volume_crowding(&s.g, &o, s.scratch), 0.7 * DX * DX * DX, 1e-9);
    o.open.value[1][box_at(&s.g.box, 5, 6, 0)] = 0.5f;
    check_near(volume_crowding(&s.g, &o, s.scratch), 0.3 * DX * DX * DX, 1e-9);
    mac_field_free(&o.open);
    release(&s);
}

/* The change of volume asked of cell (i, j), which is denser by `off` than liquid all around it with the
 * surface above row N - 2. `closed`: so is the face above it. */
static double asked_of(int i, int j, float off, int moving, int closed) {
    openings o = {0};
    setup s;
    make(&s, 0);
    float *phi = calloc(s.g.box.size, sizeof *phi), *asked = calloc(s.g.box.size, sizeof *asked);
    uint8_t *depth = calloc(s.g.box.size, 1);
    assert_true(phi && asked && depth);
    assert_int_equal(mac_field_make(&o.open, &s.g), 0);
    for (int y = 0; y <= N; ++y)
        for (int x = 0; x <= N; ++x) {
            const ptrdiff_t c = box_at(&s.g.box, x, y, 0);
            o.open.value[0][c] = x > 0 && x < N;
            o.open.value[1][c] = y > 0 && y < N;
            phi[c] = (float)(y - (N - 2)) + 0.5f;
            s.scratch[c] = 1;
        }
    const ptrdiff_t c = box_at(&s.g.box, i, j, 0);
    s.scratch[c] = 1 + off;
    if (closed) o.open.value[1][c + s.g.box.step[1]] = 0;
    volume_outflow(asked, depth, &s.g, &o, s.scratch, phi, NULL, moving, DT);
    const double change = (double)asked[c] * DT / DX;
    mac_field_free(&o.open);
    free(phi);
    free(asked);
    free(depth);
    release(&s);
    return change;
}

/* At once above 0.1 in the layer below the surface's (where liquid of density one shows 1), above 0.25 deep
 * inside, above 0.5 where solids move; below that 0.3 a step. Cells deep inside are looked at by eights,
 * beside the sides one by one. */
static void dense_liquid_spreads(void **state) {
    (void)state;
    static const int places[] = {1, 14};
    for (int k = 0; k < 2; ++k) {
        const int i = places[k];
        check_near(asked_of(i, N - 4, 0.2f, 0, 0), 0.03 + 0.1, 1e-6);
        check_near(asked_of(i, N - 4, 0.2f, 1, 0), 0.06, 1e-6);
        check_near(asked_of(i, 12, 0.2f, 0, 0), 0.06, 1e-6);
        check_near(asked_of(i, 12, 0.45f, 0, 0), 0.075 + 0.2, 1e-6);
        check_near(asked_of(i, 12, 0.45f, 1, 0), 0.135, 1e-6);
        check_near(asked_of(i, 12, 0.6f, 1, 0), 0.15 + 0.1, 1e-6);
    }
    /* a surface behind a wall is not near; a quarter of the cell's faces is shut */
    check_near(asked_of(14, N - 4, 0.2f, 0, 1), 0.75 * 0.06, 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(still_liquid_is_not_lifted), cmocka_unit_test(more_is_moved),
        cmocka_unit_test(still_liquid_does_not_rise), cmocka_unit_test(crowded_cells),
        cmocka_unit_test(dense_liquid_spreads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

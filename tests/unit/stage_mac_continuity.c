#include "check.h"
#include "linear/poisson.h"
#include "stage/mac/mac.h"
#include "stage/pressure/pressure.h"

/* Velocities with nothing in common, so that no rule holds by accident. */
static const float start[6] = {0.31f, -1.7f, 2.3f, 0.11f, -0.9f, 1.3f};

static double divergence(const float face[6], int dim) {
    double sum = 0;
    for (int a = 0; a < dim; ++a) sum += (double)face[2 * a + 1] - (double)face[2 * a];
    return sum;
}

/* Air on both sides of one axis only, or all around: the cases the source leaves alone. */
static int is_left_alone(unsigned air, int dim) {
    return air == 3 || air == 12 || air == 48 || air == (1u << 2 * dim) - 1;
}

static int check_all(int dim) {
    int closed = 0;
    for (unsigned air = 1; air < 1u << 2 * dim; ++air) {
        float face[6];
        memcpy(face, start, sizeof face);
        const int done = mac_continuity(face, air, dim);
        assert_int_equal(done, !is_left_alone(air, dim));
        for (int f = 0; f < 6; ++f)
            if (!done || !(air >> f & 1u)) assert_true(face[f] == start[f]);
        if (done) check_near(divergence(face, dim), 0, 2e-6);
        closed += done;
    }
    return closed;
}

static void all_cases_are_divergence_free(void **state) {
    (void)state;
    const int space = check_all(3), plane = check_all(2);
    printf("divergence-free by rule: %d of 63 in space, %d of 15 in the plane; the rest by projection\n",
           space, plane);
    assert_int_equal(space, 59);
    assert_int_equal(plane, 12);
}

static void follows_the_text_face_by_face(void **state) {
    (void)state;
    float f[6];
    /* (23): the right face alone */
    memcpy(f, start, sizeof f);
    mac_continuity(f, 2, 3);
    check_near((double)f[1], (double)(start[0] - start[3] + start[2] - start[5] + start[4]), 1e-6);
    /* right and top: copies, and half of what z leaves each */
    memcpy(f, start, sizeof f);
    mac_continuity(f, 2 | 8, 3);
    check_near((double)f[1], (double)(start[0] - 0.5f * (start[5] - start[4])), 1e-6);
    check_near((double)f[3], (double)(start[2] - 0.5f * (start[5] - start[4])), 1e-6);
    /* left, bottom and front: plain copies */
    memcpy(f, start, sizeof f);
    mac_continuity(f, 1 | 4 | 32, 3);
    assert_true(f[0] == start[1] && f[2] == start[3]);
    check_near((double)f[5], (double)start[4], 1e-6);
    /* four around x: a quarter of the divergence each */
    memcpy(f, start, sizeof f);
    mac_continuity(f, 4 | 8 | 16 | 32, 3);
    const double quarter = divergence(start, 3) / 4;
    check_near((double)f[2], (double)start[2] + quarter, 1e-6);
    check_near((double)f[5], (double)start[5] - quarter, 1e-6);
    /* all but left: the right face takes everything */
    memcpy(f, start, sizeof f);
    mac_continuity(f, 63u & ~1u, 3);
    check_near((double)f[1], (double)start[1] - divergence(start, 3), 1e-6);
    assert_true(f[2] == start[2] && f[5] == start[5]);
}

/* One liquid cell in the middle of a box, its neighbours liquid or air by the bits of a case. After the rule
 * and the projection every case must be divergence-free, those the rule leaves alone included. */
static double projected_divergence(const mac_grid *g, unsigned air, poisson *solver, pressure_work *work,
                                   openings *o, mac_field *u, uint8_t *kind, float *phi, float *q) {
    const int dim = g->box.dim;
    const ptrdiff_t c = box_at(&g->box, 2, 2, dim == 3 ? 2 : 0);
    memset(kind, MAC_EMPTY, g->box.size);
    memset(q, 0, g->box.size * sizeof *q);
    kind[c] = MAC_LIQUID;
    for (int f = 0; f < 2 * dim; ++f)
        if (!(air >> f & 1u)) kind[f % 2 ? c + g->box.step[f / 2] : c - g->box.step[f / 2]] = MAC_LIQUID;
    for (int a = 0; a < dim; ++a)
        for (size_t n = 0; n < g->box.size; ++n) {
            u->value[a][n] = sinf((float)n * 1.7f + (float)a);
            o->open.value[a][n] = 1;
        }
    double before[3], after[3];
    mac_speed(before, g, u);
    mac_close_surface(u, g, kind, o, NULL);
    mac_speed(after, g, u);
    const double fastest = fmax(before[0], fmax(before[1], before[2]));
    for (int a = 0; a < dim; ++a) check_below(after[a], fastest);
    mac_cell_distance(phi, g, kind);
    assert_int_equal(pressure_assemble(solver, work, g, o, phi), 0);
    pressure_project(u, q, solver, work, g, o, phi, 1e-7, 200);
    return pressure_divergence(u, g, o, phi, NULL, NULL) * g->dx;
}

static void projection_closes_what_is_left(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        mac_grid g = {.box = box_make(dim, (int[3]){5, 5, dim == 3 ? 5 : 1}), .dx = 0.1};
        mac_field u = {{0}};
        openings o = {0};
        pressure_work work = {0};
        float *field[4];
        for (int i = 0; i < 4; ++i) field[i] = calloc(g.box.size, sizeof(float));
        uint8_t *kind = calloc(g.box.size, 1);
        work.unknown = calloc(g.box.size, 1);
        work.extra = field[0];
        work.rhs = field[1];
        assert_int_equal(
            mac_field_make(&u, &g) | mac_field_make(&o.open, &g) | mac_field_make(&work.face, &g), 0);
        memset(o.open_wall, 1, sizeof o.open_wall);
        poisson *solver = poisson_create(&g.box, NULL, POISSON_MIC);
        double worst = 0;
        for (unsigned air = 1; air < 1u << 2 * dim; ++air)
            worst =
                larger(worst, projected_divergence(&g, air, solver, &work, &o, &u, kind, field[2], field[3]));
        printf("dim %d: largest divergence after projection over all cases %.2e m/s\n", dim, worst);
        check_below(worst, 1e-5);
        poisson_free(solver);
        mac_field_free(&u);
        mac_field_free(&o.open);
        mac_field_free(&work.face);
        for (int i = 0; i < 4; ++i) free(field[i]);
        free(kind);
        free(work.unknown);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_cases_are_divergence_free),
        cmocka_unit_test(follows_the_text_face_by_face),
        cmocka_unit_test(projection_closes_what_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

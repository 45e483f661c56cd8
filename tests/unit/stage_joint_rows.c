/* What joint rows between bodies leave of their motions, by itself: of masses, joints and velocities at
 * random. */
#include "check.h"
#include "core/random.h"
#include "stage/coupling/joints.h"

enum { BODIES = 5, JOINTS = 9 };

typedef struct {
    coupling c;
    body rigid[BODIES];
    body_state state[BODIES];
    active_constraints active[BODIES];
    obstacle solid[BODIES];
    joint_row joint[JOINTS];
    double mass[BODIES][SIX * SIX];
    uint64_t at;
} linked;

static double some(linked *t) {
    return random_unit(7, t->at++, 0) - 0.5;
}

/* Positive, and from one body to the next of up to a thousand times the size. */
static void make_body(linked *t, int i) {
    coupled_body *b = &t->c.bodies[i];
    double root[SIX * SIX], v[SIX];
    const double size = pow(1000, some(t) + 0.5);
    for (int k = 0; k < SIX * SIX; ++k) root[k] = some(t) + (k % (SIX + 1) == 0);
    for (int r = 0; r < SIX; ++r)
        for (int c = 0; c < SIX; ++c) {
            t->mass[i][SIX * r + c] = 0;
            for (int k = 0; k < SIX; ++k)
                t->mass[i][SIX * r + c] += size * root[SIX * r + k] * root[SIX * c + k];
        }
    assert_true(six_factorise(b->factor, t->mass[i]));
    t->rigid[i] = (body){.now = &t->state[i], .active = &t->active[i]};
    t->solid[i].body = &t->rigid[i];
    b->solid = &t->solid[i];
    for (int r = 0; r < SIX; ++r) v[r] = some(t);
    body_add_motion(&t->state[i], v, 1);
    coupling_make_active(b);
    coupling_read_start(b);
    coupling_bind(b);
}

/* Bodies 0 to 3 in a ring, some of its rows twice; the last by itself, the first held along two rows. */
static void make(linked *t) {
    *t = (linked){0};
    assert_int_equal(coupling_make(&t->c, BODIES), 0);
    t->active[0].count = 2;
    for (int r = 0; r < SIX; ++r)
        for (int k = 0; k < 2; ++k) t->active[0].row[k][r] = some(t);
    for (int i = 0; i < BODIES; ++i) make_body(t, i);
    for (int k = 0; k < JOINTS; ++k) {
        joint_row *at = &t->joint[k];
        at->end[0] = &t->rigid[k % 4];
        at->end[1] = &t->rigid[(k + 1) % 4];
        for (int e = 0; e < 2; ++e)
            for (int r = 0; r < SIX; ++r) at->row[e][r] = k == 8 ? 2 * t->joint[0].row[e][r] : some(t);
    }
    const joint_rows rows = {JOINTS, t->joint};
    assert_int_equal(joints_find(&t->c, &rows), 0);
    joints_bind(&t->c, NULL);
}

static double times(const double *a, const double *b) {
    double sum = 0;
    for (int r = 0; r < SIX; ++r) sum += a[r] * b[r];
    return sum;
}

/* The most that motions of the group, one body after another, do along its joint rows and the active
 * constraints. */
static double along_rows(const linked *t, const double *v) {
    double most = 0;
    for (int k = 0; k < JOINTS; ++k) {
        const joint_row *at = &t->joint[k];
        most = larger(most, fabs(times(at->row[0], v + SIX * (at->end[0] - t->rigid)) +
                                 times(at->row[1], v + SIX * (at->end[1] - t->rigid))));
    }
    for (int k = 0; k < 2; ++k) most = larger(most, fabs(times(t->active[0].row[k], v)));
    return most;
}

static double energy_product(const linked *t, const double *v, const double *w) {
    double sum = 0;
    for (int i = 0; i < 4; ++i)
        for (int r = 0; r < SIX; ++r) sum += v[SIX * i + r] * times(t->mass[i] + SIX * r, w + SIX * i);
    return sum;
}

/* What is left obeys the rows, is all that does, and has size 1 in the metric of the masses. */
static void motions_are_what_rows_leave(void **state) {
    (void)state;
    linked t;
    make(&t);
    assert_null(joints_of(&t.c, &t.c.bodies[4]));
    const joint_group *g = joints_of(&t.c, &t.c.bodies[2]);
    assert_int_equal(g->count, 4);
    assert_int_equal(g->row_count, JOINTS);
    assert_int_equal(g->motions, 4 * SIX - 2 - 8);
    assert_int_equal(joints_terms(g), 3);
    for (int i = 0; i < g->motions; ++i) {
        check_below(along_rows(&t, g->basis + 4 * SIX * i), 1e-12);
        for (int k = 0; k <= i; ++k)
            check_near(energy_product(&t, g->basis + 4 * SIX * i, g->basis + 4 * SIX * k), i == k, 1e-12);
    }
    coupling_free(&t.c);
}

/* The velocities nearest to those before among what is left: what was taken is none of it. */
static void start_is_projected(void **state) {
    (void)state;
    linked t;
    double before[4 * SIX], v[4 * SIX] = {0}, taken[4 * SIX];
    make(&t);
    const joint_group *g = joints_of(&t.c, &t.c.bodies[0]);
    for (int i = 0; i < 4; ++i) {
        memcpy(before + SIX * i, t.c.bodies[i].start, SIX * sizeof *before);
        six_solve_upper(before + SIX * i, t.c.bodies[i].factor);
        body_note_motion(v + SIX * i, &t.state[i], 1);
    }
    for (int r = 0; r < 4 * SIX; ++r) taken[r] = v[r] - before[r];
    check_below(along_rows(&t, v), 1e-12);
    for (int i = 0; i < g->motions; ++i)
        check_below(fabs(energy_product(&t, g->basis + 4 * SIX * i, taken)), 1e-11);
    check_below(energy_product(&t, v, v), energy_product(&t, before, before));
    coupling_free(&t.c);
}

/* What pressure does goes the same way, and what rows leave they leave again. */
static void changes_are_projected(void **state) {
    (void)state;
    linked t;
    double v[4 * SIX];
    make(&t);
    for (int i = 0; i < 4; ++i) {
        for (int r = 0; r < SIX; ++r) t.c.bodies[i].change[r] = some(&t);
        coupling_leave_free(t.c.bodies[i].change, &t.c.bodies[i]);
    }
    joints_push(&t.c, NULL);
    for (int i = 0; i < 4; ++i) {
        memcpy(v + SIX * i, t.c.bodies[i].change, SIX * sizeof *v);
        six_solve_upper(v + SIX * i, t.c.bodies[i].factor);
    }
    check_below(along_rows(&t, v), 1e-12);
    joints_push(&t.c, NULL);
    for (int i = 0; i < 4; ++i) {
        double again[SIX];
        memcpy(again, t.c.bodies[i].change, sizeof again);
        six_solve_upper(again, t.c.bodies[i].factor);
        for (int r = 0; r < SIX; ++r) check_near(again[r], v[SIX * i + r], 1e-12);
    }
    coupling_free(&t.c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions_are_what_rows_leave),
        cmocka_unit_test(start_is_projected),
        cmocka_unit_test(changes_are_projected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Strain on random graded trees: linear velocities, constant stress, turning, volumes; and the systems. */
#include "check.h"
#include "random_tree.h"
#include "stage/viscosity/tree_system.h"

enum { TREES = 200 };

typedef struct linear_flow {
    double at[3], slope[3][3]; /* u_c = at_c + slope_c . x */
} linear_flow;

static double flow_at(void *user, int axis, const double x[3]) {
    const linear_flow *f = user;
    double sum = f->at[axis];
    for (int a = 0; a < 3; ++a) sum += f->slope[axis][a] * x[a];
    return sum;
}

static void centre_of(double x[3], const tree *t, int face) {
    const tree_face *f = &t->face[face];
    for (int a = 0; a < 3; ++a) x[a] = f->at[a] + (a != f->axis && a < t->dim ? 0.5 * f->size : 0);
}

static linear_flow random_flow(int dim, uint64_t seed, int turning) {
    linear_flow f = {0};
    for (int c = 0; c < dim; ++c) {
        f.at[c] = (double)random_unit(seed, 9, (uint64_t)c) - 0.5;
        for (int a = 0; a < dim; ++a)
            f.slope[c][a] = (double)random_unit(seed, (uint64_t)(3 + c), (uint64_t)a) - 0.5;
    }
    for (int c = 0; c < dim && turning; ++c)
        for (int a = 0; a <= c; ++a) f.slope[c][a] = a == c ? 0 : -f.slope[a][c];
    return f;
}

/* Around a random tree: its rules with a linear flow, a system, random viscosities. */
typedef struct rig {
    tree t;
    uint8_t *most;
    linear_flow flow;
    tree_system s;
    double stress[6]; /* of the three axes, of the three edges */
    int plain;        /* weights are volumes; else times a random viscosity */
} rig;

static int open_rig(rig *g, int n, int dim, tree_scheme scheme, int turning) {
    *g = (rig){0};
    g->most = random_tree(&g->t, dim, dim == 2 ? 24 + n % 9 : 11 + n % 7, 1 + n % 4, (uint64_t)n, NULL);
    if (!g->most) return -1;
    g->flow = random_flow(dim, (uint64_t)n, turning);
    return tree_system_begin(&g->s, &(strain_rules){&g->t, scheme, flow_at, &g->flow}, 0);
}

static void close_rig(rig *g) {
    tree_system_free(&g->s);
    tree_free(&g->t);
    mem_free(g->most);
}

static void sample_strain(strain *to, const rig *g, const tree_sample *one) {
    *to = (strain){0};
    if (one->leaf >= 0) strain_add_normal(to, &g->s.rules, one->leaf, one->axis, 1);
    else
        for (int second = 0; second < 2; ++second)
            strain_add_shear(to, &g->s.rules, one->axis, one->at, one->length, second, 1);
}

static double sample_volume(const rig *g, const tree_sample *one) {
    return one->leaf >= 0 ? pow(one->length, g->t.dim)
                          : strain_edge_volume(&g->s.rules, one->around, one->length);
}

/* Strain of linear velocities is exact, walls included. */
static void linear_velocities(void **state) {
    (void)state;
    for (int n = 0; n < TREES; ++n) {
        rig g;
        const int dim = 2 + n % 2;
        assert_int_equal(open_rig(&g, n, dim, TREE_QUADRATIC, 0), 0);
        for (int i = 0; i < g.s.samples; ++i) {
            const tree_sample *one = &g.s.sample[i];
            strain row;
            sample_strain(&row, &g, one);
            double sum = row.known, x[3];
            for (int m = 0; m < row.count; ++m) {
                centre_of(x, &g.t, row.face[m]);
                sum += row.weight[m] * flow_at(&g.flow, g.t.face[row.face[m]].axis, x);
            }
            const int p = one->axis == 0 ? 1 : 0, q = one->axis == 2 ? 1 : 2;
            check_near(sum,
                       one->leaf >= 0 ? g.flow.slope[one->axis][one->axis]
                                      : g.flow.slope[p][q] + g.flow.slope[q][p],
                       1e-11);
        }
        close_rig(&g);
    }
}

static int is_side(const tree *t, int face) {
    const tree_face *f = &t->face[face];
    return f->at[f->axis] == 0 || f->at[f->axis] == t->n[f->axis];
}

/* A constant stress pushes no face but sides, and volumes add up to the box. */
static void constant_stress(void **state) {
    (void)state;
    int checked = 0;
    for (int n = 0; n < TREES; ++n) {
        rig g;
        const int dim = 2 + n % 2;
        double box = 1, sum[6] = {0};
        assert_int_equal(open_rig(&g, n, dim, TREE_QUADRATIC, 0), 0);
        double *push = mem_alloc((size_t)g.t.faces * sizeof *push);
        for (int a = 0; a < dim; ++a) box *= g.t.n[a];
        for (int i = 0; i < g.s.samples; ++i) {
            const tree_sample *one = &g.s.sample[i];
            const int kind = one->leaf >= 0 ? one->axis : 3 + one->axis;
            strain row;
            sample_strain(&row, &g, one);
            sum[kind] += sample_volume(&g, one);
            for (int m = 0; m < row.count; ++m)
                push[row.face[m]] += (1 + kind) * sample_volume(&g, one) * row.weight[m];
        }
        for (int kind = 0; kind < 6; ++kind)
            if (kind < dim || (kind >= 3 && (dim == 3 || kind == 5))) check_near(sum[kind] / box, 1, 1e-12);
        for (int f = 0; f < g.t.faces; ++f)
            if (!is_side(&g.t, f)) {
                check_near(push[f], 0, 1e-9);
                ++checked;
            }
        mem_free(push);
        close_rig(&g);
    }
    assert_true(checked > 10000);
}

static void weigh(void *user, const tree_sample *s, double volume, double factor[2]) {
    const rig *g = user;
    const uint64_t key = (uint64_t)(s->at[0] + 100 * s->at[1] + 10000 * s->at[2]);
    const double mu = g->plain ? 1 : pow(10, 4 * (double)random_unit(77, key, (uint64_t)s->axis) - 2);
    factor[0] = factor[1] = sqrt((s->leaf >= 0 ? 2 : 1) * mu * volume);
}

static void fill_faces(rig *g, double *push, int hold_sides) {
    for (int f = 0; f < g->t.faces; ++f) {
        const tree_face *face = &g->t.face[f];
        double x[3];
        centre_of(x, &g->t, f);
        const int side = is_side(&g->t, f);
        g->s.number[f] = side && hold_sides ? -1 : 0;
        g->s.mass[f] = strain_face_volume(&g->t, f);
        g->s.value[f] = side && hold_sides ? flow_at(&g->flow, face->axis, x) : 0;
        push[f] = g->s.mass[f] * flow_at(&g->flow, face->axis, x);
    }
}

/* A step of a linear flow whose sides are held changes nothing. */
static void patch(void **state) {
    (void)state;
    for (int n = 0; n < TREES; ++n) {
        rig g;
        sparse_solver *by = sparse_solver_create(NULL, SPARSE_IC);
        assert_int_equal(open_rig(&g, n, 2 + n % 2, TREE_QUADRATIC, 0), 0);
        double *push = mem_alloc((size_t)g.t.faces * sizeof *push);
        fill_faces(&g, push, 1);
        g.plain = 1;
        assert_int_equal(tree_system_setup(&g.s, weigh, NULL, &g, NULL), 0);
        assert_int_equal(sparse_solver_setup(by, &g.s.terms, g.s.unknowns, NULL), 0);
        assert_true(tree_system_solve(&g.s, by, push, NULL, NULL, &g, 1e-12, 1000).converged);
        for (int f = 0; f < g.t.faces; ++f) {
            double x[3];
            centre_of(x, &g.t, f);
            check_near(g.s.value[f], flow_at(&g.flow, g.t.face[f].axis, x), 1e-9);
        }
        mem_free(push);
        sparse_solver_free(by);
        close_rig(&g);
    }
}

/* Symmetric and positive with viscosities over four decades, solved with both preconditioners alike. */
static void positive(void **state) {
    (void)state;
    for (int n = 0; n < TREES; ++n) {
        rig g;
        assert_int_equal(open_rig(&g, n, 2 + n % 2, n % 4 < 2 ? TREE_WANG : TREE_QUADRATIC, 0), 0);
        const size_t faces = (size_t)g.t.faces;
        double *v = mem_alloc(5 * faces * sizeof *v), *push = v, *x = v + faces, *y = x + faces,
               *ax = y + faces, *ay = ax + faces, *first = push;
        double dot[3] = {0};
        fill_faces(&g, push, 1);
        for (int kind = SPARSE_JACOBI; kind <= SPARSE_IC; ++kind) {
            sparse_solver *by = sparse_solver_create(NULL, (sparse_kind)kind);
            assert_int_equal(tree_system_setup(&g.s, weigh, NULL, &g, NULL), 0);
            assert_int_equal(sparse_solver_setup(by, &g.s.terms, g.s.unknowns, NULL), 0);
            assert_int_equal(sparse_solver_unknowns(by), g.s.unknowns);
            assert_true(tree_system_solve(&g.s, by, push, NULL, NULL, &g, 1e-10, 5000).converged);
            for (size_t f = 0; f < faces && kind == SPARSE_IC; ++f) check_near(g.s.value[f], y[f], 1e-7);
            memcpy(y, g.s.value, faces * sizeof *y);
            if (kind == SPARSE_JACOBI) {
                sparse_solver_free(by);
                continue;
            }
            for (int i = 0; i < g.s.unknowns; ++i) {
                x[i] = (double)random_unit(5, (uint64_t)i, (uint64_t)n) - 0.5;
                first[i] = (double)random_unit(6, (uint64_t)i, (uint64_t)n) - 0.5;
            }
            sparse_product(by, ax, x);
            sparse_product(by, ay, first);
            for (int i = 0; i < g.s.unknowns; ++i) {
                dot[0] += x[i] * ax[i];
                dot[1] += x[i] * ay[i];
                dot[2] += first[i] * ax[i];
            }
            assert_true(dot[0] > 0);
            check_near(dot[1], dot[2], 1e-10 * (1 + fabs(dot[0])));
            sparse_solver_free(by);
        }
        mem_free(v);
        close_rig(&g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(linear_velocities), cmocka_unit_test(constant_stress),
                                       cmocka_unit_test(patch), cmocka_unit_test(positive)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

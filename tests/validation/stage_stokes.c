/* Pressure and viscosity together against exact answers, by the stage alone: steady ones in one huge step. */
#include "check.h"
#include "core/memory.h"
#include "core/random.h"
#include "stage/viscosity/viscosity_shares.h"

enum { MOST = 1500 };
static const double GRAVITY = 9.81;

typedef struct flow {
    mac_grid g;
    float *phi, *node_phi, *mu, *q, *source;
    mac_field u, wall, was;
    viscosity_input in;
} flow;

static flow flow_make(int dim, int n, double mu) {
    flow f = {.g = {.box = box_make(dim, (int[3]){n, n, dim == 3 ? n : 1}), .dx = 1.0 / n}};
    assert_int_equal(field_make(&f.phi, &f.g) | field_make(&f.node_phi, &f.g) | field_make(&f.mu, &f.g), 0);
    assert_int_equal(field_make(&f.q, &f.g) | field_make(&f.source, &f.g), 0);
    assert_int_equal(
        mac_field_make(&f.u, &f.g) | mac_field_make(&f.wall, &f.g) | mac_field_make(&f.was, &f.g), 0);
    for (size_t i = 0; i < f.g.box.size; ++i) {
        f.phi[i] = -10;
        f.node_phi[i] = 10;
        f.mu[i] = (float)mu;
    }
    f.in = (viscosity_input){.model = VISCOSITY_STOKES, .dt = 0.01, .density = 1, .phi = f.phi, .mu = f.mu};
    return f;
}

static void flow_drop(flow *f) {
    mem_free(f->phi);
    mem_free(f->node_phi);
    mem_free(f->mu);
    mem_free(f->q);
    mem_free(f->source);
    mac_field_free(&f->u);
    mac_field_free(&f->wall);
    mac_field_free(&f->was);
}

static viscous_result flow_step(flow *f, double (*V)[6], const double (*rhs)[6], double tolerance) {
    viscosity *v = viscosity_create(&f->g, VISCOUS_MULTIGRID);
    assert_non_null(v);
    f->in.wall = &f->wall;
    mac_field_copy(&f->was, &f->u, &f->g);
    assert_int_equal(viscosity_assemble(v, &f->g, &f->in), 0);
    const viscous_result r = viscosity_solve_stokes(&f->u, f->q, V, rhs, v, &f->g, &f->in, tolerance, MOST);
    viscosity_free(v);
    if (!r.converged) printf("not converged: %d iterations, residual %.1e\n", r.iterations, r.residual);
    assert_true(r.converged);
    return r;
}

#define EACH_SAMPLE(f, i, j, k)                                                                              \
    for (int k = (f)->g.box.dim == 3 ? -1 : 0; k <= ((f)->g.box.dim == 3 ? (f)->g.box.n[2] + 1 : 0); ++k)    \
        for (int j = -1; j <= (f)->g.box.n[1] + 1; ++j)                                                      \
            for (int i = -1; i <= (f)->g.box.n[0] + 1; ++i)

/* The centre of a cell (c = 3) or of a face; z = 1/2 in 2D. */
static void place(double x[3], const flow *f, int c, int i, int j, int k) {
    const int at[3] = {i, j, k};
    for (int a = 0; a < 3; ++a) x[a] = (at[a] + (a == c ? 0 : 0.5)) * f->g.dx;
    if (f->g.box.dim == 2) x[2] = 0.5;
}
static void node_place(double x[3], const flow *f, int i, int j, int k) {
    place(x, f, 3, i, j, k);
    for (int a = 0; a < f->g.box.dim; ++a) x[a] -= 0.5 * f->g.dx;
}

/* ---- at rest ---- */

static const double LEVEL = 0.637;

static double vessel(const double x[3]) {
    return fmin(0.8 * x[0] + 0.6 * x[1] - 0.31, 1.13 - (0.96 * x[0] + 0.28 * x[1]));
}

/* Gravity has pulled for a step on a pool between oblique walls: nothing moves, and pressure is that of the
 * depth. */
static void check_rest(int dim, int n, double mu, int oblique) {
    flow f = flow_make(dim, n, mu);
    if (oblique) f.in.node_phi = f.node_phi;
    EACH_SAMPLE(&f, i, j, k) {
        const ptrdiff_t q = box_at(&f.g.box, i, j, k);
        double x[3];
        place(x, &f, 3, i, j, k);
        f.phi[q] = (float)(x[1] - LEVEL);
        node_place(x, &f, i, j, k);
        if (oblique) f.node_phi[q] = (float)vessel(x);
        f.u.value[1][q] = (float)(-GRAVITY * f.in.dt);
    }
    const viscous_result r = flow_step(&f, NULL, NULL, 1e-7);
    double speed = 0, error = 0;
    for (int k = 0; k < f.g.box.n[2]; ++k)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
                const ptrdiff_t q = box_at(&f.g.box, i, j, k);
                double x[3];
                place(x, &f, 3, i, j, k);
                if (!(f.phi[q] < 0) || (oblique && vessel(x) < f.g.dx)) continue;
                for (int c = 0; c < dim; ++c) speed = larger(speed, fabs((double)f.u.value[c][q]));
                const double p = (double)f.q[q] * f.g.dx / f.in.dt;
                error = larger(error, fabs(p - GRAVITY * (LEVEL - x[1])));
            }
    printf(
        "rest %dD %d mu %g oblique %d: cells %lld speed %.1e pressure off by %.1e of %.2f, iterations %d\n",
        dim, n, mu, oblique, (long long)r.cells, speed, error, GRAVITY * LEVEL, r.iterations);
    check_below(speed, 1e-6 * GRAVITY);
    check_below(error, 2e-4 * GRAVITY * LEVEL);
    flow_drop(&f);
}

static void test_rest(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (int oblique = 0; oblique < 2; ++oblique)
            for (double mu = 1; mu < 2e3; mu *= 1e3) check_rest(dim, dim == 2 ? 40 : 20, mu, oblique);
}

/* ---- free liquid ---- */

static double blob_phi(const double x[3]) {
    return sqrt((x[0] - 0.52) * (x[0] - 0.52) + (x[1] - 0.47) * (x[1] - 0.47) + (x[2] - 0.5) * (x[2] - 0.5)) -
           0.31;
}

static void blob_fill(flow *f, double turn, double fall, double noise) {
    EACH_SAMPLE(f, i, j, k) {
        const ptrdiff_t q = box_at(&f->g.box, i, j, k);
        double x[3];
        place(x, f, 3, i, j, k);
        f->phi[q] = (float)blob_phi(x);
        for (int c = 0; c < f->g.box.dim; ++c) {
            place(x, f, c, i, j, k);
            const double rigid = c == 0 ? 0.47 - x[1] : c == 1 ? x[0] - 0.52 : 0;
            f->u.value[c][q] = (float)(turn * rigid + (c == 1 ? fall : 0) +
                                       noise * ((double)random_unit(1, (uint64_t)q, (uint64_t)c) - 0.5));
        }
    }
}

static void test_rigid_motion(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        flow f = flow_make(dim, dim == 2 ? 64 : 32, 100);
        blob_fill(&f, 1, 9.81, 0);
        const viscous_result r = flow_step(&f, NULL, NULL, 1e-6);
        double most = 0, pressure = 0;
        EACH_SAMPLE(&f, i, j, k) {
            const ptrdiff_t q = box_at(&f.g.box, i, j, k);
            for (int c = 0; c < dim && f.phi[q] < 0; ++c)
                most = larger(most, fabs((double)f.u.value[c][q] - (double)f.was.value[c][q]));
            pressure = larger(pressure, fabs((double)f.q[q]));
        }
        printf("turning and falling %dD: change %.1e q %.1e iterations %d floating %d\n", dim, most, pressure,
               r.iterations, r.floating);
        check_below(most, 1e-5);
        check_below(pressure, 1e-4);
        flow_drop(&f);
    }
}

/* Momentum and angular momentum, and the sum of sizes. */
static void add_momentum(double sum[7], const flow *f, const mac_field *u) {
    EACH_SAMPLE(f, i, j, k)
    for (int c = 0; c < f->g.box.dim; ++c) {
        const int at[3] = {i, j, k};
        int h[3];
        double x[3];
        for (int a = 0; a < 3; ++a) h[a] = 2 * at[a] + (a != c);
        const ptrdiff_t q = box_at(&f->g.box, i, j, k);
        if (f->phi[q] >= 0 && f->phi[q - f->g.box.step[c]] >= 0) continue; /* without mass: it follows */
        const double m = shares_wet(&(shares){&f->g, &f->in, NULL}, h, false) * (double)u->value[c][q];
        place(x, f, c, i, j, k);
        sum[c] += m;
        sum[3 + (c + 1) % 3] += (x[(c + 2) % 3] - 0.5) * m;
        sum[3 + (c + 2) % 3] -= (x[(c + 1) % 3] - 0.5) * m;
        sum[6] += fabs(m);
    }
}

/* Noise dies, cells swell as told, and momenta stay. */
static void test_momentum(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        flow f = flow_make(dim, dim == 2 ? 64 : 32, 3);
        double before[7] = {0}, after[7] = {0}, most = 0, off = 0;
        blob_fill(&f, 1, 1, 4);
        f.in.source = f.source;
        f.source[box_at(&f.g.box, f.g.box.n[0] / 2, f.g.box.n[1] / 2, f.g.box.n[2] / 2)] = 0.5f;
        const viscous_result r = flow_step(&f, NULL, NULL, 1e-6);
        add_momentum(before, &f, &f.was);
        add_momentum(after, &f, &f.u);
        for (int m = 0; m < 6; ++m) most = larger(most, fabs(after[m] - before[m]) / before[6]);
        for (int k = 0; k < f.g.box.n[2]; ++k)
            for (int j = 0; j < f.g.box.n[1]; ++j)
                for (int i = 0; i < f.g.box.n[0]; ++i) {
                    const ptrdiff_t q = box_at(&f.g.box, i, j, k);
                    double out = -(double)f.source[q];
                    for (int c = 0; c < dim && f.phi[q] < 0; ++c)
                        out += (double)f.u.value[c][q + f.g.box.step[c]] - (double)f.u.value[c][q];
                    if (f.phi[q] < 0) off = larger(off, fabs(out));
                }
        printf("momentum %dD: %.1e of momenta lost, outflow off by %.1e, iterations %d\n", dim, most, off,
               r.iterations);
        check_below(most, 1e-6);
        check_below(off, 1e-4);
        flow_drop(&f);
    }
}

/* ---- stretching: a sheet or a thread between walls that part ---- */

/* u = a x, v = w = -a y (-a y / 2 each in 3D) is steady, as the free sides bear -p + 2 mu dv/dy = 0: in one
 * step, without the error that pressure has when it knows nothing of viscosity. */
static void check_stretching(int dim, int n) {
    const double a = 0.7, across = dim == 2 ? a : a / 2;
    flow f = flow_make(dim, n, 2);
    f.in.dt = 1;
    f.in.side_slip[0] = f.in.side_slip[1] = INFINITY;
    EACH_SAMPLE(&f, i, j, k) {
        const ptrdiff_t q = box_at(&f.g.box, i, j, k);
        double x[3];
        place(x, &f, 3, i, j, k);
        f.phi[q] =
            (float)fmax(fmax(x[1] - 0.683, 0.317 - x[1]), dim == 3 ? fmax(x[2] - 0.683, 0.317 - x[2]) : -1);
        place(x, &f, 0, i, j, k);
        f.wall.value[0][q] = (float)(a * (x[0] - 0.5));
        for (int c = 0; c < dim; ++c) {
            place(x, &f, c, i, j, k);
            f.u.value[c][q] = (float)((c == 0 ? a : -across) * (x[c] - 0.5));
        }
    }
    const viscous_result r = flow_step(&f, NULL, NULL, 1e-7);
    double error = 0, of_p = 0;
    EACH_SAMPLE(&f, i, j, k) {
        const ptrdiff_t q = box_at(&f.g.box, i, j, k);
        double x[3];
        if (!(f.phi[q] < 0) || i < 0 || i >= n) continue;
        for (int c = 0; c < dim; ++c) {
            place(x, &f, c, i, j, k);
            const double exact = c == 0 ? a * (x[0] - 0.5) : -across * (x[c] - 0.5);
            error = larger(error, fabs((double)f.u.value[c][q] - exact));
        }
        if (f.phi[q] < -1.5 * f.g.dx)
            of_p = larger(of_p, fabs((double)f.q[q] * f.g.dx / f.in.dt + 2 * 2 * across));
    }
    printf("stretching %dD %d: error u %.1e p %.1e (p = %.2f), iterations %d\n", dim, n, error, of_p,
           -4 * across, r.iterations);
    check_below(error, 2e-5);
    check_below(of_p, 2e-3);
    flow_drop(&f);
}

static void test_stretching(void **state) {
    (void)state;
    for (int n = 16; n <= 24; n += 8) { /* the surface on either side of cells' middles */
        check_stretching(2, n);
        check_stretching(3, n);
    }
}

/* ---- a flow in a round vessel, forced by what balances it ---- */

static double disc_u(int c, const double x[3]) {
    return c == 0 ? sin(3 * x[0]) * cos(3 * x[1] + 0.4) : -cos(3 * x[0]) * sin(3 * x[1] + 0.4);
}
static double disc_p(const double x[3]) {
    return 4 * cos(2 * x[0] + 1) * sin(3 * x[1]);
}
static double disc_force(int c, const double x[3]) {
    const double slope =
        c == 0 ? -8 * sin(2 * x[0] + 1) * sin(3 * x[1]) : 12 * cos(2 * x[0] + 1) * cos(3 * x[1]);
    return 18 * disc_u(c, x) + slope;
}
static double disc_wall(const double x[3]) {
    return 0.413 - hypot(x[0] - 0.507, x[1] - 0.494);
}

/* The rms errors of u, and of p less its mean away from the wall: in cells that it cuts p is as wrong as
 * normal stresses there are. */
static void disc(double error[2], int n) {
    flow f = flow_make(2, n, 1);
    f.in.dt = 1e4;
    f.in.node_phi = f.node_phi;
    EACH_SAMPLE(&f, i, j, k) {
        const ptrdiff_t q = box_at(&f.g.box, i, j, k);
        double x[3];
        node_place(x, &f, i, j, k);
        f.node_phi[q] = (float)disc_wall(x);
        for (int c = 0; c < 2; ++c) {
            place(x, &f, c, i, j, k);
            f.wall.value[c][q] = (float)disc_u(c, x);
            f.u.value[c][q] = (float)(disc_force(c, x) * f.in.dt);
        }
    }
    const viscous_result r = flow_step(&f, NULL, NULL, 1e-7);
    double uu = 0, faces = 0, pp = 0, p = 0, cells = 0;
    EACH_SAMPLE(&f, i, j, k) {
        const ptrdiff_t q = box_at(&f.g.box, i, j, k);
        double x[3];
        for (int c = 0; c < 2; ++c) {
            place(x, &f, c, i, j, k);
            if (disc_wall(x) <= 0) continue;
            uu += pow((double)f.u.value[c][q] - disc_u(c, x), 2);
            faces += 1;
        }
        place(x, &f, 3, i, j, k);
        if (disc_wall(x) <= 0.1) continue;
        const double e = (double)f.q[q] * f.g.dx / f.in.dt - disc_p(x);
        pp += e * e;
        p += e;
        cells += 1;
    }
    error[0] = sqrt(uu / faces);
    error[1] = sqrt(pp / cells - p * p / (cells * cells));
    printf("round vessel %3d: error u %.2e p %.2e iterations %d closed %d lost %.1e\n", n, error[0], error[1],
           r.iterations, r.closed_regions, r.incompatibility);
    flow_drop(&f);
}

static void test_round_vessel(void **state) {
    (void)state;
    double error[4][2];
    for (int i = 0; i < 4; ++i) disc(error[i], 16 << i);
    const double of_u = log2(error[0][0] / error[3][0]) / 3, of_p = log2(error[0][1] / error[3][1]) / 3;
    printf("round vessel: orders u %.2f p %.2f\n", of_u, of_p);
    assert_true(of_u > 0.9);
    assert_true(of_p > 1);
}

/* ---- walls that are free, at any angle ---- */

static double channel(const double x[3]) {
    return fmin(0.6 * x[0] - 0.8 * x[1] + 0.44, 0.5 - (0.6 * x[0] - 0.8 * x[1] + 0.24));
}

/* Liquid slides through an oblique channel as one. */
static void test_free_walls(void **state) {
    (void)state;
    flow f = flow_make(2, 48, 5);
    f.in.node_phi = f.node_phi;
    f.in.solid_slip = INFINITY;
    for (int side = 0; side < 6; ++side) f.in.side_slip[side] = INFINITY;
    EACH_SAMPLE(&f, i, j, k) {
        const ptrdiff_t q = box_at(&f.g.box, i, j, k);
        double x[3];
        node_place(x, &f, i, j, k);
        f.node_phi[q] = (float)channel(x);
        place(x, &f, 3, i, j, k);
        f.phi[q] = (float)fmax(0.8 * x[0] + 0.6 * x[1] - 0.91, 0.43 - (0.8 * x[0] + 0.6 * x[1]));
        f.u.value[0][q] = 0.8f;
        f.u.value[1][q] = 0.6f;
    }
    const viscous_result r = flow_step(&f, NULL, NULL, 1e-6);
    double most = 0;
    EACH_SAMPLE(&f, i, j, k)
    for (int c = 0; c < 2; ++c) {
        const ptrdiff_t q = box_at(&f.g.box, i, j, k);
        double x[3];
        place(x, &f, c, i, j, k);
        if (channel(x) > 0 && f.phi[q] < 0)
            most = larger(most, fabs((double)f.u.value[c][q] - (double)f.was.value[c][q]));
    }
    printf("free walls: change %.1e iterations %d residual %.1e\n", most, r.iterations, r.residual);
    check_below(most, 1e-5);
    flow_drop(&f);
}

/* ---- bodies ---- */

static void hollow(flow *f, uint16_t *solid[3], viscous_body *body, double density) {
    const double r = 0.14, at[3] = {0.55, 0.5, 0.5},
                 m = f->g.box.dim == 3 ? 4 * acos(-1) / 3 * r * r * r : acos(-1) * r * r;
    for (int c = 0; c < f->g.box.dim; ++c) solid[c] = mem_alloc(f->g.box.size * sizeof(uint16_t));
    *body = (viscous_body){
        .centre = {at[0] / f->g.dx, at[1] / f->g.dx, f->g.box.dim == 3 ? at[2] / f->g.dx : 0.5}};
    for (int i = 0; i < 6; ++i)
        body->mass[7 * i] = density * m / pow(f->g.dx, f->g.box.dim) *
                            (i < 3 ? 1 : (f->g.box.dim == 3 ? 0.4 : 0.5) * r * r / (f->g.dx * f->g.dx));
    EACH_SAMPLE(f, i, j, k) {
        const ptrdiff_t q = box_at(&f->g.box, i, j, k);
        double x[3];
        node_place(x, f, i, j, k);
        f->node_phi[q] =
            (float)(sqrt(pow(x[0] - at[0], 2) + pow(x[1] - at[1], 2) + pow(x[2] - at[2], 2)) - r);
    }
    EACH_SAMPLE(f, i, j, k) /* as stages tell it: by the mean of a face's nodes */
    for (int c = 0; c < f->g.box.dim; ++c) {
        const ptrdiff_t q = box_at(&f->g.box, i, j, k);
        const int p = c == 0 ? 1 : 0, o = c == 2 ? 1 : 2;
        double sum = 0;
        for (int corner = 0; corner < 4; ++corner)
            sum += 0.25 * (double)f->node_phi[q + (corner & 1 ? f->g.box.step[p] : 0) +
                                              (corner & 2 && f->g.box.dim == 3 ? f->g.box.step[o] : 0)];
        solid[c][q] = sum <= 0.02 * f->g.dx;
    }
    for (int c = 0; c < f->g.box.dim; ++c) f->in.solid[c] = solid[c];
    f->in.node_phi = f->node_phi;
    f->in.body = body;
    f->in.bodies = 1;
}

/* Liquid and body turn together, and go on so. */
static void test_turning_with_a_body(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        flow f = flow_make(dim, dim == 3 ? 32 : 64, 1);
        uint16_t *solid[3] = {NULL};
        viscous_body body;
        blob_fill(&f, 1, 0, 0);
        hollow(&f, solid, &body, 0.3);
        for (int c = 0; c < dim; ++c) /* all turns */
            memcpy(f.wall.value[c], f.u.value[c], f.g.box.size * sizeof(float));
        double V[1][6] = {{0.47 - 0.5, 0.55 - 0.52, 0, 0, 0, f.g.dx}}, rhs[1][6], most = 0;
        for (int i = 0; i < 6; ++i) rhs[0][i] = body.mass[7 * i] * V[0][i];
        V[0][0] = V[0][1] = V[0][5] = 0; /* not told */
        const viscous_result r = flow_step(&f, V, (const double(*)[6])rhs, 1e-7);
        for (int i = 0; i < 6; ++i)
            if (dim == 3 || i < 2 || i == 5)
                most = larger(most, fabs(V[0][i] * body.mass[7 * i] - rhs[0][i]) / body.mass[7 * i]);
        printf("turning with a body %dD: change of its velocity %.2e iterations %d\n", dim, most,
               r.iterations);
        check_below(most, 1e-5);
        for (int c = 0; c < dim; ++c) mem_free(solid[c]);
        flow_drop(&f);
    }
}

/* A body in a pool, neutral, light, heavy: the force of resting liquid is its weight, the rest is slow. */
static void test_buoyancy(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim)
        for (double density = 0.1; density < 11; density *= 10) {
            flow f = flow_make(dim, dim == 3 ? 32 : 64, 1);
            uint16_t *solid[3] = {NULL};
            viscous_body body;
            EACH_SAMPLE(&f, i, j, k) {
                double x[3];
                place(x, &f, 3, i, j, k);
                f.phi[box_at(&f.g.box, i, j, k)] = (float)(x[1] - 0.91);
                f.u.value[1][box_at(&f.g.box, i, j, k)] = (float)(-GRAVITY * f.in.dt);
            }
            hollow(&f, solid, &body, density);
            const double fall = -GRAVITY * f.in.dt;
            double V[1][6] = {{0}}, rhs[1][6] = {{0}};
            rhs[0][1] = body.mass[7] * fall;
            const viscous_result r = flow_step(&f, V, (const double(*)[6])rhs, 1e-6);
            printf("body of density %g in a pool %dD: V %.5f %.5f of free fall, iterations %d\n", density,
                   dim, V[0][0] / fall, V[0][1] / fall, r.iterations);
            if (density < 0.5) assert_true(V[0][1] / fall < -0.01);
            else if (density > 2) assert_true(V[0][1] / fall > 0.01);
            else check_below(fabs(V[0][1] / fall), 0.005); /* of the volume that cut faces see */
            for (int c = 0; c < dim; ++c) mem_free(solid[c]);
            flow_drop(&f);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_rigid_motion),
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_stretching),
        cmocka_unit_test(test_round_vessel),
        cmocka_unit_test(test_free_walls),
        cmocka_unit_test(test_turning_with_a_body),
        cmocka_unit_test(test_buoyancy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

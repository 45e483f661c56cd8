/* Stress of one particle that remembers how it was deformed.
 *
 *   corotational     DS/Dt = W S - S W + 2 G D' - (1 / l) S',   S' = S max(0, 1 - y / |S|)
 *   upper-convected  A = I + S / G,  DA/Dt = L A + A L^T - (1 / l) (Z + a Z Z),   Z = A - I
 *
 * L is the velocity's gradient, D' and W its symmetric traceless part and its turn. G: shear modulus, l:
 * relaxation time, y: yield stress in Frobenius' norm (none: S' = S), a: mobility (0: Oldroyd-B, else
 * Giesekus).
 *
 * In a step of dt, L being taken at its start and held: strain and turn of the corotational law are those
 * about the middle, L (I + dt L / 2)^-1 (Hughes and Winget 1980), the turn is Cayley's, which is a rotation,
 * and relaxation is exponential. A goes to F A F^T, F = I + dt L, which is exact and keeps it positive; its
 * relaxation is exact too, Z -> e Z (I + a (1 - e) Z)^-1, e = exp(-dt / l).
 *
 * Source: Mao 2006, 4-12 to 4-23, with the yield in the relaxation alone, else stress below it would not
 * turn; Oldroyd 1950; Giesekus 1982.
 *
 * Limits: first order where D' and relaxation are both large in a step. */
#ifndef STAGE_SPH_LAW_H
#define STAGE_SPH_LAW_H

#include <math.h>

typedef enum { SPH_COROTATIONAL, SPH_CONVECTED, SPH_FIXED_AXES } sph_law_kind;

typedef struct sph_law {
    sph_law_kind kind; /* SPH_FIXED_AXES: corotational without its turn: wrong, to be compared with */
    int dim;
    double modulus;    /* Pa */
    double relaxation; /* s; INFINITY: none */
    double yield;      /* Pa; INFINITY: none, it always relaxes; of the corotational law alone */
    double mobility;
    double solvent; /* Pa s: viscosity beside it, which remembers nothing */
} sph_law;

/* Symmetric: xx yy zz xy xz yz. */
enum { SYM = 6 };

typedef struct law_matrix {
    double m[3][3];
} law_matrix;

/* a + b x */
static inline law_matrix law_sum(double a, double b, const law_matrix *x) {
    law_matrix r;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) r.m[i][j] = (i == j ? a : 0) + b * x->m[i][j];
    return r;
}

static inline law_matrix law_unpack(const double s[SYM]) {
    return (law_matrix){{{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]}}};
}

static inline void law_pack(double s[SYM], const law_matrix *x) {
    for (int a = 0; a < 3; ++a) s[a] = x->m[a][a];
    s[3] = 0.5 * (x->m[0][1] + x->m[1][0]);
    s[4] = 0.5 * (x->m[0][2] + x->m[2][0]);
    s[5] = 0.5 * (x->m[1][2] + x->m[2][1]);
}

static inline law_matrix law_times(const law_matrix *a, const law_matrix *b) {
    law_matrix r;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            r.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
    return r;
}

static inline law_matrix law_transposed(const law_matrix *x) {
    law_matrix r;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) r.m[i][j] = x->m[j][i];
    return r;
}

/* The determinant; *r is 0 where that is. */
static inline double law_invert(law_matrix *r, const law_matrix *x) {
    const double(*m)[3] = x->m;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
            r->m[j][i] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
        }
    const double det = m[0][0] * r->m[0][0] + m[0][1] * r->m[1][0] + m[0][2] * r->m[2][0];
    *r = law_sum(0, det != 0 ? 1 / det : 0, r);
    return det;
}

static inline law_matrix law_inverse(const law_matrix *x) {
    law_matrix r;
    law_invert(&r, x);
    return r;
}

/* t x t^T */
static inline law_matrix law_carried(const law_matrix *x, const law_matrix *t) {
    const law_matrix half = law_times(t, x), back = law_transposed(t);
    return law_times(&half, &back);
}

static inline double law_norm(const double s[SYM]) {
    return sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + 2 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

/* What is left of what relaxes. */
static inline double law_left(const sph_law *law, double dt) {
    return law->relaxation < INFINITY ? exp(-dt / law->relaxation) : 1;
}

/* How much stress a unit of strain rate makes in dt, over 2, while the rest relaxes: Pa s. */
static inline double law_viscosity(const sph_law *law, double dt) {
    return law->relaxation < INFINITY ? -law->modulus * law->relaxation * expm1(-dt / law->relaxation)
                                      : law->modulus * dt;
}

/* The share that relaxation leaves of a stress of that norm. What is drawn along has no yield. */
static inline double law_share(const sph_law *law, double norm, double dt) {
    const double left = law_left(law, dt);
    if (law->kind == SPH_CONVECTED || !(law->yield < INFINITY)) return left;
    return norm > law->yield ? (law->yield + (norm - law->yield) * left) / norm : 1;
}

/* Half of the turn that `middle` makes in dt: Cayley's of b / (1 + sqrt(1 + b b)), b his of the whole. */
static inline law_matrix law_half_turn(const law_matrix *middle, double dt) {
    double b[3], size2 = 0;
    for (int a = 0; a < 3; ++a) {
        const int c = (a + 1) % 3, d = (a + 2) % 3;
        b[a] = 0.25 * dt * (middle->m[d][c] - middle->m[c][d]);
        size2 += b[a] * b[a];
    }
    const double share = 1 / (1 + sqrt(1 + size2));
    for (int a = 0; a < 3; ++a) b[a] *= share;
    const law_matrix plus = {{{1, -b[2], b[1]}, {b[2], 1, -b[0]}, {-b[1], b[0], 1}}};
    const law_matrix minus = law_transposed(&plus), back = law_inverse(&minus);
    return law_times(&back, &plus);
}

/* Half of the turn, strain and relaxation, the other half. */
static inline void law_corotate(double s[SYM], const sph_law *law, const law_matrix *l, double dt) {
    const law_matrix half = law_sum(1, 0.5 * dt, l), back = law_inverse(&half), middle = law_times(l, &back);
    const law_matrix turn = law_half_turn(&middle, law->kind == SPH_FIXED_AXES ? 0 : dt);
    const int yields = law->yield < INFINITY;
    const double grow = 2 * (yields ? law->modulus * dt : law_viscosity(law, dt));
    double rate[SYM], trace = 0;
    law_matrix stress = law_unpack(s);
    stress = law_carried(&stress, &turn);
    law_pack(s, &stress);
    law_pack(rate, &middle);
    for (int a = 0; a < law->dim; ++a) trace += rate[a] / law->dim;
    for (int a = 0; a < law->dim; ++a) rate[a] -= trace;
    for (int c = 0; c < SYM; ++c) s[c] = (yields ? 1 : law_left(law, dt)) * s[c] + grow * rate[c];
    const double share = yields ? law_share(law, law_norm(s), dt) : 1;
    for (int c = 0; c < SYM; ++c) s[c] *= share;
    stress = law_unpack(s);
    stress = law_carried(&stress, &turn);
    law_pack(s, &stress);
}

/* F = I + dt L without its change of volume, which is none of an incompressible fluid's. */
static inline law_matrix law_shift(const sph_law *law, const law_matrix *l, double dt) {
    const law_matrix whole = law_sum(1, dt, l);
    law_matrix f = whole, unused;
    const double det = law_invert(&unused, &whole);
    const double scale = det > 0 ? pow(det, -1.0 / law->dim) : 1;
    for (int i = 0; i < law->dim; ++i)
        for (int j = 0; j < law->dim; ++j) f.m[i][j] *= scale;
    return f;
}

static inline void law_convect(double s[SYM], const sph_law *law, const law_matrix *l, double dt) {
    const double left = law_left(law, dt);
    const law_matrix stress = law_unpack(s), old = law_sum(1, 1 / law->modulus, &stress),
                     f = law_shift(law, l, dt);
    const law_matrix now = law_carried(&old, &f), z = law_sum(-1, 1, &now);
    const law_matrix over = law_sum(1, law->mobility * (1 - left), &z), back = law_inverse(&over);
    const law_matrix relaxed = law_times(&z, &back);
    law_pack(s, &relaxed);
    for (int c = 0; c < SYM; ++c) s[c] *= law->modulus * left;
}

/* The stress [Pa] after dt of a velocity gradient, l[a][b] = d v_a / d x_b [1/s]. */
static inline void law_advance(double s[SYM], const sph_law *law, const law_matrix *l, double dt) {
    if (law->kind == SPH_CONVECTED) law_convect(s, law, l, dt);
    else law_corotate(s, law, l, dt);
}

/* What it has stored, J/m3. */
static inline double law_energy(const double s[SYM], const sph_law *law) {
    if (!(law->modulus > 0)) return 0;
    if (law->kind != SPH_CONVECTED) return law_norm(s) * law_norm(s) / (4 * law->modulus);
    const law_matrix stress = law_unpack(s), a = law_sum(1, 1 / law->modulus, &stress);
    law_matrix unused;
    const double det = law_invert(&unused, &a);
    return 0.5 * (s[0] + s[1] + s[2] - law->modulus * log(fmax(det, 1e-300)));
}
#endif

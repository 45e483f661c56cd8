/* Pressure by one Poisson system a step with the density as its source, as Mao 2006, 4.2.1 has it:
 *
 *   sum_j -2 V (W'/r) (q_i - q_j) = (density - 1) dx / dt     in the liquid,   q = 0 at its surface
 *
 * with the signs and the symmetry that 4-9 to 4-11 lack: compression gives positive pressure, off-diagonals
 * are negative, and both masses enter alike. Particles have moved with all other forces; what pressure adds
 * to their velocities moves them too. Surface particles, those of density below `full`, are Dirichlet rows.
 * Conjugate gradients with the diagonal.
 *
 * Limits: the Laplacian is not D (1/rho) D^T, so what is left over after v loses D^T q is neither divergence
 * nor compression of nothing, and surface particles have no pressure to hold them apart: fluid that falls
 * clumps within a third of a second. It is here to be compared with, and one density for all is what it
 * knows. */
#include <math.h>
#include "stage/sph/pressure.h"

typedef struct {
    const sph_fluid *f;
    const float *own; /* the diagonal; 0 at the surface */
    float *to, *r, *p, *q;
} job;

static void range_of(size_t r[2], const sph_fluid *f, int block) {
    r[0] = (size_t)block * SPH_GRAIN;
    r[1] = r[0] + SPH_GRAIN < f->count ? r[0] + SPH_GRAIN : f->count;
}

/* q = L p; own: the diagonal, 0 at the surface. */
HOT static void product_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    range_of(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        const int32_t *other = s->f->pairs.other + s->f->pairs.start[i];
        const float *weight = s->f->pairs.weight + s->f->pairs.start[i];
        vec8 sum = {0};
        for (int n = 0; n < s->f->pairs.length[i]; n += LANES) {
            vec8 p;
            for (int l = 0; l < LANES; ++l) p[l] = s->p[other[n + l]];
            sum += vec8_load(weight + n) * p;
        }
        s->q[i] = s->own[i] > 0 ? s->own[i] * s->p[i] + 2 * sum8(sum) : 0;
    }
}

static void diagonal_task(void *context, int block) {
    const job *s = context;
    size_t r[2];
    range_of(r, s->f, block);
    for (size_t i = r[0]; i < r[1]; ++i) {
        float sum = 0;
        for (int n = 0; n < s->f->pairs.true_length[i]; ++n)
            sum -= 2 * s->f->pairs.weight[s->f->pairs.start[i] + (uint32_t)n];
        s->to[i] = sum;
    }
}

static double dot(const float *a, const float *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; ++i) sum += (double)a[i] * (double)b[i];
    return sum;
}

static double precondition(const job *s) { /* r . z, z in to */
    for (size_t i = 0; i < s->f->count; ++i) s->to[i] = s->own[i] > 0 ? s->r[i] / s->own[i] : 0;
    return dot(s->r, s->to, s->f->count);
}

sph_solve sph_source(float *q, sph_fluid *f, double dt, double full, double tolerance, int most) {
    const int blocks = block_count((long)f->count, SPH_GRAIN);
    const float scale = (float)(dt / f->g->dx);
    float *own = f->scalar[0];
    job s = {.f = f, .own = own, .to = own, .r = f->scalar[1], .p = f->scalar[2], .q = f->scalar[3]};
    sph_solve result = {.converged = 1};
    parallel_for(f->g->pool, blocks, diagonal_task, &s);
    s.to = f->scalar[4];
    for (size_t i = 0; i < f->count; ++i) {
        if (!((double)f->density[i] > full)) own[i] = q[i] = 0;
        s.p[i] = q[i];
    }
    parallel_for(f->g->pool, blocks, product_task, &s);
    for (size_t i = 0; i < f->count; ++i) s.r[i] = own[i] > 0 ? (f->density[i] - 1) / scale - s.q[i] : 0;
    double rz = precondition(&s);
    for (size_t i = 0; i < f->count; ++i) s.p[i] = s.to[i];
    for (;;) {
        double sum = 0;
        for (size_t i = 0; i < f->count; ++i) sum += (double)fabsf(s.r[i]);
        result.residual = f->count ? sum / (double)f->count * (double)scale : 0;
        if (result.residual <= tolerance || result.iterations == most || !(rz > 0)) break;
        parallel_for(f->g->pool, blocks, product_task, &s);
        const float alpha = (float)(rz / dot(s.p, s.q, f->count));
        for (size_t i = 0; i < f->count; ++i) {
            q[i] += alpha * s.p[i];
            s.r[i] -= alpha * s.q[i];
        }
        const double next = precondition(&s);
        const float beta = (float)(next / rz);
        rz = next;
        for (size_t i = 0; i < f->count; ++i) s.p[i] = s.to[i] + beta * s.p[i];
        ++result.iterations;
    }
    result.converged = result.residual <= tolerance;
    return result;
}

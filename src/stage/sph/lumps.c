/* Lumps are the particles of cubes of cells. A_c has a block of 6 x 6 for each lump and each of the 26 around
 * it, the sum of +- k u u', u = (d, a x d), a from the lump's centre, over pairs between them; pairs within a
 * lump do not feel rigid motions. It is stored, and made anew each step.
 *
 * Source: smoothed aggregation without the smoothing (Vanek, Mandel and Brezina 1996), additive.
 *
 * Limits: what is as long as a lump is the preconditioner's worst case, so iterations grow slowly with
 * viscosity still. A lump that meets itself around a periodic side is a little too soft. */
#include "stage/sph/lumps.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"

enum { SIDE = 4, GRAIN = 4, MOST = 100 };
#define TOLERANCE 1e-3 /* of the lumps' residual: what it leaves is what the particles' own solve is for */

typedef struct {
    sph_fluid *f;
    sph_lumps *l;
    const sph_binding *b;
    const float (*r)[4];
    float period[3];
    double (*from)[LUMP_MOTIONS], (*to)[LUMP_MOTIONS];
} job;

static int renew(void *slot, size_t bytes) {
    void *old, *made = mem_alloc(bytes);
    memcpy(&old, slot, sizeof old);
    mem_free(old);
    memcpy(slot, &made, sizeof made);
    return made ? 0 : -1;
}

void sph_lumps_free(sph_lumps *l) {
    mem_free(l->of);
    mem_free(l->member);
    mem_free(l->at);
    mem_free(l->first);
    mem_free(l->centre);
    mem_free(l->next);
    mem_free(l->block);
    mem_free(l->mass);
    mem_free(l->motion);
    memset(l, 0, sizeof *l);
}

static size_t bytes_of_lump(void) {
    return sizeof(uint32_t) + sizeof(float[4]) + sizeof(int32_t[27]) + sizeof(float[27][36]) +
           sizeof(double[36]) + 5 * sizeof(double[LUMP_MOTIONS]);
}

size_t sph_lumps_bytes(const sph_lumps *l) {
    return l->particle_room * 8 + l->cell_room * 4 + l->room * bytes_of_lump();
}

static int reserve_lumps(sph_lumps *l, size_t count) {
    if (count <= l->room) return 0;
    const size_t room = count + count / 8;
    const int bad = renew(&l->first, (room + 1) * sizeof *l->first) |
                    renew(&l->centre, room * sizeof *l->centre) | renew(&l->next, room * sizeof *l->next) |
                    renew(&l->block, room * sizeof *l->block) | renew(&l->mass, room * sizeof *l->mass) |
                    renew(&l->motion, 5 * room * sizeof *l->motion);
    l->room = bad ? 0 : room;
    return bad ? -1 : 0;
}

static size_t cube_of(const sph_fluid *f, const sph_lumps *l, size_t i) {
    size_t at[3];
    for (int a = 0; a < 3; ++a) {
        const int c = (int)f->x[i][a] / SIDE;
        at[a] = (size_t)(c < l->n[a] ? c : l->n[a] - 1);
    }
    return at[0] + (size_t)l->n[0] * (at[1] + (size_t)l->n[1] * at[2]);
}

/* Which particles are together: a stable counting sort by cube. */
static int gather(sph_fluid *f, sph_lumps *l) {
    size_t cubes = 1;
    for (int a = 0; a < 3; ++a) {
        l->n[a] = a < f->dim ? (f->g->box.n[a] + SIDE - 1) / SIDE : 1;
        cubes *= (size_t)l->n[a];
    }
    if (l->cell_room < cubes) {
        l->cell_room = cubes;
        if (renew(&l->at, cubes * sizeof *l->at)) return l->cell_room = 0, -1;
    }
    if (l->particle_room < f->room) {
        l->particle_room = f->room;
        if (renew(&l->of, f->room * sizeof *l->of) | renew(&l->member, f->room * sizeof *l->member))
            return l->particle_room = 0, -1;
    }
    memset(l->at, 0, cubes * sizeof *l->at);
    for (size_t i = 0; i < f->count; ++i) ++l->at[l->of[i] = (uint32_t)cube_of(f, l, i)];
    l->count = 0;
    for (size_t c = 0; c < cubes; ++c) l->count += l->at[c] > 0;
    if (reserve_lumps(l, l->count)) return -1;
    uint32_t place = 0;
    int32_t lump = 0;
    for (size_t c = 0; c < cubes; ++c) {
        if (!l->at[c]) {
            l->at[c] = -1;
            continue;
        }
        l->first[lump] = place;
        place += (uint32_t)l->at[c];
        l->at[c] = lump++;
    }
    for (size_t i = 0; i < f->count; ++i)
        l->member[l->first[l->of[i] = (uint32_t)l->at[l->of[i]]]++] = (uint32_t)i;
    for (size_t q = l->count; q > 0; --q) l->first[q] = l->first[q - 1];
    l->first[0] = 0;
    return 0;
}

/* The lumps around each cube that has one; -1: none. */
static void find_next(sph_lumps *l, const mac_grid *g) {
    size_t cube = 0;
    for (int k = 0; k < l->n[2]; ++k)
        for (int j = 0; j < l->n[1]; ++j)
            for (int i = 0; i < l->n[0]; ++i, ++cube) {
                if (l->at[cube] < 0) continue;
                for (int s = 0; s < 27; ++s) {
                    int at[3] = {i + s % 3 - 1, j + s / 3 % 3 - 1, k + s / 9 - 1}, is = 1;
                    for (int a = 0; a < 3; ++a) {
                        if (at[a] >= 0 && at[a] < l->n[a]) continue;
                        is &= g->box.periodic[a];
                        at[a] = (at[a] + l->n[a]) % l->n[a];
                    }
                    l->next[l->at[cube]][s] = is ? l->at[at[0] + l->n[0] * (at[1] + l->n[1] * at[2])] : -1;
                }
            }
}

static void arm(double u[LUMP_MOTIONS], const float a[3], const double d[3]) {
    for (int c = 0; c < 3; ++c) {
        const int b = (c + 1) % 3, e = (c + 2) % 3;
        u[c] = d[c];
        u[3 + c] = (double)a[b] * d[e] - (double)a[e] * d[b];
    }
}

/* Inverts a symmetric matrix in place; motions that a lump does not have, as the turn of one particle, go. */
static void invert(double m[36]) {
    enum { N = LUMP_MOTIONS };
    double largest = 0;
    int done[N] = {0};
    for (int i = 0; i < N; ++i) largest = fmax(largest, m[7 * i]);
    for (int step = 0; step < N; ++step) { /* sweeps, the largest left first */
        int k = -1;
        for (int i = 0; i < N; ++i)
            if (!done[i] && (k < 0 || m[7 * i] > m[7 * k])) k = i;
        done[k] = 1;
        const double pivot = m[7 * k];
        if (!(pivot > 1e-6 * largest)) {
            for (int i = 0; i < N; ++i) m[N * i + k] = m[N * k + i] = 0;
            continue;
        }
        for (int i = 0; i < N; ++i)
            for (int j = 0; j < N && i != k; ++j)
                if (j != k) m[N * i + j] -= m[N * i + k] * m[N * k + j] / pivot;
        for (int i = 0; i < N; ++i) {
            if (i == k) continue;
            m[N * i + k] /= pivot;
            m[N * k + i] /= pivot;
        }
        m[7 * k] = -1 / pivot;
    }
    for (int i = 0; i < N * N; ++i) m[i] = -m[i];
}

/* Centres, masses and inertia. */
HOT static void weigh_task(void *context, int block) {
    const job *s = context;
    const sph_fluid *f = s->f;
    sph_lumps *l = s->l;
    for (size_t lump = (size_t)block * GRAIN; lump < l->count && lump < ((size_t)block + 1) * GRAIN; ++lump) {
        double mass[36] = {0}, middle[3] = {0, 0, 0};
        const uint32_t from = l->first[lump], end = l->first[lump + 1];
        for (uint32_t q = from; q < end; ++q)
            for (int c = 0; c < 3; ++c) middle[c] += (double)f->x[l->member[q]][c] / (double)(end - from);
        for (int c = 0; c < 3; ++c) l->centre[lump][c] = (float)middle[c];
        for (uint32_t q = from; q < end; ++q) {
            const size_t i = l->member[q];
            float a[3];
            for (int c = 0; c < 3; ++c) a[c] = f->x[i][c] - l->centre[lump][c];
            for (int c = 0; c < 3; ++c) {
                double axis[3] = {0, 0, 0}, u[LUMP_MOTIONS];
                axis[c] = 1;
                arm(u, a, axis);
                for (int m = 0; m < 36; ++m) mass[m] += u[m / 6] * u[m % 6] / (double)f->lightness[i];
            }
        }
        memset(l->block[lump], 0, sizeof l->block[lump]);
        for (int m = 0; m < 36; ++m) l->block[lump][13][m] = (float)mass[m];
        memcpy(l->mass[lump], mass, sizeof mass);
        invert(l->mass[lump]);
    }
}

/* Pairs between lumps: after all centres are known. */
HOT static void bind_task(void *context, int block) {
    const job *s = context;
    const sph_fluid *f = s->f;
    const sph_lumps *l = s->l;
    const float *nu = s->b->nu;
    for (size_t lump = (size_t)block * GRAIN; lump < l->count && lump < ((size_t)block + 1) * GRAIN; ++lump) {
        for (uint32_t q = l->first[lump]; q < l->first[lump + 1]; ++q) {
            const size_t i = l->member[q];
            const int32_t *other = f->pairs.other + f->pairs.start[i];
            const float *weight = f->pairs.weight + f->pairs.start[i];
            for (int n = 0; n < f->pairs.true_length[i]; ++n) {
                const size_t j = (size_t)other[n], to = l->of[j];
                if (to == lump) continue;
                int slot = 0;
                while (slot < 27 && l->next[lump][slot] != (int32_t)to) ++slot;
                if (slot == 27) continue;
                double d[3] = {0, 0, 0}, r2 = 1e-12, u[LUMP_MOTIONS], v[LUMP_MOTIONS];
                float a[3], b[3];
                for (int c = 0; c < f->dim; ++c) {
                    const double p = (double)s->period[c];
                    d[c] = (double)(f->x[i][c] - f->x[j][c]);
                    if (p > 0) d[c] -= p * round(d[c] / p);
                    r2 += d[c] * d[c];
                }
                for (int c = 0; c < 3; ++c) {
                    a[c] = f->x[i][c] - l->centre[lump][c];
                    b[c] = f->x[j][c] - l->centre[to][c];
                }
                const double mean =
                    nu ? 2 * (double)nu[i] * (double)nu[j] / ((double)(nu[i] + nu[j]) + 1e-30) : 1;
                const double k = -s->b->scale * (double)weight[n] * mean / r2;
                arm(u, a, d);
                arm(v, b, d);
                float *own = l->block[lump][13], *side = l->block[lump][slot];
                for (int m = 0; m < LUMP_MOTIONS; ++m)
                    for (int o = 0; o < LUMP_MOTIONS; ++o) {
                        own[6 * m + o] += (float)(k * u[m] * u[o]);
                        side[6 * m + o] -= (float)(k * u[m] * v[o]);
                    }
            }
        }
    }
}

int sph_lumps_make(sph_fluid *f, const sph_binding *b) {
    sph_lumps *l = &f->lumps;
    job s = {.f = f, .l = l, .b = b};
    if (gather(f, l)) return -1;
    find_next(l, f->g);
    periods_of(s.period, f->g);
    const int blocks = block_count((long)l->count, GRAIN);
    parallel_for(f->g->pool, blocks, weigh_task, &s);
    parallel_for(f->g->pool, blocks, bind_task, &s);
    return 0;
}

void sph_lumps_hold(sph_fluid *f, size_t i, double k, const float normal[3]) {
    sph_lumps *l = &f->lumps;
    const uint32_t lump = l->of[i];
    float a[3];
    for (int c = 0; c < 3; ++c) a[c] = f->x[i][c] - l->centre[lump][c];
    for (int c = 0; c < f->dim; ++c) {
        double along[3], u[LUMP_MOTIONS]; /* rows of I - n n', which is its own square */
        for (int e = 0; e < 3; ++e) along[e] = (c == e) - (double)normal[c] * (double)normal[e];
        arm(u, a, along);
        for (int m = 0; m < 36; ++m) l->block[lump][13][m] += (float)(k * u[m / 6] * u[m % 6]);
    }
}

/* ---- the solve ---- */

HOT static void restrict_task(void *context, int block) {
    const job *s = context;
    const sph_fluid *f = s->f;
    const sph_lumps *l = s->l;
    for (size_t lump = (size_t)block * GRAIN; lump < l->count && lump < ((size_t)block + 1) * GRAIN; ++lump) {
        double sum[LUMP_MOTIONS] = {0};
        for (uint32_t q = l->first[lump]; q < l->first[lump + 1]; ++q) {
            const size_t i = l->member[q];
            double d[3], u[LUMP_MOTIONS];
            float a[3];
            for (int c = 0; c < 3; ++c) {
                d[c] = (double)s->r[i][c] / (double)f->lightness[i];
                a[c] = f->x[i][c] - l->centre[lump][c];
            }
            arm(u, a, d);
            for (int m = 0; m < LUMP_MOTIONS; ++m) sum[m] += u[m];
        }
        memcpy(s->to[lump], sum, sizeof sum);
    }
}

HOT static void product_task(void *context, int block) {
    const job *s = context;
    const sph_lumps *l = s->l;
    for (size_t lump = (size_t)block * GRAIN; lump < l->count && lump < ((size_t)block + 1) * GRAIN; ++lump) {
        double sum[LUMP_MOTIONS] = {0};
        for (int n = 0; n < 27; ++n) {
            const int32_t other = l->next[lump][n];
            if (other < 0) continue;
            const float *m = l->block[lump][n];
            const double *e = s->from[other];
            for (int a = 0; a < LUMP_MOTIONS; ++a)
                for (int b = 0; b < LUMP_MOTIONS; ++b) sum[a] += (double)m[6 * a + b] * e[b];
        }
        memcpy(s->to[lump], sum, sizeof sum);
    }
}

static double dot(double (*a)[LUMP_MOTIONS], double (*b)[LUMP_MOTIONS], size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; ++i)
        for (int m = 0; m < LUMP_MOTIONS; ++m) sum += a[i][m] * b[i][m];
    return sum;
}

static void advance(double (*to)[LUMP_MOTIONS], double share, double (*by)[LUMP_MOTIONS], size_t count) {
    for (size_t i = 0; i < count; ++i)
        for (int m = 0; m < LUMP_MOTIONS; ++m) to[i][m] += share * by[i][m];
}

/* z = (P' rho P)^-1 c */
static void unweigh(double (*z)[LUMP_MOTIONS], double (*c)[LUMP_MOTIONS], const sph_lumps *l) {
    for (size_t i = 0; i < l->count; ++i)
        for (int m = 0; m < LUMP_MOTIONS; ++m) {
            z[i][m] = 0;
            for (int o = 0; o < LUMP_MOTIONS; ++o) z[i][m] += l->mass[i][6 * m + o] * c[i][o];
        }
}

double sph_lumps_solve(sph_fluid *f, const float (*r)[4]) {
    sph_lumps *l = &f->lumps;
    const int blocks = block_count((long)l->count, GRAIN);
    const size_t n = l->count;
    double(*e)[LUMP_MOTIONS] = l->motion, (*c)[LUMP_MOTIONS] = e + l->room, (*p)[LUMP_MOTIONS] = c + l->room;
    double(*q)[LUMP_MOTIONS] = p + l->room, (*z)[LUMP_MOTIONS] = q + l->room;
    job s = {.f = f, .l = l, .r = r, .to = c};
    double gain = 0;
    parallel_for(f->g->pool, blocks, restrict_task, &s);
    memset(e, 0, n * sizeof *e);
    unweigh(z, c, l);
    memcpy(p, z, n * sizeof *p);
    double cz = dot(c, z, n);
    const double first = cz;
    s.from = p;
    s.to = q;
    for (int step = 0; step < MOST && cz > TOLERANCE * TOLERANCE * first; ++step) {
        parallel_for(f->g->pool, blocks, product_task, &s);
        const double pq = dot(p, q, n);
        if (!(pq > 0)) break;
        const double alpha = cz / pq;
        gain += alpha * cz; /* c . e of the start, as steps are conjugate */
        advance(e, alpha, p, n);
        advance(c, -alpha, q, n);
        unweigh(z, c, l);
        const double next = dot(c, z, n);
        for (size_t i = 0; i < n; ++i)
            for (int m = 0; m < LUMP_MOTIONS; ++m) p[i][m] = z[i][m] + next / cz * p[i][m];
        cz = next;
    }
    return gain;
}

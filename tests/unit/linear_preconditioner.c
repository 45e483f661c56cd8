/* Both preconditioners are symmetric and positive on an irregular system, with bodies and without: u . M v =
 * v . M u, u . M u > 0; and they leave what they are applied to as it was. */
#include "check.h"
#include "core/memory.h"
#include "core/random.h"
#include "linear/poisson_level.h"

enum { N0 = 37, N1 = 26, N2 = 19, PAIRS = 6 };

typedef struct fields {
    box b;
    float *face[3], *extra;
    uint8_t *unknown;
} fields;

/* Two thirds of the cells, at random in 3-cell lumps; faces from 1e-3 to 1, extras up to 100. */
static fields irregular(void) {
    fields f = {.b = box_make(3, (int[3]){N0, N1, N2})};
    for (int a = 0; a < 3; ++a) f.face[a] = mem_alloc(f.b.size * sizeof(float));
    f.extra = mem_alloc(f.b.size * sizeof(float));
    f.unknown = mem_alloc(f.b.size);
    for (int k = 0; k < N2; ++k)
        for (int j = 0; j < N1; ++j)
            for (int i = 0; i < N0; ++i) {
                ptrdiff_t c = box_at(&f.b, i, j, k);
                f.unknown[c] = random_unit(1, (uint64_t)(i / 3 * 100 + j / 3), (uint64_t)(k / 3)) < 0.67f;
                if (!f.unknown[c]) continue;
                float chance = random_unit(2, (uint64_t)c, 0);
                if (chance < 0.05f) f.extra[c] = 100 * chance * 20;
                for (int a = 0; a < 3; ++a) {
                    float part = random_unit(3, (uint64_t)c, (uint64_t)a);
                    if (f.unknown[c - f.b.step[a]])
                        f.face[a][c] = part < 0.1f ? 1e-3f : part < 0.6f ? 1 : part;
                }
            }
    return f;
}

static void drop(fields *f) {
    for (int a = 0; a < 3; ++a) mem_free(f->face[a]);
    mem_free(f->extra);
    mem_free(f->unknown);
}

static void randomise(vec8 *v, const level *l, uint64_t seed) {
    for (int id = 0; id < l->blocks; ++id)
        for (int lane = 0; lane < BLOCK_CELLS; ++lane)
            if (l->unknowns[id] >> lane & 1)
                v[spot(l, id, lane & 1)][lane / 2] = random_unit(seed, (uint64_t)id, (uint64_t)lane) - 0.5f;
}

static double dot(const vec8 *a, const vec8 *b, const level *l) {
    double sum = 0;
    for (int i = 0; i < 2 * l->stride; ++i)
        for (int lane = 0; lane < 8; ++lane) sum += (double)a[i][lane] * (double)b[i][lane];
    return sum;
}

typedef struct applied {
    level *levels;
    int count, gamma;
    mic *m;
    low_rank *rank;
    coarsest *last;
} applied;

static double apply(const applied *w, vec8 *out, vec8 *in) {
    if (w->m) return mic_apply(w->m, w->levels, NULL, out, in);
    return cycle_apply(w->levels, w->count, w->last, w->rank, NULL, out, in, w->gamma);
}

static void check_symmetric(const char *name, const applied *w) {
    const level *l = w->levels;
    size_t bytes = 2 * (size_t)l->stride * sizeof(vec8);
    vec8 *u = mem_alloc(bytes), *v = mem_alloc(bytes), *mu = mem_alloc(bytes), *mv = mem_alloc(bytes);
    vec8 *before = mem_alloc(bytes);
    for (uint64_t pair = 0; pair < PAIRS; ++pair) {
        randomise(u, l, 10 + pair);
        randomise(v, l, 20 + pair);
        memcpy(before, u, bytes);
        double uu = apply(w, mu, u), vv = apply(w, mv, v);
        double uv = dot(u, mv, l), vu = dot(v, mu, l), scale = sqrt(uu * vv);
        printf("%-8s u.Mu %.5g u.Mv %.7g v.Mu %.7g\n", name, uu, uv, vu);
        assert_true(uu > 0 && vv > 0);
        assert_memory_equal(before, u, bytes);
        check_near(uu, dot(u, mu, l), 1e-6 * scale); /* the product returned is the product */
        check_near(uv, vu, 2e-6 * scale);
    }
    mem_free(u);
    mem_free(v);
    mem_free(mu);
    mem_free(mv);
    mem_free(before);
}

/* Two bodies that lean on the faces of lumps and on each other's cells, `scale` times as light as the next.
 */
static low_rank *lean(const level *levels, int count, const box *b, double scale) {
    enum { FACES = 300 };
    static poisson_row rows[4 * FACES];
    const int first[3] = {0, 2 * FACES, 4 * FACES};
    for (int e = 0; e < 2 * FACES; ++e) {
        const int part = e % FACES, axis = e % 3;
        const ptrdiff_t c =
            box_at(b, 4 + part % 10 + 8 * (e / FACES), 5 + part / 10 % 10, 4 + part / 100 * 3);
        rows[2 * e].cell = (int32_t)(c - b->step[axis]);
        rows[2 * e + 1].cell = (int32_t)c;
        for (int r = 0; r < POISSON_RANK; ++r) {
            rows[2 * e].value[r] = (float)scale * (random_unit(31, (uint64_t)e, (unsigned)r) - 0.3f);
            rows[2 * e + 1].value[r] = -rows[2 * e].value[r];
        }
    }
    low_rank *rank = rank_create();
    assert_int_equal(rank_attach(rank, levels, count, b, NULL, rows, first, 2), 0);
    assert_true(rank_levels(rank) > 1);
    return rank;
}

/* What the cycle reads beside bodies: still symmetric and positive, with bodies and without. */
static void check_brief(level *levels, int count, int exact, coarsest *last, const box *b) {
    for (int i = 0; i < count; ++i) assert_int_equal(level_make_brief(&levels[i], NULL), 0);
    check_symmetric("V, brief", &(applied){levels, count, 1, NULL, NULL, NULL});
    check_symmetric("W, brief", &(applied){levels, count, 2, NULL, NULL, NULL});
    check_symmetric("one, brief", &(applied){levels, 1, 1, NULL, NULL, NULL});
    for (double scale = 0.1; scale < 20; scale *= 5) {
        low_rank *rank = lean(levels, exact, b, scale);
        check_symmetric("V, both", &(applied){levels, exact, 1, NULL, rank, last});
        check_symmetric("W, both", &(applied){levels, exact, 2, NULL, rank, last});
        rank_free(rank);
    }
    for (int i = 0; i < count; ++i) level_forget_brief(&levels[i]);
}

static void test_symmetry(void **state) {
    (void)state;
    fields f = irregular();
    poisson_system system = {{f.face[0], f.face[1], f.face[2]}, f.extra, f.unknown};
    static level levels[LEVELS_MAX];
    buffer scratch = {0};
    int count = 1;
    assert_int_equal(level_from_system(&levels[0], &f.b, NULL, &system, &scratch), 0);
    for (; levels[count - 1].n[0] > 2; ++count)
        assert_int_equal(level_from_finer(&levels[count], &levels[count - 1], NULL, &scratch), 0);
    int exact = 1;
    while (!coarsest_fits(&levels[exact - 1])) ++exact;
    coarsest *last = coarsest_create();
    coarsest_setup(last, &levels[exact - 1], 0);
    printf("sweeps end %d levels, an inverse %d\n", count, exact);
    assert_true(exact < count);
    check_symmetric("V", &(applied){levels, count, 1, NULL, NULL, NULL});
    check_symmetric("W", &(applied){levels, count, 2, NULL, NULL, NULL});
    check_symmetric("V, exact", &(applied){levels, exact, 1, NULL, NULL, last});
    check_symmetric("W, exact", &(applied){levels, exact, 2, NULL, NULL, last});
    check_symmetric("one level", &(applied){levels, 1, 1, NULL, NULL, NULL});
    for (double scale = 0.1; scale < 20; scale *= 5) {
        low_rank *rank = lean(levels, exact, &f.b, scale);
        check_symmetric("V, bodies", &(applied){levels, exact, 1, NULL, rank, last});
        check_symmetric("W, bodies", &(applied){levels, exact, 2, NULL, rank, last});
        rank_free(rank);
    }
    check_brief(levels, count, exact, last, &f.b);
    coarsest_free(last);
    mic *m = mic_create();
    assert_int_equal(mic_setup(m, &levels[0], NULL), 0);
    check_symmetric("MIC", &(applied){levels, 1, 1, m, NULL, NULL});
    mic_free(m);
    for (int i = 0; i < count; ++i) level_free(&levels[i]);
    buffer_drop(&scratch);
    drop(&f);
}

/* A on the cells of a level, as its own coefficients say it. */
static void multiply(vec8 *out, const level *l, const vec8 *x) {
    for (int id = 0; id < l->blocks; ++id)
        for (int half = 0; half < 2; ++half) {
            const block *k = &l->block[id];
            const side_coefs *c = &l->coefs[k->coefs].side[half];
            for (int lane = 0; lane < 8; ++lane) {
                const int beside = half == EVEN ? lane - 1 : lane + 1;
                const int next = beside < 0 ? k->neighbour[X_LOW] : beside > 7 ? k->neighbour[X_HIGH] : id;
                const float mine = x[spot(l, id, half)][lane];
                double sum = (double)(c->extra[lane] * mine);
                sum += (double)c->x_mid[lane] * (double)(mine - x[spot(l, id, !half)][lane]);
                sum += (double)c->x_out[lane] * (double)(mine - x[spot(l, next, !half)][beside & 7]);
                sum += (double)c->y_low[lane] * (double)(mine - x[spot(l, k->neighbour[Y_LOW], half)][lane]);
                sum +=
                    (double)c->y_high[lane] * (double)(mine - x[spot(l, k->neighbour[Y_HIGH], half)][lane]);
                sum += (double)c->z_low[lane] * (double)(mine - x[spot(l, k->neighbour[Z_LOW], half)][lane]);
                sum +=
                    (double)c->z_high[lane] * (double)(mine - x[spot(l, k->neighbour[Z_HIGH], half)][lane]);
                out[spot(l, id, half)][lane] = (float)sum;
            }
        }
}

/* The inverse of a small level is one: A A^-1 b = b, in a closed box up to what no pressure can balance. */
static void test_coarsest_is_exact(void **state) {
    (void)state;
    enum { SIDE = 4 };
    for (int closed = 0; closed < 2; ++closed) {
        const box b = box_make(3, (int[3]){SIDE, SIDE, SIDE});
        fields f = {.b = b};
        for (int a = 0; a < 3; ++a) f.face[a] = mem_alloc(b.size * sizeof(float));
        f.extra = mem_alloc(b.size * sizeof(float));
        f.unknown = mem_alloc(b.size);
        for (int i = 0; i < SIDE * SIDE * SIDE; ++i) {
            const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
            const ptrdiff_t c = box_at(&b, at[0], at[1], at[2]);
            f.unknown[c] = 1;
            if (!closed && at[1] == SIDE - 1) f.extra[c] = 0.1f + random_unit(5, (uint64_t)i, 0);
            for (int a = 0; a < 3; ++a)
                if (at[a] > 0) f.face[a][c] = 0.01f + random_unit(4, (uint64_t)i, (uint64_t)a);
        }
        poisson_system system = {{f.face[0], f.face[1], f.face[2]}, f.extra, f.unknown};
        static level l;
        buffer scratch = {0};
        assert_int_equal(level_from_system(&l, &b, NULL, &system, &scratch), 0);
        assert_true(coarsest_fits(&l));
        coarsest *inverse = coarsest_create();
        coarsest_setup(inverse, &l, 0);
        const size_t bytes = 2 * (size_t)l.stride * sizeof(vec8);
        vec8 *rhs = mem_alloc(bytes), *x = mem_alloc(bytes), *back = mem_alloc(bytes);
        randomise(rhs, &l, 7);
        if (closed) { /* sums to nothing */
            double sum = 0;
            for (int id = 0; id < l.blocks; ++id)
                for (int lane = 0; lane < SIDE; ++lane) sum += (double)rhs[spot(&l, id, lane & 1)][lane / 2];
            for (int id = 0; id < l.blocks; ++id)
                for (int lane = 0; lane < SIDE; ++lane)
                    rhs[spot(&l, id, lane & 1)][lane / 2] -= (float)(sum / (SIDE * SIDE * SIDE));
        }
        coarsest_solve(inverse, x, rhs);
        multiply(back, &l, x);
        double most = 0;
        for (int i = 0; i < 2 * l.stride; ++i)
            for (int lane = 0; lane < 8; ++lane)
                most = larger(most, fabs((double)back[i][lane] - (double)rhs[i][lane]));
        printf("%s: |A A^-1 b - b| <= %.2g\n", closed ? "closed" : "open", most);
        assert_true(most < 1e-4);
        mem_free(rhs);
        mem_free(x);
        mem_free(back);
        coarsest_free(inverse);
        level_free(&l);
        memset(&l, 0, sizeof l);
        buffer_drop(&scratch);
        drop(&f);
    }
}

/* An irregular system and its next coarser level. */
static void make_two(level levels[2]) {
    fields f = irregular();
    poisson_system system = {{f.face[0], f.face[1], f.face[2]}, f.extra, f.unknown};
    buffer scratch = {0};
    assert_int_equal(level_from_system(&levels[0], &f.b, NULL, &system, &scratch), 0);
    assert_int_equal(level_from_finer(&levels[1], &levels[0], NULL, &scratch), 0);
    buffer_drop(&scratch);
    drop(&f);
}

/* The sum of a coarse operator's extras is the fine one's, and so is what it does to constants. */
static void test_coarse_operators_keep_sums(void **state) {
    (void)state;
    static level levels[2];
    make_two(levels);
    double sum[2] = {0, 0};
    for (int i = 0; i < 2; ++i)
        for (int id = 0; id < levels[i].blocks; ++id)
            for (int lane = 0; lane < BLOCK_CELLS; ++lane)
                sum[i] += (double)levels[i].coefs[levels[i].block[id].coefs].side[lane & 1].extra[lane / 2];
    check_near(sum[0], sum[1], 1e-5 * sum[0]);
    for (int i = 0; i < 2; ++i) level_free(&levels[i]);
}

static void check_pair(double sum[8], bits8 pair, vec8 high, vec8 low) {
    const vec8 to[2] = {pair_high(pair), pair_low(pair)}, from[2] = {high, low};
    for (int i = 0; i < 2; ++i)
        for (int lane = 0; lane < 8; ++lane) {
            check_near((double)to[i][lane], (double)from[i][lane], (double)from[i][lane] / 256);
            assert_true(to[i][lane] > 0 || !(from[i][lane] > 0));
            sum[lane] += (double)to[i][lane];
        }
}

/* In brief: every coefficient within one part in 256, those of the uniform block to the last bit, and the
 * diagonal that of the matrix they make. */
static void test_brief_coefficients(void **state) {
    (void)state;
    static level levels[2];
    make_two(levels);
    for (int i = 0; i < 2; ++i) {
        const level *l = &levels[i];
        assert_int_equal(level_make_brief(&levels[i], NULL), 0);
        for (int e = 0; e < l->entries; ++e)
            for (int half = 0; half < 2; ++half) {
                const side_coefs *c = &l->coefs[e].side[half];
                const brief_side *b = &l->brief[e].side[half];
                double sum[8] = {0};
                check_pair(sum, b->x, c->x_mid, c->x_out);
                check_pair(sum, b->y, c->y_low, c->y_high);
                check_pair(sum, b->z, c->z_low, c->z_high);
                for (int lane = 0; lane < 8; ++lane) {
                    const double d = sum[lane] + (double)c->extra[lane];
                    check_near(d * (double)b->inverse[lane], d > 0, 1e-6);
                    if (e == 0) assert_true(b->inverse[lane] == c->inverse[lane]);
                }
            }
    }
    for (int i = 0; i < 2; ++i) level_free(&levels[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symmetry),
        cmocka_unit_test(test_coarsest_is_exact),
        cmocka_unit_test(test_coarse_operators_keep_sums),
        cmocka_unit_test(test_brief_coefficients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The cost of wall separation: bounded against plain solves of the same systems, both from x = 0 and both
 * with their setup. Bounded are the cells at the box's sides and at the cut sphere. */
#include <math.h>
#include <string.h>
#include "bench_poisson.h"
#include "cases.h"
#include "core/memory.h"
#include "core/report.h"
#include "core/timer.h"
#include "linear/lcp.h"

enum { RUNS = 5 };

static void mark_bounded(uint8_t *bounded, const bench_system *s, int n) {
    for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
                const ptrdiff_t c = box_at(&s->b, i, j, k);
                int closed = i == 0 || j == 0 || k == 0 || i == n - 1 || k == n - 1;
                for (int a = 0; a < 3; ++a) {
                    const float low = s->face[a][c], high = s->face[a][c + s->b.step[a]];
                    closed |= (low > 0 && low < 1) || (high > 0 && high < 1);
                }
                bounded[c] = (uint8_t)(closed && s->unknown[c]);
            }
}

typedef struct cost {
    double plain, bounded, again; /* s; again: from the last answer, as the next step starts */
    lcp_result r;
} cost;

static int measure(cost *c, const bench_system *s, const uint8_t *bounded, float *x, poisson *solver,
                   lcp *l) {
    double plain[RUNS], with[RUNS], again[RUNS];
    const lcp_problem problem = {.system = s->system, .bounded = bounded};
    for (int run = 0; run < RUNS; ++run) {
        lcp_result second;
        memset(x, 0, s->b.size * sizeof *x);
        double start = timer_now();
        if (poisson_setup(solver, &s->system)) return -1;
        poisson_solve(solver, x, s->rhs, 1e-6, 1000);
        plain[run] = timer_now() - start;
        memset(x, 0, s->b.size * sizeof *x);
        start = timer_now();
        if (poisson_setup(solver, &s->system)) return -1;
        if (lcp_solve(&c->r, l, solver, x, s->rhs, &problem, 1e-6, 1000)) return -1;
        with[run] = timer_now() - start;
        start = timer_now();
        if (poisson_setup(solver, &s->system)) return -1;
        if (lcp_solve(&second, l, solver, x, s->rhs, &problem, 1e-6, 1000)) return -1;
        again[run] = timer_now() - start;
    }
    c->plain = rows_median(plain, RUNS);
    c->bounded = rows_median(with, RUNS);
    c->again = rows_median(again, RUNS);
    return 0;
}

static rheo_status figures(rows *out, const char *what, int n, bench_problem kind) {
    bench_system s;
    if (bench_system_make(&s, n, kind)) return report_no_memory(out->report, "the system");
    pool *p = pool_create(out->threads);
    poisson *solver = p ? poisson_create(&s.b, p, POISSON_MULTIGRID) : NULL;
    lcp *l = lcp_create(&s.b);
    float *x = mem_alloc(s.b.size * sizeof *x);
    uint8_t *bounded = mem_alloc(s.b.size);
    cost c = {0};
    int bad = !solver || !l || !x || !bounded;
    if (!bad) {
        mark_bounded(bounded, &s, n);
        bad = measure(&c, &s, bounded, x, solver, l);
    }
    if (!bad) {
        char text[128];
        rows_format(text, sizeof text, "%s, %d rounds, %lld cells let go", what, c.r.rounds,
                    (long long)c.r.active);
        rows_put_figure(out, &(figure){.name = "separation",
                                       .what = text,
                                       .n = n,
                                       .threads = out->threads,
                                       .seconds = c.bounded,
                                       .bandwidth_ratio = (double)NAN,
                                       .iterations = c.r.solve.iterations,
                                       .memory = (double)lcp_bytes(l),
                                       .value = c.bounded / c.plain,
                                       .unit = "x the plain solve",
                                       .beside = "asked: <= 4"});
        rows_put_figure(out, &(figure){.name = "separation",
                                       .what = "the same, from the last answer",
                                       .n = n,
                                       .threads = out->threads,
                                       .seconds = c.again,
                                       .bandwidth_ratio = (double)NAN,
                                       .iterations = -1,
                                       .memory = (double)NAN,
                                       .value = c.again / c.plain,
                                       .unit = "x the plain solve",
                                       .beside = ""});
    }
    mem_free(bounded);
    mem_free(x);
    lcp_free(l);
    poisson_free(solver);
    pool_free(p);
    bench_system_free(&s);
    return bad ? report_no_memory(out->report, "the solve") : RHEO_OK;
}

rheo_status bench_separation(rows *out) {
    rows_put_figure_header(out);
    rheo_status status = figures(out, "dam break", 64, BENCH_DAM_BREAK);
    if (!status) status = figures(out, "box, open top", 64, BENCH_BOX_OPEN_TOP);
    return status;
}

/* The cost of wall separation beside the plain pressure solve: in a running scene, where every step starts
 * from the last one's pressure; and on the synthetic systems of bench_poisson.c from x = 0, with suction at
 * half of the walls, which is the worst that can happen. Bounded are there the cells at the box's sides and
 * at the cut sphere. */
#include <math.h>
#include <string.h>
#include "bench_poisson.h"
#include "cases.h"
#include "core/memory.h"
#include "core/report.h"
#include "core/timer.h"
#include "linear/lcp.h"
#include <rheo/sim.h>

enum { RUNS = 5, FRAMES = 16 };

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
        if (lcp_solve(&c->r, l, solver, x, s->rhs, &problem, 1e-6, 1000)) return -1;
        with[run] = timer_now() - start;
        start = timer_now();
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

/* Seconds of a step's pressure in a ball of water that hits the left wall of a cube; rounds: the most in a
 * step. */
static rheo_status run_ball(double *seconds, int *rounds, rows *out, int n, bool separation) {
    rheo_scene scene = rheo_default_scene();
    rheo_shape ball = rheo_default_shape(RHEO_SHAPE_SPHERE);
    rheo_fluid water = rheo_default_fluid();
    rheo_sim *sim;
    const double centre[3] = {0.35, 0.6, 0.5}, velocity[3] = {-4, 1, 0};
    memcpy(ball.a, centre, sizeof centre);
    memcpy(water.velocity, velocity, sizeof velocity);
    ball.radius = 0.3;
    water.fill = &ball;
    water.fill_count = 1;
    scene.size[0] = scene.size[1] = scene.size[2] = 1;
    scene.cells = n;
    scene.frames = FRAMES;
    scene.separation = separation;
    scene.fluids = &water;
    scene.fluid_count = 1;
    rheo_status status = rheo_create_sim(&sim, &scene, out->threads, out->report);
    double sum = 0;
    int steps = 0;
    for (int frame = 0; frame < FRAMES && !status; ++frame) {
        rheo_frame_stats stats;
        if ((status = rheo_advance_frame(sim, NULL, &stats, out->report))) break;
        for (int i = 0; i < stats.stage_count; ++i)
            if (strcmp(stats.stages[i].name, "pressure") == 0) sum += stats.stages[i].seconds;
        steps += stats.steps;
        *rounds = stats.pressure.rounds > *rounds ? stats.pressure.rounds : *rounds;
    }
    rheo_free_sim(sim);
    *seconds = sum / (steps ? steps : 1);
    return status;
}

static rheo_status running(rows *out, int n) {
    double plain = 0, with = 0;
    int rounds = 0;
    rheo_status status = run_ball(&plain, &rounds, out, n, false);
    if (!status) status = run_ball(&with, &rounds, out, n, true);
    if (status) return status;
    char text[128];
    rows_format(text, sizeof text, "ball at a wall, running, up to %d rounds", rounds);
    rows_put_figure(out, &(figure){.name = "separation",
                                   .what = text,
                                   .n = n,
                                   .threads = out->threads,
                                   .seconds = with,
                                   .bandwidth_ratio = (double)NAN,
                                   .iterations = -1,
                                   .memory = (double)NAN,
                                   .value = with / plain,
                                   .unit = "x the plain solve",
                                   .beside = "asked: <= 4"});
    return RHEO_OK;
}

rheo_status bench_separation(rows *out) {
    rows_put_figure_header(out);
    rheo_status status = running(out, 64);
    if (!status) status = figures(out, "dam break, cold", 64, BENCH_DAM_BREAK);
    if (!status) status = figures(out, "box, cold", 64, BENCH_BOX_OPEN_TOP);
    return status;
}

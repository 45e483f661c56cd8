/* McCalpin's STREAM triad, a[i] = b[i] + s c[i] in double: what the memory can do.
 *
 * Three arrays of 256 MB, far beyond any cache; counted as three times 8 bytes an element (the write-allocate
 * read is not counted, as in STREAM). The fastest of the rounds is the bandwidth. */
#include "cases.h"

#include <math.h>
#include <sys/mman.h>
#include "bench_stream.h"
#include "core/parallel.h"
#include "core/report.h"
#include "core/timer.h"

enum { ELEMENTS = 32 << 20, GRAIN = 1 << 16, ROUNDS = 6 };

typedef struct triad {
    double *a, *b, *c;
} triad;

static void triad_block(void *context, int block) {
    const triad *t = context;
    const size_t start = (size_t)block * GRAIN;
    double *restrict a = t->a + start;
    const double *restrict b = t->b + start, *restrict c = t->c + start;
    for (int i = 0; i < GRAIN; ++i) a[i] = b[i] + 3.0 * c[i];
}

static void touch_block(void *context, int block) {
    const triad *t = context;
    for (size_t i = (size_t)block * GRAIN; i < (size_t)(block + 1) * GRAIN; ++i) {
        t->a[i] = 0;
        t->b[i] = 1;
        t->c[i] = 2;
    }
}

/* Straight from the system and back to it, so that the memory of later figures is theirs alone. */
static double *take(size_t bytes) {
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return block == MAP_FAILED ? NULL : block;
}

static void give_back(double *block, size_t bytes) {
    if (block) munmap(block, bytes);
}

double stream_triad(int threads) {
    const size_t bytes = (size_t)ELEMENTS * sizeof(double);
    triad t = {take(bytes), take(bytes), take(bytes)};
    pool *p = pool_create(threads);
    double best = 0;
    if (t.a && t.b && t.c && p) {
        parallel_for(p, ELEMENTS / GRAIN, touch_block, &t);
        for (int round = 0; round < ROUNDS; ++round) {
            const double since = timer_now();
            parallel_for(p, ELEMENTS / GRAIN, triad_block, &t);
            best = fmax(best, 3.0 * (double)bytes / (timer_now() - since));
        }
    }
    pool_free(p);
    give_back(t.a, bytes);
    give_back(t.b, bytes);
    give_back(t.c, bytes);
    return best;
}

rheo_status stream_measure(rows *out) {
    if (out->threads < 1) {
        pool *p = pool_create(0);
        out->threads = pool_threads(p);
        pool_free(p);
    }
    if (out->triad[0] > 0) return RHEO_OK;
    out->triad[0] = stream_triad(1);
    out->triad[1] = out->threads == 1 ? out->triad[0] : stream_triad(out->threads);
    return out->triad[0] > 0 && out->triad[1] > 0 ? RHEO_OK
                                                  : report_no_memory(out->report, "the triad's arrays");
}

rheo_status bench_stream(rows *out) {
    const rheo_status status = stream_measure(out);
    if (status) return status;
    rows_put_figure_header(out);
    for (int all = 0; all < (out->threads > 1 ? 2 : 1); ++all)
        rows_put_figure(out, &(figure){.name = "stream",
                                       .what = "triad",
                                       .n = ELEMENTS,
                                       .threads = all ? out->threads : 1,
                                       .seconds = 24.0 * ELEMENTS / out->triad[all],
                                       .bandwidth_ratio = 1,
                                       .iterations = -1,
                                       .memory = 24.0 * ELEMENTS,
                                       .value = out->triad[all] / 1e9,
                                       .unit = "GB/s",
                                       .beside = all ? "25.7 GB/s when the figures were set" : "13.2 GB/s"});
    return RHEO_OK;
}

/* A pool of threads that spin briefly, then sleep; the caller takes part.
 *
 * Each thread starts on its own share of the blocks, the same in every loop over as many: neighbouring
 * blocks, which it finds in its own cache when it wrote them in the loop before. Who is done early helps the
 * others. The caller waits for blocks, not for threads: one that the system has put aside keeps nobody
 * waiting unless it was in the middle of a block. So a thread may come late, when its job is over or another
 * has begun: a claim on a share tells in itself whether it is one, and if so the job cannot end before the
 * block has been done, whichever job that is. */
#include "core/parallel.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/memory.h"

enum { SPINS = 8000, STACK_VALUES = 256, CACHE_LINE = 64, END_SHIFT = 32 };

/* The end of a thread's blocks and, in the low half, the next one to take; on a cache line of its own. */
typedef struct share {
    _Alignas(CACHE_LINE) _Atomic uint64_t claims;
} share;

struct pool {
    int threads; /* with the caller */
    int started; /* workers that exist */
    pthread_t worker[POOL_THREADS_MAX];
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    int spins;            /* before sleeping, or yielding */
    _Atomic int numbered; /* workers that have taken their number */
    _Atomic int sleepers;
    /* A job, and on a line of its own how much of it is done. */
    _Alignas(CACHE_LINE) _Atomic unsigned round; /* changes with each job */
    _Atomic int stop;
    void (*task)(void *, int);
    void *context;
    _Alignas(CACHE_LINE) _Atomic int done; /* blocks */
    share share[POOL_THREADS_MAX];
};

static void cut_shares(pool *p, int blocks) {
    for (int t = 0; t < p->threads; ++t) {
        const uint64_t first = (uint64_t)blocks * (uint64_t)t / (uint64_t)p->threads;
        const uint64_t end = (uint64_t)blocks * (uint64_t)(t + 1) / (uint64_t)p->threads;
        atomic_store_explicit(&p->share[t].claims, end << END_SHIFT | first, memory_order_release);
    }
}

static void run_blocks(pool *p, int self) {
    int done = 0;
    for (int t = 0; t < p->threads; ++t) {
        share *s = &p->share[(self + t) % p->threads];
        for (;;) {
            const uint64_t claim = atomic_fetch_add_explicit(&s->claims, 1, memory_order_acquire);
            const uint32_t block = (uint32_t)claim;
            if (block >= claim >> END_SHIFT) break;
            p->task(p->context, (int)block);
            ++done;
        }
    }
    if (done) atomic_fetch_add_explicit(&p->done, done, memory_order_release);
}

static inline void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Announces itself before it looks once more, as the caller looks for sleepers after it has changed the
 * round: one of the two sees the other. */
static void sleep_until_round(pool *p, unsigned seen) {
    pthread_mutex_lock(&p->mutex);
    atomic_fetch_add(&p->sleepers, 1);
    while (atomic_load(&p->round) == seen && !atomic_load(&p->stop)) pthread_cond_wait(&p->wake, &p->mutex);
    atomic_fetch_sub(&p->sleepers, 1);
    pthread_mutex_unlock(&p->mutex);
}

static void *work(void *argument) {
    pool *p = argument;
    const int self = atomic_fetch_add(&p->numbered, 1) + 1;
    unsigned seen = 0;
    for (;;) {
        for (int s = 0; s < p->spins && atomic_load(&p->round) == seen && !atomic_load(&p->stop); ++s)
            relax();
        if (atomic_load(&p->round) == seen) sleep_until_round(p, seen);
        if (atomic_load(&p->stop)) return NULL;
        seen = atomic_load(&p->round);
        run_blocks(p, self);
    }
}

pool *pool_create(int threads) {
    const int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (threads <= 0) threads = cores;
    if (threads < 1) threads = 1;
    if (threads > POOL_THREADS_MAX) threads = POOL_THREADS_MAX;
    pool *p = mem_alloc(sizeof *p);
    if (!p) return NULL;
    p->threads = threads;
    p->spins = threads <= cores ? SPINS : 50;
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->wake, NULL);
    for (; p->started < threads - 1; ++p->started)
        if (pthread_create(&p->worker[p->started], NULL, work, p)) {
            pool_free(p);
            return NULL;
        }
    return p;
}

void pool_free(pool *p) {
    if (!p) return;
    pthread_mutex_lock(&p->mutex);
    atomic_store(&p->stop, 1);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->mutex);
    for (int t = 0; t < p->started; ++t) pthread_join(p->worker[t], NULL);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->mutex);
    mem_free(p);
}

int pool_threads(const pool *p) {
    return p ? p->threads : 1;
}

void parallel_for(pool *p, int blocks, void (*task)(void *context, int block), void *context) {
    if (!p || p->started == 0 || blocks < 2) {
        for (int b = 0; b < blocks; ++b) task(context, b);
        return;
    }
    p->task = task;
    p->context = context;
    atomic_store_explicit(&p->done, 0, memory_order_relaxed);
    cut_shares(p, blocks);
    atomic_fetch_add(&p->round, 1);
    if (atomic_load(&p->sleepers) > 0) {
        pthread_mutex_lock(&p->mutex);
        pthread_cond_broadcast(&p->wake);
        pthread_mutex_unlock(&p->mutex);
    }
    run_blocks(p, 0);
    for (int s = 0; atomic_load_explicit(&p->done, memory_order_acquire) < blocks; ++s) {
        if (s < p->spins) relax();
        else sched_yield();
    }
}

typedef struct {
    double (*task)(void *, int);
    void *context;
    double *value;
} reduction;

static void reduce_block(void *context, int b) {
    reduction *r = context;
    r->value[b] = r->task(r->context, b);
}

/* What is not a number stays: it must be seen. */
static double join(double result, double value, int largest) {
    if (!largest) return result + value;
    return value > result || isnan(value) ? value : result;
}

static double reduce(pool *p, int blocks, double (*task)(void *, int), void *context, int largest) {
    double some[STACK_VALUES];
    double *value = blocks <= STACK_VALUES ? some : malloc((size_t)blocks * sizeof *value);
    reduction r = {task, context, value};
    double result = 0;
    if (!value) { /* no room to go parallel: the same order, serially */
        for (int b = 0; b < blocks; ++b) result = join(result, task(context, b), largest);
        return result;
    }
    parallel_for(p, blocks, reduce_block, &r);
    for (int b = 0; b < blocks; ++b) result = join(result, value[b], largest);
    if (value != some) free(value);
    return result;
}

double parallel_sum(pool *p, int blocks, double (*task)(void *context, int block), void *context) {
    return reduce(p, blocks, task, context, 0);
}

double parallel_max(pool *p, int blocks, double (*task)(void *context, int block), void *context) {
    return reduce(p, blocks, task, context, 1);
}

/* ---- plain memory ---- */

enum { BYTES_PER_BLOCK = 1 << 16 };

typedef struct {
    char *to;
    const char *from; /* NULL: zeros */
    size_t bytes;
} memory_job;

static void memory_task(void *context, int block) {
    const memory_job *s = context;
    const size_t first = (size_t)block * BYTES_PER_BLOCK, left = s->bytes - first,
                 bytes = left < BYTES_PER_BLOCK ? left : BYTES_PER_BLOCK;
    if (s->from) memcpy(s->to + first, s->from + first, bytes);
    else memset(s->to + first, 0, bytes);
}

static void fill(pool *p, void *to, const void *from, size_t bytes) {
    memory_job s = {to, from, bytes};
    parallel_for(p, block_count((long)bytes, BYTES_PER_BLOCK), memory_task, &s);
}

void parallel_copy(pool *p, void *to, const void *from, size_t bytes) {
    fill(p, to, from, bytes);
}

void parallel_zero(pool *p, void *to, size_t bytes) {
    fill(p, to, NULL, bytes);
}

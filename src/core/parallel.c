/* A pool of threads that spin briefly, then sleep; the caller takes part.
 *
 * Each thread starts on its own share of the blocks, the same in every loop over as many: neighbouring
 * blocks, which it finds in its own cache when it wrote them in the loop before. Who is done early helps the
 * others. */
#include "core/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
#include "core/memory.h"

enum { THREADS_MAX = 256, SPINS = 8000, STACK_VALUES = 256, CACHE_LINE = 64 };

/* Of one thread, and on a cache line of its own: the next block to take, and the end of its share. */
typedef struct share {
    _Alignas(CACHE_LINE) _Atomic int next;
    int end;
} share;

struct pool {
    int threads; /* with the caller */
    int started; /* workers that exist */
    pthread_t worker[THREADS_MAX];
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    int spins;            /* before sleeping, or yielding */
    _Atomic int numbered; /* workers that have taken their number */
    _Atomic int sleepers;
    /* A job, and on a line of its own what workers tell when they are done. */
    _Alignas(CACHE_LINE) _Atomic unsigned round; /* changes with each job */
    _Atomic int stop;
    void (*task)(void *, int);
    void *context;
    _Alignas(CACHE_LINE) _Atomic int left; /* workers that have not finished this round */
    share share[THREADS_MAX];
};

static void cut_shares(pool *p, int blocks) {
    for (int t = 0; t < p->threads; ++t) {
        atomic_store_explicit(&p->share[t].next, (int)((long)blocks * t / p->threads), memory_order_relaxed);
        p->share[t].end = (int)((long)blocks * (t + 1) / p->threads);
    }
}

static void run_blocks(pool *p, int self) {
    for (int t = 0; t < p->threads; ++t) {
        share *s = &p->share[(self + t) % p->threads];
        int b;
        while ((b = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed)) < s->end)
            p->task(p->context, b);
    }
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
        atomic_fetch_sub_explicit(&p->left, 1, memory_order_release);
    }
}

pool *pool_create(int threads) {
    const int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (threads <= 0) threads = cores;
    if (threads < 1) threads = 1;
    if (threads > THREADS_MAX) threads = THREADS_MAX;
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
    cut_shares(p, blocks);
    atomic_store_explicit(&p->left, p->started, memory_order_relaxed);
    atomic_fetch_add(&p->round, 1);
    if (atomic_load(&p->sleepers) > 0) {
        pthread_mutex_lock(&p->mutex);
        pthread_cond_broadcast(&p->wake);
        pthread_mutex_unlock(&p->mutex);
    }
    run_blocks(p, 0);
    for (int s = 0; atomic_load_explicit(&p->left, memory_order_acquire) > 0; ++s) {
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

static double reduce(pool *p, int blocks, double (*task)(void *, int), void *context, int largest) {
    double some[STACK_VALUES];
    double *value = blocks <= STACK_VALUES ? some : malloc((size_t)blocks * sizeof *value);
    reduction r = {task, context, value};
    double result = 0;
    if (!value) { /* no room to go parallel: the same order, serially */
        for (int b = 0; b < blocks; ++b) {
            double v = task(context, b);
            result = largest ? (v > result ? v : result) : result + v;
        }
        return result;
    }
    parallel_for(p, blocks, reduce_block, &r);
    for (int b = 0; b < blocks; ++b)
        result = largest ? (value[b] > result ? value[b] : result) : result + value[b];
    if (value != some) free(value);
    return result;
}

double parallel_sum(pool *p, int blocks, double (*task)(void *context, int block), void *context) {
    return reduce(p, blocks, task, context, 0);
}

double parallel_max(pool *p, int blocks, double (*task)(void *context, int block), void *context) {
    return reduce(p, blocks, task, context, 1);
}

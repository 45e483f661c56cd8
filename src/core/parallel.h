/* One way to use threads: fixed blocks of work handed to a pool.
 *
 * The blocks depend on the problem, never on the number of threads; a block writes only what is its own; sums
 * are stored a value a block and added in block order. So the result is bit-identical for any thread count.
 */
#ifndef CORE_PARALLEL_H
#define CORE_PARALLEL_H

#include <stddef.h>

typedef struct pool pool;

enum { POOL_THREADS_MAX = 256 };

pool *pool_create(int threads);  /* 0: one a core, at most POOL_THREADS_MAX; NULL when they cannot be had. */
void pool_free(pool *p);         /* NULL is fine */
int pool_threads(const pool *p); /* NULL is one thread */

/* Calls task(context, b) once for every block b in [0, blocks), in any order, on any thread. A NULL pool
 * works serially. Not to be nested. */
void parallel_for(pool *p, int blocks, void (*task)(void *context, int block), void *context);

/* As parallel_for, where each block returns a value; the sum runs in block order. The max is the larger of
 * all and 0, or not a number where any of them is none. */
double parallel_sum(pool *p, int blocks, double (*task)(void *context, int block), void *context);
double parallel_max(pool *p, int blocks, double (*task)(void *context, int block), void *context);

/* memcpy() and memset() to 0 of fields: a thread touches the part that is its own in other loops. */
void parallel_copy(pool *p, void *to, const void *from, size_t bytes);
void parallel_zero(pool *p, void *to, size_t bytes);

/* The half-open range of block b when n items are cut into blocks of `grain`. */
static inline int block_count(long n, long grain) {
    return (int)((n + grain - 1) / grain);
}
#endif

/* Allocation: zeroed, 64-byte aligned blocks that know nothing of each other, and an arena for scratch.
 * Everything is counted, so that a simulation can say what it holds. */
#ifndef CORE_MEMORY_H
#define CORE_MEMORY_H

#include <stddef.h>

/* Zeroed; NULL when there is no memory. `mem_free(NULL)` is fine. */
void *mem_alloc(size_t bytes);
void mem_free(void *block);
/* Keeps the first `old_bytes`, zeroes the rest; on failure returns NULL and leaves `block` as it was. */
void *mem_grow(void *block, size_t old_bytes, size_t new_bytes);

/* A stack of bytes that grows by chunks and is emptied as a whole; it keeps its chunks for the next round. */
typedef struct arena {
    struct arena_chunk *first, *current;
    size_t held; /* bytes in all chunks */
} arena;
void *arena_alloc(arena *a, size_t bytes);    /* zeroed, 64-byte aligned, NULL when there is no memory */
char *arena_text(arena *a, const char *text); /* a copy */
void arena_free(arena *a);
#endif

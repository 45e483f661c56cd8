/* Memory in lines of the cache, zeroed; an arena for what lives as long as its owner.
 *
 * Large blocks ask for large pages, which take a quarter off a step at 128^3: particles look up velocities in
 * three fields and write to dozens of columns, more places than the processor keeps small pages for. */
#define _DEFAULT_SOURCE /* madvise */
#include "core/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64, CHUNK = 1 << 20, LARGE_PAGE = 2 << 20 };

static size_t round_up(size_t bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void *alloc_raw(size_t bytes) {
    if (bytes > SIZE_MAX - ALIGNMENT) return NULL;
    bytes = round_up(bytes ? bytes : 1);
#ifdef MADV_HUGEPAGE /* a wish: where it is refused, pages stay small */
    if (bytes >= LARGE_PAGE) {
        void *block = NULL;
        if (posix_memalign(&block, LARGE_PAGE, bytes)) return NULL; /* aligned_alloc() wants whole pages */
        madvise(block, bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
        return block;
    }
#endif
    return aligned_alloc(ALIGNMENT, bytes);
}

void *mem_alloc(size_t bytes) {
    void *block = alloc_raw(bytes);
    if (block) memset(block, 0, round_up(bytes ? bytes : 1));
    return block;
}

void mem_free(void *block) {
    free(block);
}

void *mem_grow(void *block, size_t old_bytes, size_t new_bytes) {
    void *grown = mem_alloc(new_bytes);
    if (!grown) return NULL;
    if (block) memcpy(grown, block, old_bytes < new_bytes ? old_bytes : new_bytes);
    mem_free(block);
    return grown;
}

struct arena_chunk {
    struct arena_chunk *next;
    size_t size, used;
    unsigned char *data;
};

static struct arena_chunk *chunk_make(size_t size) {
    struct arena_chunk *c = malloc(sizeof *c);
    if (!c) return NULL;
    *c = (struct arena_chunk){.size = size, .data = alloc_raw(size)};
    if (!c->data) {
        free(c);
        return NULL;
    }
    return c;
}

void *arena_alloc(arena *a, size_t bytes) {
    if (bytes > SIZE_MAX / 2) return NULL;
    bytes = round_up(bytes ? bytes : 1);
    while (a->current && a->current->size - a->current->used < bytes && a->current->next)
        a->current = a->current->next;
    if (!a->current || a->current->size - a->current->used < bytes) {
        struct arena_chunk *c = chunk_make(bytes > CHUNK ? bytes : CHUNK);
        if (!c) return NULL;
        if (a->current) {
            c->next = a->current->next;
            a->current->next = c;
        } else {
            a->first = c;
        }
        a->current = c;
        a->held += c->size;
    }
    void *block = a->current->data + a->current->used;
    a->current->used += bytes;
    return memset(block, 0, bytes);
}

char *arena_text(arena *a, const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = arena_alloc(a, bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

void arena_free(arena *a) {
    for (struct arena_chunk *c = a->first; c;) {
        struct arena_chunk *next = c->next;
        free(c->data);
        free(c);
        c = next;
    }
    *a = (arena){0};
}

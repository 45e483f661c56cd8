/* Blocks that only grow. */
#include "core/buffer.h"

#include "core/memory.h"

int buffer_hold(buffer *b, size_t bytes) {
    if (bytes <= b->bytes) return 0;
    size_t more = bytes + bytes / 8;
    void *data = mem_alloc(more);
    if (!data) return -1;
    mem_free(b->data);
    b->data = data;
    b->bytes = more;
    return 0;
}

void buffer_drop(buffer *b) {
    mem_free(b->data);
    *b = (buffer){0};
}

/* A block of memory that only grows. */
#ifndef CORE_BUFFER_H
#define CORE_BUFFER_H

#include <stddef.h>

typedef struct buffer {
    void *data;
    size_t bytes;
} buffer;

int buffer_hold(buffer *b, size_t bytes); /* -1: no memory; contents are lost when it grows */
void buffer_drop(buffer *b);
#endif

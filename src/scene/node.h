/* A scene file as a tree of nodes that know where they stand: what lies between the YAML text and the scene.
 *
 * Anchors, aliases and tags are refused, so a short text cannot blow up into a large tree; depth, size and
 * the number of nodes are bounded. All memory comes from the caller's arena. */
#ifndef SCENE_NODE_H
#define SCENE_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <rheo/status.h>
#include "core/memory.h"

enum {
    NODE_DEPTH_MAX = 48,
    NODE_KEYS_MAX = 256,
    NODE_COUNT_MAX = 400000,
    NODE_TEXT_MAX = 16 << 20,
    NODE_PATH_MAX = 256
};

typedef enum { NODE_SCALAR, NODE_LIST, NODE_MAP } node_kind;

typedef struct node {
    node_kind kind;
    bool quoted;      /* a scalar in quotes is text even if it looks like a number */
    const char *text; /* scalar */
    const char *key;  /* the name it has in the map above, or NULL */
    int line, column; /* of the value, from 1; 0 when it came from a --set */
    int key_line, key_column;
    const char *source; /* file name or the --set text */
    struct node *first, *last, *next;
    int count; /* children */
} node;

/* `source` must live as long as the tree. */
rheo_status node_parse(node **root, const char *text, size_t length, const char *source, arena *memory,
                       rheo_report *report);
node *node_find(const node *map, const char *key);
node *node_at(const node *list, int index);
/* Puts `value` at a path like "fluids[0].density", making maps on the way where there is nothing yet. */
rheo_status node_set(node *root, const char *path, node *value, arena *memory, rheo_report *report);
/* The node at the longest part of `path` that exists. */
const node *node_locate(const node *root, const char *path);
/* The tree as YAML text again (for the copy kept with a cache); NULL: no memory. */
char *node_write(const node *root, arena *memory);
const char *node_kind_name(const node *n);
#endif

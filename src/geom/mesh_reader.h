/* What the readers of mesh files share: the bytes of the file, a cursor over text, growing arrays, refusals.
 */
#ifndef GEOM_MESH_READER_H
#define GEOM_MESH_READER_H

#include "geom/mesh.h"

typedef struct reader {
    const char *file;
    const char *start, *at, *end; /* all bytes, the next one, one past the last (a zero byte) */
    int line;                     /* of `at` in text, from 1 */
    bool text;                    /* messages name the line */
    rheo_report *report;
    tri_mesh *mesh;
    size_t vertex_capacity, triangle_capacity;
} reader;

/* Always returns RHEO_INVALID. `message` is a printf format. */
rheo_status reader_refuse(reader *r, const char *allowed, const char *message, ...)
    __attribute__((format(printf, 3, 4)));

/* Text: blanks within a line, the rest of a line, a word of the line (0 characters at its end). */
void reader_skip_blanks(reader *r);
void reader_next_line(reader *r);
size_t reader_word(const char **word, reader *r);
bool reader_is(const char *word, size_t length, const char *name);
/* A decimal number of the line; false (and nothing read) when there is none. Not finite ones are refused by
 * adding. */
bool reader_number(double *value, reader *r);

rheo_status reader_add_vertex(reader *r, const double v[3]);
rheo_status reader_add_triangle(reader *r, const uint32_t v[3]);
/* A polygon as a fan; `count` >= 3. */
rheo_status reader_add_polygon(reader *r, const uint32_t *corner, size_t count);

rheo_status read_obj(reader *r);
rheo_status read_ply(reader *r);
rheo_status read_stl(reader *r);

/* Joins vertices nearer than 1e-9 of the bounds' diagonal; false when there is no memory. */
bool mesh_weld(tri_mesh *m);
/* An edge of a triangle: its vertices in order, which way the triangle goes along it, and which one it is. */
typedef struct {
    uint32_t low, high;
    int32_t way;
    uint32_t triangle;
} mesh_edge;
/* Turns as few triangles as will make neighbours face the same side; `edges` sorted by vertices, at most two
 * of a kind. A surface with one side only (Moebius) is left as it is. false: no memory. */
bool mesh_orient(tri_mesh *m, const mesh_edge *edges, size_t count);
/* The other way round. */
static inline void mesh_turn_triangle(uint32_t triangle[3]) {
    const uint32_t swap = triangle[1];
    triangle[1] = triangle[2];
    triangle[2] = swap;
}
/* Turns parts that are inside out beside others that are not, and are no holes of these; false: no memory. */
bool mesh_turn_parts(tri_mesh *m);
/* Closes the holes whose rims are the directed edges `open` and are small beside the mesh; false: no memory.
 */
bool mesh_close_small_holes(tri_mesh *m, const uint32_t (*open)[2], size_t count);
#endif

/* Triangle meshes: reading (OBJ, PLY, STL), checking, measuring. */
#ifndef GEOM_MESH_H
#define GEOM_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <rheo/status.h>

typedef struct tri_mesh {
    size_t vertex_count, triangle_count;
    double (*vertex)[3]; /* m */
    uint32_t (*triangle)[3];
    struct {
        size_t holes;    /* small ones closed */
        double place[3]; /* of the first, as mesh_require_closed() saw it */
        size_t flipped;  /* triangles that faced another way than their neighbours, or than other parts */
        bool turned;     /* it was inside out */
    } repaired;          /* by mesh_require_closed() */
} tri_mesh;

rheo_status mesh_read(tri_mesh *m, const char *file, rheo_report *report);
void mesh_free(tri_mesh *m);

/* What a solid or fill must be: not empty, finite, closed and consistently oriented outwards. STL vertices
 * are welded on reading. An inside-out mesh is turned, and so are parts of one and single triangles; a small
 * hole is closed, a larger one refused with its place: in the coordinates of the file, so call it before
 * scaling. */
rheo_status mesh_require_closed(tri_mesh *m, const char *file, rheo_report *report);
/* What a sheet must be: not empty, finite. */
rheo_status mesh_require_surface(tri_mesh *m, const char *file, rheo_report *report);
double mesh_volume(const tri_mesh *m); /* by the divergence theorem */
void mesh_bounds(double lower[3], double upper[3], const tri_mesh *m);

/* Signed distance by a bounding volume tree: closest triangle for the size, winding number for the
 * sign. */
typedef struct mesh_tree mesh_tree;
mesh_tree *mesh_tree_make(const tri_mesh *m); /* copies what it needs; NULL: no memory */
void mesh_tree_free(mesh_tree *t);
double mesh_tree_distance(const mesh_tree *t, const double x[3]); /* negative inside */
double mesh_tree_size(const mesh_tree *t, const double x[3]); /* to the nearest triangle, of either side */
#endif

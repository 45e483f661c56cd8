/* Everything a picture shows, as plain data without a cache behind it, and the picture painted from it. */
#ifndef RENDER_PICTURE_H
#define RENDER_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/parallel.h"
#include "render/camera.h"
#include "render/optics.h"
#include <rheo/status.h>

typedef enum picture_kind {
    PICTURE_LIQUID, /* dielectric; color: left after one metre */
    PICTURE_MATTE,  /* diffuse with a soft highlight; color: albedo */
    PICTURE_GLASS,  /* a thin clear shell that does not bend light: the walls of a tank */
    PICTURE_CLEAR,  /* a body of glass whose two faces are drawn; bends no light but what leaves liquid in it
                     */
    PICTURE_SMOKE,  /* a volume */
    PICTURE_WAX,    /* as matte, and light goes a part of the domain through it; color: albedo */
    PICTURE_DULL,   /* diffuse without any shine; color: albedo */
    PICTURE_LINE,   /* dark edges that cast no shadow and have no shading */
} picture_kind;

static inline bool picture_opaque(picture_kind kind) {
    return kind == PICTURE_MATTE || kind == PICTURE_DULL || kind == PICTURE_WAX;
}

typedef struct picture_material {
    picture_kind kind;
    vec3 color;
} picture_material;

typedef struct picture_mesh {
    size_t vertex_count, triangle_count;
    const float *position, *normal; /* [vertex_count][3]; normal NULL: facets */
    const uint32_t *triangle;       /* [triangle_count][3] */
    int material;
    const float *albedo, *glow; /* [vertex_count][3], of opaque ones; NULL: the material's, none */
    const int16_t
        *beyond; /* [triangle_count], of liquids: material of the one on the other side, or -1; NULL: -1 */
} picture_mesh;

/* Droplets of one liquid; opaque ones are balls. */
typedef struct picture_drops {
    size_t count;
    const float (*sphere)[4]; /* x y z radius */
    const float (*albedo)[3]; /* of opaque ones; NULL: the material's */
    int material;
} picture_drops;

/* A solid given by its signed distance, found by sphere tracing: edges stay sharp at any distance. */
typedef struct picture_solid {
    double (*distance)(const void *body,
                       const double x[3]); /* m, negative inside; at most the true distance in size */
    const void *body;
    vec3 lower, upper; /* m; where infinite solids are cut, the cut is drawn */
    int material;
    float swell; /* m by which it is drawn larger than it is: liquid ends where the distance is -swell */
} picture_solid;

/* Smoke on a grid of cubes; cell (i, j, k) is at [i + cells[0] * (j + cells[1] * k)]. */
typedef struct picture_volume {
    int cells[3];
    const float *density; /* NULL: none */
    vec3 lower;           /* m */
    float spacing;        /* m */
    float strength;       /* by how much extinction is stronger than the material's colour says */
    int material;         /* color: left after one metre of density 1 */
} picture_volume;

enum { PICTURE_MESHES = 40, PICTURE_SOLIDS = 256, PICTURE_MATERIALS = 300 };
typedef struct picture_scene {
    picture_mesh mesh[PICTURE_MESHES];
    picture_drops drops[PICTURE_MESHES];
    picture_solid solid[PICTURE_SOLIDS];
    picture_material material[PICTURE_MATERIALS];
    picture_volume volume;
    int mesh_count, drops_count, solid_count, material_count;
    camera camera;
    sky sky;
    vec3 lower, upper; /* the domain, m */
    bool floor;        /* a ground plane at lower.y */
    bool flat;         /* a plane scene: paper behind it instead of ground and sky */
    float contact;     /* m: liquid this near to a solid or the floor touches it, without air between */
    float tint;        /* by how much absorption is stronger than real */
} picture_scene;

/* Defaults that depend on the domain: sky, floor, tint, contact, camera. */
void picture_begin(picture_scene *s, vec3 lower, vec3 upper, bool flat, float cell, float aspect);
/* The index of a new material, mesh, ...; -1 when the table is full. */
int picture_add_material(picture_scene *s, picture_kind kind, vec3 color);
int picture_add_mesh(picture_scene *s, picture_mesh mesh);
int picture_add_drops(picture_scene *s, picture_drops drops);
int picture_add_solid(picture_scene *s, picture_solid solid);

/* The domain's twelve edges as thin bars (in 2D the frame), owned by the caller. */
enum { EDGE_VERTICES = 96, EDGE_TRIANGLES = 144 };
typedef struct picture_edges {
    float position[EDGE_VERTICES][3];
    uint32_t triangle[EDGE_TRIANGLES][3];
} picture_edges;
picture_mesh picture_make_edges(picture_edges *edges, const picture_scene *s, int material);

/* 8 bit sRGB pixels [height][width][3], the same for any number of threads. `cancel` may be NULL; when it is
 * set the picture is left unfinished and the status is RHEO_INTERRUPTED. */
rheo_status picture_paint(unsigned char *pixels, int width, int height, int samples, const picture_scene *s,
                          pool *p, const volatile int *cancel, rheo_report *report);
#endif

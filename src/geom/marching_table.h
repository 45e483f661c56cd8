/* The 256 ways in which a surface can pass through a cube, worked out rather than written down. */
#ifndef GEOM_MARCHING_TABLE_H
#define GEOM_MARCHING_TABLE_H

#include <stdint.h>

enum { CUBE_EDGES = 12, CUBE_TRIANGLES = 12 };

/* Corner c of a cube lies at (c & 1, c >> 1 & 1, c >> 2). Edge 4 a + u + 2 w runs along axis a from the
 * corner with bits u and w on the axes a + 1 and a + 2 (cyclically). */
typedef struct cube_case {
    uint16_t edges; /* mask of the edges that are cut */
    uint8_t triangle_count, centre_count;
    uint8_t triangle[CUBE_TRIANGLES][3]; /* edges, or CUBE_EDGES + number of a centre, which stands last */
} cube_case;

static inline int edge_axis(int edge) {
    return edge >> 2;
}
/* The corner at which an edge starts. */
static inline int edge_corner(int edge) {
    int a = edge_axis(edge);
    return (edge & 1) << (a + 1) % 3 | (edge >> 1 & 1) << (a + 2) % 3;
}

/* Bit c of the number of a case is set when corner c is inside. Made on first use, constant from then on. */
const cube_case *marching_cases(void);
#endif

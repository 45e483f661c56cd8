/* What the files of thin solids know of cells that a wall cuts. */
#ifndef STAGE_SOLIDS_THIN_PARTS_H
#define STAGE_SOLIDS_THIN_PARTS_H

#include "stage/solids_thin.h"

/* Of the 27 cells around one: itself; none of them. How often a sample of a cut cell counts in full. */
enum { SELF = 13, NOWHERE = 255, PART = 31 };

/* Octants of a cut cell: up to two homes that parts of it belong to, and how large the parts are: of the 8
 * (in 2D 4) samples of an octant each counts up to PART. And where they are: from the octant's middle, in
 * PLACE-ths of a cell. */
enum { PLACE = 256 };
struct cut_cell {
    uint8_t home[8][2], share[8][2];
    int8_t place[8][2][3];
    float middle[3]; /* cells from the centre */
};

INLINE void offset_of(int d[3], int dir) {
    d[0] = dir % 3 - 1;
    d[1] = dir / 3 % 3 - 1;
    d[2] = dir / 9 - 1;
}
INLINE ptrdiff_t step_of(const box *b, int dir) {
    int d[3];
    offset_of(d, dir);
    return d[0] + d[1] * b->step[1] + d[2] * b->step[2];
}

typedef struct gap_view {
    const mac_grid *g;
    const openings *o; /* while cells and faces are told apart: without thin solids */
    const thin_around *around;
    const obstacle *solids;
    int count;
} gap_view;

/* The code of a cell with a middle [cells from the centre], which is another one where the cell has turned.
 */
int gap_of_cell(float middle[3], const gap_view *v, const int c[3]);
/* Of the face below cell `high` across an axis: what gaps leave open of it. Whether it leads along one. */
int gap_at_face(float *open, const gap_view *v, const uint8_t *lies, const int high[3], int across);
/* Lists the faces along gaps beside those that solids_meet() lists. -1: no memory. */
int gap_list_films(openings *o, thin_walls *t, const mac_grid *g);

INLINE int is_inside(const box *b, int i, int j, int k) {
    return i >= 0 && i < b->n[0] && j >= 0 && j < b->n[1] && k >= 0 && k < b->n[2];
}
#endif

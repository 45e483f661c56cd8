/* Layout of fields: rows along x, aligned at i = 0, in a border of GHOST samples; one sample more than cells
 * on the high sides, so that faces and nodes fit the same box. */
#include "core/box.h"

enum { ALIGN = 8 }; /* floats in 32 bytes */

box box_make(int dim, const int n[3]) {
    box b = {.dim = dim, .n = {n[0], n[1], dim == 3 ? n[2] : 1}};
    int row = ALIGN + n[0] + 1 + GHOST; /* the left border is widened to keep i == 0 aligned */
    row = (row + ALIGN - 1) / ALIGN * ALIGN;
    int rows = n[1] + 1 + 2 * GHOST;
    int planes = dim == 3 ? n[2] + 1 + 2 * GHOST : 1;
    b.step[0] = 1;
    b.step[1] = row;
    b.step[2] = (ptrdiff_t)row * rows;
    b.first = ALIGN + GHOST * b.step[1] + (dim == 3 ? GHOST * b.step[2] : 0);
    b.size = (size_t)(b.step[2] * planes);
    return b;
}

/* Fields that a stage borrows by name, where it uses them, and gives back. */
#ifndef GRID_SCRATCH_H
#define GRID_SCRATCH_H

#include "grid/mac.h"

enum { SCRATCH_FACES = 4, SCRATCH_CELLS = 8, SCRATCH_MARKS = 4 };

/* What is lent, or how much there is of each kind. */
typedef struct scratch_count {
    int faces, cells, marks;
} scratch_count;

typedef struct scratch {
    mac_field faces[SCRATCH_FACES]; /* a value a face */
    float *cells[SCRATCH_CELLS];    /* a value a cell */
    uint8_t *marks[SCRATCH_MARKS];  /* a byte a cell */
    scratch_count made, lent;
} scratch;

/* -1: no memory. */
int scratch_make(scratch *a, scratch_count wanted, const mac_grid *g);
void scratch_free(scratch *a);
size_t scratch_bytes(const scratch *a, const mac_grid *g);

/* Borrowed fields hold what the last borrower left. They are given back in one go: scratch_back() with what
 * was lent when the borrower began. */
mac_field *scratch_faces(scratch *a);
float *scratch_cells(scratch *a);
uint8_t *scratch_marks(scratch *a);
void scratch_back(scratch *a, scratch_count before);
#endif

/* A stack a kind of field. How many are made is what the deepest borrowing of a step needs: fixed when a
 * simulation is made, so that no step can run out of memory for them. */
#include "grid/scratch.h"

#include <assert.h>
#include "core/memory.h"

int scratch_make(scratch *a, scratch_count wanted, const mac_grid *g) {
    int bad = 0;
    assert(wanted.faces <= SCRATCH_FACES && wanted.cells <= SCRATCH_CELLS && wanted.marks <= SCRATCH_MARKS);
    a->made = wanted;
    for (int i = 0; i < wanted.faces; ++i) bad |= mac_field_make(&a->faces[i], g);
    for (int i = 0; i < wanted.cells; ++i) bad |= field_make(&a->cells[i], g);
    for (int i = 0; i < wanted.marks; ++i) bad |= !(a->marks[i] = mem_alloc(g->box.size));
    return bad ? -1 : 0;
}

void scratch_free(scratch *a) {
    for (int i = 0; i < a->made.faces; ++i) mac_field_free(&a->faces[i]);
    for (int i = 0; i < a->made.cells; ++i) mem_free(a->cells[i]);
    for (int i = 0; i < a->made.marks; ++i) mem_free(a->marks[i]);
    *a = (scratch){0};
}

size_t scratch_bytes(const scratch *a, const mac_grid *g) {
    const size_t values = (size_t)(a->made.faces * g->box.dim + a->made.cells);
    return g->box.size * (values * sizeof(float) + (size_t)a->made.marks);
}

mac_field *scratch_faces(scratch *a) {
    assert(a->lent.faces < a->made.faces);
    return &a->faces[a->lent.faces++];
}

float *scratch_cells(scratch *a) {
    assert(a->lent.cells < a->made.cells);
    return a->cells[a->lent.cells++];
}

uint8_t *scratch_marks(scratch *a) {
    assert(a->lent.marks < a->made.marks);
    return a->marks[a->lent.marks++];
}

void scratch_back(scratch *a, scratch_count before) {
    a->lent = before;
}

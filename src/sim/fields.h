/* One list of everything that an engine holds on the grid, of its particles and as numbers. It drives
 * allocation, freeing, the count of memory, and what a checkpoint writes and reads. */
#ifndef SIM_FIELDS_H
#define SIM_FIELDS_H

#include "grid/scratch.h"
#include "particle/particles.h"
#include "sim/state.h"

typedef enum field_kind {
    FIELD_CELLS,     /* float *, a value a cell */
    FIELD_FACES,     /* mac_field */
    FIELD_MARKS,     /* uint8_t *, a byte a cell */
    FIELD_PARTICLES, /* particles: their number and all columns */
    FIELD_REALS,     /* double [count], owned by somebody else */
    FIELD_WHOLE,     /* int64_t, likewise */
    FIELD_INT,       /* int, likewise */
    FIELD_COUNTER,   /* uint32_t, likewise */
    FIELD_FLAG       /* bool, likewise */
} field_kind;

enum { FIELD_NAME = 28, FIELDS_MAX = 96, FIELD_PARTS = 3 };

typedef struct field_row {
    char name[FIELD_PARTS][FIELD_NAME]; /* in checkpoints, one a component; "": follows from the others */
    field_kind kind;
    int count;
    void *at;
} field_row;

typedef struct field_list {
    field_row row[FIELDS_MAX];
    int count;
    scratch_count borrowed; /* the most that a step borrows at a time */
} field_list;

/* Adds a row. A kept one decides the future of the run and is in checkpoints by its name. */
void field_kept(field_list *l, const char *name, field_kind kind, void *at);
void field_kept_reals(field_list *l, const char *name, double *values, int count);
void field_kept_solve(field_list *l, const char *name, rheo_solve_stats *solve);
void field_held(field_list *l, field_kind kind, void *at);

int fields_on_grid(const field_list *l); /* whether any lives there */
/* Makes all fields of the grid; -1: no memory. Particles are made by who knows their columns. */
int fields_make(const field_list *l, const mac_grid *g);
void fields_free(const field_list *l);
size_t fields_bytes(const field_list *l, const mac_grid *g);

/* Views of what is kept, as checkpoints write it; returns how many. */
int fields_view(state_array *out, const field_list *l, const mac_grid *g);
/* Fills what is kept, in the order of the list. */
rheo_status fields_read(const field_list *l, const mac_grid *g, state_reader *read, void *context,
                        rheo_report *report);
#endif

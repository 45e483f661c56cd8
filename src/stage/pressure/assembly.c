/* The matrix of the projection: unknowns, coefficients of faces, what air adds to the diagonal.
 *
 *   (A q)_c = sum_f A_f (q_c - q_n),   A_f / theta q_c across the surface,
 *
 * with A_f the open share of a face and theta the place of the surface between the cells' centres
 * (stage/pressure/projection.c has the whole equation). Unknowns are cells of liquid with an open face.
 *
 * Source: Batty et al. 2007, 3; Wang 2017, 2.5 and 2.25-2.28.
 *
 * Limits: liquid is deep by DEPTH_MIN cells at least, which keeps the diagonal bounded; faces less open than
 * OPEN_MIN (stage/walls/solids.h) are closed, everywhere. */
#include "stage/pressure/parts.h"

#include <string.h>
#include "grid/rows.h"
#include "grid/wrap.h"

typedef struct {
    const mac_grid *g;
    const openings *o;
    const float *phi;
    cell_range range;
    const pressure_work *work;
} job;

/* Axis by axis: few fields at a time are work for vectors. */
INLINE void mark_row(const job *s, ptrdiff_t row, int dim) {
    const int n = s->g->box.n[0];
    const float *phi = s->phi + row;
    uint8_t *restrict unknown = s->work->unknown + row;
    for (int a = 0; a < dim; ++a) {
        const float *open = s->o->open.value[a] + row, *beyond = open + s->g->box.step[a];
        for (int i = 0; i < n; ++i)
            unknown[i] = (uint8_t)((a ? unknown[i] : 0) | (open[i] > 0) | (beyond[i] > 0));
    }
    for (int i = 0; i < n; ++i) unknown[i] &= phi[i] < 0;
}

INLINE void mark_block(const job *s, int block, int dim) {
    const box *b = &s->g->box;
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        if (!row_is_wet(s->phi + row, b->n[0])) {
            memset(s->work->unknown + row, 0, (size_t)b->n[0]);
            continue;
        }
        mark_row(s, row, dim);
    }
}

enum { ASSEMBLY_STRETCH = 16 }; /* cells looked at together: most lie wholly in liquid or wholly in air */

/* Whether none of the cells is an unknown. */
INLINE int is_dry_stretch(const uint8_t *is) {
    uint64_t any = 0, word;
    for (int w = 0; w < ASSEMBLY_STRETCH; w += 8) {
        memcpy(&word, is + w, sizeof word);
        any |= word;
    }
    return !any;
}

/* Whether all of the cells, and all of their neighbours low and high along an axis, are unknowns. */
INLINE int is_deep_stretch(const uint8_t *is, ptrdiff_t step) {
    uint64_t all = 0x0101010101010101u, word;
    for (int w = 0; w < ASSEMBLY_STRETCH; w += 8)
        for (int side = -1; side <= 1; ++side) {
            memcpy(&word, is + side * step + w, sizeof word);
            all &= word;
        }
    return all == 0x0101010101010101u;
}

/* A neighbour that is no unknown is air, unless it lies in liquid with no open face at all. */
INLINE void assemble_cell(float *face, float *extra, const job *s, ptrdiff_t c, ptrdiff_t step, int axis) {
    const float *open = s->o->open.value[axis] + c, *phi = s->phi + c;
    const uint8_t *is = s->work->unknown + c;
    const int low = is[-step] & is[0], high = is[0] & (1 ^ is[step]);
    const float least = least_depth(s->g);
    *face = low ? open[0] : 0;
    *extra += (is[0] && !low && phi[-step] >= 0 ? open[0] * ghost(phi[0], phi[-step], least) : 0) +
              (high && phi[step] >= 0 ? open[step] * ghost(phi[0], phi[step], least) : 0);
}

INLINE void assemble_eight(float *face, float *extra, const job *s, ptrdiff_t c, ptrdiff_t step, int axis) {
    const uint8_t *is = s->work->unknown + c;
    const int8 here = mask_load(is), low = here & mask_load(is - step), high = here & ~mask_load(is + step);
    const vec8 open = vec8_load(s->o->open.value[axis] + c),
               beyond = vec8_load(s->o->open.value[axis] + c + step);
    const vec8 phi = vec8_load(s->phi + c), below = vec8_load(s->phi + c - step),
               above = vec8_load(s->phi + c + step), none = {0}, least = vec8_all(least_depth(s->g));
    const vec8 down = vec8_select(here & ~low & (below >= 0), open * ghosts(phi, below, least), none);
    const vec8 up = vec8_select(high & (above >= 0), beyond * ghosts(phi, above, least), none);
    vec8_store(face, vec8_select(low, open, none));
    vec8_store(extra, vec8_load(extra) + (down + up));
}

INLINE void assemble_cells(float *face, float *extra, const job *s, ptrdiff_t c, ptrdiff_t step, int axis,
                           int count) {
    int i = 0;
    for (; i + LANES <= count; i += LANES) assemble_eight(face + i, extra + i, s, c + i, step, axis);
    for (; i < count; ++i) assemble_cell(face + i, extra + i, s, c + i, step, axis);
}

/* Face coefficients and the diagonal's share from air, row by row. The samples beyond the domain's sides
 * count as air behind open walls; closed walls have no open share to begin with. */
INLINE void assemble_block(const job *s, int block, int dim) {
    const box *b = &s->g->box;
    const uint8_t *unknown = s->work->unknown;
    const size_t bytes = (size_t)b->n[0] * sizeof(float);
    FOR_ROWS(&s->range, block, j, k) {
        const ptrdiff_t row = box_at(b, 0, j, k);
        memset(s->work->extra + row, 0, bytes);
        /* the last faces of the box couple nothing, or are the first ones again */
        s->work->face.value[0][row + b->n[0]] = 0;
        if (j == b->n[1] - 1) memset(s->work->face.value[1] + row + b->step[1], 0, bytes);
        if (dim == 3 && k == b->n[2] - 1) memset(s->work->face.value[2] + row + b->step[2], 0, bytes);
        if (!memchr(unknown + row, 1, (size_t)b->n[0])) { /* a row without liquid: most of the box */
            for (int a = 0; a < dim; ++a) memset(s->work->face.value[a] + row, 0, bytes);
            continue;
        }
        for (int a = 0; a < dim; ++a)
            for (int i = 0; i < b->n[0]; i += ASSEMBLY_STRETCH) {
                const int count = b->n[0] - i < ASSEMBLY_STRETCH ? b->n[0] - i : ASSEMBLY_STRETCH;
                float *face = s->work->face.value[a] + row + i;
                if (count == ASSEMBLY_STRETCH && is_dry_stretch(unknown + row + i))
                    memset(face, 0, ASSEMBLY_STRETCH * sizeof *face);
                else if (count == ASSEMBLY_STRETCH && is_deep_stretch(unknown + row + i, b->step[a]))
                    memcpy(face, s->o->open.value[a] + row + i, ASSEMBLY_STRETCH * sizeof *face);
                else assemble_cells(face, s->work->extra + row + i, s, row + i, b->step[a], a, count);
            }
    }
}

HOT static void mark_task(void *context, int block) {
    const job *s = context;
    if (s->g->box.dim == 3) mark_block(s, block, 3);
    else mark_block(s, block, 2);
}

HOT static void assemble_task(void *context, int block) {
    const job *s = context;
    if (s->g->box.dim == 3) assemble_block(s, block, 3);
    else assemble_block(s, block, 2);
}

poisson_system pressure_system(const pressure_work *work) {
    return (poisson_system){
        .face = {work->face.value[0], work->face.value[1], work->face.value[2]},
        .extra = work->extra,
        .unknown = work->unknown,
    };
}

int pressure_assemble(poisson *solver, pressure_work *work, const mac_grid *g, const openings *o,
                      const float *phi) {
    job s = {.g = g, .o = o, .phi = phi, .range = range_cells(g), .work = work};
    parallel_for(g->pool, range_blocks(&s.range), mark_task, &s);
    wrap_bytes(work->unknown, g);
    parallel_for(g->pool, range_blocks(&s.range), assemble_task, &s);
    pressure_scale_films(work, g, o);
    wrap_faces(&work->face, g);
    const poisson_system system = pressure_system(work);
    return solver ? poisson_setup(solver, &system) : 0;
}

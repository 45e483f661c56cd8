/* Walls thinner than a cell.
 *
 *   two cells are apart where the straight way between their middles leads through a thin solid;
 *   the face between cells that are apart is closed, and pressure differs on its two sides.
 *
 * Distances at nodes do not show a wall that passes between them: a thin solid is asked itself. A cell cut by
 * a wall holds liquid of the side on which its centre lies or, where that is in the wall, of the side that is
 * nearer. Particles on the other side belong to a neighbour, their home. Density counts, for each cell, the
 * particles whose home it sees, in the share of it that it would see filled. Particles never cross: see
 * solid/thin.c.
 *
 * Each step in a file: cells.c (distances, middles, sight), home.c, cut.c (parts of cells), faces.c,
 * density.c; gap.c has gaps below thin bodies, paths.c what grid fields carry past walls.
 *
 * Source: Batty et al. 2007, 5, leave this open.
 *
 * Limits: velocities on the two sides are interpolated across the wall (particles feel a drag along it when
 * both sides are wet); walls along oblique directions are stairs to the pressure. */
#include "stage/walls/thin/parts.h"

#include "core/memory.h"
#include "solid/thin.h"

int thin_make(thin_walls *t, const mac_grid *g, obstacle *solids, int count) {
    *t = (thin_walls){0};
    for (int i = 0; i < count; ++i) {
        const int thin = obstacle_is_thin(&solids[i], g->dx, g->box.dim);
        if (thin < 0) return -1;
        solids[i].thin = thin;
        t->count += thin;
    }
    if (t->count == 0) return 0;
    const cell_range cells = range_cells(g);
    t->then = mem_alloc((size_t)count * sizeof *t->then);
    t->swept = mem_alloc((size_t)count * sizeof *t->swept);
    t->distance = mem_alloc(g->box.size * sizeof *t->distance);
    t->sees = mem_alloc(g->box.size * sizeof *t->sees);
    t->slants = mem_alloc(g->box.size);
    t->cut = mem_alloc(g->box.size * sizeof *t->cut);
    t->row_count = mem_alloc(((size_t)range_rows(&cells) + 1) * sizeof *t->row_count);
    if (!t->then || !t->swept || !t->distance || !t->sees || !t->slants || !t->cut || !t->row_count)
        return -1;
    for (size_t i = 0; i < g->box.size; ++i) {
        t->distance[i] = (float)(THIN_BAND * g->dx);
        t->sees[i] = SIGHT_ALL;
        t->cut[i] = -1;
    }
    return 0;
}

void thin_free(thin_walls *t) {
    void *const blocks[] = {t->then,      t->swept,      t->distance, t->sees,   t->slants,
                            t->gaps.lies, t->gaps.along, t->gaps.up,  t->cut,    t->cells,
                            t->home,      t->was[0],     t->was[1],   t->was[2], t->row_count};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i) mem_free(blocks[i]);
    *t = (thin_walls){0};
}

size_t thin_bytes(const thin_walls *t, const mac_grid *g) {
    if (t->count == 0) return 0;
    const size_t beside = t->gaps.up ? 2 + sizeof *t->gaps.up : 0;
    return g->box.size *
               (sizeof *t->distance + sizeof *t->sees + sizeof *t->slants + sizeof *t->cut + beside) +
           (size_t)t->cut_capacity * sizeof *t->cells + t->home_capacity +
           t->was_capacity * (size_t)g->box.dim * sizeof(float);
}

/* Room for what is known of gaps. -1: no memory. */
static int reserve_gaps(thin_walls *t, const mac_grid *g) {
    if (t->gaps.up) return 0;
    if (!t->gaps.lies) t->gaps.lies = mem_alloc(g->box.size);
    if (!t->gaps.along) t->gaps.along = mem_alloc(g->box.size);
    t->gaps.up = mem_alloc(g->box.size * sizeof *t->gaps.up);
    return t->gaps.lies && t->gaps.along && t->gaps.up ? 0 : -1;
}

int thin_place(thin_walls *t, openings *o, const mac_grid *g, const obstacle *solids, int count,
               const thin_around *around) {
    thin_job s = {.t = t,
                  .g = g,
                  .v = {.t = t, .g = g},
                  .solids = solids,
                  .count = count,
                  .o = o,
                  .range = range_cells(g)};
    s.around = around;
    if (around && reserve_gaps(t, g)) return -1;
    const int rows = range_rows(&s.range);
    t->row_count[0] = 0;
    thin_find_distances(&s);
    for (int r = 0; r < rows; ++r) t->row_count[r + 1] += t->row_count[r];
    t->cut_count = t->row_count[rows];
    if (t->cut_count > t->cut_capacity) {
        mem_free(t->cells);
        t->cut_capacity = t->cut_count + t->cut_count / 4;
        t->cells = mem_alloc((size_t)t->cut_capacity * sizeof *t->cells);
        if (!t->cells) {
            t->cut_capacity = t->cut_count = 0;
            for (size_t i = 0; i < g->box.size; ++i) t->cut[i] = -1; /* which no cell would answer to */
            return -1;
        }
    }
    thin_find_middles(&s);
    thin_find_sight(&s);
    thin_cut_cells(&s);
    thin_close_faces(&s);
    return around ? gap_list_films(o, t, g) : 0;
}

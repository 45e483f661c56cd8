/* Moving the markers (Carlson 2004, eq. 21: Heun's method, though the text calls it the midpoint rule).
 *
 *   x' = x + dt u(x),   x_new = x + dt/2 (u(x) + u(x'))
 *
 * The second half is left out where x' lies in a cell without liquid, as there is no reliable velocity there.
 * Velocities are linear between faces; faces in the air hold what the liquid next to them has. Second order.
 *
 * Limits: lengths are in cells and floats, as positions are. */
#include <math.h>
#include "grid/sample.h"
#include "stage/mac/mac.h"

enum { MARKER_GRAIN = 4096 };

typedef struct {
    particles *markers;
    const mac_grid *g;
    const mac_field *u;
    const uint8_t *kind, *moved;
    float cells; /* dt / dx */
} job;

/* The cell of a place, border included. */
static ptrdiff_t cell_of(const box *b, const float x[3]) {
    ptrdiff_t at = b->first;
    for (int a = 0; a < b->dim; ++a) {
        const float low = -GHOST, high = (float)(b->n[a] + GHOST - 1);
        const float held = x[a] > low ? (x[a] < high ? x[a] : high) : low;
        at += (ptrdiff_t)floorf(held) * b->step[a];
    }
    return at;
}

/* Inside the border; not a number ends at the low side. */
static float clamp(float x, int n) {
    const float low = 1 - GHOST, high = (float)(n + GHOST - 1);
    return x > low ? (x < high ? x : high) : low;
}

static void move_task(void *context, int block) {
    const job *s = context;
    particles *p = s->markers;
    const int dim = p->dim;
    const size_t from = (size_t)block * MARKER_GRAIN,
                 to = from + MARKER_GRAIN < p->count ? from + MARKER_GRAIN : p->count;
    for (size_t q = from; q < to; ++q) {
        if (s->moved && s->moved[q]) continue;
        float x[3] = {0, 0, 0}, euler[3] = {0, 0, 0}, u[3], there[3];
        for (int a = 0; a < dim; ++a) x[a] = p->x[a][q];
        sample_faces(u, s->u, s->g, x);
        for (int a = 0; a < dim; ++a) euler[a] = x[a] + s->cells * u[a];
        if (s->kind[cell_of(&s->g->box, euler)] == MAC_LIQUID) sample_faces(there, s->u, s->g, euler);
        else
            for (int a = 0; a < dim; ++a) there[a] = u[a];
        for (int a = 0; a < dim; ++a)
            p->x[a][q] = clamp(x[a] + 0.5f * s->cells * (u[a] + there[a]), s->g->box.n[a]);
    }
}

void mac_move_markers(particles *markers, const mac_grid *g, const mac_field *u, const uint8_t *kind,
                      const uint8_t *moved, double dt) {
    job s = {.markers = markers, .g = g, .u = u, .kind = kind, .moved = moved, .cells = (float)(dt / g->dx)};
    parallel_for(g->pool, block_count((long)markers->count, MARKER_GRAIN), move_task, &s);
}

/* Faces to particles: PIC u_p = sum w u, FLIP v += sum w (u - before), APIC also C = sum u grad w.
 *
 * The blend f (v + mean(u - before)) + (1 - f) mean(u) is f v + mean(u - f before): one mean a component.
 * Zhu and Bridson 2005; Jiang et al. 2015, where for trilinear weights the affine matrix is the gradient of
 * the interpolated field. Limits: particles inside the box. */
#include "particle/transfer.h"

#include <assert.h>
#include "particle/lanes.h"

enum { GRAIN = 1 << 14 };

typedef struct reading {
    particles *p;
    const mac_grid *g;
    const float *u[3], *before[3];
    float flip, kick[3];
    int affine;
} reading;

typedef struct place {
    ptrdiff_t at;
    float f[3];
} place;

INLINE place locate(const box *b, const float x[3], int axis, int dim) {
    place l = {.at = b->first};
    for (int a = 0; a < dim; ++a) {
        float s = x[a] + (a == axis ? 0 : -0.5f);
        int base = (int)(s + GHOST) - GHOST;
        l.f[a] = s - (float)base;
        l.at += base * b->step[a];
    }
    return l;
}

INLINE float mix(float a, float b, float f) {
    return a * (1 - f) + b * f;
}

INLINE void read_component(const reading *t, size_t i, const float x[3], int axis, int dim, int affine,
                           int flip) {
    const box *b = &t->g->box;
    particles *p = t->p;
    place l = locate(b, x, axis, dim);
    float q[2][2][2];
    for (int z = 0; z < dim - 1; ++z)
        for (int y = 0; y < 2; ++y)
            for (int a = 0; a < 2; ++a) {
                ptrdiff_t at = l.at + a + y * b->step[1] + z * b->step[2];
                q[z][y][a] = t->u[axis][at];
                if (flip) q[z][y][a] -= t->flip * t->before[axis][at];
            }
    const float *f = l.f;
    float row[2][2], side[2], mean;
    for (int z = 0; z < dim - 1; ++z) {
        for (int y = 0; y < 2; ++y) row[z][y] = mix(q[z][y][0], q[z][y][1], f[0]);
        side[z] = mix(row[z][0], row[z][1], f[1]);
    }
    mean = dim == 3 ? mix(side[0], side[1], f[2]) : side[0];
    float old = p->v[axis][i], moved = flip ? t->flip * old + mean : mean;
    p->v[axis][i] = p->spray[i] ? old + t->kick[axis] : moved;
    if (!affine) return;
    float per_m = p->spray[i] ? 0 : (float)(1 / t->g->dx), d[3];
    float x_slope[2], y_slope[2];
    for (int z = 0; z < dim - 1; ++z) {
        x_slope[z] = mix(q[z][0][1] - q[z][0][0], q[z][1][1] - q[z][1][0], f[1]);
        y_slope[z] = row[z][1] - row[z][0];
    }
    d[0] = dim == 3 ? mix(x_slope[0], x_slope[1], f[2]) : x_slope[0];
    d[1] = dim == 3 ? mix(y_slope[0], y_slope[1], f[2]) : y_slope[0];
    d[2] = dim == 3 ? side[1] - side[0] : 0;
    for (int a = 0; a < dim; ++a) p->extra[axis * dim + a][i] = d[a] * per_m;
}

INLINE void read_range_dim(const reading *t, size_t begin, size_t end, int dim, int affine, int flip) {
    for (size_t i = begin; i < end; ++i) {
        float x[3] = {t->p->x[0][i], t->p->x[1][i], dim == 3 ? t->p->x[2][i] : 0};
        for (int axis = 0; axis < dim; ++axis) read_component(t, i, x, axis, dim, affine, flip);
    }
}

HOT static void read_range(const reading *t, size_t begin, size_t end) {
    int flip = t->before[0] != NULL;
    if (t->g->box.dim == 3) {
        if (t->affine) read_range_dim(t, begin, end, 3, 1, 0);
        else if (flip) read_range_dim(t, begin, end, 3, 0, 1);
        else read_range_dim(t, begin, end, 3, 0, 0);
    } else {
        if (t->affine) read_range_dim(t, begin, end, 2, 1, 0);
        else if (flip) read_range_dim(t, begin, end, 2, 0, 1);
        else read_range_dim(t, begin, end, 2, 0, 0);
    }
}

static void read_block(void *context, int block) {
    const reading *t = context;
    size_t begin = (size_t)block * GRAIN, end = begin + GRAIN;
    read_range(t, begin, end < t->p->count ? end : t->p->count);
}

void particles_from_grid(particles *p, const mac_grid *g, const mac_field *u, const mac_field *before,
                         double flip, int affine, const double kick[3]) {
    int dim = g->box.dim;
    assert(!affine || p->extra_count >= dim * dim);
    reading t = {.p = p, .g = g, .flip = (float)flip, .affine = affine};
    for (int axis = 0; axis < dim; ++axis) {
        t.u[axis] = u->value[axis];
        t.before[axis] = before && flip > 0 && !affine ? before->value[axis] : NULL;
        t.kick[axis] = kick ? (float)kick[axis] : 0;
    }
    parallel_for(g->pool, block_count((long)p->count, GRAIN), read_block, &t);
}

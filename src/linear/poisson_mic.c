/* Modified incomplete Cholesky without fill, MIC(0), as a preconditioner (Gustafsson 1978; Bridson ch. 5).
 *
 *   M = (L + E) E^-1 (L + E)^T,  L the strict lower part of A in the order x, y, z, and with s = 1 / E
 *   E_c = d_c - sum over low neighbours n of a_cn^2 s_n - tau sum of a_cn (a_n,high others) s_n;  E_c = d_c
 * when that is below sigma d_c. Each of the two triangular solves needs a row's lower neighbours in y and z
 * first. Rows with equal j + k need none of each other: wavefronts of them run in parallel, and every value
 * is the one the serial order gives. Limits: in 2D a wavefront is one row, so nothing runs in parallel there.
 */
#include "linear/poisson_level.h"

#include "core/memory.h"

static const float TAU = 0.97f, SAFETY = 0.25f;
enum { ROWS_GRAIN = 64, MIC_BUFFERS = 4 };

struct mic {
    int fronts;
    int32_t *front;   /* [fronts + 1]: its first row */
    int32_t *row;     /* [rows], ordered by front: first block */
    int32_t *row_end; /* [rows]: one past the last block */
    vec8 *inverse;    /* 1 / E, [2 stride] */
    buffer memory[MIC_BUFFERS];
};

mic *mic_create(void) {
    return mem_alloc(sizeof(mic));
}

void mic_free(mic *m) {
    if (!m) return;
    for (int i = 0; i < MIC_BUFFERS; ++i) buffer_drop(&m->memory[i]);
    mem_free(m);
}

size_t mic_bytes(const mic *m) {
    size_t bytes = sizeof *m;
    for (int i = 0; i < MIC_BUFFERS; ++i) bytes += m->memory[i].bytes;
    return bytes;
}

typedef struct front_pass {
    mic *m;
    const level *l;
    vec8 *z;
    const vec8 *r;
    int front;
} front_pass;

/* The rows of one task of a wavefront. */
INLINE int group_first(const front_pass *w, int group) {
    return w->m->front[w->front] + group * ROWS_GRAIN;
}
INLINE int group_end(const front_pass *w, int group) {
    int end = group_first(w, group + 1), all = w->m->front[w->front + 1];
    return end < all ? end : all;
}

static int front_of(const level *l, int id) {
    int r = l->at[id] / l->row;
    return r % l->n[1] + r / l->n[1];
}

static int starts_row(const level *l, int id) {
    return id == 0 || l->at[id] / l->row != l->at[id - 1] / l->row;
}

/* Counting sort of the rows that hold blocks by j + k. */
static void list_rows(mic *m, const level *l) {
    for (int f = 0; f <= m->fronts; ++f) m->front[f] = 0;
    for (int id = 0; id < l->blocks; ++id)
        if (starts_row(l, id)) ++m->front[front_of(l, id)];
    int32_t next = 0;
    for (int f = 0; f <= m->fronts; ++f) {
        int32_t count = m->front[f];
        m->front[f] = next;
        next += count;
    }
    for (int id = 0; id < l->blocks;) {
        int end = id + 1;
        while (end < l->blocks && !starts_row(l, end)) ++end;
        int32_t place = m->front[front_of(l, id)]++;
        m->row[place] = id;
        m->row_end[place] = end;
        id = end;
    }
    for (int f = m->fronts; f > 0; --f) m->front[f] = m->front[f - 1];
    m->front[0] = 0;
}

/* 1 / E of the cell before, and what its high y and z faces sum to. */
typedef struct previous_cell {
    float inverse, high;
} previous_cell;

INLINE float factor_cell(const mic *m, const level *l, int id, int lane, previous_cell before) {
    int h = lane & 1, i = lane / 2;
    const block *k = &l->block[id];
    const side_coefs *c = &l->coefs[k->coefs].side[h];
    float x_low = h ? c->x_mid[i] : c->x_out[i], y_low = c->y_low[i], z_low = c->z_low[i];
    float d = ((c->x_mid[i] + c->x_out[i]) + (y_low + c->y_high[i])) + ((z_low + c->z_high[i]) + c->extra[i]);
    if (!(d > 0)) return 0;
    float e = d - x_low * before.inverse * (x_low + TAU * before.high);
    if (y_low > 0 && k->neighbour[Y_LOW] < l->blocks) {
        int n = k->neighbour[Y_LOW];
        const side_coefs *o = &l->coefs[l->block[n].coefs].side[h];
        float others = (h ? o->x_out[i] : o->x_mid[i]) + o->z_high[i];
        e -= y_low * m->inverse[spot(l, n, h)][i] * (y_low + TAU * others);
    }
    if (z_low > 0 && k->neighbour[Z_LOW] < l->blocks) {
        int n = k->neighbour[Z_LOW];
        const side_coefs *o = &l->coefs[l->block[n].coefs].side[h];
        float others = (h ? o->x_out[i] : o->x_mid[i]) + o->y_high[i];
        e -= z_low * m->inverse[spot(l, n, h)][i] * (z_low + TAU * others);
    }
    return 1 / (e < SAFETY * d ? d : e);
}

static void factor_task(void *context, int group) {
    const front_pass *w = context;
    mic *m = w->m;
    const level *l = w->l;
    for (int r = group_first(w, group); r < group_end(w, group); ++r) {
        previous_cell before = {0, 0};
        for (int id = m->row[r]; id < m->row_end[r]; ++id) {
            const block_coefs *c = &l->coefs[l->block[id].coefs];
            if (l->block[id].neighbour[X_LOW] == l->blocks) before = (previous_cell){0, 0};
            for (int lane = 0; lane < BLOCK_CELLS; ++lane) {
                int h = lane & 1, i = lane / 2;
                float inverse = factor_cell(m, l, id, lane, before);
                m->inverse[spot(l, id, h)][i] = inverse;
                before = (previous_cell){inverse, c->side[h].y_high[i] + c->side[h].z_high[i]};
            }
        }
    }
}

int mic_setup(mic *m, const level *l, pool *p) {
    size_t rows = (size_t)l->n[1] * (size_t)l->n[2];
    m->fronts = l->n[1] + l->n[2] - 1;
    if (buffer_hold(&m->memory[0], ((size_t)m->fronts + 1) * sizeof(int32_t)) ||
        buffer_hold(&m->memory[1], rows * sizeof(int32_t)) ||
        buffer_hold(&m->memory[2], rows * sizeof(int32_t)) ||
        buffer_hold(&m->memory[3], ((size_t)l->blocks + 1) * 2 * sizeof(vec8)))
        return -1;
    m->front = m->memory[0].data;
    m->row = m->memory[1].data;
    m->row_end = m->memory[2].data;
    m->inverse = m->memory[3].data;
    list_rows(m, l);
    front_pass w = {.m = m, .l = l};
    for (w.front = 0; w.front < m->fronts; ++w.front)
        parallel_for(p, block_count(m->front[w.front + 1] - m->front[w.front], ROWS_GRAIN), factor_task, &w);
    return 0;
}

/* g = s (r + a g over the low neighbours) */
INLINE void forward_block(const front_pass *w, int id) {
    const level *l = w->l;
    const block *k = &l->block[id];
    const side_coefs *c = l->coefs[k->coefs].side;
    int at[2] = {spot(l, id, EVEN), spot(l, id, ODD)};
    vec8 t[2], s[2] = {w->m->inverse[at[EVEN]], w->m->inverse[at[ODD]]};
    for (int h = 0; h < 2; ++h) { /* in y and z the same half is the other colour */
        const vec8 *z = w->z + (at[h] == id ? l->stride : 0);
        t[h] = (w->r[at[h]] + (c[h].y_low * z[k->neighbour[Y_LOW]] + c[h].z_low * z[k->neighbour[Z_LOW]])) *
               s[h];
    }
    vec8 link[2] = {c[EVEN].x_out * s[EVEN], c[ODD].x_mid * s[ODD]};
    float before = lane_value(&w->z[k->neighbour[X_LOW] + (at[ODD] - id)], 7);
    for (int i = 0; i < 8; ++i) {
        t[EVEN][i] += link[EVEN][i] * before;
        t[ODD][i] += link[ODD][i] * t[EVEN][i];
        before = t[ODD][i];
    }
    w->z[at[EVEN]] = t[EVEN];
    w->z[at[ODD]] = t[ODD];
}

/* z = g + s (a z over the high neighbours) */
INLINE void backward_block(const front_pass *w, int id) {
    const level *l = w->l;
    const block *k = &l->block[id];
    const side_coefs *c = l->coefs[k->coefs].side;
    int at[2] = {spot(l, id, EVEN), spot(l, id, ODD)};
    vec8 t[2], s[2] = {w->m->inverse[at[EVEN]], w->m->inverse[at[ODD]]};
    for (int h = 0; h < 2; ++h) {
        const vec8 *z = w->z + (at[h] == id ? l->stride : 0);
        t[h] = w->z[at[h]] +
               (c[h].y_high * z[k->neighbour[Y_HIGH]] + c[h].z_high * z[k->neighbour[Z_HIGH]]) * s[h];
    }
    vec8 link[2] = {c[EVEN].x_mid * s[EVEN], c[ODD].x_out * s[ODD]};
    float after = lane_value(&w->z[k->neighbour[X_HIGH] + (at[EVEN] - id)], 0);
    for (int i = 7; i >= 0; --i) {
        t[ODD][i] += link[ODD][i] * after;
        t[EVEN][i] += link[EVEN][i] * t[ODD][i];
        after = t[EVEN][i];
    }
    w->z[at[EVEN]] = t[EVEN];
    w->z[at[ODD]] = t[ODD];
}

HOT static void forward_task(void *context, int group) {
    const front_pass *w = context;
    for (int r = group_first(w, group); r < group_end(w, group); ++r)
        for (int id = w->m->row[r]; id < w->m->row_end[r]; ++id) forward_block(w, id);
}

HOT static void backward_task(void *context, int group) {
    const front_pass *w = context;
    for (int r = group_first(w, group); r < group_end(w, group); ++r)
        for (int id = w->m->row_end[r] - 1; id >= w->m->row[r]; --id) backward_block(w, id);
}

HOT static double dot_task(void *context, int chunk) {
    const front_pass *w = context;
    const vec8 *z = w->z, *r = w->r;
    dvec8 dot = dvec8_of(0);
    for (int id = chunk * BLOCK_GRAIN; id < chunk_end(w->l, chunk); ++id)
        dot = dvec8_plus_dot(dvec8_plus_dot(dot, z[id], r[id]), z[w->l->stride + id], r[w->l->stride + id]);
    return dvec8_total(dot);
}

double mic_apply(mic *m, const level *l, pool *p, vec8 *correction, const vec8 *rhs) {
    front_pass w = {.m = m, .l = l, .z = correction, .r = rhs};
    for (w.front = 0; w.front < m->fronts; ++w.front)
        parallel_for(p, block_count(m->front[w.front + 1] - m->front[w.front], ROWS_GRAIN), forward_task, &w);
    for (w.front = m->fronts - 1; w.front >= 0; --w.front)
        parallel_for(p, block_count(m->front[w.front + 1] - m->front[w.front], ROWS_GRAIN), backward_task,
                     &w);
    return parallel_sum(p, level_chunks(l), dot_task, &w);
}

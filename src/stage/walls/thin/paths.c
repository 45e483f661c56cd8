/* Paths of grid samples past thin walls, back through a step.
 *
 *   x_b = x - dt u(x - dt/2 u(x)),   each way held on its side of every wall, u and f from what is seen there
 *
 * A path begins at a sample beside the walls as they are now and ends beside them as they were: it is
 * straight in the frame of a wall (solid/thin.c), so what a moving wall passes over comes from behind it.
 * Where it ends the place belongs to a cell, its home, and sees what that cell sees; a face is seen when one
 * of its two cells is, for a wall's own faces have the wall's velocity and bound both sides. Only samples
 * that a ball without walls does not clear are looked at, and only those that miss something are listed.
 *
 * Limits: a wall's faces have one velocity along it, so gas on one side of an oblique wall feels some of what
 * slides along the other. */
#include <math.h>
#include <string.h>
#include "core/hot.h"
#include "core/lanes.h"
#include "core/memory.h"
#include "grid/rows.h"
#include "solid/thin.h"
#include "solid/vector.h"
#include "stage/walls/thin/thin.h"

enum { CELLS = 3, PASSES = 3, PATH_GRAIN = 1 << 14 };
#define STENCIL  1.85 /* cells: corners around a place are not farther, nor a skin more */
#define ONE_SIDE 2.05 /* from a cell's centre: what places in it look at is on one side of such walls */

typedef struct {
    sight *out;
    const thin_paths *p;
    const thin_scene *then, *now;
    const mac_grid *g;
    double swept; /* cells: how far walls moved, at most */
    int axis;     /* of fastest_task() */
    double reach; /* cells: how far from a sample anything is looked at, at most */
    cell_range range;
} job;

static void to_cells(double cells[3], const job *s, const double x[3]) {
    cells[2] = 0.5;
    for (int a = 0; a < s->g->box.dim; ++a) {
        const double at = (x[a] - s->g->origin[a]) / s->g->dx;
        cells[a] = fmax((double)s->p->lower[a], fmin((double)s->p->upper[a], at));
    }
}

/* ---- what is seen ---- */

static void hold_inside(int c[3], const box *b) {
    for (int a = 0; a < 3; ++a) c[a] = c[a] < 0 ? 0 : c[a] < b->n[a] ? c[a] : b->n[a] - 1;
}

/* What is behind a side of the domain is seen as the cell before it is. */
static int sees_cell(const thin_scene *w, const box *b, const int home[3], int i, int j, int k) {
    int c[3] = {i, j, k};
    hold_inside(c, b);
    for (int a = 0; a < 3; ++a) {
        c[a] -= home[a];
        if (c[a] * c[a] > 1) return 0;
    }
    return w->walls->sees[box_at(b, home[0], home[1], home[2])] >> sight_bit(c[0], c[1], c[2]) & 1;
}

/* Whether a cell sees all cells around it and all that is in it has it for its home: what is left to ask of
 * the samples there is whether they are of any use. */
static int sees_all(const thin_scene *w, const box *b, const int c[3]) {
    const ptrdiff_t at = box_at(b, c[0], c[1], c[2]);
    return w->walls->cut[at] < 0 && w->walls->sees[at] == SIGHT_ALL;
}

static int is_of_use(const thin_scene *w, const box *b, const float *share, int at, const int c[3]) {
    int inside[3] = {c[0], c[1], c[2]};
    if (at != CELLS) return !(w->walls->slants[box_at(b, c[0], c[1], c[2])] >> at & 1);
    hold_inside(inside, b);
    return share[box_at(b, inside[0], inside[1], inside[2])] > 0;
}

static int is_seen(const thin_scene *w, const mac_grid *g, const float *share, int at, const int home[3],
                   const int c[3]) {
    if (!is_of_use(w, &g->box, share, at, c)) return 0;
    if (at == CELLS) return sees_cell(w, &g->box, home, c[0], c[1], c[2]);
    return sees_cell(w, &g->box, home, c[0], c[1], c[2]) ||
           sees_cell(w, &g->box, home, c[0] - (at == 0), c[1] - (at == 1), c[2] - (at == 2));
}

/* The samples around a place; 1 when it sees all of them. */
static int look_around(sighted *out, const thin_scene *w, const mac_grid *g, const float *share, int at,
                       const double cells[3]) {
    const box *b = &g->box;
    int in[3], home[3], low[3] = {0, 0, 0}, seen = 0;
    double x[3];
    for (int a = 0; a < 3; ++a) in[a] = (int)floor(cells[a]);
    hold_inside(in, b);
    for (int a = 0; a < b->dim; ++a) {
        const double y = cells[a] - (a == at ? 0 : 0.5);
        low[a] = (int)floor(y);
        out->f[a] = (float)(y - low[a]);
    }
    const int all = (1 << (1 << b->dim)) - 1;
    out->corner = box_at(b, low[0], low[1], low[2]);
    out->home = out->sample;
    out->seen = 0;
    if ((double)w->walls->distance[box_at(b, in[0], in[1], in[2])] > ONE_SIDE * g->dx) {
        out->seen = (uint8_t)all;
        return 1;
    }
    const int easy = sees_all(w, b, in);
    if (easy) memcpy(home, in, sizeof in);
    else {
        mac_place(x, g, cells[0], cells[1], cells[2]);
        if (!thin_home(home, w, g, in, x)) return 0;
    }
    out->home = box_at(b, home[0], home[1], home[2]);
    if (at != CELLS && cells[at] - home[at] > 0.5) out->home += b->step[at];
    for (int c = 0; c < 1 << b->dim; ++c) {
        const int corner[3] = {low[0] + (c & 1), low[1] + (c >> 1 & 1), low[2] + (c >> 2)};
        seen |= (easy ? is_of_use(w, b, share, at, corner) : is_seen(w, g, share, at, home, corner)) << c;
    }
    out->seen = (uint8_t)seen;
    return seen == all;
}

/* The velocity at a place then; 1 when nothing was in the way. */
static int velocity_seen(double v[3], const job *s, ptrdiff_t sample, const double cells[3]) {
    int all = 1;
    for (int a = 0; a < s->g->box.dim; ++a) {
        sighted near = {.sample = sample};
        all &= look_around(&near, s->then, s->g, s->p->share, a, cells);
        v[a] = (double)sight_value(&near, &s->g->box, s->p->u->value[a]);
    }
    return all;
}

/* ---- paths ---- */

/* As the plain paths have it: means of the faces around the sample. */
static void velocity_here(double v[3], const job *s, ptrdiff_t c) {
    const box *b = &s->g->box;
    const int at = s->p->at;
    for (int a = 0; a < b->dim; ++a) {
        const float *f = s->p->u->value[a] + c;
        const ptrdiff_t step = b->step[a], low = at == CELLS ? 0 : -b->step[at];
        v[a] = a == at ? (double)f[0] : 0.25 * (double)((f[0] + f[step]) + (f[low] + f[low + step]));
    }
}

/* Whether a straight way from a sample `gap` cells from the walls as they were is too short to meet one. */
static int is_short(const job *s, const double from[3], const double to[3], double distance) {
    double way[3];
    vec_sub(way, to, from);
    return vec_length(way) / s->g->dx + 2 * (s->swept + THIN_SKIN) < distance;
}

/* From a place beside the walls as they are now to one beside them as they were. 1 when it met one. */
static int block_path(double to[3], const job *s, const double from[3], double distance) {
    int met = 0;
    if (is_short(s, from, to, distance)) return 0;
    for (int pass = 0; pass < PASSES; ++pass) {
        int touched = 0;
        for (int i = 0; i < s->now->count; ++i) {
            double normal[3];
            if (s->then->solids[i].thin)
                touched |= obstacle_block_path(to, normal, &s->then->solids[i], &s->now->solids[i].now, from,
                                               THIN_SKIN * s->g->dx);
        }
        met |= touched;
        if (!touched || s->now->walls->count == 1) break;
    }
    return met;
}

/* Where a sample is, beside the walls as they are now [m]; 0: in one of them. A face whose centre is in a
 * wall may be open: then it is where its two cells are, or one of them. */
static int find_start(double x[3], const job *s, const int c[3]) {
    const int at = s->p->at;
    const double skin = THIN_SKIN * s->g->dx;
    double low[3], high[3];
    if (at == CELLS) return thin_middle(x, s->now->walls, s->g, c);
    mac_place(x, s->g, c[0] + (at != 0) * 0.5, c[1] + (at != 1) * 0.5, c[2] + (at != 2) * 0.5);
    if (obstacles_thin_distance(s->now->solids, s->now->count, x) >= skin) return 1;
    if (c[at] == 0 || c[at] == s->g->box.n[at]) return 0;
    const int low_out = thin_middle(low, s->now->walls, s->g,
                                    (const int[3]){c[0] - (at == 0), c[1] - (at == 1), c[2] - (at == 2)});
    const int high_out = thin_middle(high, s->now->walls, s->g, c);
    for (int a = 0; a < 3; ++a) x[a] = 0.5 * (low[a] + high[a]);
    if (obstacles_thin_distance(s->now->solids, s->now->count, x) >= skin) return 1;
    memcpy(x, low_out ? low : high, sizeof low);
    return low_out || high_out;
}

/* Whether what was at x then goes on unhindered, as the correction of a scheme asks. */
static int is_free_ahead(const job *s, const double x[3], const double ahead[3], double distance) {
    const int all = is_short(s, x, ahead, distance) ? 0 : s->now->count;
    double cells[3];
    sighted near = {0};
    for (int i = 0; i < all; ++i)
        if (s->now->solids[i].thin &&
            obstacle_hides(&s->now->solids[i], x, ahead, 0.5 * THIN_SKIN * s->g->dx))
            return 0;
    to_cells(cells, s, ahead);
    return look_around(&near, s->now, s->g, s->p->share, s->p->at, cells);
}

/* Cells from a sample to the nearest thin wall then; capped as the gap of cells is. */
static double distance_at(const job *s, const int c[3]) {
    const int at = s->p->at;
    const ptrdiff_t high = box_at(&s->g->box, c[0], c[1], c[2]);
    const float *distance = s->then->walls->distance;
    if (at == CELLS) return (double)distance[high] / s->g->dx;
    const ptrdiff_t low = high - s->g->box.step[at];
    const float far = c[at] == 0                 ? distance[high]
                      : c[at] == s->g->box.n[at] ? distance[low]
                                                 : fmaxf(distance[low], distance[high]);
    return (double)far / s->g->dx - 0.5;
}

/* 1 when a wall is in the way of the sample's path, or of anything that is interpolated along it. */
static int look_back(sighted *out, const job *s, const int c[3]) {
    const int dim = s->g->box.dim;
    const double distance = distance_at(s, c);
    double here[3], x[3], mid[3], back[3], ahead[3], v[3], cells[3];
    out->sample = box_at(&s->g->box, c[0], c[1], c[2]);
    if (!find_start(x, s, c)) return 0;
    velocity_here(here, s, out->sample);
    memcpy(mid, x, sizeof x);
    for (int a = 0; a < dim; ++a) mid[a] -= 0.5 * s->p->dt * here[a];
    int free = !block_path(mid, s, x, distance);
    to_cells(cells, s, mid);
    free &= velocity_seen(v, s, out->sample, cells);
    memcpy(back, x, sizeof x);
    for (int a = 0; a < dim; ++a) back[a] -= s->p->dt * v[a];
    free &= !block_path(back, s, x, distance);
    to_cells(cells, s, back);
    free &= look_around(out, s->then, s->g, s->p->share, s->p->at, cells);
    if (!free) return 1;
    memcpy(ahead, back, sizeof back);
    for (int a = 0; a < dim; ++a) ahead[a] += 2 * s->p->dt * here[a];
    return !is_free_ahead(s, x, ahead, distance);
}

/* ---- which samples ---- */

/* Whether some wall may be within reach of a sample's path there and back. */
static int is_near(const job *s, const int c[3]) {
    const int at = s->p->at;
    const ptrdiff_t sample = box_at(&s->g->box, c[0], c[1], c[2]);
    const double distance = distance_at(s, c);
    double way = 0, fast = 0, v[3], cells[3], x[3];
    if (distance > s->reach) return 0; /* most */
    velocity_here(v, s, sample);
    for (int a = 0; a < 3; ++a) cells[a] = c[a] + (a != at) * 0.5;
    for (int a = 0; a < s->g->box.dim; ++a) {
        const double d = (double)s->p->back[a][sample] - cells[a];
        way += d * d;
        fast += v[a] * v[a];
    }
    const double reach = sqrt(way) + 2 * s->p->dt / s->g->dx * sqrt(fast) + s->swept + STENCIL;
    if (distance > reach) return 0;
    if (distance < THIN_BAND - 0.6) return 1;
    mac_place(x, s->g, cells[0], cells[1], cells[2]);
    return obstacles_thin_distance(s->then->solids, s->then->count, x) <= reach * s->g->dx;
}

/* The largest speed along an axis, borders included. */
HOT static double fastest_task(void *context, int block) {
    const job *s = context;
    const float *u = s->p->u->value[s->axis];
    const size_t from = (size_t)block * PATH_GRAIN,
                 to = from + PATH_GRAIN < s->g->box.size ? from + PATH_GRAIN : s->g->box.size;
    float most = 0;
    for (size_t i = from; i < to; ++i) most = greater(fabsf(u[i]), most);
    return (double)most;
}

/* As is_near() has it, of the fastest sample there could be. */
static double longest_reach(job *s) {
    double fast = 0;
    for (s->axis = 0; s->axis < s->g->box.dim; ++s->axis) {
        const double most =
            parallel_max(s->g->pool, block_count((long)s->g->box.size, PATH_GRAIN), fastest_task, s);
        fast += most * most;
    }
    return 3 * s->p->dt / s->g->dx * sqrt(fast) + s->swept + STENCIL + 1e-3; /* and some, for rounding */
}

static void count_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        size_t near = 0;
        for (int i = 0; i < s->range.upper[0]; ++i) near += (size_t)is_near(s, (const int[3]){i, j, k});
        s->out->row[row_ + 1] = near;
    }
}

/* Those that miss nothing are marked by a sample before all others. */
static void list_task(void *context, int block) {
    const job *s = context;
    FOR_ROWS(&s->range, block, j, k) {
        sighted *next = s->out->list + s->out->row[row_];
        for (int i = 0; i < s->range.upper[0]; ++i) {
            const int c[3] = {i, j, k};
            if (!is_near(s, c)) continue;
            if (!look_back(next, s, c)) next->sample = -1;
            ++next;
        }
    }
}

static int reserve_rows(sight *out, int rows) {
    if (out->rows >= (size_t)rows) return 0;
    mem_free(out->row);
    out->row = mem_alloc(((size_t)rows + 1) * sizeof *out->row);
    out->rows = out->row ? (size_t)rows : 0;
    return out->row ? 0 : -1;
}

static int reserve_list(sight *out, size_t count) {
    if (out->capacity >= count) return 0;
    mem_free(out->list);
    out->capacity = count + count / 4;
    out->list = mem_alloc(out->capacity * sizeof *out->list);
    if (!out->list) out->capacity = 0;
    return out->list ? 0 : -1;
}

int thin_look_back(sight *out, const thin_paths *p, const thin_scene *then, const thin_scene *now,
                   const mac_grid *g) {
    job s = {.out = out, .p = p, .then = then, .now = now, .g = g};
    s.range = p->at == CELLS ? range_cells(g) : range_faces(g, p->at);
    for (int i = 0; i < now->count; ++i)
        if (now->solids[i].thin)
            s.swept =
                fmax(s.swept, thin_swept(&now->solids[i], &then->solids[i].now, THIN_BAND * g->dx) / g->dx);
    s.reach = longest_reach(&s);
    const int rows = range_rows(&s.range);
    out->count = 0;
    if (reserve_rows(out, rows)) return -1;
    out->row[0] = 0;
    parallel_for(g->pool, range_blocks(&s.range), count_task, &s);
    for (int r = 0; r < rows; ++r) out->row[r + 1] += out->row[r];
    if (reserve_list(out, out->row[rows])) return -1;
    parallel_for(g->pool, range_blocks(&s.range), list_task, &s);
    for (size_t i = 0; i < out->row[rows]; ++i)
        if (out->list[i].sample >= 0) out->list[out->count++] = out->list[i];
    return 0;
}

void thin_forget_paths(sight *out) {
    mem_free(out->list);
    mem_free(out->row);
    *out = (sight){0};
}

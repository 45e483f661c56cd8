/* Walls beside particles. A wall's share in the density of a particle depends on its distance s alone
 * (kernel.c); of several walls the shares f are joined as parts of one neighbourhood,
 *
 *   1 - (1 - f1)(1 - f2)(1 - f3),
 *
 * which is exact where they are square to each other and the kernel separates, and within 0.2 % for these.
 * Walls that are the same, a solid that ends on a side, count once: a wall whose normal is within 45 degrees
 * of a nearer one's is left out.
 *
 * Limits: at most three walls a particle, the nearest; convex edges count as flat. */
#include <math.h>
#include <string.h>
#include "core/memory.h"
#include "grid/sample.h"
#include "stage/sph/fluid.h"

#define REACH       0.5f /* cells: farther walls have no share */
#define SHARE_MOST  0.4f /* of a wall where others are: what is deep in one must still feel them */
#define SAME_WALL   0.7f /* cosine */
#define NORMAL_STEP 1e-2 /* cells */

typedef struct {
    sph_fluid *f;
    const uint8_t *open_side;
    const obstacle *solids;
    int solid_count;
    const float *node_solid, *thin;
    size_t near_count;
    uint8_t *found; /* of each near particle */
    sph_contact *all;
} job;

static int is_near(const job *s, size_t i) {
    const sph_fluid *f = s->f;
    const box *b = &f->g->box;
    for (int a = 0; a < f->dim; ++a) {
        if (b->periodic[a]) continue;
        if (!s->open_side[2 * a] && f->x[i][a] < REACH) return 1;
        if (!s->open_side[2 * a + 1] && (float)b->n[a] - f->x[i][a] < REACH) return 1;
    }
    if (s->thin && sample_cells(s->thin, f->g, f->x[i]) < (REACH + 1) * (float)f->g->dx) return 1;
    if (!s->node_solid) return 0;
    /* nodes are at most 0.87 cells off, and sampled distances a little short at edges */
    return sample_nodes(s->node_solid, f->g, f->x[i]) < (REACH + 0.75f) * (float)f->g->dx;
}

static void mark_task(void *context, int block) {
    const job *s = context;
    const size_t from = (size_t)block * SPH_GRAIN;
    for (size_t i = from; i < from + SPH_GRAIN && i < s->f->count; ++i)
        s->f->mark[i] = (uint8_t)is_near(s, i);
}

/* Keeps the nearest ones, in rising distance. */
static int insert(sph_contact *list, int count, const sph_contact *c) {
    int at = count;
    while (at > 0 && list[at - 1].distance > c->distance) --at;
    if (at == SPH_CONTACTS) return count;
    const int kept = count < SPH_CONTACTS ? count : SPH_CONTACTS - 1;
    memmove(list + at + 1, list + at, (size_t)(kept - at) * sizeof *list);
    list[at] = *c;
    return kept + 1;
}

static int find_sides(sph_contact *list, int count, const job *s, size_t i) {
    const sph_fluid *f = s->f;
    for (int side = 0; side < 2 * f->dim; ++side) {
        const int a = side / 2;
        sph_contact c = {.particle = (uint32_t)i, .solid = -1};
        if (s->open_side[side] || f->g->box.periodic[a]) continue;
        c.distance = side % 2 ? (float)f->g->box.n[a] - f->x[i][a] : f->x[i][a];
        c.normal[a] = side % 2 ? -1 : 1;
        if (c.distance < REACH) count = insert(list, count, &c);
    }
    return count;
}

/* A direction square to n, and one square to both. */
static void tangents(double t[2][3], const double n[3], int dim) {
    int least = 0;
    for (int a = 1; a < 3; ++a)
        if (fabs(n[a]) < fabs(n[least])) least = a;
    if (dim == 2) least = 2;
    const int b = (least + 1) % 3, c = (least + 2) % 3;
    const double size = sqrt(n[b] * n[b] + n[c] * n[c]);
    t[0][least] = 0;
    t[0][b] = -n[c] / size;
    t[0][c] = n[b] / size;
    for (int a = 0; a < 3; ++a)
        t[1][a] = n[(a + 1) % 3] * t[0][(a + 2) % 3] - n[(a + 2) % 3] * t[0][(a + 1) % 3];
}

/* Other faces of the same solid, which a corner of it has beside the nearest one: looked for on either side,
 * as far away as a wall counts. */
static int find_corner(sph_contact *list, int count, const job *s, const obstacle *o, const double x[3],
                       const double n[3], const sph_contact *first) {
    const mac_grid *g = s->f->g;
    const double reach = (double)REACH * g->dx;
    double t[2][3];
    tangents(t, n, g->box.dim);
    for (int look = 0; look < 2 * (g->box.dim - 1); ++look) {
        const double sign = look % 2 ? -reach : reach;
        sph_contact c = *first;
        double at[3], m[3] = {0, 0, 0}, ahead = 0, same = 0;
        for (int a = 0; a < 3; ++a) at[a] = x[a] + sign * t[look / 2][a];
        const double d = obstacle_distance(o, at);
        if (!(d < (double)first->distance * g->dx - 0.05 * g->dx)) continue; /* a plane goes on */
        if (!obstacle_normal(m, o, at, g->box.dim, NORMAL_STEP * g->dx)) continue;
        for (int a = 0; a < 3; ++a) {
            ahead += sign * t[look / 2][a] * m[a];
            same += m[a] * n[a];
        }
        if (same > (double)SAME_WALL || !(d - ahead < reach)) continue;
        c.distance = (float)((d - ahead) / g->dx);
        for (int a = 0; a < 3; ++a) c.normal[a] = (float)m[a];
        count = insert(list, count, &c);
    }
    return count;
}

static int find_solids(sph_contact *list, int count, const job *s, size_t i) {
    const sph_fluid *f = s->f;
    double x[3], n[3] = {0, 0, 0};
    if (!s->node_solid) return count;
    mac_place(x, f->g, (double)f->x[i][0], (double)f->x[i][1], (double)f->x[i][2]);
    for (int o = 0; o < s->solid_count; ++o) {
        sph_contact c = {.particle = (uint32_t)i, .solid = o};
        const double reach = (double)REACH * f->g->dx;
        if (obstacle_is_beyond(&s->solids[o], x, reach)) continue;
        const double d = obstacle_distance(&s->solids[o], x);
        if (!(d < reach) || !obstacle_normal(n, &s->solids[o], x, f->dim, NORMAL_STEP * f->g->dx)) continue;
        c.distance = (float)(d / f->g->dx);
        for (int a = 0; a < f->dim; ++a) c.normal[a] = (float)n[a];
        count = insert(list, count, &c);
        if (!shape_is_ball(s->solids[o].shape)) count = find_corner(list, count, s, &s->solids[o], x, n, &c);
    }
    return count;
}

static int drop_same(sph_contact *list, int count) {
    int kept = 0;
    for (int c = 0; c < count; ++c) {
        int same = 0;
        for (int k = 0; k < kept; ++k) {
            const float *n = list[c].normal, *m = list[k].normal;
            same |= n[0] * m[0] + n[1] * m[1] + n[2] * m[2] > SAME_WALL;
        }
        if (!same) list[kept++] = list[c];
    }
    return kept;
}

static void join_shares(sph_contact *list, int count, sph_fluid *f, size_t i) {
    float share[SPH_CONTACTS], slope[SPH_CONTACTS], left = 1, deeper = 0;
    for (int c = 0; c < count; ++c) {
        sph_kernel_wall(&share[c], &slope[c], &f->kernel, list[c].distance);
        left *= 1 - lesser(share[c], SHARE_MOST);
        deeper += greater(share[c] - SHARE_MOST, 0);
    }
    f->density[i] += 1 - left + deeper;
    for (int c = 0; c < count; ++c) {
        float others = 1;
        for (int k = 0; k < count; ++k) others *= k == c ? 1 : 1 - lesser(share[k], SHARE_MOST);
        for (int a = 0; a < 3; ++a) {
            list[c].slope[a] = others * slope[c] * list[c].normal[a];
            f->wall[i][a] += list[c].slope[a];
        }
    }
}

static void drive(sph_contact *c, sph_fluid *f, const obstacle *solids) {
    if (c->solid < 0) return;
    const obstacle *o = &solids[c->solid];
    const float *at = f->x[c->particle];
    double x[3], u[3];
    mac_place(x, f->g, (double)at[0], (double)at[1], (double)at[2]);
    placement_velocity(u, &o->now, x);
    for (int a = 0; a < 3; ++a) {
        c->velocity[a] = (float)u[a];
        c->arm[a] = o->body ? (float)(x[a] - o->body->now->position[a]) : 0;
        f->wall[c->particle][3] += c->slope[a] * c->velocity[a];
    }
}

static void contact_task(void *context, int block) {
    const job *s = context;
    const size_t from = (size_t)block * SPH_GRAIN;
    for (size_t n = from; n < from + SPH_GRAIN && n < s->near_count; ++n) {
        const size_t i = s->f->near[n];
        sph_contact *list = s->all + n * SPH_CONTACTS;
        int count = find_sides(list, 0, s, i);
        count = drop_same(list, find_solids(list, count, s, i));
        join_shares(list, count, s->f, i);
        for (int c = 0; c < count; ++c) drive(&list[c], s->f, s->solids);
        s->f->mark[n] = (uint8_t)count;
    }
}

int sph_find_walls(sph_fluid *f, const uint8_t open_side[6], const obstacle *solids, int solid_count,
                   const float *node_solid, const float *thin_distance) {
    job s = {.f = f, .open_side = open_side, .solids = solids, .solid_count = solid_count};
    s.node_solid = solid_count ? node_solid : NULL;
    s.thin = thin_distance;
    parallel_zero(f->g->pool, f->wall, f->count * sizeof *f->wall);
    parallel_for(f->g->pool, block_count((long)f->count, SPH_GRAIN), mark_task, &s);
    for (size_t i = 0; i < f->count; ++i)
        if (f->mark[i]) f->near[s.near_count++] = (uint32_t)i;
    if (f->contact_room < s.near_count * SPH_CONTACTS) {
        mem_free(f->contact);
        f->contact_room = (s.near_count + s.near_count / 4) * SPH_CONTACTS;
        f->contact = mem_alloc(f->contact_room * sizeof *f->contact);
        if (!f->contact) return f->contact_room = 0, -1;
    }
    s.all = f->contact;
    parallel_for(f->g->pool, block_count((long)s.near_count, SPH_GRAIN), contact_task, &s);
    f->contacts = 0;
    for (size_t n = 0; n < s.near_count; ++n)
        for (int c = 0; c < f->mark[n]; ++c)
            f->contact[f->contacts++] = f->contact[n * SPH_CONTACTS + (size_t)c];
    return 0;
}

void sph_drive_walls(sph_fluid *f, const obstacle *solids) {
    for (size_t c = 0; c < f->contacts; ++c) f->wall[f->contact[c].particle][3] = 0;
    for (size_t c = 0; c < f->contacts; ++c) drive(&f->contact[c], f, solids);
}

/* The rigid fluid method: bodies are liquid whose velocity is projected on rigid motion, distributed Lagrange
 * multipliers being the force that does it.
 *
 *   V = V_0 + rho_f / rho_r (fit of u* - V_0),   V_0 = V^n + f dt,   u = (1 - w) u + w V k
 *
 * Liquid and wet bodies together are made divergence-free as if all were liquid, u -> u*. A body of density
 * rho_r then lacks the momentum source S = -(rho_r - rho_f) ((u* - u) / dt - f) (70, without its terms of
 * collisions, which see below); here u in the body is the body's own rigid motion at its new place, so the
 * material derivative needs no convective term. Integrating over the body (77, 78) with the share w of each
 * face's cell that the body fills gives its new motion V, the fit being the rigid motion with the momenta
 * sum w k u, k = (e_a, r x e_a), sum w k k^T (83). The faces follow (80); faces that have no liquid beside
 * them take all of V k, or what is said of the air there would squeeze the body, and pressure drive a light
 * one on along its way.
 *
 * Collisions: the source sums up what contacts do, A_c = sum F_j / M (68), alpha_c = sum I^-1 (p_j - x) x F_j
 * (69), and hands it to the liquid in the body after u*, as rho_r A_c + r x rho_r alpha_c in (70) (alpha_c x
 * r is meant). Here the solver that moves bodies gives V the impulses themselves, dt A_c and dt alpha_c.
 * Those of an impact come as it moves the bodies (world_step()), and rigid_fluid_join() gives the faces that
 * V before pressure. Those of contact that lasts come after pressure (world_constrain()), and
 * rigid_fluid_impose() gives the faces that V by (80). Either way it is the same momentum, rigid as it is, in
 * the step that it acts in.
 *
 * Below ULTRABUOYANT the factor rho_f / rho_r makes this explicit exchange unstable whatever dt (84). The
 * liquid that must move with the body is reckoned in, with the coefficient C of a sphere times the share of
 * the cells around the body that hold liquid. It resists what the body does beyond what it does itself, u_a
 * -> u_a* in the mean over those cells,
 *
 *   V = V_0 + rho_f (fit of u* - V_0 + C (u_a* - u_a)) / (rho_r + C rho_f).
 *
 * At rest u_a* - u_a = -f dt: a sphere has the right acceleration in its first step and stays afloat where it
 * should be. In liquid that falls, as spray does, there is nothing but V_0.
 *
 * Gas (sim/smoke.c) is given no weight, its pressure no hydrostatic part; the body has weight and lift
 * instead. All of its own acceleration comes before pressure, and the gas that it sets moving with it is
 * reckoned in at once, whatever the density,
 *
 *   V_0 = V^n + A,   A = f dt (rho_r - rho_f) / (rho_r + C rho_f),
 *   V = V_0 + rho_f (fit of u* - V_0 + C (u_a* - u_a) + C / (1 + C) A) / (rho_r + C rho_f).
 *
 * Of a ball of gas that starts with A pressure takes C / (1 + C) A for the gas around: A has that resistance
 * in it already.
 *
 * Source: Carlson 2004, ch. 5, eq. 64-84; what is ours in it, and why, in docs/decisions/0022-rigid-fluid.md.
 *
 * Limits: the wake is reckoned a step late (over five steps a ball of a tenth of the liquid's density gains
 * 0.55 of what it should, in gas 0.8); the remedy below ULTRABUOYANT does not conserve momentum, and light
 * bodies that are not round lag behind liquid that turns them; w is sampled at eight points a cell; liquid
 * slips into bodies thinner than a cell; plugs leak (the source says so): the monolithic coupling has none of
 * these. */
#include "stage/coupling/rigid_fluid.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"
#include "grid/rows.h"
#include "linear/six.h"
#include "solid/vector.h"
#include "stage/coupling/tuning.h"

#define ADDED_BALL 0.5
#define ADDED_DISC 1.0

typedef struct held_face {
    ptrdiff_t at;
    float share;  /* w */
    float held;   /* what of its velocity is the body's: w, in the air all */
    float before; /* m/s */
    int axis;
    double arm[3]; /* m, from the centre of mass */
} held_face;

typedef struct held_cell {
    ptrdiff_t at;
    float distance; /* m, < 0 */
} held_cell;

typedef struct near_cell { /* of liquid beside the body */
    ptrdiff_t at;
    float before[3]; /* m/s */
} near_cell;

struct rigid_region {
    const obstacle *solid;
    held_face *faces;
    held_cell *cells;
    near_cell *around;
    int face_count, face_capacity, cell_count, cell_capacity, around_count, around_capacity;
    int wet, failed;
    int beside; /* cells around it, with liquid or not */
    bool lifted;
    double gain[3]; /* m/s: what its weight and lift give it in the step */
};

typedef struct {
    rigid_fluid *r;
    const mac_grid *g;
    const obstacle *bodies;
    const float *phi;
    double density;
    const mac_field *u;
    const uint8_t *unknown;
    bool shared;
} job;

int rigid_fluid_make(rigid_fluid *r, int bodies) {
    *r = (rigid_fluid){.count = bodies};
    if (bodies) r->regions = mem_alloc((size_t)bodies * sizeof *r->regions);
    return bodies && !r->regions ? -1 : 0;
}

void rigid_fluid_free(rigid_fluid *r) {
    for (int i = 0; r->regions && i < r->count; ++i) {
        mem_free(r->regions[i].faces);
        mem_free(r->regions[i].cells);
        mem_free(r->regions[i].around);
    }
    mem_free(r->regions);
    *r = (rigid_fluid){0};
}

size_t rigid_fluid_bytes(const rigid_fluid *r) {
    size_t bytes = (size_t)r->count * sizeof *r->regions;
    for (int i = 0; i < r->count; ++i)
        bytes += (size_t)r->regions[i].face_capacity * sizeof *r->regions->faces +
                 (size_t)r->regions[i].cell_capacity * sizeof *r->regions->cells +
                 (size_t)r->regions[i].around_capacity * sizeof *r->regions->around;
    return bytes;
}

/* Room for one more of `size` bytes; NULL: no memory. */
static void *one_more(void *list, int count, int *capacity, size_t size) {
    if (count < *capacity) return list;
    const int more = *capacity ? 2 * *capacity : 256;
    void *grown = mem_grow(list, (size_t)*capacity * size, (size_t)more * size);
    if (grown) *capacity = more;
    return grown;
}

static double distance_at(const rigid_region *b, const double x[3]) {
    return placement_distance(&b->solid->now, b->solid->shape, x);
}

/* The share of a cell around x that the body fills. */
static float share_at(const rigid_region *b, const mac_grid *g, const double x[3]) {
    const double d = distance_at(b, x);
    if (fabs(d) > 0.87 * g->dx) return d < 0;
    double sum = 0;
    const int corners = g->box.dim == 3 ? 8 : 4;
    for (int c = 0; c < corners; ++c) {
        double y[3] = {x[0], x[1], x[2]};
        for (int a = 0; a < g->box.dim; ++a) y[a] += (c >> a & 1 ? 0.25 : -0.25) * g->dx;
        sum += fmax(0, fmin(1, 0.5 - distance_at(b, y) / (0.5 * g->dx)));
    }
    return (float)(sum / corners);
}

static int find_faces(rigid_region *b, const job *s, int axis) {
    const mac_grid *g = s->g;
    const body *rigid = b->solid->body;
    const cell_range r = range_in_ball(range_inner_faces(g, axis), g, rigid->now->position, rigid->radius);
    for (int k = r.lower[2]; k < r.upper[2]; ++k)
        for (int j = r.lower[1]; j < r.upper[1]; ++j)
            for (int i = r.lower[0]; i < r.upper[0]; ++i) {
                double x[3];
                mac_place(x, g, i + (axis != 0) * 0.5, j + (axis != 1) * 0.5, k + (axis != 2) * 0.5);
                const float share = share_at(b, g, x);
                if (share <= 0) continue;
                held_face *list = one_more(b->faces, b->face_count, &b->face_capacity, sizeof *list);
                if (!list) return -1;
                b->faces = list;
                held_face *f = &list[b->face_count++];
                *f = (held_face){.at = box_at(&g->box, i, j, k), .share = share, .axis = axis};
                vec_sub(f->arm, x, rigid->now->position);
                if (rigid->flat) f->arm[2] = 0;
                f->held = s->phi[f->at] < 0 || s->phi[f->at - g->box.step[axis]] < 0 ? share : 1;
            }
    return 0;
}

static int add_around(rigid_region *b, ptrdiff_t at) {
    near_cell *list = one_more(b->around, b->around_count, &b->around_capacity, sizeof *list);
    if (!list) return -1;
    b->around = list;
    list[b->around_count++] = (near_cell){.at = at};
    return 0;
}

static int find_cells(rigid_region *b, const job *s) {
    const mac_grid *g = s->g;
    const body *rigid = b->solid->body;
    const cell_range r = range_in_ball(range_cells(g), g, rigid->now->position, rigid->radius);
    for (int k = r.lower[2]; k < r.upper[2]; ++k)
        for (int j = r.lower[1]; j < r.upper[1]; ++j)
            for (int i = r.lower[0]; i < r.upper[0]; ++i) {
                double x[3];
                mac_place(x, g, i + 0.5, j + 0.5, k + 0.5);
                const double d = distance_at(b, x);
                const ptrdiff_t at = box_at(&g->box, i, j, k);
                const int near = d < g->dx, liquid = s->phi[at] < 0;
                b->wet |= near & liquid;
                b->beside += near & (d >= 0);
                if (d >= 0 && near && liquid && add_around(b, at)) return -1;
                if (d >= 0) continue;
                held_cell *list = one_more(b->cells, b->cell_count, &b->cell_capacity, sizeof *list);
                if (!list) return -1;
                b->cells = list;
                list[b->cell_count++] = (held_cell){at, (float)d};
            }
    return 0;
}

static void find_task(void *context, int index) {
    const job *s = context;
    rigid_region *b = &s->r->regions[index];
    b->solid = &s->bodies[index];
    b->face_count = b->cell_count = b->around_count = b->wet = b->beside = 0;
    b->lifted = false;
    b->failed = find_cells(b, s);
    for (int axis = 0; axis < s->g->box.dim && !b->failed; ++axis) b->failed = find_faces(b, s, axis);
}

int rigid_fluid_find(rigid_fluid *r, const mac_grid *g, const obstacle *bodies, const float *phi) {
    job s = {.r = r, .g = g, .bodies = bodies, .phi = phi};
    parallel_for(g->pool, r->count, find_task, &s);
    for (int i = 0; i < r->count; ++i)
        if (r->regions[i].failed) return -1;
    return 0;
}

/* ---- added mass ---- */

static double relative_density(const rigid_region *b, double fluid_density) {
    return b->solid->body->mass / (fluid_density * b->solid->body->volume);
}

static double form_of(const mac_grid *g) {
    return g->box.dim == 2 ? ADDED_DISC : ADDED_BALL;
}

/* C. */
static double added_mass(const rigid_region *b, const mac_grid *g) {
    return b->beside > 0 ? form_of(g) * b->around_count / b->beside : 0;
}

void rigid_fluid_lift(rigid_fluid *r, const mac_grid *g, const double pull[3], double fluid_density) {
    for (int i = 0; i < r->count; ++i) {
        rigid_region *b = &r->regions[i];
        if (!b->wet) continue;
        const double relative = relative_density(b, fluid_density), added = added_mass(b, g);
        b->lifted = true;
        for (int a = 0; a < g->box.dim; ++a) {
            b->gain[a] = pull[a] * (relative - 1) / (relative + added);
            b->solid->body->now->velocity[a] += b->gain[a] - pull[a] * (1 - 1 / relative);
        }
    }
}

/* ---- between body and faces ---- */

static void row_of(double row[SIX], const held_face *f) {
    double unit[3] = {0, 0, 0};
    unit[f->axis] = 1;
    memcpy(row, unit, sizeof unit);
    vec_cross(row + 3, f->arm, unit);
}

static double velocity_of(const body_state *now, const held_face *f) {
    double turn[3];
    vec_cross(turn, now->spin, f->arm);
    return now->velocity[f->axis] + turn[f->axis];
}

void rigid_fluid_impose(mac_field *u, const rigid_fluid *r) {
    for (int i = 0; i < r->count; ++i) { /* bodies that touch may share faces: in their order */
        const rigid_region *b = &r->regions[i];
        for (int f = 0; b->wet && f < b->face_count; ++f) {
            float *at = &u->value[b->faces[f].axis][b->faces[f].at];
            *at += b->faces[f].held * ((float)velocity_of(b->solid->body->now, &b->faces[f]) - *at);
        }
    }
}

void rigid_fluid_join(float *domain, mac_field *u, rigid_fluid *r, const mac_grid *g, const float *phi) {
    memcpy(domain, phi, g->box.size * sizeof *domain);
    for (int i = 0; i < r->count; ++i) {
        const rigid_region *b = &r->regions[i];
        for (int c = 0; b->wet && c < b->cell_count; ++c)
            domain[b->cells[c].at] = fminf(domain[b->cells[c].at], b->cells[c].distance);
    }
    rigid_fluid_impose(u, r);
}

static float in_cell(const mac_field *u, const mac_grid *g, ptrdiff_t at, int axis) {
    return 0.5f * (u->value[axis][at] + u->value[axis][at + g->box.step[axis]]);
}

void rigid_fluid_note(rigid_fluid *r, const mac_grid *g, const mac_field *u) {
    for (int i = 0; i < r->count; ++i) {
        for (int f = 0; f < r->regions[i].face_count; ++f) {
            held_face *face = &r->regions[i].faces[f];
            face->before = u->value[face->axis][face->at];
        }
        for (int c = 0; c < r->regions[i].around_count; ++c) {
            near_cell *cell = &r->regions[i].around[c];
            for (int a = 0; a < g->box.dim; ++a) cell->before[a] = in_cell(u, g, cell->at, a);
        }
    }
}

/* What pressure has done to the liquid around the body, times its share of what is around. */
static void change_around(double change[3], const rigid_region *b, const job *s) {
    change[0] = change[1] = change[2] = 0;
    for (int c = 0; c < b->around_count; ++c)
        for (int a = 0; a < s->g->box.dim; ++a)
            change[a] += (double)(in_cell(s->u, s->g, b->around[c].at, a) - b->around[c].before[a]);
    for (int a = 0; a < 3 && b->beside > 0; ++a) change[a] /= b->beside;
}

/* The rigid motion with the momenta of what happened to the velocities in the body. Pressure does nothing to
 * faces in the air. */
static int fit_change(double change[SIX], const rigid_region *b, const job *s) {
    double gram[SIX * SIX] = {0}, factor[SIX * SIX];
    memset(change, 0, SIX * sizeof *change);
    for (int i = 0; i < b->face_count; ++i) {
        const held_face *f = &b->faces[i];
        double row[SIX];
        row_of(row, f);
        const int wet = s->unknown[f->at] | s->unknown[f->at - s->g->box.step[f->axis]];
        const float now = wet ? s->u->value[f->axis][f->at] : f->before;
        for (int r = 0; r < SIX; ++r) {
            change[r] += (double)f->share * row[r] * ((double)now - (double)f->before);
            for (int c = 0; c < SIX; ++c) gram[SIX * r + c] += (double)f->share * row[r] * row[c];
        }
    }
    for (int part = 0; part < SIX; part += 3) { /* moving, turning: motions that no face shows */
        double trace = 0;
        for (int r = part; r < part + 3; ++r) trace += gram[(SIX + 1) * r];
        for (int r = part; r < part + 3; ++r) gram[(SIX + 1) * r] += 1e-9 * trace;
    }
    if (!six_factorise(factor, gram)) return 0;
    six_solve_lower(change, factor);
    six_solve_upper(change, factor);
    return 1;
}

static void push_task(void *context, int index) {
    const job *s = context;
    const rigid_region *b = &s->r->regions[index];
    const body *rigid = b->solid->body;
    double change[SIX];
    if (!b->wet || !fit_change(change, b, s)) return;
    const double relative = relative_density(b, s->density);
    const bool ultrabuoyant = s->shared && relative < ULTRABUOYANT;
    const double added = ultrabuoyant || b->lifted ? added_mass(b, s->g) : 0;
    const double turned = relative + (ultrabuoyant ? added : 0);
    if (added > 0) {
        double around[3];
        change_around(around, b, s);
        for (int a = 0; a < 3; ++a) change[a] += form_of(s->g) * around[a];
    }
    for (int a = 0; b->lifted && a < s->g->box.dim; ++a) change[a] += added / (1 + added) * b->gain[a];
    if (rigid->round) {
        double felt[9];
        const double turn[3] = {change[3], change[4], change[5]};
        body_felt_turn(felt, rigid);
        mat_times(change + 3, felt, turn);
    }
    for (int a = 0; a < 3; ++a) {
        rigid->now->velocity[a] += change[a] / (relative + added);
        rigid->now->spin[a] += change[3 + a] / turned;
    }
    if (!rigid->flat) return;
    rigid->now->velocity[2] = rigid->now->spin[0] = rigid->now->spin[1] = 0;
}

void rigid_fluid_push(const rigid_fluid *r, const mac_grid *g, const mac_field *u, const uint8_t *unknown,
                      double fluid_density, bool shared) {
    rigid_fluid copy = *r;
    job s = {.r = &copy, .g = g, .u = u, .unknown = unknown, .density = fluid_density, .shared = shared};
    parallel_for(g->pool, r->count, push_task, &s);
}

void rigid_fluid_clear(float *field, const rigid_fluid *r) {
    for (int i = 0; i < r->count; ++i) {
        const rigid_region *b = &r->regions[i];
        for (int c = 0; b->wet && c < b->cell_count; ++c) field[b->cells[c].at] = 0;
    }
}

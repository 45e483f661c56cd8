/* Rigid bodies in the pressure solve.
 *
 *   (A + rho dx^3 K M^-1 K^T) q = - (D u + K V),   V += rho dx^3 M^-1 K^T q
 *
 * A body with velocity V = (v, omega) that closes the share c_f of a face moves c_f k_f . V through it, with
 * k_f = (e_a, r_f x e_a) for a face across axis a at r_f from the centre of mass. So the outflow of the cells
 * is D u + K V, and pressure acts on the body by the transpose: the system is symmetric, positive, and the
 * kinetic energy of both never rises. Shares and places are those of the openings and wall velocities that
 * the liquid sees. The second term is handed to the solver as rows of L^-1 K^T with M = L L^T, one a cell.
 *
 * Each part in a file: cells.c and faces.c (K, of thick and of thin bodies), mass.c and lift.c (M), active.c
 * (what contacts, joints and motors let a body do in the meantime), joints.c (joints between bodies), thin.c
 * (liquid that moves with walls thinner than a cell), energy_cap.c (their energy).
 *
 * r_f is where the middle of what is closed of a face is. Turns about an axis that a body is round about are
 * taken out of k_f: no pressure makes them and they move no liquid, exactly.
 *
 * Source: Batty et al. 2007, 3.
 *
 * Limits: what faces close ends in straight cuts (4 % of a cell of arm in single cells of a ball of 3.6); a
 * body that closes no face is not felt. */
#include "stage/coupling/body.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"
#include "solid/vector.h"
#include "stage/coupling/lift.h"
#include "stage/coupling/thin.h"
#include "stage/coupling/joints.h"

int coupling_make(coupling *c, int bodies) {
    *c = (coupling){.count = bodies};
    if (bodies == 0) return 0;
    c->bodies = mem_alloc((size_t)bodies * sizeof *c->bodies);
    c->first = mem_alloc(((size_t)bodies + 1) * sizeof *c->first);
    return c->bodies && c->first ? 0 : -1;
}

void coupling_free(coupling *c) {
    for (int i = 0; c->bodies && i < c->count; ++i) {
        mem_free(c->bodies[i].faces);
        mem_free(c->bodies[i].cells);
    }
    joints_free(c);
    mem_free(c->bodies);
    mem_free(c->first);
    mem_free(c->rows);
    *c = (coupling){0};
}

size_t coupling_bytes(const coupling *c) {
    size_t bytes =
        (size_t)c->capacity * sizeof *c->rows + (size_t)c->count * (sizeof *c->bodies + sizeof *c->first);
    for (int i = 0; i < c->count; ++i)
        bytes += (size_t)c->bodies[i].capacity * sizeof *c->bodies->faces +
                 (size_t)c->bodies[i].cell_capacity * sizeof *c->bodies->cells;
    return bytes + joints_bytes(c);
}

/* ---- to the solver and back ---- */

static void body_task(void *context, int index) {
    const coupling_job *s = context;
    coupled_body *b = &s->c->bodies[index];
    b->count = b->cell_count = b->failed = b->freed = 0;
    b->all = b->closed[0] = b->closed[1] = b->closed[2] = 0;
    body_felt_turn(b->felt, b->solid->body);
    memset(b->excess, 0, sizeof b->excess);
    memset(b->attached, 0, sizeof b->attached);
    memset(b->film, 0, sizeof b->film);
    b->failed = b->solid->thin ? coupling_find_thin(b, s)
                               : coupling_find_cells(b, s->g, s->o, s->node_phi, s->unknown,
                                                     (uint16_t)(b->solid - s->solids + 1));
    if (s->still && b->solid->thin && !b->failed) thin_films_on(b, s->still, s->fluid_density);
    coupling_make_mass(b, s);
    coupling_cap_start(b, s->flow, s->fall);
    coupling_make_active(b);
    coupling_read_start(b);
    b->was = *b->solid->body->now;
    b->solid->body->active->wet = b->cell_count > 0;
    if (s->again) memcpy(b->earlier, b->solid->body->active->withheld, sizeof b->earlier);
    else memset(b->earlier, 0, sizeof b->earlier);
    coupling_unbind(b);
    coupling_make_motor(b);
    coupling_bind(b);
}

/* L^-1 as columns, what contacts hold taken out of them; as wide as vectors are. */
enum { WIDE = 8 };

static void free_columns(double column[SIX][WIDE], const coupled_body *b, double scale) {
    memset(column, 0, SIX * WIDE * sizeof(double));
    for (int c = 0; c < SIX; ++c) {
        column[c][c] = scale;
        six_solve_lower(column[c], b->factor);
        coupling_leave_free(column[c], b);
    }
}

HOT static void rows_of_cells(poisson_row *rows, const body_cell *cells, int count,
                              double column[SIX][WIDE]) {
    for (int i = 0; i < count; ++i) {
        double sum[WIDE] = {0};
        float row[WIDE];
        for (int c = 0; c < SIX; ++c)
            for (int r = 0; r < WIDE; ++r) sum[r] += cells[i].push[c] * column[c][r];
        for (int r = 0; r < WIDE; ++r) row[r] = (float)sum[r];
        rows[i].cell = cells[i].cell;
        memcpy(rows[i].value, row, sizeof rows[i].value);
    }
}

static void rows_task(void *context, int index) {
    const coupling_job *s = context;
    const coupled_body *b = &s->c->bodies[index];
    const double scale = sqrt(s->fluid_density * s->g->dx * s->g->dx * s->g->dx);
    joint_group *group = joints_of(s->c, b);
    double column[SIX][WIDE];
    if (group && b->place == 0) joints_rows(s->c, group, b->term, scale);
    if (group || b->cell_count == 0) return; /* in the air: where no body is wet there are no rows at all */
    free_columns(column, b, scale);
    rows_of_cells(s->c->rows + s->c->first[b->term], b->cells, b->cell_count, column);
}

/* Where the rows of each body, or of the first of those that joints link, begin. */
static void place_terms(coupling *c) {
    c->terms = c->first[0] = 0;
    for (int i = 0; i < c->count; ++i) {
        coupled_body *b = &c->bodies[i];
        const joint_group *group = joints_of(c, b);
        const int terms = !group ? 1 : b->place == 0 ? joints_terms(group) : 0;
        b->term = c->terms;
        for (int k = 0; k < terms; ++k, ++c->terms)
            c->first[c->terms + 1] = c->first[c->terms] + (group ? group->cells : b->cell_count);
    }
}

/* When all bodies are bound by themselves. */
static int hand_over(const coupling_job *s, poisson *solver) {
    coupling *c = s->c;
    joints_bind(c, s->g->pool);
    place_terms(c);
    const int need = c->first[c->terms];
    if (need > c->capacity) {
        mem_free(c->rows);
        c->capacity = 2 * need;
        c->rows = mem_alloc((size_t)c->capacity * sizeof *c->rows);
        if (!c->rows) {
            c->capacity = 0;
            return -1;
        }
    }
    coupling_job rows = *s;
    parallel_for(s->g->pool, c->count, rows_task, &rows);
    return solver ? poisson_attach(solver, c->rows, c->first, c->terms) : 0;
}

int coupling_attach(coupling *c, poisson *solver, const mac_grid *g, const openings *o,
                    const obstacle *solids, int solid_count, const joint_rows *rows, const uint8_t *unknown,
                    double fluid_density, const coupling_weight *weight) {
    if (c->count == 0) return 0;
    coupling_job s = {
        .c = c, .g = g, .o = o, .solids = solids, .unknown = unknown, .node_phi = weight->node_phi};
    lift_view still = {.g = g, .o = o, .node_phi = weight->node_phi, .phi = weight->phi, .unknown = unknown};
    s.fluid_density = fluid_density;
    s.pull = vec_length(weight->pull);
    s.dt = weight->dt;
    s.fall = weight->fall;
    s.flow = weight->flow;
    s.again = weight->again;
    s.gaps = weight->gaps;
    if (s.pull > 0) {
        for (int a = 0; a < 3; ++a) still.up[a] = -weight->pull[a] / s.pull;
        s.still = &still;
    }
    for (int i = 0, n = 0; i < solid_count; ++i)
        if (solids[i].body) c->bodies[n++].solid = &solids[i];
    if (joints_find(c, rows)) return -1;
    parallel_for(g->pool, c->count, body_task, &s);
    for (int i = 0; i < c->count; ++i)
        if (c->bodies[i].failed) return -1;
    return hand_over(&s, solver);
}

int coupling_attach_again(coupling *c, poisson *solver, const mac_grid *g, double fluid_density) {
    coupling_job s = {.c = c, .g = g, .fluid_density = fluid_density};
    for (int i = 0; i < c->count; ++i) {
        coupled_body *b = &c->bodies[i];
        memcpy(b->solid->body->now, &b->was, sizeof b->was);
        const int released = coupling_release(b);
        coupling_make_active(b);
        if (released) coupling_make_motor(b);
        if (b->group >= 0) coupling_unbind(b);
        coupling_bind(b);
    }
    return hand_over(&s, solver);
}

typedef struct {
    openings *o;
    const coupling *c;
} walls_job;

static void walls_task(void *context, int index) {
    const walls_job *s = context;
    const coupled_body *b = &s->c->bodies[index];
    const body_state *now = b->solid->body->now;
    for (int k = 0; k < b->count; ++k) {
        const body_face *f = &b->faces[k];
        if (f->share > 0 && f->part == 0) continue; /* add_nearest(): it closes nothing */
        const double through =
            f->share > 0 ? now->velocity[f->axis] + vec_dot(f->turn, now->spin) / f->share : 0;
        s->o->wall.value[f->axis][f->cell] = (float)(f->part * through);
    }
}

void coupling_walls(openings *o, const coupling *c, pool *p) {
    walls_job s = {o, c};
    if (c->count) parallel_for(p, c->count, walls_task, &s); /* a face is one body's */
}

void coupling_momentum(double momentum[POISSON_RANK], const coupling *c, int index) {
    const coupled_body *b = &c->bodies[index];
    const body_state *now = b->solid->body->now;
    double y[SIX];
    for (int r = 0; r < SIX; ++r) {
        y[r] = 0;
        for (int k = r; k < SIX; ++k)
            y[r] += b->factor[SIX * k + r] * (k < 3 ? now->velocity[k] : now->spin[k - 3]);
    }
    for (int r = 0; r < SIX; ++r) {
        momentum[r] = 0;
        for (int k = 0; k <= r; ++k) momentum[r] += b->factor[SIX * r + k] * y[k];
    }
}

static void press_task(void *context, int index) {
    const coupling_job *s = context;
    coupled_body *b = &s->c->bodies[index];
    double *change = b->change;
    memset(change, 0, sizeof b->change);
    for (int i = 0; i < b->cell_count; ++i)
        for (int r = 0; r < SIX; ++r) change[r] += b->cells[i].push[r] * (double)s->q[b->cells[i].cell];
    for (int r = 0; r < SIX; ++r) change[r] *= s->fluid_density * s->g->dx * s->g->dx * s->g->dx;
    six_solve_lower(change, b->factor);
    memcpy(b->pressed, change, sizeof b->pressed);
    coupling_leave_free(change, b);
}

static void push_task(void *context, int index) {
    const coupling_job *s = context;
    coupled_body *b = &s->c->bodies[index];
    body_state *now = b->solid->body->now;
    double *change = b->change, *withheld = b->solid->body->active->withheld;
    for (int r = 0; r < SIX; ++r) withheld[r] = b->pressed[r] - change[r] - b->bound[r];
    coupling_withhold(withheld, b);
    for (int r = 0; r < SIX; ++r) withheld[r] += b->earlier[r];
    six_solve_upper(change, b->factor);
    for (int a = 0; a < 3; ++a) {
        now->velocity[a] += change[a];
        now->spin[a] += change[3 + a];
    }
    if (b->motor.mode) coupling_read_motor(b, b->pressed);
    coupling_cap_pushed(b);
}

void coupling_push(coupling *c, const mac_grid *g, const float *q, double fluid_density) {
    coupling_job s = {.c = c, .g = g, .q = q, .fluid_density = fluid_density};
    if (c->count == 0) return;
    parallel_for(g->pool, c->count, press_task, &s);
    joints_push(c, g->pool);
    parallel_for(g->pool, c->count, push_task, &s);
}

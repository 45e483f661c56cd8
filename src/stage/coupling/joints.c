/* Joints between bodies while pressure acts on these.
 *
 *   P y = (1 - Q Q^T - Z^T (Z Z^T)^-1 Z) y,   Z = J L^-T (1 - Q Q^T),   y = L^T V
 *
 * is what joint rows J V = 0 leave of a group, the bodies that joints link to each other: M = L L^T are the
 * masses of all of them, Q what binds each by itself (stage/coupling/active.c). L^-T P L^-1 takes the place
 * of M^-1: for the velocities that the solve starts from, in the system, and where pressure moves the bodies.
 * A light body that is fixed to a heavy one meets pressure with the mass of both. Where a motor keeps its
 * speed s along q, one of Q, rows follow it: Z y = -J L^-T q s; and it bears what they do along q, which (Z
 * Z^T)^-1 tells.
 *
 * The solver takes a term B B^T = P, Cholesky's factor by pivots. What is left of P's diagonal adds up to the
 * number of motions that are still to come, so the largest entry is either one of them or rounding. Columns
 * of L^-T B go to the solver by sixes, as those of a body that has the cells of the whole group.
 *
 * Source: ours; docs/theory-coupling.md, Joints between bodies.
 *
 * Limits: the work of a group grows as the cube of its bodies, its rows as cells times motions. */
#include "stage/coupling/joints.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"

#define NEW_LEAST 1e-9 /* of the square of a row, beside those before: long arms make joints' rows alike */

void joints_free(coupling *c) {
    coupled_joints *t = c->joints;
    if (!t) return;
    mem_free(t->groups);
    mem_free(t->list);
    mem_free(t->numbers);
    mem_free(t->reals);
    mem_free(t);
    c->joints = NULL;
}

size_t joints_bytes(const coupling *c) {
    const coupled_joints *t = c->joints;
    return t ? sizeof *t + t->capacity[0] + t->capacity[1] + t->capacity[2] + t->capacity[3] : 0;
}

joint_group *joints_of(const coupling *c, const coupled_body *b) {
    return b->group >= 0 ? &c->joints->groups[b->group] : NULL;
}

/* ---- groups ---- */

/* What was there is lost where it must grow. NULL: no memory. */
static void *reserve(void *block, size_t *capacity, size_t bytes) {
    if (block && bytes <= *capacity) return block;
    mem_free(block);
    block = mem_alloc(bytes);
    *capacity = block ? bytes : 0;
    return block;
}

static int index_of(const coupling *c, const body *b) {
    int i = 0;
    while (i < c->count && c->bodies[i].solid->body != b) ++i;
    return i < c->count ? i : -1;
}

/* Lists the rows whose bodies are known; each body's group <- the first body of those it is linked to. */
static void list_rows(coupling *c, const joint_rows *rows) {
    coupled_joints *t = c->joints;
    t->row_count = 0;
    for (int k = 0; k < rows->count; ++k) {
        const int a = index_of(c, rows->item[k].end[0]), b = index_of(c, rows->item[k].end[1]);
        if (a < 0 || b < 0) continue;
        t->list[t->row_count++] = (coupled_row){.of = &rows->item[k], .body = {a, b}};
        c->bodies[a].fixed |= rows->item[k].fixed;
        c->bodies[b].fixed |= rows->item[k].fixed;
        if (c->bodies[a].group < 0) c->bodies[a].group = a;
        if (c->bodies[b].group < 0) c->bodies[b].group = b;
        const int one = c->bodies[a].group, other = c->bodies[b].group, low = one < other ? one : other;
        for (int i = 0; i < c->count; ++i)
            if (c->bodies[i].group == one || c->bodies[i].group == other) c->bodies[i].group = low;
    }
}

/* Rows one after another by their groups, in their order else. */
static void sort_rows(coupling *c) {
    coupled_joints *t = c->joints;
    for (int k = 1; k < t->row_count; ++k) {
        const coupled_row moved = t->list[k];
        const int group = c->bodies[moved.body[0]].group;
        int to = k;
        for (; to > 0 && c->bodies[t->list[to - 1].body[0]].group > group; --to)
            t->list[to] = t->list[to - 1];
        t->list[to] = moved;
    }
}

/* The group of a first body; groups are then known by their own number. */
static void make_group(coupling *c, int first, int *next, int *row) {
    coupled_joints *t = c->joints;
    joint_group *g = &t->groups[t->count];
    *g = (joint_group){.bodies = next, .rows = t->list + *row};
    for (; *row < t->row_count && c->bodies[t->list[*row].body[0]].group == first; ++*row) ++g->row_count;
    for (int i = first; i < c->count; ++i)
        if (c->bodies[i].group == first) {
            c->bodies[i].place = g->count;
            next[g->count++] = i;
        }
    g->at = next + g->count;
    ++t->count;
}

static size_t reals_of(const joint_group *g) {
    const size_t rows = (size_t)g->row_count, n = (size_t)SIX * (size_t)g->count;
    return rows * rows + rows + n * n + 2 * n;
}

static int place_reals(coupled_joints *t) {
    size_t all = 0;
    for (int i = 0; i < t->count; ++i) all += reals_of(&t->groups[i]);
    t->reals = reserve(t->reals, &t->capacity[3], all * sizeof *t->reals);
    if (!t->reals) return -1;
    double *next = t->reals;
    for (int i = 0; i < t->count; ++i) {
        joint_group *g = &t->groups[i];
        const int n = SIX * g->count;
        g->factor = next;
        g->impulse = g->factor + g->row_count * g->row_count;
        g->y = g->impulse + g->row_count;
        g->left = g->y + n;
        g->basis = g->left + n;
        next += reals_of(g);
    }
    return 0;
}

int joints_find(coupling *c, const joint_rows *rows) {
    const size_t bodies = (size_t)c->count;
    for (int i = 0; i < c->count; ++i) {
        c->bodies[i].group = -1;
        c->bodies[i].fixed = 0;
    }
    if (c->joints) c->joints->count = 0;
    if (!rows || rows->count == 0) return 0;
    coupled_joints *t = c->joints = c->joints ? c->joints : mem_alloc(sizeof *t);
    if (!t) return -1;
    t->groups = reserve(t->groups, &t->capacity[0], bodies * sizeof *t->groups);
    t->list = reserve(t->list, &t->capacity[1], (size_t)rows->count * sizeof *t->list);
    t->numbers = reserve(t->numbers, &t->capacity[2], 2 * bodies * sizeof *t->numbers);
    if (!t->groups || !t->list || !t->numbers) return -1;
    list_rows(c, rows);
    sort_rows(c);
    int *next = t->numbers, row = 0;
    for (int i = 0; i < c->count; ++i) {
        if (c->bodies[i].group != i) continue;
        make_group(c, i, next, &row);
        next += 2 * t->groups[t->count - 1].count;
    }
    for (int k = 0; k < t->count; ++k)
        for (int i = 0; i < t->groups[k].count; ++i) c->bodies[t->groups[k].bodies[i]].group = k;
    return place_reals(t);
}

/* ---- what joint rows leave ---- */

static double dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/* A row of Z, when motors have been guessed. */
static void make_row(coupled_row *t, const coupling *c) {
    double size = 0, left = 0;
    t->speed = 0;
    for (int e = 0; e < 2; ++e) {
        const coupled_body *b = &c->bodies[t->body[e]];
        double *z = t->row[e];
        memcpy(z, t->of->row[e], sizeof t->row[e]);
        six_solve_lower(z, b->factor);
        size += dot(z, z, SIX);
        t->driven[e] = b->motor.mode == MOTOR_AT_SPEED ? dot(z, b->motor.row, SIX) : 0;
        if (b->motor.mode == MOTOR_AT_SPEED)
            t->speed -= t->driven[e] * b->solid->body->active->motor.speed / b->motor.size;
        for (int twice = 0; twice < 2; ++twice) coupling_leave_free(z, b);
        left += dot(z, z, SIX);
    }
    const double scale = left > NEW_LEAST * size ? 1 / sqrt(left) : 0;
    t->speed *= scale;
    for (int e = 0; e < 2; ++e) {
        t->driven[e] *= scale;
        for (int r = 0; r < SIX; ++r) t->row[e][r] *= scale;
    }
}

static double rows_dot(const coupled_row *a, const coupled_row *b) {
    double sum = 0;
    for (int e = 0; e < 2; ++e)
        for (int f = 0; f < 2; ++f)
            if (a->body[e] == b->body[f]) sum += dot(a->row[e], b->row[f], SIX);
    return sum;
}

/* Z Z^T = F F^T. Rows that depend on those before them have 0 on the diagonal and no impulse. */
static void factorise(joint_group *g) {
    const int n = g->row_count;
    for (int i = 0; i < n; ++i) {
        double *row = g->factor + n * i;
        for (int j = 0; j <= i; ++j) {
            const double *above = g->factor + n * j;
            const double rest = rows_dot(&g->rows[i], &g->rows[j]) - dot(row, above, j);
            if (i == j) row[i] = rest > NEW_LEAST ? sqrt(rest) : 0;
            else row[j] = above[j] > 0 ? rest / above[j] : 0;
        }
    }
}

/* x <- (Z Z^T)^-1 x */
static void solve_factored(double *x, const joint_group *g) {
    const int n = g->row_count;
    const double *f = g->factor;
    for (int i = 0; i < n; ++i)
        x[i] = f[(n + 1) * i] > 0 ? (x[i] - dot(f + n * i, x, i)) / f[(n + 1) * i] : 0;
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) x[i] -= f[n * k + i] * x[k];
        x[i] = f[(n + 1) * i] > 0 ? x[i] / f[(n + 1) * i] : 0;
    }
}

/* y <- what joint rows make of it: still against each other, or as motors drive them. */
static void obey(joint_group *g, const coupling *c, int driven) {
    for (int k = 0; k < g->row_count; ++k) {
        const coupled_row *t = &g->rows[k];
        g->impulse[k] = driven ? t->speed : 0;
        for (int e = 0; e < 2; ++e)
            g->impulse[k] -= dot(t->row[e], g->y + SIX * c->bodies[t->body[e]].place, SIX);
    }
    solve_factored(g->impulse, g);
    for (int k = 0; k < g->row_count; ++k)
        for (int e = 0; e < 2; ++e) {
            double *y = g->y + SIX * c->bodies[g->rows[k].body[e]].place;
            for (int r = 0; r < SIX; ++r) y[r] += g->impulse[k] * g->rows[k].row[e][r];
        }
}

/* What joint rows do along motors' rows, these need not. */
static void relieve_motors(const joint_group *g, coupling *c) {
    for (int k = 0; k < g->row_count; ++k)
        for (int e = 0; e < 2; ++e) {
            coupled_motor *m = &c->bodies[g->rows[k].body[e]].motor;
            if (m->mode == MOTOR_AT_SPEED) m->impulse -= g->impulse[k] * g->rows[k].driven[e] / m->size;
        }
}

static void bind_start(joint_group *g, coupling *c) {
    for (int i = 0; i < g->count; ++i) {
        const coupled_body *b = &c->bodies[g->bodies[i]];
        for (int r = 0; r < SIX; ++r) g->y[SIX * i + r] = b->start[r] + b->bound[r];
    }
    obey(g, c, 1);
    relieve_motors(g, c);
    for (int i = 0; i < g->count; ++i) {
        coupled_body *b = &c->bodies[g->bodies[i]];
        double *y = g->y + SIX * i;
        for (int r = 0; r < SIX; ++r) b->bound[r] = y[r] - b->start[r];
        six_solve_upper(y, b->factor);
        memcpy(b->solid->body->now->velocity, y, 3 * sizeof *y);
        memcpy(b->solid->body->now->spin, y + 3, 3 * sizeof *y);
    }
}

/* ---- motions that are left ---- */

/* y <- a column of P */
static void project_unit(joint_group *g, const coupling *c, int at) {
    memset(g->y, 0, (size_t)(SIX * g->count) * sizeof *g->y);
    g->y[at] = 1;
    coupling_leave_free(g->y + at / SIX * SIX, &c->bodies[g->bodies[at / SIX]]);
    obey(g, c, 0);
}

/* A further column of B, from that of P; what is left of it by rounding is nothing. */
static void add_motion(joint_group *g, int at) {
    const int n = SIX * g->count;
    double *column = g->basis + (ptrdiff_t)n * g->motions;
    memcpy(column, g->y, (size_t)n * sizeof *column);
    for (int k = 0; k < g->motions; ++k) {
        const double *before = g->basis + (ptrdiff_t)n * k, part = before[at];
        for (int i = 0; i < n; ++i) column[i] -= part * before[i];
    }
    const double scale = 1 / sqrt(column[at]);
    for (int i = 0; i < n; ++i) {
        column[i] = fabs(column[i] * scale) < NEW_LEAST ? 0 : column[i] * scale;
        g->left[i] -= column[i] * column[i];
    }
    g->left[at] = 0;
    ++g->motions;
}

static void find_motions(joint_group *g, const coupling *c) {
    const int n = SIX * g->count;
    g->motions = 0;
    for (int i = 0; i < n; ++i) {
        const int r = i % SIX, out = c->bodies[g->bodies[i / SIX]].solid->body->flat && r >= 2 && r <= 4;
        if (!out) project_unit(g, c, i);
        g->left[i] = out ? 0 : g->y[i];
    }
    for (;;) {
        int at = 0;
        for (int i = 1; i < n; ++i)
            if (g->left[i] > g->left[at]) at = i;
        if (g->left[at] * n < 0.5) break;
        project_unit(g, c, at);
        add_motion(g, at);
    }
    for (int i = 0; i < g->motions * g->count; ++i)
        six_solve_upper(g->basis + SIX * i, c->bodies[g->bodies[i % g->count]].factor);
}

/* The lowest cell that no body is past yet; INT32_MAX: all are at their ends. */
static int32_t next_cell(const joint_group *g, const coupling *c) {
    int32_t cell = INT32_MAX;
    for (int i = 0; i < g->count; ++i) {
        const coupled_body *b = &c->bodies[g->bodies[i]];
        if (g->at[i] < b->cell_count && b->cells[g->at[i]].cell < cell) cell = b->cells[g->at[i]].cell;
    }
    return cell;
}

/* What the body pushes in that cell, and on to its next; NULL: nothing. */
static const double *push_in(joint_group *g, const coupling *c, int i, int32_t cell) {
    const coupled_body *b = &c->bodies[g->bodies[i]];
    if (g->at[i] == b->cell_count || b->cells[g->at[i]].cell != cell) return NULL;
    return b->cells[g->at[i]++].push;
}

static void count_cells(joint_group *g, const coupling *c) {
    int32_t cell;
    memset(g->at, 0, (size_t)g->count * sizeof *g->at);
    for (g->cells = 0; (cell = next_cell(g, c)) < INT32_MAX; ++g->cells)
        for (int i = 0; i < g->count; ++i) push_in(g, c, i, cell);
}

void joints_rows(coupling *c, joint_group *g, int first, double scale) {
    const int n = SIX * g->count;
    memset(g->at, 0, (size_t)g->count * sizeof *g->at);
    for (int m = 0; m < g->cells; ++m) {
        const int32_t cell = next_cell(g, c);
        memset(g->y, 0, (size_t)n * sizeof *g->y);
        for (int i = 0; i < g->count; ++i) {
            const double *push = push_in(g, c, i, cell);
            for (int k = 0; k < g->motions && push; ++k)
                g->y[k] += scale * dot(push, g->basis + (ptrdiff_t)n * k + SIX * i, SIX);
        }
        for (int k = 0; k < joints_terms(g); ++k) {
            poisson_row *row = &c->rows[c->first[first + k] + m];
            row->cell = cell;
            for (int r = 0; r < SIX; ++r) row->value[r] = (float)g->y[SIX * k + r];
        }
    }
}

/* ---- before and after a solve ---- */

static void bind_task(void *context, int index) {
    coupling *c = context;
    joint_group *g = &c->joints->groups[index];
    for (int k = 0; k < g->row_count; ++k) make_row(&g->rows[k], c);
    factorise(g);
    bind_start(g, c);
    find_motions(g, c);
    count_cells(g, c);
}

void joints_bind(coupling *c, pool *p) {
    if (c->joints && c->joints->count) parallel_for(p, c->joints->count, bind_task, c);
}

static void push_task(void *context, int index) {
    coupling *c = context;
    joint_group *g = &c->joints->groups[index];
    for (int i = 0; i < g->count; ++i)
        memcpy(g->y + SIX * i, c->bodies[g->bodies[i]].change, SIX * sizeof *g->y);
    obey(g, c, 0);
    relieve_motors(g, c);
    for (int i = 0; i < g->count; ++i)
        memcpy(c->bodies[g->bodies[i]].change, g->y + SIX * i, SIX * sizeof *g->y);
}

void joints_push(coupling *c, pool *p) {
    if (c->joints && c->joints->count) parallel_for(p, c->joints->count, push_task, c);
}

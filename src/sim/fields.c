/* Rows are added once, when a simulation is made; who has none of something adds no row for it. A row holds
 * the address of the pointer and not the pointer: engines may swap fields. */
#include "sim/fields.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include "core/memory.h"
#include "core/report.h"

_Static_assert(sizeof(int) == 4 && sizeof(bool) == 1 && sizeof(size_t) == 8, "types of a checkpoint");

static field_row *add(field_list *l, field_kind kind, void *at, int count) {
    assert(l->count < FIELDS_MAX);
    field_row *f = &l->row[l->count++];
    *f = (field_row){.kind = kind, .at = at, .count = count};
    return f;
}

static void name_row(field_row *f, const char *name) {
    static const char *const suffix[FIELD_PARTS] = {"_x", "_y", "_z"};
    assert(strlen(name) + 2 < FIELD_NAME);
    for (int a = 0; a < FIELD_PARTS; ++a) {
        strcpy(f->name[a], name);
        if (f->kind == FIELD_FACES) strcat(f->name[a], suffix[a]);
    }
}

void field_kept(field_list *l, const char *name, field_kind kind, void *at) {
    name_row(add(l, kind, at, 1), name);
}

void field_kept_reals(field_list *l, const char *name, double *values, int count) {
    name_row(add(l, FIELD_REALS, values, count), name);
}

void field_held(field_list *l, field_kind kind, void *at) {
    add(l, kind, at, 1);
}

void field_kept_solve(field_list *l, const char *name, rheo_solve_stats *solve) {
    const struct {
        const char *name;
        field_kind kind;
        void *at;
    } parts[] = {
        {"unknowns", FIELD_WHOLE, &solve->unknowns},   {"iterations", FIELD_INT, &solve->iterations},
        {"residual", FIELD_REALS, &solve->residual},   {"converged", FIELD_FLAG, &solve->converged},
        {"closed", FIELD_INT, &solve->closed_regions}, {"incompatible", FIELD_REALS, &solve->incompatible},
        {"rounds", FIELD_INT, &solve->rounds},         {"separated", FIELD_WHOLE, &solve->separated},
        {"violation", FIELD_REALS, &solve->violation},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        char whole[FIELD_NAME];
        snprintf(whole, sizeof whole, "%s_%s", name, parts[i].name);
        field_kept(l, whole, parts[i].kind, parts[i].at);
    }
}

/* ---- memory ---- */

int fields_on_grid(const field_list *l) {
    for (const field_row *f = l->row; f < l->row + l->count; ++f)
        if (f->kind == FIELD_CELLS || f->kind == FIELD_FACES || f->kind == FIELD_MARKS) return 1;
    return 0;
}

int fields_make(const field_list *l, const mac_grid *g) {
    int bad = 0;
    for (const field_row *f = l->row; f < l->row + l->count; ++f) {
        if (f->kind == FIELD_CELLS) bad |= field_make(f->at, g);
        if (f->kind == FIELD_FACES) bad |= mac_field_make(f->at, g);
        if (f->kind == FIELD_MARKS) bad |= !(*(uint8_t **)f->at = mem_alloc(g->box.size));
    }
    return bad ? -1 : 0;
}

void fields_free(const field_list *l) {
    for (const field_row *f = l->row; f < l->row + l->count; ++f) {
        if (f->kind == FIELD_CELLS) mem_free(*(float **)f->at);
        if (f->kind == FIELD_FACES) mac_field_free(f->at);
        if (f->kind == FIELD_MARKS) mem_free(*(uint8_t **)f->at);
        if (f->kind == FIELD_PARTICLES) particles_free(f->at);
    }
}

size_t fields_bytes(const field_list *l, const mac_grid *g) {
    const size_t one = g->box.size * sizeof(float);
    size_t bytes = 0;
    for (const field_row *f = l->row; f < l->row + l->count; ++f) {
        if (f->kind == FIELD_CELLS) bytes += one;
        if (f->kind == FIELD_FACES) bytes += (size_t)g->box.dim * one;
        if (f->kind == FIELD_MARKS) bytes += g->box.size;
        if (f->kind == FIELD_PARTICLES) bytes += particles_bytes(f->at);
    }
    return bytes;
}

/* ---- checkpoints ---- */

static int view_particles(state_array *out, const particles *p) {
    static const char *const names[3][2] = {{"x", "v_x"}, {"y", "v_y"}, {"z", "v_z"}};
    int n = 0;
    for (int a = 0; a < p->dim; ++a) {
        out[n++] = (state_array){names[a][0], STATE_F32, p->count, p->x[a]};
        out[n++] = (state_array){names[a][1], STATE_F32, p->count, p->v[a]};
    }
    for (int e = 0; e < p->extra_count; ++e)
        out[n++] = (state_array){p->extra_name[e], STATE_F32, p->count, p->extra[e]};
    out[n++] = (state_array){"id", STATE_U32, p->count, p->id};
    out[n++] = (state_array){"fluid", STATE_U8, p->count, p->fluid};
    out[n++] = (state_array){"spray", STATE_U8, p->count, p->spray};
    return n;
}

/* One row's arrays; of particles the columns, whose number of elements is the row's own. */
static int view_row(state_array *out, const field_row *f, const mac_grid *g) {
    const size_t size = g->box.size;
    int n = 0;
    switch (f->kind) {
    case FIELD_CELLS: out[n++] = (state_array){f->name[0], STATE_F32, size, *(float **)f->at}; break;
    case FIELD_MARKS: out[n++] = (state_array){f->name[0], STATE_U8, size, *(uint8_t **)f->at}; break;
    case FIELD_FACES:
        for (int a = 0; a < g->box.dim; ++a)
            out[n++] = (state_array){f->name[a], STATE_F32, size, ((mac_field *)f->at)->value[a]};
        break;
    case FIELD_PARTICLES: return view_particles(out, f->at);
    case FIELD_REALS: out[n++] = (state_array){f->name[0], STATE_F64, (size_t)f->count, f->at}; break;
    case FIELD_WHOLE: out[n++] = (state_array){f->name[0], STATE_I64, 1, f->at}; break;
    case FIELD_INT: out[n++] = (state_array){f->name[0], STATE_I32, 1, f->at}; break;
    case FIELD_COUNTER: out[n++] = (state_array){f->name[0], STATE_U32, 1, f->at}; break;
    case FIELD_FLAG: out[n++] = (state_array){f->name[0], STATE_U8, 1, f->at}; break;
    }
    return n;
}

int fields_view(state_array *out, const field_list *l, const mac_grid *g) {
    int n = 0;
    for (const field_row *f = l->row; f < l->row + l->count; ++f) {
        if (!f->name[0][0]) continue;
        if (f->kind == FIELD_PARTICLES)
            out[n++] = (state_array){f->name[0], STATE_I64, 1, &((particles *)f->at)->count};
        n += view_row(out + n, f, g);
    }
    assert(n <= STATE_ARRAYS_MAX);
    return n;
}

static const char *const fits = "a checkpoint of this scene, whole";

static rheo_status read_arrays(const state_array *list, int count, state_reader *read, void *context,
                               rheo_report *report) {
    for (int i = 0; i < count; ++i)
        if (read(context, &list[i]))
            return report_fail(report, RHEO_INVALID, fits, "checkpoint array '%s' cannot be read",
                               list[i].name);
    return RHEO_OK;
}

/* How many there are, and room for them. */
static rheo_status read_count(const field_row *f, state_reader *read, void *context, rheo_report *report) {
    particles *p = f->at;
    int64_t count = 0;
    const state_array wanted = {f->name[0], STATE_I64, 1, &count};
    const rheo_status status = read_arrays(&wanted, 1, read, context, report);
    if (status) return status;
    if (count < 0 || count > UINT32_MAX)
        return report_fail(report, RHEO_INVALID, fits, "checkpoint with %lld particles", (long long)count);
    if (count && particles_reserve(p, (size_t)count)) return report_no_memory(report, "particles");
    p->count = (size_t)count;
    return RHEO_OK;
}

rheo_status fields_read(const field_list *l, const mac_grid *g, state_reader *read, void *context,
                        rheo_report *report) {
    state_array list[STATE_ARRAYS_MAX];
    rheo_status status = RHEO_OK;
    for (const field_row *f = l->row; f < l->row + l->count && !status; ++f) {
        if (!f->name[0][0]) continue;
        if (f->kind == FIELD_PARTICLES) status = read_count(f, read, context, report);
        if (!status) status = read_arrays(list, view_row(list, f, g), read, context, report);
    }
    return status;
}

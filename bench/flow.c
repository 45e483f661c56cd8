/* Fields filled from functions; see flow.h. */
#include "flow.h"

#include <string.h>
#include "core/memory.h"
#include "grid/rows.h"

void flow_face(double x[3], const flow *f, int axis, int i, int j, int k) {
    flow_cell(x, f, i, j, k);
    x[axis] -= 0.5 * f->g.dx;
}

void flow_cell(double x[3], const flow *f, int i, int j, int k) {
    const double at[3] = {i + 0.5, j + 0.5, k + 0.5};
    for (int a = 0; a < 3; ++a) x[a] = a < f->g.box.dim ? f->g.origin[a] + at[a] * f->g.dx : 0;
}

static void fill(float *field, const flow *f, double shift, double without, space_function value,
                 const void *context) {
    const box *b = &f->g.box;
    const cell_range r = range_grow(range_cells(&f->g), &f->g, GHOST);
    for (int k = r.lower[2]; k < r.upper[2]; ++k)
        for (int j = r.lower[1]; j < r.upper[1]; ++j)
            for (int i = r.lower[0]; i < r.upper[0]; ++i) {
                double x[3];
                flow_cell(x, f, i, j, k);
                for (int a = 0; a < b->dim; ++a) x[a] -= shift * f->g.dx;
                field[box_at(b, i, j, k)] = (float)(value ? value(x, context) : without);
            }
}

int flow_make(flow *f, int dim, int n, int threads, space_function solid, space_function phi,
              const void *context) {
    memset(f, 0, sizeof *f);
    f->g = (mac_grid){
        .box = box_make(dim, (int[3]){n, n, dim == 3 ? n : 1}), .dx = 1.0 / n, .pool = pool_create(threads)};
    const size_t bytes = f->g.box.size * sizeof(float);
    float **const fields[] = {&f->solid, &f->phi, &f->q, &f->work.extra, &f->work.rhs};
    int bad = mac_field_make(&f->u, &f->g) | mac_field_make(&f->open.open, &f->g) |
              mac_field_make(&f->work.face, &f->g);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i) bad |= !(*fields[i] = mem_alloc(bytes));
    bad |= !(f->work.unknown = mem_alloc(f->g.box.size));
    bad |= !(f->solver = poisson_create(&f->g.box, f->g.pool, POISSON_MULTIGRID));
    if (bad) {
        flow_free(f);
        return -1;
    }
    fill(f->solid, f, 0.5, 1, solid, context);
    fill(f->phi, f, 0, -1, phi, context);
    solids_open_faces(&f->open, &f->g, f->solid);
    return 0;
}

poisson_result flow_project(flow *f, double tolerance) {
    memset(f->q, 0, f->g.box.size * sizeof *f->q);
    if (pressure_assemble(f->solver, &f->work, &f->g, &f->open, f->phi)) return (poisson_result){0};
    return pressure_project(&f->u, f->q, f->solver, &f->work, &f->g, &f->open, f->phi, tolerance, 500);
}

void flow_free(flow *f) {
    mac_field_free(&f->u);
    mac_field_free(&f->open.open);
    mac_field_free(&f->work.face);
    void *const blocks[] = {f->solid, f->phi, f->q, f->work.extra, f->work.rhs, f->work.unknown};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i) mem_free(blocks[i]);
    poisson_free(f->solver);
    pool_free(f->g.pool);
    memset(f, 0, sizeof *f);
}

/* The methods of a scene: which engine runs each, and what it makes of a scene. A new engine is a new row. */
#include "sim/engine.h"

typedef struct method_row {
    rheo_method_info info;
    const sim_engine *engine;
    method_cost cost;
} method_row;

#define PARTICLES_ON_GRID                                                                                    \
    .available = true, .particles = true, .mesh = true, .periodic = true, .separation = true,                \
    .viscosity = true

static const method_row rows[] = {
    [RHEO_FLIP] = {{PARTICLES_ON_GRID}, &liquid_engine, {.share = 1}},
    [RHEO_APIC] = {{PARTICLES_ON_GRID}, &liquid_engine, {.share = 1.2, .columns = 9}},
    [RHEO_PIC] = {{PARTICLES_ON_GRID}, &liquid_engine, {.share = 1}},
    [RHEO_SEMI_LAGRANGIAN] = {{PARTICLES_ON_GRID}, &liquid_engine, {.share = 1, .carries = true}},
    [RHEO_MAC] = {{.available = true, .particles = true, .mesh = true, .shears = true},
                  &mac_engine,
                  {.share = 1.6}},
    [RHEO_SMOKE] = {{.available = true, .gas = true, .volume = true, .periodic = true, .separation = true},
                    &smoke_engine,
                    {.share = 1}},
    [RHEO_SPH] = {{.available = true, .particles = true, .mesh = true, .periodic = true, .gridless = true},
                  &sph_engine,
                  {.share = 4, .columns = 2}},
};

static const method_row *row_of(rheo_method method) {
    static const method_row none = {.engine = NULL};
    return (size_t)method < sizeof rows / sizeof *rows ? &rows[method] : &none;
}

const rheo_method_info *rheo_describe_method(rheo_method method) {
    return &row_of(method)->info;
}

const sim_engine *sim_engine_of(rheo_method method) {
    return row_of(method)->engine;
}

const method_cost *sim_cost_of(rheo_method method) {
    return &row_of(method)->cost;
}

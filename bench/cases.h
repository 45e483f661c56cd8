/* The cases and figures themselves; each prints its rows and says whether it could run at all. */
#ifndef BENCH_CASES_H
#define BENCH_CASES_H

#include "rows.h"

rheo_status reproduce_poisson_order(rows *out);
rheo_status reproduce_hydrostatic(rows *out);
rheo_status reproduce_tanks(rows *out, const char *name); /* the running half of hydrostatic */
rheo_status reproduce_taylor_green(rows *out);
rheo_status reproduce_dam_break_front(rows *out);
rheo_status reproduce_volume(rows *out);
rheo_status reproduce_momentum(rows *out);
rheo_status reproduce_wall_separation(rows *out);
rheo_status reproduce_added_mass(rows *out);
rheo_status reproduce_buoyancy(rows *out);
rheo_status reproduce_gap(rows *out);
rheo_status reproduce_plug(rows *out);
rheo_status reproduce_contact(rows *out);
rheo_status reproduce_stones(rows *out);     /* tumbling-stones */
rheo_status reproduce_turned_box(rows *out); /* vortex-in-box */
rheo_status reproduce_poiseuille(rows *out);
rheo_status reproduce_couette(rows *out);
rheo_status reproduce_two_layer(rows *out);
rheo_status reproduce_annular_couette(rows *out);
rheo_status reproduce_viscous_disk(rows *out);
rheo_status reproduce_ballistic(rows *out);
rheo_status reproduce_sag(rows *out);
rheo_status reproduce_stokes_drag(rows *out);
rheo_status reproduce_edge_mean(rows *out);
rheo_status reproduce_explicit_limit(rows *out);
rheo_status reproduce_fold(rows *out);
rheo_status reproduce_coil(rows *out);
rheo_status reproduce_buckling(rows *out);
rheo_status reproduce_tree_viscosity(rows *out);
rheo_status reproduce_tree_3d(rows *out);
rheo_status reproduce_slab_heat(rows *out);
rheo_status reproduce_lod_order(rows *out);
rheo_status reproduce_contact_heat(rows *out);
rheo_status reproduce_stefan(rows *out);
rheo_status reproduce_cooling(rows *out);
rheo_status reproduce_insulated(rows *out);
rheo_status reproduce_power(rows *out);
rheo_status reproduce_bath(rows *out);
rheo_status reproduce_upwind_heat(rows *out);
rheo_status reproduce_melts(rows *out);
rheo_status reproduce_sets(rows *out);
rheo_status reproduce_sph_kernels(rows *out);
rheo_status reproduce_sph_hydrostatic(rows *out);
rheo_status reproduce_sph_poiseuille(rows *out);
rheo_status reproduce_sph_couette(rows *out);
rheo_status reproduce_sph_drop(rows *out);
rheo_status reproduce_sph_float(rows *out);
rheo_status reproduce_sph_front(rows *out);
rheo_status reproduce_sph_order(rows *out);
rheo_status reproduce_sph_volume(rows *out);
rheo_status reproduce_sph_integrators(rows *out);
rheo_status reproduce_sph_source(rows *out);
rheo_status reproduce_shear_startup(rows *out);
rheo_status reproduce_spin(rows *out);
rheo_status reproduce_couette_startup(rows *out);
rheo_status reproduce_sph_elastic_drop(rows *out);

rheo_status bench_stream(rows *out);
rheo_status bench_poisson(rows *out);
rheo_status bench_particles(rows *out);
rheo_status bench_step(rows *out);
rheo_status bench_smoke(rows *out);
rheo_status bench_separation(rows *out);
rheo_status bench_bodies(rows *out);
rheo_status bench_viscosity(rows *out);
rheo_status bench_tree(rows *out);
rheo_status bench_heat(rows *out);
rheo_status bench_sph(rows *out);
#endif

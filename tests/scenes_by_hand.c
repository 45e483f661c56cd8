/* Scenes filled by hand; see scenes_by_hand.h. */
#include "scenes_by_hand.h"
#include "check.h"

/* ---- shapes ---- */

rheo_shape box_between(double x0, double y0, double z0, double x1, double y1, double z1) {
    rheo_shape s = rheo_default_shape(RHEO_SHAPE_BOX);
    s.a[0] = x0, s.a[1] = y0, s.a[2] = z0;
    s.b[0] = x1, s.b[1] = y1, s.b[2] = z1;
    return s;
}

rheo_shape box_about(const double middle[3], const double half[3]) {
    return box_between(middle[0] - half[0], middle[1] - half[1], middle[2] - half[2], middle[0] + half[0],
                       middle[1] + half[1], middle[2] + half[2]);
}

rheo_shape flat_box(double x0, double y0, double x1, double y1) {
    return box_between(x0, y0, -1, x1, y1, 2);
}

rheo_shape ball_at(double x, double y, double z, double radius) {
    rheo_shape s = rheo_default_shape(RHEO_SHAPE_SPHERE);
    s.a[0] = x, s.a[1] = y, s.a[2] = z;
    s.radius = radius;
    return s;
}

rheo_shape cylinder_between(const double from[3], const double to[3], double radius) {
    rheo_shape s = rheo_default_shape(RHEO_SHAPE_CYLINDER);
    memcpy(s.a, from, sizeof s.a);
    memcpy(s.b, to, sizeof s.b);
    s.radius = radius;
    return s;
}

rheo_shape turned(rheo_shape form, double x, double y, double z, double degrees) {
    form.rotate_axis[0] = x, form.rotate_axis[1] = y, form.rotate_axis[2] = z;
    form.rotate_degrees = degrees;
    return form;
}

/* ---- scenes ---- */

rheo_curve steady(const double *value) {
    return (rheo_curve){.count = 1, .values = value, .width = 1};
}

rheo_curve steady_vector(const double v[3]) {
    return (rheo_curve){.count = 1, .values = v, .width = 3};
}

void set_up(setup *t, rheo_method method, int dim, int cells) {
    *t = (setup){.scene = rheo_default_scene(), .gravity = {0, -9.81, 0}};
    t->fluid[0] = rheo_default_fluid();
    if (method == RHEO_SMOKE) t->fluid[0].density = 1.2;
    t->scene.method = method;
    t->scene.output_mesh = method != RHEO_SMOKE;
    t->scene.dim = dim;
    t->scene.cells = cells;
    t->scene.gravity = steady_vector(t->gravity);
    t->scene.fluids = t->fluid;
    t->scene.fluid_count = 1;
    t->scene.solids = t->solid;
    t->scene.emitters = &t->emitter;
    t->scene.joints = t->joint;
    set_size(t, 1, 1, 1);
}

void set_size(setup *t, double x, double y, double z) {
    t->scene.size[0] = x, t->scene.size[1] = y, t->scene.size[2] = z;
}

static void fill_fluid(setup *t, int index, rheo_shape form) {
    t->fill[index] = form;
    t->fluid[index].fill = &t->fill[index];
    t->fluid[index].fill_count = 1;
}

void fill_with(setup *t, rheo_shape form) {
    fill_fluid(t, 0, form);
}

void fill_pool(setup *t, double level) {
    fill_fluid(t, 0, box_between(0, 0, 0, t->scene.size[0], level, t->scene.size[2]));
}

rheo_fluid *add_fluid(setup *t, const char *name, rheo_shape fill) {
    const int index = t->scene.fluid_count++;
    assert_true(index < SETUP_FLUIDS);
    t->fluid[index] = t->fluid[0];
    t->fluid[index].name = name;
    fill_fluid(t, index, fill);
    return &t->fluid[index];
}

rheo_solid *add_solid(setup *t, rheo_shape form) {
    const int index = t->scene.solid_count++;
    assert_true(index < SETUP_SOLIDS);
    t->solid[index] = rheo_default_solid();
    t->solid[index].shape = form;
    return &t->solid[index];
}

rheo_solid *add_body(setup *t, rheo_shape form, double density) {
    rheo_solid *s = add_solid(t, form);
    s->motion = RHEO_DYNAMIC;
    s->density = density;
    return s;
}

rheo_solid *add_keyed(setup *t, rheo_shape form, int keys, const double *times, const double *places) {
    rheo_solid *s = add_solid(t, form);
    s->motion = RHEO_KEYED;
    s->position = (rheo_curve){.count = keys, .times = times, .values = places, .width = 3};
    return s;
}

rheo_emitter *add_emitter(setup *t, rheo_shape form, double x, double y, double z) {
    t->emitter = rheo_default_emitter();
    t->emitter.shape = form;
    t->emitter.velocity = steady_vector(t->blow);
    t->blow[0] = x, t->blow[1] = y, t->blow[2] = z;
    t->scene.emitter_count = 1;
    return &t->emitter;
}

rheo_joint *add_joint(setup *t, rheo_joint_kind kind) {
    const int index = t->scene.joint_count++;
    assert_true(index < SETUP_JOINTS);
    t->joint[index] = rheo_default_joint();
    t->joint[index].kind = kind;
    return &t->joint[index];
}

/* ---- simulations ---- */

rheo_sim *start_sim(const rheo_scene *scene, int threads) {
    rheo_sim *sim = NULL;
    rheo_report report = {0};
    if (rheo_create_sim(&sim, scene, threads, &report)) fail_msg("%s: %s", report.path, report.message);
    return sim;
}

void step_sim(rheo_sim *sim, double dt) {
    rheo_report report = {0};
    if (rheo_advance_step(sim, dt, &report)) fail_msg("%s", report.message);
}

rheo_frame_stats run_frames(rheo_sim *sim, int frames) {
    rheo_frame_stats stats;
    rheo_report report = {0};
    if (frames == 0) return stats_of(sim);
    for (int f = 0; f < frames; ++f)
        if (rheo_advance_frame(sim, NULL, &stats, &report)) fail_msg("%s", report.message);
    return stats;
}

rheo_frame_stats stats_of(rheo_sim *sim) {
    rheo_frame_stats stats;
    rheo_read_stats(&stats, sim);
    return stats;
}

double time_of(rheo_sim *sim) {
    return stats_of(sim).time;
}

rheo_body_stats body_of(const rheo_sim *sim, int index) {
    rheo_body_stats body;
    double turn = 0;
    rheo_read_body(&body, NULL, sim, index);
    for (int a = 0; a < 4; ++a) turn += fabs(body.orientation[a]);
    assert_true(turn > 0); /* there are so many bodies */
    return body;
}

double kinetic_of(const rheo_body_stats *body, double mass, const double inertia[3]) {
    const double w = body->orientation[0], *q = body->orientation + 1;
    double energy = 0;
    for (int a = 0; a < 3; ++a) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        /* the axis that was along a, turned; spin about it */
        const double along[3] = {1 - 2 * (q[b] * q[b] + q[c] * q[c]), 2 * (q[a] * q[b] + w * q[c]),
                                 2 * (q[a] * q[c] - w * q[b])};
        const double spin = along[0] * body->spin[a] + along[1] * body->spin[b] + along[2] * body->spin[c];
        energy += 0.5 * mass * body->velocity[a] * body->velocity[a] + 0.5 * inertia[a] * spin * spin;
    }
    return energy;
}

static void probe(double row[6], const rheo_sim *sim, unsigned quantity, const double at[3]) {
    const rheo_probe one = {.name = "one",
                            .from = {at[0], at[1], at[2]},
                            .to = {at[0], at[1], at[2]},
                            .samples = 1,
                            .of = quantity};
    rheo_sample_probe(row, sim, &one);
}

double probe_one(const rheo_sim *sim, unsigned quantity, double x, double y, double z) {
    double row[6];
    probe(row, sim, quantity, (const double[3]){x, y, z});
    return row[3];
}

double face_velocity(const rheo_sim *sim, int axis, int i, int j, int k) {
    const int at[3] = {i, j, k};
    rheo_volume_view v;
    double x[3], row[6];
    rheo_view_volume(&v, sim);
    for (int a = 0; a < 3; ++a) x[a] = v.origin[a] + v.dx * (at[a] + (a == axis ? 0 : 0.5));
    probe(row, sim, RHEO_OF_VELOCITY, x);
    return row[3 + axis];
}

double surface_height(const rheo_sim *sim, int i, int k) {
    rheo_volume_view v;
    double above = 0;
    rheo_view_volume(&v, sim);
    for (int j = v.cells[1] - 1; j >= 0; --j) {
        const double phi = probe_one(sim, RHEO_OF_PHI, v.origin[0] + v.dx * (i + 0.5),
                                     v.origin[1] + v.dx * (j + 0.5), v.origin[2] + v.dx * (k + 0.5));
        if (j < v.cells[1] - 1 && phi < 0 && above >= 0)
            return v.origin[1] + v.dx * (j + 0.5 + phi / (phi - above));
        above = phi;
    }
    return (double)NAN;
}

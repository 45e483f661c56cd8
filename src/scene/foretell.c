/* What a run will take: memory, disk, steps and time; and what in a scene makes its steps absurdly short.
 *
 * Memory is a model of the solver's fields (bytes a cell) and particles (bytes each). Time is the number of
 * steps, from the solver's own limits at the speed of free fall and of keyed solids, times a cost a cell and
 * a particle, and of solids that move by their surfaces. Limits: against what the dam break takes of its own
 * estimate, which tells how fast a machine is, other scenes are within a factor of four, steps and all; where
 * bodies fill their channel, so that nothing gets as fast as it would fall, five times too much is foretold.
 * A scene that comes to rest takes fewer steps. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "scene/doctor.h"
#include "sim/definition.h"
#include "sim/engine.h"
#include "sim/step_limit.h"
#include "solid/curve.h"
#include "solid/vector.h"

enum { PARTS_MOST = 4096, STEPS_MANY = 100 }; /* parts of a run looked at one by one; steps a frame */
enum { LATTICE_MOST = 32, KEYED_LOOKS = 5 };  /* steps along a shape; times at which it is looked at */
#define DAYS_MANY    3.0                      /* of computing */
#define GRAVITY_MANY 100.0                    /* m/s2 */
#define STRUCK       1.5 /* times the speed of what strikes: rims of planks, blocks on them */

/* Bytes: calibrated against the peak of runs of the dam break from 12 to 128 cells, all methods. */
static const double BASE_BYTES = 30e6, CELL_BYTES = 140, EMITTER_BYTES = 32, MOVING_BYTES = 30,
                    SEPARATION_BYTES = 35, PARTICLE_BYTES = 52, COLUMN_BYTES = 6.3;
static const double SMOKE_CELL_BYTES = 200;
/* Seconds of one thread of a machine of 2021, from the built-in scenes at 32 to 128 cells: a step by itself,
 * by a cell of the box and a particle; more by a cell where there are solids, solids that move, and a
 * velocity field that is carried along itself; a frame's statistics, a byte of a mesh, a byte of a
 * checkpoint. Of a solid that moves: by a cell of its surface and a part that is asked, one more than its
 * primitives and log2 of its triangles; those thinner than the grid resolves. What solids take was fitted to
 * 30 runs on one thread, as multiples of the dam break's cells and particles. */
static const double STEP_SECONDS = 3e-4, CELL_SECONDS = 6e-8, PARTICLE_SECONDS = 1.4e-7,
                    SOLID_SECONDS = 1.5e-7, MOVING_SECONDS = 2e-7, CARRY_SECONDS = 5e-7, WALL_SECONDS = 6e-6,
                    THIN_WALL_SECONDS = 7e-5;
static const double FRAME_SECONDS = 2e-3, FILE_SECONDS = 2e-8, STATE_SECONDS = 1.2e-8;
/* The same of smoke, by a cell, on two threads. */
static const double SMOKE_CELL_SECONDS = 3e-7;

static double available_memory(void) {
    FILE *f = fopen("/proc/meminfo", "r");
    char line[256];
    double kilobytes = 0;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %lf", &kilobytes) == 1) break;
    if (f) fclose(f);
    return 1024 * kilobytes;
}

/* How much faster all cores are than one: memory is shared. */
static double cores_speed_up(void) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return pow(cores > 1 ? (double)cores : 1, 0.75);
}

/* Free space where `out` is or would be: at the nearest directory above that exists. */
static double available_disk(const char *out) {
    char path[1024];
    struct statvfs info;
    if (!out || snprintf(path, sizeof path, "%s", out) >= (int)sizeof path) return 0;
    while (statvfs(path, &info) != 0) {
        char *slash = strrchr(path, '/');
        if (!slash) snprintf(path, sizeof path, ".");
        else slash[slash == path ? 1 : 0] = '\0';
        if ((!slash || slash == path) && statvfs(path, &info) != 0) return 0;
    }
    return (double)info.f_bavail * (double)info.f_frsize;
}

/* Of what moves or pulls: in a plane scene z does neither. */
static double length(const doctor *d, const double v[3]) {
    const double z = d->scene->dim == 3 ? v[2] : 0;
    return sqrt(v[0] * v[0] + v[1] * v[1] + z * z);
}

/* The speed of what starts in a shape with `start` m/s and falls as far as the domain goes. */
static double fall_speed(const doctor *d, const shape *from, double start, const double g[3]) {
    double low[3], high[3], square = start * start;
    if (!from) return start;
    shape_bounds(low, high, from);
    for (int a = 0; a < d->scene->dim; ++a) {
        const double height =
            g[a] < 0 ? fmin(high[a], d->scene->size[a]) : d->scene->size[a] - fmax(low[a], 0);
        square += 2 * fabs(g[a]) * fmax(height, 0);
    }
    return sqrt(square);
}

/* The fastest that keyed solids move in a part of the run. */
static double keyed_speed(const doctor *d, double from, double to) {
    double most = 0;
    for (int i = 0; i < d->scene->solid_count; ++i)
        if (d->scene->solids[i].motion == RHEO_KEYED)
            most = fmax(most, placement_fastest(&d->scene->solids[i], d->solid[i], from, to));
    return most;
}

/* The longest value of a curve of vectors between two times: at an end or on a key, as |v| is convex between.
 */
static double longest_value(double v[3], const doctor *d, const rheo_curve *c, double from, double to) {
    const double ends[2] = {from, to};
    double most = -1, value[3] = {0};
    v[0] = v[1] = v[2] = 0;
    for (int i = -2; c->count && i < c->count; ++i) {
        if (i >= 0 && (c->count == 1 || c->times[i] < from || c->times[i] > to)) continue;
        rheo_evaluate_curve(value, c, i < 0 ? ends[i + 2] : c->times[i]);
        if (length(d, value) <= most) continue;
        most = length(d, value);
        memcpy(v, value, sizeof value);
    }
    return fmax(most, 0);
}

/* Whether gravity pulls straight down to a side, always. */
static bool pulls_down(const rheo_scene *s) {
    bool down = true;
    for (int k = 0; k < s->gravity.count; ++k) {
        const double *g = &s->gravity.values[3 * k];
        down = down && g[0] == 0 && g[1] <= 0 && (s->dim == 2 || g[2] == 0);
    }
    return down;
}

/* Whether a fill is a pool, a box on the floor from side to closed side: it lies still unless it is stirred.
 */
static bool is_pool(const doctor *d, const shape *fill) {
    const rheo_scene *s = d->scene;
    const double near = 0.5 * d->out->dx;
    double half[3], axes[9], low[3], high[3];
    if (!shape_as_box(half, axes, fill) || !pulls_down(s)) return false;
    shape_bounds(low, high, fill);
    for (int a = 0; a < s->dim; ++a) {
        const bool up = a == 1, turned = high[a] - low[a] > 2.01 * half[a];
        const bool reaches = low[a] < near && (up || high[a] > s->size[a] - near);
        const bool open = s->wall[2 * a] == RHEO_WALL_OPEN || (!up && s->wall[2 * a + 1] == RHEO_WALL_OPEN);
        if (turned || !reaches || open) return false;
    }
    return true;
}

/* The speed that a body has at most after `time`, of its centre. Through liquid it is drawn by its weight
 * against the mass that moves with a ball, and is no faster than a blunt body sinks or rises,
 * v^2 = 8/3 |s - 1| g r. Where several fly, what is struck is thrown or turned faster than what strikes it.
 */
static double body_speed(const doctor *d, int solid, const double g[3], double pull, double time) {
    const rheo_scene *s = d->scene;
    const rheo_solid *def = &s->solids[solid];
    const double start = length(d, def->velocity), fall = fall_speed(d, d->solid[solid], start, g);
    double centre[3];
    bool wet = false;
    int bodies = 0;
    shape_centre(centre, d->solid[solid]);
    for (int k = 0; k < d->fill_count; ++k) wet = wet || shape_distance(d->fill[k], centre) < 0;
    for (int i = 0; i < s->solid_count; ++i) bodies += s->solids[i].motion == RHEO_DYNAMIC;
    if (!wet) return (bodies > 1 ? STRUCK : 1) * fmin(fall, start + pull * time);
    const double share = def->density / s->fluids[0].density, weight = fabs(share - 1) * pull;
    const double sinks = sqrt(8.0 / 3 * weight * shape_radius(d->solid[solid], centre));
    return fmin(fmax(start, fmin(fall, sinks)), start + weight / (share + 0.5) * time);
}

/* The fastest that a point of a body moves until `time`; *most: of a body's centre. */
static double bodies_speed(double *most, const doctor *d, const double g[3], double pull, double time) {
    double fastest = 0;
    *most = 0;
    for (int i = 0; i < d->scene->solid_count; ++i) {
        const rheo_solid *def = &d->scene->solids[i];
        if (def->motion != RHEO_DYNAMIC) continue;
        const double speed = body_speed(d, i, g, pull, time);
        double centre[3];
        shape_centre(centre, d->solid[i]);
        *most = fmax(*most, speed);
        fastest = fmax(fastest, speed + vec_length(def->spin) * shape_radius(d->solid[i], centre));
    }
    return fastest;
}

/* What decides the number of steps: liquid that falls or is thrown. Where a body of it strikes a wall, the
 * largest speed on the grid is some 20% above that. *stirred: m/s, what pools may get to. */
static double expected_speed(double *stirred, const doctor *d, const double g[3]) {
    const rheo_scene *s = d->scene;
    double fastest = 0, v[3] = {0};
    int k = 0;
    *stirred = 0;
    for (int i = 0; i < s->fluid_count; ++i)
        for (int j = 0; j < s->fluids[i].fill_count; ++j, ++k) {
            const double start = length(d, s->fluids[i].velocity);
            double *of = start == 0 && is_pool(d, d->fill[k]) ? stirred : &fastest;
            *of = fmax(*of, 1.2 * fall_speed(d, d->fill[k], start, g));
        }
    for (int i = 0; i < s->emitter_count; ++i) {
        const double end = fmin(s->emitters[i].during[1], s->frames / s->fps);
        const double speed = longest_value(v, d, &s->emitters[i].velocity, s->emitters[i].during[0], end);
        fastest = fmax(fastest, fall_speed(d, d->emitter[i], speed, g));
    }
    return fastest;
}

static bool is_gas(const rheo_scene *s) {
    return rheo_describe_method(s->method)->gas;
}

/* The longest step of the method, s; +inf when nothing limits it. */
static double longest_step(const doctor *d, double speed, double acceleration) {
    const rheo_scene *s = d->scene;
    const double limit = sim_engine_of(s->method)->foretell_step(s, d->out->dx, speed, acceleration);
    return s->dt_max > 0 ? fmin(limit, s->dt_max) : limit;
}

/* The longest step that bodies much lighter than the liquid leave, s. They bob and are thrown at half of what
 * they would fall from the domain's top. */
static double lightest_step(const doctor *d, double gravity) {
    const rheo_scene *s = d->scene;
    const double fall = sqrt(2 * gravity * s->size[1]);
    double step = INFINITY;
    for (int i = 0; i < s->solid_count && s->fluid_count && !is_gas(s); ++i) {
        const rheo_solid *b = &s->solids[i];
        if (b->motion != RHEO_DYNAMIC || s->coupling == RHEO_SOLID_TO_FLUID) continue;
        step = fmin(step, step_limit_light(d->out->dx, s->cfl, b->density / s->fluids[0].density,
                                           fmax(length(d, b->velocity), 0.5 * fall), gravity));
    }
    return step;
}

/* With `rigid-fluid` a body goes no farther than a cell in a step: liquid_rigid_limit(). */
static double rigid_step(const doctor *d, double speed) {
    return d->scene->coupling == RHEO_RIGID_FLUID && speed > 0 ? d->out->dx / speed : INFINITY;
}

/* Steps of the whole run at the limits of the method: the liquid in all frames as in the liveliest, solids as
 * their keys say, bodies as they fall. */
static double expected_steps(const doctor *d) {
    const rheo_scene *s = d->scene;
    const int parts = s->frames < PARTS_MOST ? s->frames : PARTS_MOST;
    const double duration = s->frames / s->fps;
    double g[3] = {0}, sum = 0, stirred, centre;
    const double pull = longest_value(g, d, &s->gravity, 0, duration), speed = expected_speed(&stirred, d, g);
    const double light = lightest_step(d, pull);
    for (int k = 0; k < parts; ++k) {
        const double to = duration * (k + 1) / parts, keyed = keyed_speed(d, duration * k / parts, to);
        const double bodies = bodies_speed(&centre, d, g, pull, to), pushed = fmax(keyed, bodies);
        const double flow = fmax(speed, fmin(stirred, fmax(keyed, centre)));
        const double step = fmin(longest_step(d, flow + pushed, pull), fmin(light, rigid_step(d, bodies)));
        const double exact = 1 / (s->fps * step);
        sum += exact <= 1 ? 1 : exact + 0.5; /* frames take whole steps: half a step more on average */
    }
    return sum * s->frames / parts;
}

/* The bounds of a shape where it is placed, as far as they lie in the domain; whether they do. Sides without
 * end give NaN, which fmax() and fmin() pass over. */
static bool bounds_inside(double low[3], double high[3], const rheo_scene *s, const shape *of,
                          const placement *at) {
    double from[3], to[3], centre[3];
    bool inside = true;
    shape_bounds(from, to, of);
    shape_centre(centre, of);
    for (int a = 0; a < s->dim; ++a) {
        const double *row = &at->rotation[3 * a];
        double middle = at->position[a], half = 0;
        for (int c = 0; c < s->dim; ++c) {
            if (row[c] == 0) continue;
            middle += row[c] * (0.5 * (from[c] + to[c]) - centre[c]);
            half += fabs(row[c]) * 0.5 * (to[c] - from[c]);
        }
        low[a] = fmax(middle - half, 0);
        high[a] = fmin(middle + half, s->size[a]);
        inside = inside && low[a] <= high[a];
    }
    return inside;
}

/* About how many cells have a shape's surface in them: its area from the places of a lattice that are within
 * a step of it, as many on either side. */
static double surface_cells(const doctor *d, const shape *of, const placement *at) {
    const int dim = d->scene->dim;
    double low[3], high[3], side = 0;
    int n[3] = {1, 1, 1}, found = 0;
    if (!bounds_inside(low, high, d->scene, of, at)) return 0;
    for (int a = 0; a < dim; ++a) side = fmax(side, high[a] - low[a]);
    const double step = fmax(d->out->dx, side / LATTICE_MOST);
    for (int a = 0; a < dim; ++a) n[a] = (int)ceil((high[a] - low[a]) / step) + 2;
    for (int q = 0; q < n[0] * n[1] * n[2]; ++q) {
        const int k[3] = {q % n[0], q / n[0] % n[1], q / (n[0] * n[1])};
        double x[3] = {0, 0, 0};
        for (int a = 0; a < dim; ++a) x[a] = 0.5 * (low[a] + high[a]) + step * (k[a] - 0.5 * (n[a] - 1));
        found += fabs(placement_distance(at, of, x)) < step;
    }
    return 0.5 * found * pow(step / d->out->dx, dim - 1);
}

/* The same in the middle of the run's parts, on average: what is keyed may come in or leave. Meshes take long
 * to ask: of them in the middle of the run. */
static double usual_surface_cells(const doctor *d, int solid) {
    const rheo_solid *def = &d->scene->solids[solid];
    const bool quick = shape_triangles(d->solid[solid]) == 0;
    const int looks = def->motion == RHEO_KEYED && quick ? KEYED_LOOKS : 1;
    double sum = 0;
    for (int k = 0; k < looks; ++k) {
        const double time = (k + 0.5) / looks * d->scene->frames / d->scene->fps;
        const placement at = placement_of_solid(def, d->solid[solid], time, 0);
        sum += surface_cells(d, d->solid[solid], &at);
    }
    return sum / looks;
}

/* What all solids that move cost a step, s: by their surfaces, and what it takes to ask for a distance. */
static double wall_seconds(const doctor *d) {
    const rheo_scene *s = d->scene;
    double sum = 0;
    for (int i = 0; i < s->solid_count; ++i) {
        if (s->solids[i].motion == RHEO_STATIC) continue;
        const double search = log2((double)shape_triangles(d->solid[i]) + 1); /* 0: no mesh */
        const double asked = 1 + shape_primitives(d->solid[i]) + search;
        sum += (d->thin[i] ? THIN_WALL_SECONDS : WALL_SECONDS) * asked * usual_surface_cells(d, i);
    }
    return sum;
}

static bool moves(const rheo_scene *s) {
    bool any = false;
    for (int i = 0; i < s->solid_count; ++i) any = any || s->solids[i].motion != RHEO_STATIC;
    return any;
}

/* Seconds a step on one thread, without files. */
static double step_seconds(const doctor *d, double cells, double count) {
    const rheo_scene *s = d->scene;
    double cell = CELL_SECONDS + (moves(s) ? MOVING_SECONDS : 0);
    if (s->solid_count) cell += SOLID_SECONDS;
    const method_cost *cost = sim_cost_of(s->method);
    if (cost->carries) cell += CARRY_SECONDS;
    return cost->share * (STEP_SECONDS + cell * cells + PARTICLE_SECONDS * count) + wall_seconds(d);
}

/* Smoke fills the box whatever the scene puts in it; a third of a volume's bytes are left after packing. */
static void estimate_smoke(doctor *d) {
    const rheo_scene *s = d->scene;
    rheo_preflight *out = d->out;
    double cells = 1, lift = 0, rise = 0, g[3] = {0};
    for (int a = 0; a < s->dim; ++a) cells *= out->cells[a] + 6;
    for (int i = 0; i < s->fluid_count; ++i)
        lift = fmax(lift, s->fluids[i].expansion * fabs(s->fluids[i].temperature - s->ambient));
    out->particles = 0;
    out->memory = BASE_BYTES + SMOKE_CELL_BYTES * cells;
    out->memory_available = available_memory();
    out->disk = s->frames * (4000 + (s->output_volume ? 8 * cells / 3 : 0)) + 2 * 24 * cells;
    if (s->gravity.count) rheo_evaluate_curve(g, &s->gravity, 0);
    for (int a = 0; a < s->dim; ++a) rise = fmax(rise, sqrt(2 * fabs(g[a]) * s->size[a]));
    for (int i = 0; i < s->fluid_count; ++i) rise = fmax(rise, length(d, s->fluids[i].velocity));
    double speed = fmin(rise, rise * sqrt(fmin(1, lift)) + 1);
    double steps = fmax(1, ceil(speed / (s->fps * s->cfl * out->dx)));
    out->steps = s->frames * steps;
    out->seconds = s->frames * (steps + 0.3) * SMOKE_CELL_SECONDS * cells;
}

static void estimate(doctor *d, double emitted) {
    const rheo_scene *s = d->scene;
    rheo_preflight *out = d->out;
    double cells = 1, domain = 1, per_cell = s->dim == 3 ? 8 : 4;
    for (int a = 0; a < s->dim; ++a) {
        cells *= out->cells[a] + 6; /* with the border */
        domain *= s->size[a];
    }
    double cell = pow(out->dx, s->dim), most = fmin(d->put_in + emitted, domain);
    out->particles = round(per_cell * d->put_in / cell);
    double peak = per_cell * most / cell;
    double a_cell = CELL_BYTES + (s->emitter_count ? EMITTER_BYTES : 0) + (moves(s) ? MOVING_BYTES : 0) +
                    (s->separation ? SEPARATION_BYTES : 0);
    out->memory = BASE_BYTES + a_cell * cells +
                  (PARTICLE_BYTES + sim_cost_of(s->method)->columns * COLUMN_BYTES) * peak;
    out->memory_available = available_memory();
    double surface =
        12 * pow(most / cell, (s->dim - 1.0) / s->dim); /* cells; twice that of a cube for splashes */
    double frame =
        1000 + (s->output_mesh ? 62 * surface : 0) + (definition_keeps_particles(s) ? 33 * peak : 0);
    double state = 36 * (peak + cells); /* bytes before they are packed */
    out->disk = s->frames * frame + 2 * state;
    out->steps = expected_steps(d);
    double step = step_seconds(d, cells, 0.5 * (out->particles + peak));
    double saves = s->checkpoint_every > 0 ? 1 + s->frames / s->checkpoint_every : 1;
    out->seconds =
        (out->steps * step + s->frames * (FRAME_SECONDS + FILE_SECONDS * frame)) / cores_speed_up() +
        saves * STATE_SECONDS * state;
}

int rheo_print_bytes(char *text, int size, double bytes) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int unit = 0;
    while (bytes >= 999.5 && unit < 5) {
        bytes /= 1000;
        ++unit;
    }
    return snprintf(text, (size_t)size, "%.3g %s", bytes, units[unit]);
}

/* s: a frame, or what a frame usually is where those of the scene are long. */
static double usual_frame(const doctor *d) {
    return fmin(1 / d->scene->fps, 1.0 / 24);
}

/* Warns where one number alone makes steps so short that it can hardly be meant. */
__attribute__((format(printf, 5, 6))) static void
warn_of_steps(doctor *d, const char *path, const char *allowed, double step, const char *format, ...) {
    char cause[200];
    va_list args;
    va_start(args, format);
    vsnprintf(cause, sizeof cause, format, args);
    va_end(args);
    const double steps = ceil(1 / (d->scene->fps * step));
    doctor_find(d, RHEO_WARNING, path, allowed, "%s: steps of at most %.2g s, %.*g in a frame", cause, step,
                steps < 1e9 ? 9 : 3, steps);
}

static bool is_short(const doctor *d, double step) {
    return step * STEPS_MANY < usual_frame(d);
}

/* The first pair of keys between which a solid leaps: across the domain in a frame, or so fast that steps get
 * very short. Of angles, `radius` is how far from the axis the solid reaches. */
static void look_at_leaps(doctor *d, const char *curve_path, const rheo_curve *curve, double radius) {
    const rheo_scene *s = d->scene;
    const double side = d->out->dx * s->cells;
    for (int k = 0; k + 1 < curve->count; ++k) {
        const double from = curve->times[k], to = curve->times[k + 1],
                     *value = &curve->values[curve->width * k];
        double way = fabs(value[1] - value[0]) * (M_PI / 180) * radius;
        if (curve->width == 3)
            way = length(d, (double[]){value[3] - value[0], value[4] - value[1], value[5] - value[2]});
        const double speed = way / (to - from), step = longest_step(d, speed, 0);
        const bool during = to > 0 && from < s->frames / s->fps;
        if (!during || (speed * usual_frame(d) <= side && !is_short(d, step))) continue;
        char path[NODE_PATH_MAX];
        snprintf(path, sizeof path, "%.200s.keys[%d]", curve_path, k + 1);
        warn_of_steps(d, path, "keys farther apart in time, or nearer in place", step,
                      "the solid leaps %.4g m in %.3g s (%.4g m/s)", way, to - from, speed);
        return;
    }
}

static void look_at_speeds(doctor *d) {
    const rheo_scene *s = d->scene;
    char path[NODE_PATH_MAX];
    for (int i = 0; i < s->solid_count; ++i) {
        const rheo_solid *solid = &s->solids[i];
        snprintf(path, sizeof path, "solids[%d].position", i);
        look_at_leaps(d, path, &solid->position, 0);
        snprintf(path, sizeof path, "solids[%d].rotation.degrees", i);
        look_at_leaps(d, path, &solid->rotation_degrees, shape_reach(d->solid[i]));
        const double speed = solid->motion == RHEO_DYNAMIC ? length(d, solid->velocity) : 0;
        const double rim =
            solid->motion == RHEO_DYNAMIC ? vec_length(solid->spin) * shape_reach(d->solid[i]) : 0;
        snprintf(path, sizeof path, "solids[%d].%s", i, speed > rim ? "velocity" : "spin");
        if (is_short(d, longest_step(d, speed + rim, 0)))
            warn_of_steps(d, path, "a slower start, or fewer cells", longest_step(d, speed + rim, 0),
                          "the body starts at %.4g m/s", speed + rim);
    }
    for (int i = 0; i < s->fluid_count; ++i) {
        const double speed = length(d, s->fluids[i].velocity), step = longest_step(d, speed, 0);
        snprintf(path, sizeof path, "fluids[%d].velocity", i);
        if (speed > 0 && is_short(d, step))
            warn_of_steps(d, path, "a slower start, or fewer cells", step, "the fluid starts at %.4g m/s",
                          speed);
    }
    for (int i = 0; i < s->emitter_count; ++i) {
        const double speed = curve_largest(&s->emitters[i].velocity, 0, s->frames / s->fps),
                     step = longest_step(d, speed, 0);
        snprintf(path, sizeof path, "emitters[%d].velocity", i);
        if (speed > 0 && is_short(d, step))
            warn_of_steps(d, path, "a slower emitter, or fewer cells", step,
                          "the fluid comes out at %.4g m/s", speed);
    }
}

/* Gravity and viscosity: a slip in the unit is the likeliest cause of such numbers. */
static void look_at_forces(doctor *d) {
    const rheo_scene *s = d->scene;
    double most = 0;
    int key = 0;
    for (int k = 0; k < s->gravity.count; ++k) {
        const double size = length(d, &s->gravity.values[3 * k]);
        if (size > most) most = size, key = k;
    }
    const double *first = s->gravity.values;
    if (s->dim == 2 && s->gravity.count == 1 && first[0] == 0 && first[1] == 0 && first[2] != 0)
        doctor_find(d, RHEO_WARNING, "gravity", "[0, -9.81] in a plane scene",
                    "a plane scene has x and y only: this gravity along z pulls nothing");
    char path[NODE_PATH_MAX] = "gravity";
    if (s->gravity.count > 1) snprintf(path, sizeof path, "gravity.keys[%d]", key);
    if (most > GRAVITY_MANY)
        warn_of_steps(d, path, "m/s2: [0, -9.81, 0] on earth", longest_step(d, 0, most),
                      "a gravity of %.4g m/s2 is %.4g times the earth's", most, most / 9.81);
    const double step = longest_step(d, 0, 0);
    if (rheo_describe_method(s->method)->shears && s->fluid_count && is_short(d, step) &&
        !(s->dt_max > 0 && step >= s->dt_max))
        warn_of_steps(d, "fluids[0].viscosity", "a smaller viscosity, or fewer cells", step,
                      "a viscosity of %.6g Pa s is followed in explicit steps", s->fluids[0].viscosity);
}

static void judge_estimates(doctor *d, const char *where) {
    rheo_preflight *out = d->out;
    char needed[24], available[24];
    rheo_print_bytes(needed, sizeof needed, out->memory);
    rheo_print_bytes(available, sizeof available, out->memory_available);
    if (out->memory_available > 0 && out->memory > out->memory_available)
        doctor_find(d, RHEO_ERROR, "domain.cells", "fewer cells or a smaller domain",
                    "%d x %d x %d cells would need about %s of memory; %s are free", out->cells[0],
                    out->cells[1], out->cells[2], needed, available);
    const double days = out->seconds / 86400;
    if (days > DAYS_MANY)
        doctor_find(d, RHEO_WARNING, "time",
                    "fewer frames, fewer cells, or longer steps (time.dt_max, time.cfl)",
                    "about %.3g steps, roughly %.3g days of computing", out->steps, days);
    out->disk_available = available_disk(where);
    rheo_print_bytes(needed, sizeof needed, out->disk);
    rheo_print_bytes(available, sizeof available, out->disk_available);
    if (where && out->disk_available > 0 && out->disk > out->disk_available)
        doctor_find(d, RHEO_WARNING, "output", "fewer frames, or another --out",
                    "about %s would be written; %s are free", needed, available);
}

void doctor_foretell(doctor *d, double emitted, const char *where) {
    look_at_forces(d);
    look_at_speeds(d);
    if (is_gas(d->scene)) estimate_smoke(d);
    else estimate(d, emitted);
    judge_estimates(d, where);
}

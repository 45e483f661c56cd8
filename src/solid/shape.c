/* Shapes: signed distance of primitives, meshes and their combinations under scale, rotation and translation.
 *
 * A shape holds d(y), the distance in its own frame, and the map y = c + S^-1 R^T (x - c - m) from the
 * scene's frame (centre c, scale S, rotation R, move m). With s the smallest |scale|, s d(y(x)) has slope at
 * most 1, the exact zero set, and is the exact distance when the scale is uniform. Boxes take their scale
 * into their sides and stay exact.
 *
 * Combinations (Ricci 1973): union = min, intersection = max, difference = max(first, -others): exact zero
 * set, slope at most 1, exact outside a union of exact parts, elsewhere a bound that is never too large in
 * size.
 *
 * A mesh marked thin is a sheet: the distance to its triangles, less half its thickness. It need not be
 * closed.
 *
 * Limits: an ellipsoid (a sphere of nonuniform scale) is underestimated by up to the ratio of its scales. */
#include "solid/shape_parts.h"

#include <math.h>
#include <stdio.h>
#include "core/memory.h"
#include "core/report.h"
#include "solid/vector.h"

enum { DEPTH_MAX = 64 };

static double distance_box(const shape *s, const double y[3]) {
    double out2 = 0, inside = -INFINITY;
    for (int c = 0; c < 3; ++c) {
        double q = fabs(y[c] - s->a[c]) - s->b[c];
        if (q > 0) out2 += q * q;
        inside = fmax(inside, q);
    }
    return inside > 0 ? sqrt(out2) : inside;
}

static double distance_capsule(const shape *s, const double y[3]) {
    double axis[3], from[3], rest[3];
    vec_sub(axis, s->b, s->a);
    vec_sub(from, y, s->a);
    double t = s->length > 0 ? vec_dot(from, axis) / (s->length * s->length) : 0;
    t = fmin(fmax(t, 0), 1);
    for (int c = 0; c < 3; ++c) rest[c] = from[c] - t * axis[c];
    return vec_length(rest) - s->radius;
}

/* The exact distance to a region given by its signed distances to two perpendicular bounds. */
static double distance_corner(double p, double q) {
    if (p > 0 && q > 0) return sqrt(p * p + q * q);
    return fmax(p, q);
}

static double distance_cylinder(const shape *s, const double y[3]) {
    double axis[3], from[3], rest[3];
    vec_sub(axis, s->b, s->a);
    vec_sub(from, y, s->a);
    double along = vec_dot(from, axis) / s->length;
    for (int c = 0; c < 3; ++c) rest[c] = from[c] - along * axis[c] / s->length;
    return distance_corner(fabs(along - 0.5 * s->length) - 0.5 * s->length, vec_length(rest) - s->radius);
}

static double distance_torus(const shape *s, const double y[3]) {
    double from[3], rest[3];
    vec_sub(from, y, s->a);
    double along = vec_dot(from, s->b);
    for (int c = 0; c < 3; ++c) rest[c] = from[c] - along * s->b[c];
    double across = vec_length(rest) - s->radius;
    return sqrt(across * across + along * along) - s->tube;
}

static double distance_sphere(const shape *s, const double y[3]) {
    double from[3];
    vec_sub(from, y, s->a);
    return vec_length(from) - s->radius;
}

static double distance_plane(const shape *s, const double y[3]) {
    double from[3];
    vec_sub(from, y, s->a);
    return vec_dot(from, s->b);
}

static double distance_combined(const shape *s, const double y[3]) {
    double d = shape_distance(&s->children[0], y);
    for (int i = 1; i < s->child_count; ++i) {
        double e = shape_distance(&s->children[i], y);
        if (s->kind == RHEO_SHAPE_UNION) d = fmin(d, e);
        else if (s->kind == RHEO_SHAPE_INTERSECTION) d = fmax(d, e);
        else d = fmax(d, -e);
    }
    return d;
}

static double distance_own(const shape *s, const double y[3]) {
    switch (s->kind) {
    case RHEO_SHAPE_BOX: return distance_box(s, y);
    case RHEO_SHAPE_SPHERE: return distance_sphere(s, y);
    case RHEO_SHAPE_CAPSULE: return distance_capsule(s, y);
    case RHEO_SHAPE_CYLINDER: return distance_cylinder(s, y);
    case RHEO_SHAPE_TORUS: return distance_torus(s, y);
    case RHEO_SHAPE_PLANE: return distance_plane(s, y);
    case RHEO_SHAPE_MESH:
        return s->sheet ? mesh_tree_size(s->tree, y) - s->half_thickness : mesh_tree_distance(s->tree, y);
    default: return distance_combined(s, y);
    }
}

/* A point in the shape's own frame. */
static void to_own(double y[3], const shape *s, const double x[3]) {
    double from[3];
    for (int c = 0; c < 3; ++c) from[c] = x[c] - s->centre[c] - s->move[c];
    if (s->flat) from[2] = 0;
    mat_times(y, s->inverse, from);
    for (int c = 0; c < 3; ++c) y[c] += s->centre[c];
}

double shape_distance(const shape *s, const double x[3]) {
    if (!s->moved) return distance_own(s, x);
    double y[3];
    to_own(y, s, x);
    return s->shrink * distance_own(s, y);
}

int shape_is_flat(const shape *s) {
    return s->flat;
}

int shape_is_sheet(const shape *s) {
    return s->sheet;
}

int shape_as_box(double half[3], double axes[9], const shape *s) {
    if (s->kind != RHEO_SHAPE_BOX || s->flat) return 0;
    for (int c = 0; c < 3; ++c) half[c] = s->b[c];
    for (int e = 0; e < 9; ++e) axes[e] = s->forward[e];
    return 1;
}

void shape_centre(double centre[3], const shape *s) {
    for (int c = 0; c < 3; ++c) centre[c] = s->centre[c] + s->move[c];
}

/* The box around the image of a box: |R S| takes half sides to half sides. A side that mixes in an infinite
 * one is infinite. */
void shape_bounds(double lower[3], double upper[3], const shape *s) {
    bool ball = s->kind == RHEO_SHAPE_SPHERE;
    for (int r = 0; r < 3; ++r) {
        double middle = s->centre[r] + s->move[r], low = 0, high = 0, norm2 = 0;
        for (int c = 0; c < 3; ++c) {
            double f = s->forward[3 * r + c];
            if (f == 0) continue;
            double p = f * (s->own_lower[c] - s->centre[c]), q = f * (s->own_upper[c] - s->centre[c]);
            low += fmin(p, q);
            high += fmax(p, q);
            norm2 += f * f;
        }
        if (ball) { /* the image of a ball is an ellipsoid: its exact extent */
            high = s->radius * sqrt(norm2);
            low = -high;
        }
        lower[r] = middle + low;
        upper[r] = middle + high;
    }
}

static int nearest_child(const shape *s, const double y[3]) {
    int nearest = 0;
    double least = INFINITY;
    for (int i = 0; i < s->child_count; ++i) {
        const double d = shape_distance(&s->children[i], y);
        if (d < least) least = d, nearest = i;
    }
    return nearest;
}

static bool boxes_touch(const double low[3], const double high[3], const double other_low[3],
                        const double other_high[3], int dim) {
    for (int c = 0; c < dim; ++c)
        if (low[c] > other_high[c] || other_low[c] > high[c]) return false;
    return true;
}

/* Widens a box by the bounds of all children that it touches, and those that these touch; whether there were
 * any but `first`. */
static bool join_touching(double low[3], double high[3], const shape *s, int first) {
    bool grows = true, joined = false;
    while (grows) {
        grows = false;
        for (int i = 0; i < s->child_count; ++i) {
            double lower[3], upper[3];
            shape_bounds(lower, upper, &s->children[i]);
            if (i == first || !boxes_touch(low, high, lower, upper, s->flat ? 2 : 3)) continue;
            joined = true;
            for (int c = 0; c < 3; ++c) {
                grows = grows || lower[c] < low[c] || upper[c] > high[c];
                low[c] = fmin(low[c], lower[c]);
                high[c] = fmax(high[c], upper[c]);
            }
        }
    }
    return joined;
}

void shape_part_bounds(double lower[3], double upper[3], const shape *s, const double x[3]) {
    shape part = *s;
    double y[3];
    if (s->kind == RHEO_SHAPE_UNION) {
        to_own(y, s, x);
        const int at = nearest_child(s, y);
        shape_bounds(part.own_lower, part.own_upper, &s->children[at]);
        if (!join_touching(part.own_lower, part.own_upper, s, at))
            shape_part_bounds(part.own_lower, part.own_upper, &s->children[at], y);
    }
    shape_bounds(lower, upper, &part);
}

/* Bounds in the shape's own frame
 * ------------------------------------------------------------------------------ */

static void bounds_combined(shape *s) {
    shape_bounds(s->own_lower, s->own_upper, &s->children[0]);
    for (int i = 1; i < s->child_count && s->kind != RHEO_SHAPE_DIFFERENCE; ++i) {
        double low[3], high[3];
        shape_bounds(low, high, &s->children[i]);
        for (int c = 0; c < 3; ++c) {
            bool both = s->kind == RHEO_SHAPE_INTERSECTION;
            s->own_lower[c] = both ? fmax(s->own_lower[c], low[c]) : fmin(s->own_lower[c], low[c]);
            s->own_upper[c] = both ? fmin(s->own_upper[c], high[c]) : fmax(s->own_upper[c], high[c]);
        }
    }
    for (int c = 0; c < 3; ++c)
        if (s->own_lower[c] > s->own_upper[c]) s->own_lower[c] = s->own_upper[c]; /* nothing in common */
}

/* How far a disc of radius 1 across the unit vector n reaches along axis c. */
static double disc_extent(const double n[3], int c) {
    return sqrt(fmax(0, 1 - n[c] * n[c]));
}

static void bounds_own(shape *s) {
    double unit[3] = {0, 0, 0};
    if (s->kind == RHEO_SHAPE_CYLINDER)
        for (int c = 0; c < 3; ++c) unit[c] = (s->b[c] - s->a[c]) / s->length;
    for (int c = 0; c < 3; ++c) {
        double low = fmin(s->a[c], s->b[c]), high = fmax(s->a[c], s->b[c]), reach = 0;
        switch (s->kind) {
        case RHEO_SHAPE_BOX:
            low = high = s->a[c];
            reach = s->b[c];
            break;
        case RHEO_SHAPE_SPHERE:
            low = high = s->a[c];
            reach = s->radius;
            break;
        case RHEO_SHAPE_CAPSULE: reach = s->radius; break;
        case RHEO_SHAPE_CYLINDER: reach = s->radius * disc_extent(unit, c); break;
        case RHEO_SHAPE_TORUS:
            low = high = s->a[c];
            reach = s->radius * disc_extent(s->b, c) + s->tube;
            break;
        default:
            low = high = s->a[c];
            reach = INFINITY;
            break;
        }
        s->own_lower[c] = low - reach;
        s->own_upper[c] = high + reach;
    }
}

/* The middle of the bounds, or of what is finite of them: the first child's centre stands in where nothing
 * is. */
static void centre_of_bounds(shape *s) {
    double fallback[3] = {0, 0, 0};
    if (s->child_count) shape_centre(fallback, &s->children[0]);
    for (int c = 0; c < 3; ++c) {
        double middle = 0.5 * (s->own_lower[c] + s->own_upper[c]);
        s->centre[c] = isfinite(middle) ? middle : fallback[c];
    }
}

/* Making
 * ------------------------------------------------------------------------------------------------------- */

static rheo_status refuse(rheo_report *report, const rheo_shape *def, const char *allowed,
                          const char *message) {
    report_fail(report, RHEO_INVALID, allowed, "%s", message);
    report_place(report, NULL, def->line, def->line ? 1 : 0, NULL);
    return RHEO_INVALID;
}

static rheo_status make_box(shape *s, const rheo_shape *def, rheo_report *report) {
    for (int c = 0; c < 3; ++c) {
        if (!(def->a[c] < def->b[c]))
            return refuse(report, def, "min < max along every axis",
                          "a box has no inside: min is not below max");
        s->a[c] = 0.5 * (def->a[c] + def->b[c]);
        s->b[c] = 0.5 * (def->b[c] - def->a[c]) * fabs(def->scale[c]);
        s->centre[c] = s->a[c];
    }
    return RHEO_OK;
}

static rheo_status make_round(shape *s, const rheo_shape *def, rheo_report *report) {
    if (!(def->radius > 0 && isfinite(def->radius)))
        return refuse(report, def, "radius > 0", "the radius of a shape is not positive");
    s->radius = def->radius;
    bool along = def->kind == RHEO_SHAPE_CAPSULE || def->kind == RHEO_SHAPE_CYLINDER;
    for (int c = 0; c < 3; ++c) {
        s->a[c] = def->a[c];
        s->b[c] = def->b[c];
        s->centre[c] = along ? 0.5 * (def->a[c] + def->b[c]) : def->a[c];
    }
    double axis[3];
    vec_sub(axis, s->b, s->a);
    s->length = vec_length(axis);
    if (def->kind == RHEO_SHAPE_CYLINDER && !(s->length > 0))
        return refuse(report, def, "from and to at different places", "a cylinder has no length");
    if (def->kind == RHEO_SHAPE_TORUS) {
        if (!(def->tube > 0 && isfinite(def->tube)))
            return refuse(report, def, "tube > 0", "the tube radius of a torus is not positive");
        s->tube = def->tube;
    }
    return RHEO_OK;
}

static rheo_status make_direction(shape *s, const rheo_shape *def, rheo_report *report) {
    double length = vec_length(def->b);
    if (!(length > 0 && isfinite(length)))
        return refuse(report, def, "an axis or normal of any length > 0", "a direction has no length");
    for (int c = 0; c < 3; ++c) {
        s->a[c] = s->centre[c] = def->a[c];
        s->b[c] = def->b[c] / length;
    }
    return RHEO_OK;
}

static rheo_status make_mesh(shape *s, const rheo_shape *def, rheo_report *report) {
    if (!def->file) return refuse(report, def, "file: an OBJ, PLY or STL file", "a mesh has no file");
    if (!(def->file_scale > 0 && isfinite(def->file_scale)))
        return refuse(report, def, "scale > 0", "the scale of a mesh file is not positive");
    tri_mesh m;
    rheo_status status = mesh_read(&m, def->file, report);
    if (status) return status;
    s->sheet = def->thin;
    s->half_thickness = 0.5 * def->thickness;
    status =
        s->sheet ? mesh_require_surface(&m, def->file, report) : mesh_require_closed(&m, def->file, report);
    for (size_t v = 0; v < m.vertex_count; ++v) /* now: places in messages are the file's */
        for (int c = 0; c < 3; ++c) m.vertex[v][c] *= def->file_scale;
    if (!status) {
        mesh_bounds(s->own_lower, s->own_upper, &m);
        for (int c = 0; c < 3; ++c) {
            s->own_lower[c] -= s->half_thickness;
            s->own_upper[c] += s->half_thickness;
        }
        s->tree = mesh_tree_make(&m);
        s->mesh = m;
        return s->tree ? RHEO_OK : report_no_memory(report, "the search tree of a mesh");
    }
    mesh_free(&m);
    return status;
}

static rheo_status compile(shape *s, const rheo_shape *given, bool flat, int depth, rheo_report *report);
static void release(shape *s);

static rheo_status make_combined(shape *s, const rheo_shape *def, int depth, rheo_report *report) {
    if (def->child_count < 1 || !def->children)
        return refuse(report, def, "a list of at least one shape", "a combination of shapes is empty");
    if (depth >= DEPTH_MAX)
        return refuse(report, def, "at most 64 combinations inside each other",
                      "shapes are nested too deeply");
    s->children = mem_alloc((size_t)def->child_count * sizeof *s->children);
    if (!s->children) return report_no_memory(report, "shapes");
    for (; s->child_count < def->child_count; ++s->child_count) {
        rheo_status status =
            compile(&s->children[s->child_count], &def->children[s->child_count], s->flat, depth + 1, report);
        if (status) return status;
    }
    bounds_combined(s);
    return RHEO_OK;
}

static rheo_status set_map(shape *s, const rheo_shape *def, rheo_report *report) {
    double rotation[9], scale[3], axis_length = vec_length(def->rotate_axis);
    s->shrink = INFINITY;
    for (int c = 0; c < 3; ++c) {
        if (!(isfinite(def->scale[c]) && def->scale[c] != 0))
            return refuse(report, def, "numbers other than 0 (1 keeps the size)",
                          "the scale of a shape is 0");
        if (!isfinite(def->move[c]))
            return refuse(report, def, "finite numbers", "the move of a shape is not finite");
        scale[c] = s->kind == RHEO_SHAPE_BOX ? 1 : def->scale[c];
        s->shrink = fmin(s->shrink, fabs(scale[c]));
        s->move[c] = def->move[c];
    }
    if (!isfinite(def->rotate_degrees) ||
        (def->rotate_degrees != 0 && !(axis_length > 0 && isfinite(axis_length))))
        return refuse(report, def, "an axis of any length > 0", "a rotation has no axis");
    mat_rotation(rotation, def->rotate_axis, def->rotate_degrees * (M_PI / 180));
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
            s->forward[3 * r + c] = rotation[3 * r + c] * scale[c];
            s->inverse[3 * c + r] = rotation[3 * r + c] / scale[c];
        }
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int e = 0; e < 9; ++e) s->moved = s->moved || s->forward[e] != identity[e];
    for (int c = 0; c < 3; ++c) s->moved = s->moved || s->move[c] != 0;
    return RHEO_OK;
}

/* A plane scene's shape: everything lies at z = 0, boxes reach without end, a cylinder seen along its axis is
 * a disc. The axis of a torus keeps its direction: a ring or two discs. */
static void flatten(rheo_shape *def) {
    def->a[2] = 0;
    def->move[2] = 0;
    def->scale[2] = 1;
    if (def->kind == RHEO_SHAPE_BOX) {
        def->a[2] = -1;
        def->b[2] = 1;
    } else if (def->kind != RHEO_SHAPE_TORUS) {
        def->b[2] = 0;
    }
    bool point = def->a[0] == def->b[0] && def->a[1] == def->b[1];
    if (def->kind == RHEO_SHAPE_CYLINDER && point) def->kind = RHEO_SHAPE_SPHERE;
}

static rheo_status compile(shape *s, const rheo_shape *given, bool flat, int depth, rheo_report *report) {
    rheo_shape copy = *given, *def = &copy;
    if (flat) flatten(def);
    *s = (shape){.kind = def->kind, .flat = flat, .moved = flat};
    for (int c = 0; c < 3; ++c)
        if (!isfinite(def->a[c]) || !isfinite(def->b[c]))
            return refuse(report, def, "finite numbers", "a coordinate of a shape is not finite");
    rheo_status status = RHEO_OK;
    switch (def->kind) {
    case RHEO_SHAPE_BOX: status = make_box(s, def, report); break;
    case RHEO_SHAPE_SPHERE:
    case RHEO_SHAPE_CAPSULE:
    case RHEO_SHAPE_CYLINDER: status = make_round(s, def, report); break;
    case RHEO_SHAPE_TORUS:
        status = make_round(s, def, report);
        if (!status) status = make_direction(s, def, report);
        break;
    case RHEO_SHAPE_PLANE: status = make_direction(s, def, report); break;
    case RHEO_SHAPE_MESH: status = make_mesh(s, def, report); break;
    case RHEO_SHAPE_UNION:
    case RHEO_SHAPE_DIFFERENCE:
    case RHEO_SHAPE_INTERSECTION: status = make_combined(s, def, depth, report); break;
    default: return refuse(report, def, "a kind of rheo_shape_kind", "a shape of an unknown kind");
    }
    if (!status) {
        bool measured =
            def->kind >= RHEO_SHAPE_MESH; /* the others have a natural centre and analytic bounds */
        if (flat && def->kind == RHEO_SHAPE_BOX) s->b[2] = INFINITY;
        if (measured) centre_of_bounds(s);
        else bounds_own(s);
        status = set_map(s, def, report);
    }
    if (status) release(s);
    return status;
}

double shape_reach(const shape *s) {
    double lower[3], upper[3], square = 0;
    shape_bounds(lower, upper, s);
    for (int a = 0; a < 3; ++a) {
        const double side = upper[a] - lower[a];
        square += isfinite(side) ? 0.25 * side * side : 0;
    }
    return sqrt(square);
}

int shape_primitives(const shape *s) {
    int sum = s->child_count == 0;
    for (int i = 0; i < s->child_count; ++i) sum += shape_primitives(&s->children[i]);
    return sum;
}

size_t shape_triangles(const shape *s) {
    size_t sum = s->mesh.triangle_count;
    for (int i = 0; i < s->child_count; ++i) sum += shape_triangles(&s->children[i]);
    return sum;
}

void shape_repairs(char *text, size_t size, const shape *s) {
    text[0] = 0;
    for (int i = 0; i < s->child_count && !text[0]; ++i) shape_repairs(text, size, &s->children[i]);
    const tri_mesh *m = &s->mesh;
    const bool turned = m->repaired.turned;
    char holes[160] = "", flipped[80] = "";
    if (m->repaired.holes)
        snprintf(holes, sizeof holes,
                 "%zu small hole%s of the mesh closed, the first near (%.4g, %.4g, %.4g) in the file's "
                 "coordinates",
                 m->repaired.holes, m->repaired.holes > 1 ? "s" : "", m->repaired.place[0],
                 m->repaired.place[1], m->repaired.place[2]);
    if (m->repaired.flipped)
        snprintf(flipped, sizeof flipped, "%zu triangle%s of the mesh faced the wrong way and %s turned",
                 m->repaired.flipped, m->repaired.flipped > 1 ? "s" : "",
                 m->repaired.flipped > 1 ? "are" : "is");
    if (holes[0] || flipped[0] || turned)
        snprintf(text, size, "%s%s%s%s%s", holes, holes[0] && flipped[0] ? "; " : "", flipped,
                 turned && (holes[0] || flipped[0]) ? "; " : "",
                 turned ? "the mesh is inside out and is turned" : "");
}

static void release(shape *s) {
    for (int i = 0; i < s->child_count; ++i) release(&s->children[i]);
    mem_free(s->children);
    mesh_tree_free(s->tree);
    mesh_free(&s->mesh);
    *s = (shape){0};
}

static rheo_status make(shape **s, const rheo_shape *def, bool flat, rheo_report *report) {
    *s = mem_alloc(sizeof **s);
    if (!*s) return report_no_memory(report, "a shape");
    rheo_status status = compile(*s, def, flat, 0, report);
    if (status) {
        mem_free(*s);
        *s = NULL;
    }
    return status;
}

rheo_status shape_make(shape **s, const rheo_shape *def, rheo_report *report) {
    return make(s, def, false, report);
}

rheo_status shape_make_flat(shape **s, const rheo_shape *def, rheo_report *report) {
    return make(s, def, true, report);
}

void shape_free(shape *s) {
    if (!s) return;
    release(s);
    mem_free(s);
}

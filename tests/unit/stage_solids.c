/* Solids on the grid: what is computed only in reach of moving solids equals what is computed everywhere. */
#include "check.h"
#include "core/memory.h"
#include "grid/free_share.h"
#include "grid/rows.h"
#include "stage/walls/solids.h"

enum { SOLIDS = 4 };

typedef struct scene {
    mac_grid g;
    rheo_solid def[SOLIDS];
    shape *shapes[SOLIDS];
    obstacle solids[SOLIDS];
    float *all, *still, *mixed;
    openings open;
} scene;

static rheo_shape plain(rheo_shape_kind kind) {
    return (rheo_shape){.kind = kind, .scale = {1, 1, 1}, .rotate_axis = {0, 0, 1}, .file_scale = 1};
}

/* A static post and ball first, then a box and a capsule that move; all of them off the grid, one partly
 * outside of the domain. */
static void make(scene *s, int dim) {
    memset(s, 0, sizeof *s);
    s->g = (mac_grid){
        .box = box_make(dim, (int[3]){24, 20, dim == 3 ? 22 : 1}), .dx = 0.05, .pool = pool_create(2)};
    rheo_shape post = plain(RHEO_SHAPE_BOX), ball = plain(RHEO_SHAPE_SPHERE), crate = post,
               bar = plain(RHEO_SHAPE_CAPSULE);
    memcpy(post.a, (double[]){0.21, -0.1, 0.33}, sizeof post.a);
    memcpy(post.b, (double[]){0.38, 0.71, 0.52}, sizeof post.b);
    memcpy(ball.a, (double[]){0.83, 0.51, 0.61}, sizeof ball.a);
    ball.radius = 0.17;
    memcpy(crate.a, (double[]){0.52, 0.13, 0.41}, sizeof crate.a);
    memcpy(crate.b, (double[]){0.73, 0.31, 0.69}, sizeof crate.b);
    crate.rotate_degrees = 27;
    memcpy(bar.a, (double[]){0.9, 0.9, 0.2}, sizeof bar.a);
    memcpy(bar.b, (double[]){1.15, 0.97, 0.4}, sizeof bar.b);
    bar.radius = 0.09;
    const rheo_shape shapes[SOLIDS] = {post, ball, crate, bar};
    for (int i = 0; i < SOLIDS; ++i) {
        rheo_report report = {0};
        s->def[i] = (rheo_solid){.shape = shapes[i],
                                 .motion = i < 2 ? RHEO_STATIC : RHEO_KEYED,
                                 .position = {.width = 3},
                                 .rotation_degrees = {.width = 1},
                                 .rotation_axis = {0, 0, 1}};
        assert_int_equal((dim == 3 ? shape_make : shape_make_flat)(&s->shapes[i], &shapes[i], &report), 0);
        s->solids[i] = (obstacle){.def = &s->def[i], .shape = s->shapes[i]};
        s->solids[i].now = placement_of_solid(&s->def[i], s->shapes[i], 0, 0);
        s->solids[i].now.velocity[0] = i;
        s->solids[i].now.spin[2] = i;
    }
    s->open.open_wall[RHEO_TOP] = 1;
    const size_t bytes = s->g.box.size * sizeof(float);
    s->all = mem_alloc(bytes);
    s->still = mem_alloc(bytes);
    s->mixed = mem_alloc(bytes);
    assert_false(mac_field_make(&s->open.open, &s->g) | openings_make_movers(&s->open, &s->g));
}

static void drop(scene *s) {
    for (int i = 0; i < SOLIDS; ++i) shape_free(s->shapes[i]);
    mem_free(s->all);
    mem_free(s->still);
    mem_free(s->mixed);
    mac_field_free(&s->open.open);
    openings_free_movers(&s->open);
    pool_free(s->g.pool);
}

static int different(const scene *s, cell_range r) {
    int count = 0;
    for (int k = r.lower[2]; k < r.upper[2]; ++k)
        for (int j = r.lower[1]; j < r.upper[1]; ++j)
            for (int i = r.lower[0]; i < r.upper[0]; ++i) {
                const ptrdiff_t n = box_at(&s->g.box, i, j, k);
                count += s->all[n] != s->mixed[n];
            }
    return count;
}

static void parts_equal_whole(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        scene s;
        make(&s, dim);
        solids_distance(s.still, NULL, &s.g, s.solids, 2);
        solids_distance(s.all, NULL, &s.g, s.solids, SOLIDS);
        solids_distance(s.mixed, s.still, &s.g, s.solids + 2, 2);
        assert_int_equal(different(&s, range_nodes(&s.g)), 0);
        float *room = mem_alloc(s.g.box.size * sizeof *room);
        float *phi = mem_alloc(s.g.box.size * sizeof *phi);
        memcpy(phi, s.all, s.g.box.size * sizeof *phi);
        solids_free_share(room, NULL, &s.g, s.still, &s.open, NULL, 0);
        solids_free_share(s.all, NULL, &s.g, phi, &s.open, NULL, 0);
        solids_free_share(s.mixed, room, &s.g, phi, &s.open, s.solids + 2, 2);
        assert_int_equal(different(&s, range_cells(&s.g)), 0);
        mem_free(room);
        mem_free(phi);
        drop(&s);
    }
}

/* The mean of the room of all cells is the share of the domain outside of solids, up to what reaches past the
 * sides; far from everything it is 1, deep inside 0. */
static void room_is_volume(void **state) {
    (void)state;
    scene s;
    make(&s, 3);
    solids_distance(s.all, NULL, &s.g, s.solids, 1);
    solids_free_share(s.mixed, NULL, &s.g, s.all, &s.open, NULL, 0);
    const box *b = &s.g.box;
    check_near((double)s.mixed[box_at(b, 18, 10, 4)], 1, 1e-6);
    check_near((double)s.mixed[box_at(b, 5, 5, 8)], 0, 0.2);
    check_near((double)s.mixed[box_at(b, 18, 0, 4)], (0.5 + 4 * 0.875 + 1) / 6,
               1e-6);                                           /* faces of the floor */
    check_near((double)s.mixed[box_at(b, 18, 19, 4)], 1, 1e-6); /* the top is open */
    drop(&s);
}

/* Bricks of cells find what the octants of each cell add up to, beside closed and open sides too. */
static void room_is_sum_of_octants(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        scene s;
        octant_weights weights, share;
        make(&s, dim);
        octant_list_weights(&weights, dim);
        solids_distance(s.all, NULL, &s.g, s.solids, SOLIDS);
        const int first[3] = {3, s.g.box.n[1] - 3, 0}, count[3] = {BRICK_X, 3, dim == 3 ? BRICK_Z : 1};
        float room[BRICK_Z][BRICK_Y][BRICK_LANES];
        int between = 0;
        for (int low = 0; low < 2; ++low) {
            const int from[3] = {low ? 0 : first[0], low ? 0 : first[1], 0};
            free_share_of_brick(room, &s.g, s.all, &s.open, from, count);
            for (int n = 0; n < count[0] * count[1] * count[2]; ++n) {
                const int at[3] = {n % count[0], n / count[0] % count[1], n / (count[0] * count[1])};
                const int c[3] = {from[0] + at[0], from[1] + at[1], from[2] + at[2]};
                const float all = octant_shares(&share, &weights, &s.g, s.all, &s.open, c);
                check_near((double)room[at[2]][at[1]][at[0]], (double)all, 2e-6);
                between += all > 0.1f && all < 0.9f;
            }
        }
        assert_true(between > 10);
        drop(&s);
    }
}

static int nearest_solid(const scene *s, double *distance, const double x[3]) {
    int nearest = 0;
    for (int i = 0; i < SOLIDS; ++i) {
        const double d = obstacle_distance(&s->solids[i], x);
        if (i && !(d < *distance)) continue;
        nearest = i;
        *distance = d;
    }
    return nearest;
}

/* A face closed by a moving solid has its velocity there; faces of static ones and of the sides have none. */
static void walls_move_with_solids(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        scene s;
        make(&s, dim);
        solids_distance(s.all, NULL, &s.g, s.solids, SOLIDS);
        solids_open_faces(&s.open, &s.g, s.all);
        assert_int_equal(solids_movers(&s.open, &s.g, s.solids, SOLIDS), 0);
        solids_wall_velocity(&s.open, &s.g, s.solids, SOLIDS);
        int moving = 0, closed = 0;
        for (int axis = 0; axis < dim; ++axis) {
            const cell_range r = range_faces(&s.g, axis);
            for (int k = r.lower[2]; k < r.upper[2]; ++k)
                for (int j = r.lower[1]; j < r.upper[1]; ++j)
                    for (int i = r.lower[0]; i < r.upper[0]; ++i) {
                        const int at[3] = {i, j, k};
                        const ptrdiff_t n = box_at(&s.g.box, i, j, k);
                        double x[3] = {0, 0, 0}, u[3] = {0, 0, 0}, distance;
                        for (int a = 0; a < 3; ++a) x[a] = s.g.dx * (at[a] + (a != axis) * 0.5);
                        if (dim == 2) x[2] = 0.5 * s.g.dx;
                        const int side = at[axis] == 0 || (at[axis] == s.g.box.n[axis] && axis != 1);
                        const int nearest = nearest_solid(&s, &distance, x);
                        if (!side && s.open.open.value[axis][n] < 1 && distance < s.g.dx && nearest >= 2)
                            placement_velocity(u, &s.solids[nearest].now, x);
                        closed += s.open.open.value[axis][n] < 1;
                        moving += u[axis] != 0;
                        check_near((double)s.open.wall.value[axis][n], u[axis], 1e-6);
                    }
        }
        assert_true(moving > 20 && closed > 2 * moving);
        drop(&s);
    }
}

/* A row of faces moves where one of them has a mover, and where nothing is known of it. */
static void rows_move_with_their_faces(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        scene s;
        make(&s, dim);
        solids_distance(s.all, NULL, &s.g, s.solids, SOLIDS);
        solids_open_faces(&s.open, &s.g, s.all);
        for (int again = 0; again < 2; ++again) /* what was known before is forgotten */
            assert_int_equal(solids_movers(&s.open, &s.g, s.solids, again ? 3 : SOLIDS), 0);
        openings unknown = s.open, still = s.open;
        int moving = 0, rows = 0;
        for (int axis = 0; axis < dim; ++axis) {
            const cell_range r = range_faces(&s.g, axis);
            unknown.moves[axis] = NULL;
            still.wall.value[axis] = NULL;
            for (int k = r.lower[2]; k < r.upper[2]; ++k)
                for (int j = r.lower[1]; j < r.upper[1]; ++j) {
                    uint64_t stretches = 0;
                    for (int i = r.lower[0]; i < r.upper[0]; ++i)
                        if (s.open.mover[axis][box_at(&s.g.box, i, j, k)] > 0)
                            stretches |= stretch_bit(&s.open, i);
                    assert_true(row_moves(&s.open, &s.g.box, axis, j, k) == stretches);
                    assert_true(row_moves(&unknown, &s.g.box, axis, j, k) == UINT64_MAX);
                    assert_int_equal(row_moves(&still, &s.g.box, axis, j, k), 0);
                    moving += stretches != 0;
                    ++rows;
                }
        }
        assert_true(moving > 3 && rows > moving);
        drop(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_equal_whole), cmocka_unit_test(room_is_volume),
                                       cmocka_unit_test(room_is_sum_of_octants),
                                       cmocka_unit_test(walls_move_with_solids),
                                       cmocka_unit_test(rows_move_with_their_faces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

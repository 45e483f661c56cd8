/* Graded trees against splitting one leaf after the other, and their faces and edges. */
#include "check.h"
#include "random_tree.h"

#define EACH_CELL(t, i, j, k)                                                                                \
    for (int k = 0; k < (t)->n[2]; ++k)                                                                      \
        for (int j = 0; j < (t)->n[1]; ++j)                                                                  \
            for (int i = 0; i < (t)->n[0]; ++i)

/* What a leaf of a level that holds cell `at` covers, grown by `wide` cells and cut to the box. */
static void leaf_range(int from[3], int to[3], const tree *t, const int at[3], int level, int wide) {
    for (int a = 0; a < 3; ++a) {
        const int low = a < t->dim ? at[a] >> level << level : 0, size = a < t->dim ? 1 << level : 1;
        from[a] = low - wide < 0 ? 0 : low - wide;
        to[a] = low + size + wide > t->n[a] ? t->n[a] : low + size + wide;
    }
}

static int may_stay(const tree *t, const uint8_t *most, const uint8_t *level, const int at[3]) {
    const int mine = level[tree_at(t, at)];
    int from[3], to[3];
    for (int a = 0; a < t->dim; ++a)
        if (((at[a] >> mine) + 1) << mine > t->n[a]) return 0;
    leaf_range(from, to, t, at, mine, 0);
    for (int k = from[2]; k < to[2]; ++k)
        for (int j = from[1]; j < to[1]; ++j)
            for (int i = from[0]; i < to[0]; ++i)
                if (most[tree_at(t, (int[3]){i, j, k})] < mine) return 0;
    leaf_range(from, to, t, at, mine, 1);
    for (int k = from[2]; k < to[2]; ++k)
        for (int j = from[1]; j < to[1]; ++j)
            for (int i = from[0]; i < to[0]; ++i)
                if (level[tree_at(t, (int[3]){i, j, k})] + 1 < mine) return 0;
    return 1;
}

/* Starts with the largest leaves and splits what must be, until nothing changes. */
static uint8_t *split_by_hand(const tree *t, const uint8_t *most) {
    uint8_t *level = mem_alloc(t->size);
    int changed = 1;
    for (size_t c = 0; c < t->size; ++c) level[c] = (uint8_t)(t->levels - 1);
    while (changed) {
        changed = 0;
        EACH_CELL(t, i, j, k) {
            const int at[3] = {i, j, k};
            const int mine = level[tree_at(t, at)];
            int from[3], to[3];
            if (mine == 0 || may_stay(t, most, level, at)) continue;
            leaf_range(from, to, t, at, mine, 0);
            for (int z = from[2]; z < to[2]; ++z)
                for (int y = from[1]; y < to[1]; ++y)
                    for (int x = from[0]; x < to[0]; ++x)
                        level[tree_at(t, (int[3]){x, y, z})] = (uint8_t)(mine - 1);
            changed = 1;
        }
    }
    return level;
}

static void check_levels(const tree *t, const uint8_t *wanted) {
    EACH_CELL(t, i, j, k) {
        const ptrdiff_t c = tree_at(t, (int[3]){i, j, k});
        const tree_leaf *leaf = &t->leaf[t->leaf_of[c]];
        const int at[3] = {i, j, k};
        assert_int_equal(t->level[c], wanted[c]);
        assert_int_equal(leaf->size, 1 << wanted[c]);
        for (int a = 0; a < t->dim; ++a) assert_int_equal(leaf->at[a], at[a] / leaf->size * leaf->size);
    }
}

/* A face of the grid lies in the face of the larger leaf beside it, or within a leaf. */
static void check_faces(const tree *t) {
    int64_t area = 0, painted = 0;
    for (int f = 0; f < t->faces; ++f) area += t->face[f].size * (t->dim == 3 ? t->face[f].size : 1);
    for (int a = 0; a < t->dim; ++a) {
        int to[3] = {t->n[0], t->n[1], t->n[2]};
        to[a] += 1;
        for (int k = 0; k < to[2]; ++k)
            for (int j = 0; j < to[1]; ++j)
                for (int i = 0; i < to[0]; ++i) {
                    const int at[3] = {i, j, k};
                    int before[3] = {i, j, k}, leaf[2] = {-1, -1}, size = 0;
                    before[a] -= 1;
                    if (before[a] >= 0) leaf[0] = t->leaf_of[tree_at(t, before)];
                    if (at[a] < t->n[a]) leaf[1] = t->leaf_of[tree_at(t, at)];
                    for (int n = 0; n < 2; ++n)
                        if (leaf[n] >= 0 && t->leaf[leaf[n]].size > size) size = t->leaf[leaf[n]].size;
                    const int face = t->face_of[a][tree_at(t, at)];
                    painted += face >= 0;
                    if (leaf[0] == leaf[1]) assert_int_equal(face, -1);
                    else {
                        assert_true(face >= 0);
                        assert_int_equal(t->face[face].size, size);
                        assert_int_equal(t->face[face].axis, a);
                        assert_int_equal(t->face[face].at[a], at[a]);
                    }
                }
    }
    assert_int_equal(area, painted);
}

/* Edges along an axis are as long as all lines between leaves. */
static void check_edges(const tree *t) {
    for (int e = t->dim == 3 ? 0 : 2; e < 3; ++e) {
        int64_t length = 0, wanted = 0;
        const int p = e == 0 ? 1 : 0, q = e == 2 ? 1 : 2;
        int at[3] = {0, 0, 0};
        for (at[e] = 0; at[e] < t->n[e]; ++at[e])
            for (at[q] = 0; at[q] <= t->n[q]; ++at[q])
                for (at[p] = 0; at[p] <= t->n[p]; ++at[p]) {
                    int around[4], differ = 0;
                    length += t->dim == 3 ? tree_edge(around, t, e, at) : tree_edge(around, t, e, at) > 0;
                    for (int n = 0; n < 4; ++n) {
                        if (around[n] < 0) continue;
                        const tree_leaf *leaf = &t->leaf[around[n]];
                        differ |= (at[p] == leaf->at[p] || at[p] == leaf->at[p] + leaf->size) &&
                                  (at[q] == leaf->at[q] || at[q] == leaf->at[q] + leaf->size);
                    }
                    wanted += differ;
                }
        assert_int_equal(length, wanted);
    }
}

static void random_trees(void **state) {
    (void)state;
    for (int n = 0; n < 60; ++n) {
        const int dim = 2 + n % 2, wide = dim == 2 ? 37 + n % 5 : 16 + n % 3, levels = 1 + n % 5;
        tree t;
        uint8_t *most = random_tree(&t, dim, wide, levels, (uint64_t)n, NULL);
        assert_non_null(most);
        uint8_t *wanted = split_by_hand(&t, most);
        check_levels(&t, wanted);
        check_faces(&t);
        check_edges(&t);
        mem_free(wanted);
        mem_free(most);
        tree_free(&t);
    }
}

static void any_number_of_threads(void **state) {
    (void)state;
    tree one, many;
    uint8_t *first = random_tree(&one, 2, 500, 7, 5, NULL);
    pool *p = pool_create(3);
    uint8_t *second = random_tree(&many, 2, 500, 7, 5, p);
    assert_true(first && second);
    assert_int_equal(one.leaves, many.leaves);
    assert_int_equal(one.faces, many.faces);
    assert_memory_equal(one.leaf, many.leaf, (size_t)one.leaves * sizeof *one.leaf);
    assert_memory_equal(one.face, many.face, (size_t)one.faces * sizeof *one.face);
    mem_free(first);
    mem_free(second);
    tree_free(&one);
    tree_free(&many);
    pool_free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_trees),
                                       cmocka_unit_test(any_number_of_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A u on a row of faces, for one type REAL of u: A = diagonal + D^T K D in stress form. Differences come
 * first, then their sum, then K: rigid motion cancels before it is multiplied by anything large. Not to be
 * reassociated. To be included once a type, which ROW_NAME() puts into the names. */

/* Stress between u_c (its difference along p) and u_p at sample i. */
INLINE REAL ROW_NAME(edge_stress)(const float *restrict own, const float *restrict cross,
                                  const REAL *restrict uc, const REAL *restrict up, ptrdiff_t i, ptrdiff_t sc,
                                  ptrdiff_t sp, int crossed, int weighted) {
    const REAL along = uc[i] - uc[i - sp];
    if (!crossed) return (REAL)own[i] * along;
    const REAL other = up[i] - up[i - sc];
    if (!weighted) return (REAL)own[i] * (along + other);
    return (REAL)own[i] * along + (REAL)cross[i] * other;
}

/* out[i] = (A u)_i for component c, i from `from` to `to` in the row that starts at `row`. */
INLINE void ROW_NAME(row_product)(REAL *restrict out, const viscous_level *l, const REAL *u, int c,
                                  ptrdiff_t row, int from, int to, int dim, int crossed, int weighted) {
    const int p = c == 0 ? 1 : 0, q = c == 2 ? 1 : 2, ep = third_axis(c, p);
    const ptrdiff_t sc = l->step[c], sp = l->step[p], sq = l->step[dim == 3 ? q : 0];
    const REAL *restrict uc = u + (size_t)c * l->size + row;
    const REAL *restrict up = u + (size_t)p * l->size + row;
    const REAL *restrict uq = dim == 3 ? u + (size_t)q * l->size + row : up;
    const float *restrict d = l->diagonal[c] + row, *restrict n = l->normal[weighted ? c : 0] + row;
    const int swap_p = !weighted && p < c, swap_q = !weighted && q < c;
    const float *restrict kp = l->own[swap_p ? p : c][swap_p ? c : p] + row;
    const float *restrict xp = weighted && crossed ? l->cross[ep] + row : kp;
    const float *restrict kq = dim == 3 ? l->own[swap_q ? q : c][swap_q ? c : q] + row : kp;
    const float *restrict xq = dim == 3 && weighted && crossed ? l->cross[p] + row : kq;
    SEPARATE
    for (ptrdiff_t i = from; i < to; ++i) {
        REAL f = (REAL)n[i - sc] * (uc[i] - uc[i - sc]) - (REAL)n[i] * (uc[i + sc] - uc[i]);
        f += ROW_NAME(edge_stress)(kp, xp, uc, up, i, sc, sp, crossed, weighted) -
             ROW_NAME(edge_stress)(kp, xp, uc, up, i + sp, sc, sp, crossed, weighted);
        if (dim == 3)
            f += ROW_NAME(edge_stress)(kq, xq, uc, uq, i, sc, sq, crossed, weighted) -
                 ROW_NAME(edge_stress)(kq, xq, uc, uq, i + sq, sc, sq, crossed, weighted);
        out[i] = f + (REAL)d[i] * uc[i];
    }
}

/* The same for a run, by what its K ask for. */
INLINE void ROW_NAME(run_product)(REAL *restrict out, const viscous_level *l, const REAL *u, int c,
                                  ptrdiff_t row, const run *part, int dim, int crossed, int weighted) {
    if (weighted && part->weighted)
        ROW_NAME(row_product)(out, l, u, c, row, part->from, part->to, dim, crossed, 1);
    else ROW_NAME(row_product)(out, l, u, c, row, part->from, part->to, dim, crossed, 0);
}

/* Viscous systems on a box for tests of the solver: fields all zero, scene S, random ones. */
#ifndef VISCOUS_PROBLEM_H
#define VISCOUS_PROBLEM_H

#include "core/memory.h"
#include "core/random.h"
#include "linear/viscous.h"

typedef struct viscous_problem {
    box b;
    float *mass[3], *drag[3], *normal[3], *edge[3][3], *rhs[3], *u[3];
    uint16_t *owner[3];
    viscous_system system; /* of the fields above */
} viscous_problem;

#define EACH_SAMPLE(p, i, j, k)                                                                              \
    for (int k = 0; k < (p)->b.n[2] + ((p)->b.dim == 3); ++k)                                                \
        for (int j = 0; j <= (p)->b.n[1]; ++j)                                                               \
            for (int i = 0; i <= (p)->b.n[0]; ++i)

/* weighted: normal stresses and the parts of edges have fields of their own. */
static viscous_problem viscous_make(int dim, const int n[3], int weighted) {
    viscous_problem p = {.b = box_make(dim, n)};
    const size_t bytes = p.b.size * sizeof(float);
    for (int c = 0; c < dim; ++c) {
        p.mass[c] = mem_alloc(bytes);
        p.drag[c] = mem_alloc(bytes);
        p.normal[c] = c == 0 || weighted ? mem_alloc(bytes) : p.normal[0];
        p.rhs[c] = mem_alloc(bytes);
        p.u[c] = mem_alloc(bytes);
        p.owner[c] = mem_alloc(p.b.size * sizeof(uint16_t));
        p.system.mass[c] = p.mass[c];

        p.system.normal[c] = p.normal[c];
        p.system.owner[c] = p.owner[c];
    }
    for (int e = dim == 3 ? 0 : 2; e < 3; ++e) {
        for (int part = 0; part < 3; ++part)
            p.edge[e][part] = part == 0 || weighted ? mem_alloc(bytes) : p.edge[e][0];
        p.system.edge[e] = (viscous_edge){p.edge[e][0], p.edge[e][1], p.edge[e][2]};
    }
    return p;
}

static void viscous_drop(viscous_problem *p) {
    for (int c = 0; c < p->b.dim; ++c) {
        mem_free(p->mass[c]);
        mem_free(p->drag[c]);
        if (c == 0 || p->normal[c] != p->normal[0]) mem_free(p->normal[c]);
        mem_free(p->rhs[c]);
        mem_free(p->u[c]);
        mem_free(p->owner[c]);
    }
    for (int e = 0; e < 3; ++e)
        for (int part = 0; part < 3; ++part)
            if (part == 0 || p->edge[e][part] != p->edge[e][0]) mem_free(p->edge[e][part]);
}

/* Liquid ball of radius .23 at (.55, .55, .4), container of radius .35 around the middle of the unit cube. */
typedef struct scene_s {
    double nu, jump, dt; /* below y = .55 viscosity is nu / jump */
    int contained;       /* 0: the ball floats alone */
} scene_s;

static double distance_to(const double x[3], double a, double b, double c) {
    return sqrt((x[0] - a) * (x[0] - a) + (x[1] - b) * (x[1] - b) + (x[2] - c) * (x[2] - c));
}

/* Share of liquid, and outside the container, around a point. */
static double share_at(const scene_s *s, const double x[3], double dx) {
    double share = 0.5 - (distance_to(x, .55, .55, .4) - .23) / dx;
    const double room = 0.5 + (.35 - distance_to(x, .5, .5, .5)) / dx;
    if (s->contained && room < share) share = room;
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

static double nu_at(const scene_s *s, double y) {
    return y < .55 ? s->nu / s->jump : s->nu;
}

static void fill_sample(viscous_problem *p, const scene_s *s, double dx, const int at[3]) {
    const ptrdiff_t q = box_at(&p->b, at[0], at[1], at[2]);
    double x[3];
    for (int a = 0; a < 3; ++a) x[a] = (at[a] + 0.5) * dx;
    const double k = s->dt / (dx * dx);
    p->normal[0][q] = (float)(2 * nu_at(s, x[1]) * k * share_at(s, x, dx));
    for (int c = 0; c < 3; ++c) {
        double face[3] = {x[0], x[1], x[2]}, edge[3];
        face[c] -= 0.5 * dx;
        for (int a = 0; a < 3; ++a) edge[a] = a == c ? x[a] : x[a] - 0.5 * dx;
        const double low = nu_at(s, edge[1] - 0.25 * dx), high = nu_at(s, edge[1] + 0.25 * dx);
        p->edge[c][0][q] = (float)(2 / (1 / low + 1 / high) * k * share_at(s, edge, dx));
        p->mass[c][q] = (float)share_at(s, face, dx);
        if (s->contained && distance_to(face, .5, .5, .5) > .35) p->owner[c][q] = VISCOUS_KNOWN;
        else
            p->u[c][q] = (float)(sin(7 * face[0] + c) * cos(5 * face[1]) * sin(4 * face[2] + 1)) +
                         0.3f * (random_unit(1, (uint64_t)q, (uint64_t)c) - 0.5f);
        p->rhs[c][q] = p->mass[c][q] * p->u[c][q];
    }
}

static viscous_problem viscous_scene_s(int n, scene_s s) {
    viscous_problem p = viscous_make(3, (int[3]){n, n, n}, 0);
    EACH_SAMPLE(&p, i, j, k) fill_sample(&p, &s, 1.0 / n, (int[3]){i, j, k});
    return p;
}

/* Random K and masses, a third of them 0, none that touches faces beyond the border; known faces of random
 * velocity. */
static viscous_problem viscous_random(int dim, const int n[3], int weighted, uint64_t seed) {
    viscous_problem p = viscous_make(dim, n, weighted);
    for (int c = 0; c < dim; ++c) p.system.drag[c] = p.drag[c];
    EACH_SAMPLE(&p, i, j, k) {
        const ptrdiff_t q = box_at(&p.b, i, j, k);
        const int at[3] = {i, j, k};
        int low = 0, high = 0; /* beside the borders */
        for (int a = 0; a < dim; ++a) {
            low |= at[a] == 0;
            high |= at[a] == n[a];
        }
        uint64_t turn = 0;
#define NEXT random_unit(seed, (uint64_t)q, turn++)
        for (int c = 0; c < dim; ++c) {
            p.mass[c][q] = NEXT < 0.3f ? 0 : NEXT;
            p.drag[c][q] = NEXT < 0.9f ? 0 : NEXT;
            p.u[c][q] = NEXT - 0.5f;
            p.rhs[c][q] = NEXT - 0.5f;
            p.owner[c][q] = NEXT < 0.15f ? VISCOUS_KNOWN : VISCOUS_FREE;
            if (p.mass[c][q] <= 0) p.rhs[c][q] = 0;
            if (c == 0 || weighted) p.normal[c][q] = NEXT < 0.3f || high ? 0 : 20 * NEXT;
        }
        for (int e = dim == 3 ? 0 : 2; e < 3; ++e) {
            const float edge = NEXT < 0.3f || low ? 0 : 10 * NEXT, a = 1 + 3 * NEXT, b = 1 + 3 * NEXT;
            p.edge[e][0][q] = weighted ? edge * a * a : edge;
            if (!weighted) continue;
            p.edge[e][1][q] = edge * a * b;
            p.edge[e][2][q] = edge * b * b;
        }
#undef NEXT
    }
    return p;
}
#endif

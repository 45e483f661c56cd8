/* Rigid bodies as unknowns of conjugate gradients, beside particles: each has a motion (velocity, spin) and
 * the momentum that belongs to it, so that the inner product of mass needs no mass. */
#ifndef STAGE_SPH_MOTION_H
#define STAGE_SPH_MOTION_H

#include <string.h>
#include "stage/sph/pressure.h"

/* A body that moves, NULL for other walls. */
INLINE sph_body *motion_body(const sph_bodies *bodies, const sph_contact *c) {
    if (!bodies || !bodies->count || c->solid < 0) return NULL;
    sph_body *b = &bodies->body[c->solid];
    return b->lightness > 0 ? b : NULL;
}

/* u += the velocity of a motion at a contact. */
INLINE void motion_at(float u[3], const sph_motion *m, const sph_contact *c) {
    for (int a = 0; a < 3; ++a) {
        const int b = (a + 1) % 3, e = (a + 2) % 3;
        u[a] += (float)(m->u[a] + m->u[3 + b] * (double)c->arm[e] - m->u[3 + e] * (double)c->arm[b]);
    }
}

/* An impulse at a contact, of the first fluid's particles. */
INLINE void motion_push(sph_motion *m, const sph_contact *c, const double impulse[3]) {
    for (int a = 0; a < 3; ++a) {
        const int b = (a + 1) % 3, e = (a + 2) % 3;
        m->j[a] += impulse[a];
        m->j[3 + a] += (double)c->arm[b] * impulse[e] - (double)c->arm[e] * impulse[b];
    }
}

/* The motion that its momentum makes. */
INLINE void motion_follow(sph_motion *m, const sph_body *b) {
    for (int a = 0; a < 3; ++a) {
        m->u[a] = b->lightness * m->j[a];
        m->u[3 + a] = 0;
        for (int e = 0; e < 3; ++e) m->u[3 + a] += b->inverse[3 * a + e] * m->j[3 + e];
    }
}

INLINE double motion_dot(const sph_motion *m, const sph_motion *n) {
    double sum = 0;
    for (int c = 0; c < 6; ++c) sum += m->u[c] * n->j[c];
    return sum;
}

/* m += scale n */
INLINE void motion_add(sph_motion *m, double scale, const sph_motion *n) {
    for (int c = 0; c < 6; ++c) {
        m->u[c] += scale * n->u[c];
        m->j[c] += scale * n->j[c];
    }
}

/* All bodies: nothing is known yet. */
INLINE void motions_begin(sph_bodies *bodies) {
    for (int o = 0; bodies && o < bodies->count; ++o) {
        sph_body *b = &bodies->body[o];
        b->x = b->r = b->p = b->q = (sph_motion){0};
        b->share = 1;
    }
}

/* x += alpha p, r -= alpha q; the sums of r . r and of r . share r. */
INLINE void motions_advance(double sum[2], sph_bodies *bodies, double alpha) {
    for (int o = 0; bodies && o < bodies->count; ++o) {
        sph_body *b = &bodies->body[o];
        motion_add(&b->x, alpha, &b->p);
        motion_add(&b->r, -alpha, &b->q);
        const double rr = motion_dot(&b->r, &b->r);
        sum[0] += rr;
        sum[1] += b->share * rr;
    }
}

/* p = share r + beta p */
INLINE void motions_turn(sph_bodies *bodies, double beta) {
    for (int o = 0; bodies && o < bodies->count; ++o) {
        sph_body *b = &bodies->body[o];
        sph_motion next = {{0}, {0}};
        motion_add(&next, b->share, &b->r);
        motion_add(&next, beta, &b->p);
        b->p = next;
    }
}

/* q = p + what has been pushed into it; returns p . q. */
INLINE double motions_product(sph_bodies *bodies) {
    double sum = 0;
    for (int o = 0; bodies && o < bodies->count; ++o) {
        sph_body *b = &bodies->body[o];
        motion_follow(&b->q, b);
        motion_add(&b->q, 1, &b->p);
        sum += motion_dot(&b->p, &b->q);
    }
    return sum;
}

INLINE void motions_clear_product(sph_bodies *bodies) {
    for (int o = 0; bodies && o < bodies->count; ++o) bodies->body[o].q = (sph_motion){0};
}

/* What bodies gain: `times` what has been found. */
INLINE void motions_gain(sph_bodies *bodies, double times) {
    for (int o = 0; bodies && o < bodies->count; ++o)
        for (int c = 0; c < 6; ++c) bodies->body[o].gain[c] = times * bodies->body[o].x.u[c];
}
#endif

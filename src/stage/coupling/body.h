/* A body in the pressure solve: what cells.c and faces.c find of it on the grid, mass.c of its mass, active.c
 * of its contacts, joints and motor. */
#ifndef STAGE_COUPLING_BODY_H
#define STAGE_COUPLING_BODY_H

#include "core/hot.h"
#include "linear/six.h"
#include "solid/vector.h"
#include "stage/coupling/coupling.h"

_Static_assert((int)SIX == (int)POISSON_RANK, "a rigid motion has six numbers");

typedef struct body_face {
    int32_t cell;      /* above the face */
    uint8_t axis;      /* across which it lies */
    uint8_t low, high; /* whether the cells below and above are unknowns; of thin bodies alone */
    double share;      /* c_f */
    double turn[3];    /* c_f r_f x e_a, as far as it is felt: with the share all of c_f k_f */
    double part;       /* of what is closed of the face: the rest stands still */
} body_face;

/* What the pressure of a cell does to the body: the sum over its faces of c_f k_f, positive below a face. */
typedef struct body_cell {
    int32_t cell;
    int32_t met; /* whether another solid closes a share of the same faces */
    double push[SIX];
} body_cell;

/* A body's motor in the metric of its mass. */
typedef struct coupled_motor {
    enum { MOTOR_NONE, MOTOR_AT_SPEED, MOTOR_SATURATED } mode;
    double row[SIX]; /* q */
    double size; /* of L^-1 row where active constraints leave it free: its square is the inverse mass on the
                    grid */
    double impulse; /* of the step, along the joint's motion: N s, N m s */
    int passed;     /* gave all and went past its speed */
} coupled_motor;

struct coupled_body {
    const obstacle *solid;
    body_face *
        faces; /* beside unknowns, none of balls; of one thinner than a cell: axis by axis, by rising cells */
    double felt[9]; /* of turns (solid/body.h) */
    int count, capacity;
    body_cell *cells; /* by rising cells */
    int cell_count, cell_capacity;
    double closed[3], all;      /* sums of c_f over wet sides: by direction, and half or all of their size */
    double excess[SIX * SIX];   /* G / rho, first three columns, m3 */
    double attached[SIX * SIX]; /* of layers between a thin body and the cells beside it, kg */
    double film[SIX * SIX];     /* of what else lies on it without a pressure of its own, kg */
    double factor[SIX * SIX];   /* L of the mass matrix, lower triangle, row-major */
    double active[SIX][SIX];    /* Q^T */
    int active_count;
    body_state was;      /* before coupling_attach() */
    double start[SIX];   /* L^T V before contacts, joints, motor and pressure */
    double bound[SIX];   /* what contacts, joints and motor added to that before pressure */
    double obeyed[SIX];  /* the part of it that active constraints took of the warm start */
    int group, place;    /* of bodies that joints link (stage/coupling/joints.h); -1: it is not */
    int fixed;           /* to one of them */
    int term;            /* of the solver's: where its rows are */
    double earlier[SIX]; /* m/s, rad/s: what contacts withheld in solves of the step before this one */
    double pressed[SIX]; /* L^T V by pressure, were the body free */
    double change[SIX];  /* and as it is */
    coupled_motor motor;
    double motion; /* |L^T V| after pressure, of thin bodies */
    int capped;    /* no contact may add to `motion` */
    int freed;     /* contacts have let go in this step */
    int failed;    /* no memory */
};

/* What a pressure that rises linearly along each axis does to the faces across one: sums over cells inside
 * the body telescope away. `side` sums c_f, positive where the cell above is an unknown and negative where
 * that below is, `wet` sums c_f over both; with them places from the centre of mass. */
typedef struct face_sums {
    double side, side_at[3], side_at2[3][3], wet, wet_at[3];
} face_sums;
/* Room for so many faces in all. -1: no memory. */
int coupling_reserve_faces(coupled_body *b, int count);
/* c_f r_f x e_a of a face whose axis and share are known, r_f being `lever`. */
INLINE void coupling_set_turn(body_face *f, const coupled_body *b, const double lever[3]) {
    const int axis = f->axis, p = (axis + 1) % 3, q = (axis + 2) % 3;
    f->turn[axis] = 0;
    f->turn[p] = f->share * lever[q];
    f->turn[q] = -f->share * lever[p];
    if (b->solid->body->round == NOT_ROUND) return;
    const double turn[3] = {f->turn[0], f->turn[1], f->turn[2]};
    mat_times(f->turn, b->felt, turn);
}
/* One face, the share of it that is wet from below and from above: turned by its lever, at its arm. */
void coupling_place(face_sums *m, double low, double high, const double arm[3], const double lever[3]);
/* To what the body displaces. */
void coupling_displaced(coupled_body *b, const face_sums *m, int axis, const mac_grid *g);

/* The cells of a body (`me`: as the openings call it) and what it displaces; those of a thin one from its
 * faces. -1: no memory. */
int coupling_find_cells(coupled_body *b, const mac_grid *g, const openings *o, const float *node_phi,
                        const uint8_t *unknown, uint16_t me);
int coupling_join_faces(coupled_body *b, const box *in);
int coupling_is_met(const coupled_body *b, ptrdiff_t cell); /* body_cell.met of one of them */

/* What is known while bodies are attached. */
typedef struct coupling_job {
    coupling *c;
    const mac_grid *g;
    const openings *o;
    const obstacle *solids;
    const float *node_phi;
    const uint8_t *unknown;
    double fluid_density;
    const struct lift_view *still; /* NULL without weight */
    const struct gaps *gaps;
    const mac_field *flow;
    double pull, dt, fall; /* m/s by gravity in the step, s; the same to bodies */
    int again;
    const float *q;
} coupling_job;

/* The faces of a body thinner than a cell, its cells and what it displaces. -1: no memory. */
int coupling_find_thin(coupled_body *b, const coupling_job *s);
/* The factor of the mass matrix; as a force what the mass cannot take. */
void coupling_make_mass(coupled_body *b, const coupling_job *s);

/* y <- (1 - Q Q^T) y; what is left of it by rounding is nothing. */
void coupling_leave_free(double y[SIX], const coupled_body *b);
void coupling_make_active(coupled_body *b); /* Q from the active constraints */
void coupling_read_start(coupled_body *b);
/* Where contacts have let go: starts anew from what they leave. Whether they have. */
int coupling_release(coupled_body *b);
void coupling_unbind(coupled_body *b); /* nothing was added before pressure */
/* Before a solve: no more energy than the body had with other layers; fall: m/s by gravity in the step. After
 * pressure: what contacts may leave. */
void coupling_cap_start(coupled_body *b, const mac_field *flow, double fall);
void coupling_cap_pushed(coupled_body *b);
/* The motor's row, what it can do on the grid, and the guess. */
void coupling_make_motor(coupled_body *b);
/* An impulse y that contacts withhold, in the metric of the mass <- what it does to the body. */
void coupling_withhold(double y[SIX], const coupled_body *b);
/* Before a solve: the velocity that contacts and joints leave the body, and what its motor makes of it. */
void coupling_bind(coupled_body *b);
/* After it: what the motor gave. `change`: by pressure, in the metric of the mass, with what is held. */
void coupling_read_motor(coupled_body *b, const double change[SIX]);
#endif

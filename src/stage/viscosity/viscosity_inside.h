/* What viscosity.c and viscosity_pressure.c share. */
#ifndef STAGE_VISCOSITY_INSIDE_H
#define STAGE_VISCOSITY_INSIDE_H

#include "linear/stokes.h"
#include "stage/viscosity/viscosity_shares.h"

/* What VISCOSITY_STOKES has beside the others; nothing is held before the first of its steps. */
typedef struct pressure_part {
    stokes *solver;
    float *open[3], *asked;
    uint8_t *liquid;
    poisson_row *row; /* of bodies: first[n] .. first[n + 1] */
    int *first;
    int rows_held, bodies_held;
    size_t bytes;
} pressure_part;

struct viscosity {
    viscous *solver;
    pressure_part pressure;
    float *mass[3], *rhs[3], *normal[3], *edge[3][3];
    uint16_t *owner[3];
    uint8_t *loose;        /* edges, bit by bit of their axis, whose stress only turns a face in the air */
    uint8_t *wet, *dirty;  /* of rows: liquid in them; not 0 in the fields */
    int (*extent)[2];      /* of rows that are dirty: the first and the last sample */
    double (*momentum)[6]; /* of bodies, with what walls' offsets do to them */
    viscous_body *heavy;   /* bodies with the liquid that their faces hold */
    int bodies_held;
    size_t bytes;
    struct viscosity_tree *tree; /* NULL before it is asked for */
};

typedef struct job {
    viscosity *v;
    const mac_grid *g;
    const viscosity_input *in;
    const mac_field *u;
    shares at;
    int *cut; /* a wall cuts differences short; set by any task */
} job;

static inline const float *const *in_order(float *const list[3]) {
    return (const float *const *)list;
}

/* Rows of samples, the border's first one included. */
static inline int row_count(const box *b) {
    return (b->n[1] + 3) * (b->dim == 3 ? b->n[2] + 3 : 1);
}
static inline void row_place(int jk[2], const box *b, int row) {
    jk[0] = row % (b->n[1] + 3) - 1;
    jk[1] = b->dim == 3 ? row / (b->n[1] + 3) - 1 : 0;
}

/* viscosity.c: a face's centre on the half grid; the velocity of solids there, or `back` faces before it
 * along an axis; the body that a face on or in a wall belongs to, its own or that of a face beside it,
 * VISCOUS_FREE: none. */
void viscosity_face_point(int h[3], int c, const int at[3]);
double viscosity_wall_at(const job *w, int c, const int at[3], int axis, int back);
uint16_t viscosity_body_at(const job *w, int c, const int at[3]);
/* Right-hand sides, and the wall's velocity where it holds the liquid; and after the solve the velocity in
 * their place. */
void viscosity_load(const job *w);
void viscosity_keep(const job *w);

/* The force of all walls' offsets on a face: the derivative of the energies by it. */
double viscosity_wall_share(const job *w, int c, const int at[3]);
/* viscosity_bodies.c: room for bodies, -1: no memory; their right-hand sides with what walls' offsets do to
 * them. */
int viscosity_hold_bodies(viscosity *v, int bodies);
const viscous_body *viscosity_load_bodies(const job *w);
const double (*viscosity_push_bodies(const job *w, const double (*rhs)[6]))[6];

/* viscosity_follow.c: whether one of a face's two cells lies deeper in liquid than this [m]; K around a face.
 */
bool viscosity_beside_liquid(const job *w, int c, const int at[3], double deep);
float viscosity_stiffness(const job *w, int c, ptrdiff_t q);

/* viscosity_pressure.c; -1: no memory. */
int pressure_part_hold(viscosity *v, const mac_grid *g);
void pressure_part_free(pressure_part *p);
size_t pressure_part_bytes(const pressure_part *p);
/* The open share of a face, and whether it slides along a wall that its centre lies in. */
double pressure_open(const job *w, int c, const int at[3]);
bool pressure_slides(const job *w, int c, const int at[3]);
/* A sample's faces and cell; `length` samples from q on. */
void pressure_put(const job *w, const int at[3], bool mixed, bool walls);
void pressure_clear_row(pressure_part *p, const box *b, ptrdiff_t q, size_t length);
/* The whole system to the solver. */
int pressure_setup(const job *w, const viscous_system *faces);
#endif

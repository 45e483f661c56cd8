/* Columns of a term of low rank that far outweigh what the preconditioner knows of them: poisson_light.c. */
#ifndef LINEAR_POISSON_LIGHT_H
#define LINEAR_POISSON_LIGHT_H

#include "linear/poisson_rank.h"

typedef struct light light;

light *light_create(void);
void light_free(light *l);
size_t light_bytes(const light *l);
/* Nothing is known: of a new term, or of another preconditioner. */
void light_forget(light *l);
bool light_looked(const light *l); /* since then */
/* Lists such columns of the term; their number, 0 without memory too. light_column() writes one of them into
 * a field, light_note() takes what the preconditioner makes of it, and light_end() ends with all of them;
 * until then, and where the preconditioner proves not positive, there are none. */
int light_begin(light *l, const low_rank *r, const level *fine);
void light_column(light *l, const low_rank *r, int column, vec8 *field);
void light_note(light *l, low_rank *r, pool *p, int column, const vec8 *found);
void light_end(light *l);
bool light_known(const light *l);
/* to = rhs - C w with w = W C^T found; light_dot(): w . C^T found. */
void light_take(light *l, low_rank *r, pool *p, const level *fine, vec8 *to, const vec8 *rhs,
                const vec8 *found);
double light_dot(const light *l, low_rank *r, pool *p, const vec8 *found);
#endif

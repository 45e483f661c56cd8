/* Active constraints of a body: rows of motions that contacts and joints do not allow it. */
#ifndef SOLID_ACTIVE_H
#define SOLID_ACTIVE_H

#include "solid/body.h"
#include "solid/tuning.h"

#define INDEPENDENT_JOINT 1e-9 /* these are few, and long arms make them alike */

/* The change of velocity and spin by an impulse along a row, M^-1 row^T. */
void active_effect(double effect[6], const body *b, const double row[6]);
/* A further row to the body's active constraints; nothing where those before hold it but for the share
 * `fresh` of it. */
void active_add(const body *b, const double row[6], double fresh);
/* The same of a contact, where the first `joints` rows are those of joints: beside a hinge it moves hardly
 * any of its body, and yet bears all that would turn it. */
void active_add_contact(const body *b, const double row[6], int joints);
/* The share of a row that these leave, in the metric. */
double active_free_share(const body *b, const double row[6], int joints);
/* What an impulse of 1 along a row does to velocity and spin where active constraints bind the body
 * otherwise. Returns the change along the row itself, 1/kg or 1/(kg m2); 0 where they leave it no motion. */
double active_free_effect(double effect[6], const body *b, const double row[6]);
/* Takes out of a velocity and spin v, or of the body's own, what active constraints do not allow. */
void active_obey_with(double v[6], const body *b);
void active_obey(const body *b);
#endif

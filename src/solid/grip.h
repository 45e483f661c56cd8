/* What contacts keep a body from doing (body_grip): rows of motions that are not allowed. */
#ifndef SOLID_GRIP_H
#define SOLID_GRIP_H

#include "solid/body.h"

#define GRIP_OF_CONTACT 0.01 /* of what joints leave of a row must be new: contacts are many and alike */
#define GRIP_OF_JOINT   1e-9 /* these are few, and long arms make them alike */

/* The change of velocity and spin by an impulse along a row, M^-1 row^T. */
void grip_effect(double effect[6], const body *b, const double row[6]);
/* A further row to the body's grip; nothing where those before hold it but for the share `fresh` of it. */
void grip_add(const body *b, const double row[6], double fresh);
/* The same of a contact, where the first `joints` rows are those of joints: beside a hinge it moves hardly
 * any of its body, and yet bears all that would turn it. */
void grip_add_contact(const body *b, const double row[6], int joints);
/* The share of a row that these leave, in the metric. */
double grip_free_share(const body *b, const double row[6], int joints);
/* What an impulse of 1 along a row does to velocity and spin where the grip holds the body otherwise. Returns
 * the change along the row itself, 1/kg or 1/(kg m2); 0 where the grip leaves it no motion. */
double grip_free_effect(double effect[6], const body *b, const double row[6]);
/* Takes out of a velocity and spin v, or of the body's own, what the grip does not allow. */
void grip_obey_with(double v[6], const body *b);
void grip_obey(const body *b);
#endif

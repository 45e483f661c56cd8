/* How much of a face or a cell lies outside a solid, from the solid's distance at the corners (negative in
 * the solid). */
#ifndef GEOM_FRACTIONS_H
#define GEOM_FRACTIONS_H

/* Open share of a segment (a 2D face) with end values a, b; of a unit square with corner values in the order
 * (0,0) (1,0) (0,1) (1,1), exact for the bilinear zero line replaced by straight cuts (marching squares; the
 * ambiguous case decided by the mean value). Both in [0, 1], exactly 0 and 1 where all corners agree. */
double fraction_segment(double a, double b);
double fraction_square(const double corner[4]);
/* Where the middle of the closed part is, from that of the segment or square; 0 where all or nothing is
 * closed. The same cuts. */
double closed_middle_segment(double a, double b);
void closed_middle_square(double middle[2], const double corner[4]);
/* Share of a unit cube (square when dim == 2) with negative values: for volumes. Corner order: x fastest.
 * Smooth in the values. */
double fraction_negative_cube(const double corner[8], int dim);
#endif

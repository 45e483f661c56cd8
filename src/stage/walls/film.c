/* Films of water between faces that lie on each other.
 *
 *   coefficient of a film's face = max(1, W^2 / FILM_INERTIA),   W its width in cells; gravity pulls as many
 * times
 *
 * Contacts leave a hundredth of a cell or nothing between a body and what it lies on. Neither particles nor
 * faces show the water there, and without a pressure of its own a board on the floor bears the weight of all
 * the water above it. A film transmits that pressure. So a patch of cells along a gap beside a moving solid
 * counts as liquid where all of its rim does, and faces along it are open by a film's width at least
 * (stage/walls/meet_film.c): each solid's distance is taken so that the gap is that wide, in openings, rows
 * of bodies and wall velocities alike, and the solve stays symmetric and positive. Patches reach over gaps of
 * more than a cell: what opens under water has no particles yet, and the drift correction brings them.
 *
 * A film of width h under a face of width W adds the inertia rho W^3 / (12 h) a length (u = V x / h). But no
 * particle keeps its velocity for the next step, so as ordinary water it is a brake, V <= F dt 12 h / (rho
 * W^3). So films flow more easily: their faces lose `mobility` times the pressure's gradient, and gravity
 * pulls as many times, for rest.
 *
 * A patch is what hangs together through faces that a film would open. It is a film
 *   - where no air is on its rim, and the liquid there is one region without it: a plug between two stays
 *     sealed, and so does what lies dry;
 *   - else below the lowest air on its rim, and as high as that water stands elsewhere: what floats along a
 *     wall is wet up to the water's level, but not a stopper with air below it, nor a piston on water that it
 *     shuts in.
 *
 * Source: lubrication theory for the inertia; docs/decisions/0016-films.md.
 *
 * Limits: water that pressure drives through below a body flows too easily as well; how fast a body comes off
 * depends on the step; between two solids thinner than a cell there are no films; what a film is wider than
 * the true gap is volume that is not there; liquid between two static solids is theirs. */
#include "stage/walls/film.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"
#include "grid/free_share.h"
#include "grid/rows.h"
#include "stage/walls/meet.h"
#include "stage/walls/tuning.h"

enum { NO_PART, UNSEEN, SEEN, PASSED, POCKET, AIR, BORDER, WET }; /* marks of cells */
/* Of liquid: 1 to 253, all of up to FILM_LITTLE cells, all further ones. */
enum { REGIONS = 253, DROPS, OTHER };

typedef struct {
    films *f;
    openings *o;
    const mac_grid *g;
    const float *free_share;
    float *phi;
    uint8_t *mark;
    double up[3];                     /* of length 1; 0 without gravity */
    double lowest;                    /* height of the lowest air beside a patch, cells */
    double air;                       /* the same where it is not shut in */
    int narrow;                       /* cells of a patch that are not air */
    int has_regions, size[OTHER + 1]; /* of regions, cells */
    double level[OTHER + 1];          /* height of their highest cell that has air beside it */
} search;

/* -1: no memory. */
static int push(film_cells *l, ptrdiff_t cell) {
    if (l->count == l->capacity) {
        const int capacity = l->capacity ? 2 * l->capacity : 256;
        int32_t *more =
            mem_grow(l->cell, (size_t)l->capacity * sizeof *more, (size_t)capacity * sizeof *more);
        if (!more) return -1;
        l->cell = more;
        l->capacity = capacity;
    }
    l->cell[l->count++] = (int32_t)cell;
    return 0;
}

/* Along gravity, from anywhere, in cells; the border has one, too. */
static double height_of(const search *s, ptrdiff_t c) {
    const box *b = &s->g->box;
    const ptrdiff_t layer = b->dim == 3 ? c % b->step[2] : c, z = b->dim == 3 ? c / b->step[2] : 0;
    return s->up[0] * (double)(layer % b->step[1]) + s->up[1] * (double)(layer / b->step[1]) +
           s->up[2] * (double)z;
}

INLINE ptrdiff_t above(const film_face *f, const box *b) {
    return box_at(b, f->face.at[0], f->face.at[1], f->face.at[2]);
}

/* Openings with all films, or without any. */
static void set_open(const search *s, int with) {
    const meetings *m = &s->o->met;
    for (int i = 0; i < m->film_count; ++i) {
        const film_face *f = &m->film[i];
        s->o->open.value[f->face.axis][above(f, &s->g->box)] = with ? f->face.open : f->was;
    }
}

/* What thin solids closed since the list was made stays as it is. */
static void keep_thin(const search *s) {
    for (int i = 0; i < s->o->met.film_count; ++i) {
        film_face *f = &s->o->met.film[i];
        const float open = s->o->open.value[f->face.axis][above(f, &s->g->box)];
        if (open < f->was) f->was = f->face.open = open;
        f->wet = 0;
        f->mobility = 0;
    }
}

/* Liquid that particles show. */
INLINE int is_liquid(const search *s, ptrdiff_t c) {
    return s->phi[c] < 0 && s->free_share[c] >= FREE_ENOUGH;
}

/* Marks the cells beside faces of gaps that no particles fill; whether there are any. */
static int mark_patches(const search *s) {
    const box *b = &s->g->box;
    const meetings *m = &s->o->met;
    int any = 0;
    memset(s->mark, BORDER, b->size);
    for (int k = 0; k < b->n[2]; ++k)
        for (int j = 0; j < b->n[1]; ++j) memset(s->mark + box_at(b, 0, j, k), NO_PART, (size_t)b->n[0]);
    for (int i = 0; i < m->film_count; ++i) {
        const ptrdiff_t high = above(&m->film[i], b), low = high - b->step[m->film[i].face.axis];
        const int narrow = m->film[i].face.open < MOVED_MIN; /* velocities are not its own */
        if (!(m->film[i].face.open > 0)) continue;
        for (int side = 0; side < 2; ++side) {
            const ptrdiff_t c = side ? high : low;
            if (s->mark[c] == BORDER || (!narrow && is_liquid(s, c))) continue;
            s->mark[c] = UNSEEN;
            any = 1;
        }
    }
    return any;
}

/* What of liquid beside a patch is too little to matter, cells. */
static int little(const search *s) {
    return FILM_LITTLE + s->narrow / 2;
}

/* One cell beyond a patch's cell, or beyond air beside it. What has hardly any free share says nothing, and
 * is looked beyond. A few cells of air right beside a gap may lack particles as it does; air beyond these is
 * air. */
static int look_at(search *s, ptrdiff_t c, int from_air) {
    const uint8_t mark = s->mark[c];
    if (mark == SEEN || mark == PASSED || mark == POCKET || mark >= WET) return 0;
    if (mark == NO_PART && is_liquid(s, c)) return push(&s->f->rim, c);
    const int is_air = mark == AIR || mark == BORDER || (mark == NO_PART && s->free_share[c] >= FREE_ENOUGH);
    if (is_air) s->lowest = fmin(s->lowest, height_of(s, c));
    if (mark == AIR || mark == BORDER || (is_air && (from_air || s->f->stack.count == FILM_LITTLE))) {
        s->air = s->lowest;
        return 0;
    }
    s->mark[c] = is_air ? POCKET : mark == UNSEEN ? SEEN : PASSED;
    return push(is_air ? &s->f->stack : &s->f->patch, c);
}

static int look_around(search *s, ptrdiff_t c, int is_air) {
    for (int a = 0; a < s->g->box.dim; ++a)
        for (int side = 0; side < 2; ++side) {
            const ptrdiff_t step = s->g->box.step[a], to = side ? c + step : c - step;
            if (s->o->open.value[a][side ? to : c] > 0 && look_at(s, to, is_air)) return -1;
        }
    return 0;
}

/* All that hangs together with cell c, the liquid on its rim, and the lowest air there; what air was not shut
 * out last. -1: no memory. */
static int list_patch(search *s, ptrdiff_t c) {
    film_cells *patch = &s->f->patch, *pockets = &s->f->stack;
    patch->count = pockets->count = s->f->rim.count = 0;
    s->air = s->lowest = INFINITY;
    if (look_at(s, c, 0)) return -1;
    for (int n = 0, m = 0; n < patch->count || m < pockets->count;)
        if (n < patch->count ? look_around(s, patch->cell[n++], 0) : look_around(s, pockets->cell[m++], 1))
            return -1;
    s->narrow = patch->count;
    if (s->air < INFINITY) s->air = s->lowest;
    for (int n = 0; n < pockets->count; ++n) {
        if (s->air < INFINITY) s->mark[pockets->cell[n]] = AIR;
        else if (push(patch, pockets->cell[n])) return -1;
    }
    return 0;
}

static int is_open_air(const search *s, ptrdiff_t c) {
    return s->mark[c] == BORDER || (s->phi[c] >= 0 && s->free_share[c] >= FREE_ENOUGH);
}

/* Numbers a region of liquid, which had the number `old`, without films. -1: no memory. */
static int number_region(search *s, ptrdiff_t from, uint8_t old, uint8_t number) {
    film_cells *stack = &s->f->stack;
    uint8_t *region = s->f->region;
    stack->count = 0;
    region[from] = number;
    s->size[number] = 1;
    s->level[number] = -INFINITY;
    if (push(stack, from)) return -1;
    while (stack->count > 0) {
        const ptrdiff_t c = stack->cell[--stack->count];
        for (int a = 0; a < s->g->box.dim; ++a)
            for (int side = 0; side < 2; ++side) {
                const ptrdiff_t step = s->g->box.step[a], to = side ? c + step : c - step;
                if (region[to] != old || !(s->o->open.value[a][side ? to : c] > 0)) continue;
                if (is_open_air(s, to)) s->level[number] = fmax(s->level[number], height_of(s, c));
                if (s->mark[to] == BORDER || !is_liquid(s, to)) continue;
                region[to] = number;
                ++s->size[number];
                if (push(stack, to)) return -1;
            }
    }
    return 0;
}

static int find_regions(search *s) {
    const box *b = &s->g->box;
    int number = 0, bad = 0;
    if (!s->f->region) s->f->region = mem_alloc(b->size);
    if (!s->f->region) return -1;
    memset(s->f->region, 0, b->size);
    set_open(s, 0);
    for (int k = 0; k < b->n[2]; ++k)
        for (int j = 0; j < b->n[1]; ++j)
            for (ptrdiff_t c = box_at(b, 0, j, k); c < box_at(b, b->n[0], j, k) && !bad; ++c) {
                if (s->f->region[c] || !is_liquid(s, c)) continue;
                const uint8_t next = number < REGIONS ? (uint8_t)(number + 1) : OTHER;
                bad = number_region(s, c, 0, next);
                if (!bad && s->size[next] <= FILM_LITTLE) bad = number_region(s, c, next, DROPS);
                else number += number < REGIONS;
            }
    set_open(s, 1);
    s->has_regions = 1;
    s->size[DROPS] = 0; /* whatever they are together */
    return bad;
}

/* Whether the liquid on the rim is one region, drops aside, or several that stand open to air at one level:
 * in the plane a box in a puddle has them on both sides. *level: the highest cell of it that is open to air;
 * -INFINITY: it is shut in. */
static int is_one_region(double *level, const search *s) {
    const film_cells *rim = &s->f->rim;
    int one = 0;
    for (int i = 0; i < rim->count; ++i) {
        const int region = s->f->region[rim->cell[i]];
        if (region != OTHER && s->size[region] <= little(s)) continue;
        if (region == OTHER) return 0;
        if (!one) one = region;
        else if (region != one && !(fabs(s->level[region] - s->level[one]) <= FILM_LEVEL)) return 0;
    }
    *level = s->level[one];
    return one > 0;
}

/* Air in the patch itself that is no deeper than the water's own surface is air. Where there is air, beside
 * the patch or in it, water stands as high in a gap as elsewhere: not at all above a piston, which has its
 * water shut in. */
static void find_free_air(search *s, double level) {
    const int shut_in = !(level > -INFINITY); /* nothing is air there that lacks particles */
    for (int n = 0; n < s->f->patch.count && !shut_in; ++n) {
        const ptrdiff_t c = s->f->patch.cell[n];
        const double height = height_of(s, c);
        if (s->phi[c] >= 0 && s->free_share[c] >= FREE_ENOUGH && !(height < level - 0.5))
            s->air = fmin(s->air, height);
    }
    if (s->air < INFINITY) s->air = fmin(s->air, level + 1);
}

/* How easily water flows in a film of so many cells, as a power of two. */
static int mobility_of(int cells, int dim, int thin) {
    const double wide = dim == 3 ? sqrt(cells) : cells;
    int mobility = 0;
    while (mobility < FILM_MOBILITY_MOST &&
           (1 << mobility) < wide * wide / (thin ? FILM_INERTIA_THIN : FILM_INERTIA))
        ++mobility;
    return mobility;
}

/* Makes what of the listed patch is below the air on its rim liquid. */
static void wet_patch(search *s, int thin) {
    const film_cells *patch = &s->f->patch;
    const int mobility = mobility_of(s->narrow, s->g->box.dim, thin);
    for (int n = 0; n < patch->count; ++n) {
        const ptrdiff_t c = patch->cell[n];
        if (!(height_of(s, c) < s->air - 0.5) || (s->mark[c] == PASSED && s->air < INFINITY)) continue;
        s->mark[c] = (uint8_t)(WET + mobility);
        if (s->phi[c] >= 0) s->phi[c] = -(float)s->g->dx;
        s->f->any = 1;
    }
}

static int wet_patches(search *s) {
    const meetings *m = &s->o->met;
    for (int i = 0; i < m->film_count; ++i)
        for (int side = 0; side < 2; ++side) {
            const ptrdiff_t c = above(&m->film[i], &s->g->box) - side * s->g->box.step[m->film[i].face.axis];
            double level;
            if (s->mark[c] != UNSEEN) continue;
            if (list_patch(s, c)) return -1;
            if (s->f->rim.count == 0) continue;
            if (!s->has_regions && find_regions(s)) return -1;
            if (!is_one_region(&level, s)) continue;
            find_free_air(s, level);
            wet_patch(s, !m->film[i].face.mover);
        }
    return 0;
}

static int is_same(const film_face *a, const film_face *b) {
    return a->face.axis == b->face.axis && !memcmp(a->face.at, b->face.at, sizeof a->face.at);
}

int films_find(films *f, openings *o, float *phi, uint8_t *mark, const mac_grid *g, const float *free_share,
               const double pull[3]) {
    search s = {.f = f, .o = o, .g = g, .free_share = free_share, .phi = phi, .mark = mark};
    const double size = sqrt(pull[0] * pull[0] + pull[1] * pull[1] + pull[2] * pull[2]);
    f->any = 0;
    if (o->met.film_count == 0) return 0;
    for (int a = 0; a < 3; ++a) s.up[a] = size > 0 ? -pull[a] / size : 0;
    keep_thin(&s);
    if (!mark_patches(&s)) return 0;
    set_open(&s, 1);
    const int bad = wet_patches(&s);
    set_open(&s, 0);
    for (int i = 0; i < o->met.film_count && f->any; ++i) {
        film_face *face = &o->met.film[i];
        const ptrdiff_t high = above(face, &g->box), low = high - g->box.step[face->face.axis];
        const int most = mark[high] > mark[low] ? mark[high] : mark[low], wet = most >= WET;
        face->wet = wet && face->face.open > face->was;
        if (wet && phi[high] < 0 && phi[low] < 0 && face->face.open > 0 &&
            (i == 0 || !is_same(face, face - 1)))
            face->mobility = (float)(1 << (most - WET)) / face->face.open;
    }
    return bad;
}

void films_open(openings *o, const films *f, const mac_grid *g, int solids) {
    if (!f->any) return;
    for (int i = 0; i < o->met.film_count; ++i) {
        const film_face *face = &o->met.film[i];
        if (face->wet) o->open.value[face->face.axis][above(face, &g->box)] = face->face.open;
    }
    solids_meet_movers(o, g, solids);
}

void films_pull(mac_field *u, const openings *o, const films *f, const mac_grid *g, const double pull[3]) {
    for (int i = 0; i < o->met.film_count && f->any; ++i) {
        const film_face *face = &o->met.film[i];
        if (face->mobility > 0)
            u->value[face->face.axis][above(face, &g->box)] +=
                (face->mobility - 1) * (float)pull[face->face.axis];
    }
}

size_t films_bytes(const films *f, const mac_grid *g) {
    const size_t cells = (size_t)f->patch.capacity + (size_t)f->rim.capacity + (size_t)f->stack.capacity;
    return cells * sizeof *f->patch.cell + (f->region ? g->box.size : 0);
}

void films_free(films *f) {
    mem_free(f->patch.cell);
    mem_free(f->rim.cell);
    mem_free(f->stack.cell);
    mem_free(f->region);
    *f = (films){0};
}

/* PLY (Turk 1994): a text header that declares elements and their properties, then the elements as text or as
 * bytes of either order. Vertices need x, y, z; faces a list vertex_indices (or vertex_index); all else is
 * stepped over. */
#include "geom/mesh_reader.h"

#include <math.h>
#include <string.h>
#include "core/memory.h"
#include "core/report.h"

enum { ELEMENTS_MAX = 16, PROPERTIES_MAX = 64 };

typedef enum { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64, TYPES } number_type;
static const size_t type_size[TYPES] = {1, 1, 2, 2, 4, 4, 4, 8};
static const char *const type_name[2][TYPES] = {
    {"char", "uchar", "short", "ushort", "int", "uint", "float", "double"},
    {"int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"},
};

typedef enum { OTHER = -1, PLY_X, PLY_Y, PLY_Z, PLY_CORNERS } role;

typedef struct {
    bool list;
    number_type type, count_type;
    role role;
} property;

typedef enum { ELEMENT_OTHER, ELEMENT_VERTEX, ELEMENT_FACE } element_kind;

typedef struct {
    element_kind kind;
    uint64_t count;
    int property_count;
    property properties[PROPERTIES_MAX];
} element;

typedef struct {
    reader *r;
    enum { FORMAT_NONE, FORMAT_TEXT, FORMAT_LITTLE, FORMAT_BIG } format;
    int element_count;
    uint64_t vertices; /* declared */
    uint32_t *corner;  /* of the face being read */
    size_t corner_capacity;
    element elements[ELEMENTS_MAX];
} ply;

/* Header
 * ------------------------------------------------------------------------------------------------------- */

static bool read_type(number_type *type, reader *r) {
    const char *word;
    size_t length = reader_word(&word, r);
    for (int t = 0; t < TYPES; ++t)
        if (reader_is(word, length, type_name[0][t]) || reader_is(word, length, type_name[1][t])) {
            *type = (number_type)t;
            return true;
        }
    return false;
}

static rheo_status read_format_line(ply *p) {
    const char *word;
    size_t length = reader_word(&word, p->r);
    if (reader_is(word, length, "ascii")) p->format = FORMAT_TEXT;
    else if (reader_is(word, length, "binary_little_endian")) p->format = FORMAT_LITTLE;
    else if (reader_is(word, length, "binary_big_endian")) p->format = FORMAT_BIG;
    else
        return reader_refuse(p->r, "ascii, binary_little_endian or binary_big_endian",
                             "unknown PLY format '%.*s'", (int)(length < 40 ? length : 40), word);
    return RHEO_OK;
}

static rheo_status read_element_line(ply *p) {
    const char *word;
    size_t length = reader_word(&word, p->r);
    double count;
    if (p->element_count == ELEMENTS_MAX)
        return reader_refuse(p->r, "at most 16 elements", "too many elements");
    element *e = &p->elements[p->element_count++];
    *e = (element){0};
    if (reader_is(word, length, "vertex")) e->kind = ELEMENT_VERTEX;
    if (reader_is(word, length, "face")) e->kind = ELEMENT_FACE;
    for (int before = 0; before < p->element_count - 1; ++before)
        if (e->kind != ELEMENT_OTHER && p->elements[before].kind == e->kind)
            return reader_refuse(p->r, "one element of each name", "an element is declared twice");
    if (length == 0 || !reader_number(&count, p->r) || count != floor(count) || !(count >= 0 && count < 1e15))
        return reader_refuse(p->r, "element NAME COUNT", "an element has no valid count");
    e->count = (uint64_t)count;
    if (e->kind == ELEMENT_VERTEX) p->vertices = e->count;
    return RHEO_OK;
}

static role find_role(const element *e, const property *q, const char *word, size_t length) {
    if (e->kind == ELEMENT_VERTEX && !q->list && length == 1 && *word >= 'x' && *word <= 'z')
        return (role)(*word - 'x');
    if (e->kind == ELEMENT_FACE && q->list &&
        (reader_is(word, length, "vertex_indices") || reader_is(word, length, "vertex_index")))
        return PLY_CORNERS;
    return OTHER;
}

static rheo_status read_property_line(ply *p) {
    static const char *const allowed =
        "property TYPE NAME or property list TYPE TYPE NAME, with char, uchar, short, "
        "ushort, int, uint, float, double or int8 ... float64";
    const char *word, *back = p->r->at;
    if (p->element_count == 0)
        return reader_refuse(p->r, "an element line first", "a property of no element");
    element *e = &p->elements[p->element_count - 1];
    if (e->property_count == PROPERTIES_MAX)
        return reader_refuse(p->r, "at most 64 properties", "an element has too many properties");
    property q = {.role = OTHER};
    size_t length = reader_word(&word, p->r);
    q.list = reader_is(word, length, "list");
    if (!q.list) p->r->at = back;
    if (q.list && (!read_type(&q.count_type, p->r) || q.count_type >= FLOAT32))
        return reader_refuse(p->r, allowed, "a list's length has no whole-number type");
    if (!read_type(&q.type, p->r)) return reader_refuse(p->r, allowed, "a property has an unknown type");
    length = reader_word(&word, p->r);
    q.role = find_role(e, &q, word, length);
    e->properties[e->property_count++] = q;
    return RHEO_OK;
}

static bool has_role(const ply *p, element_kind kind, role wanted) {
    for (int e = 0; e < p->element_count; ++e)
        for (int q = 0; q < p->elements[e].property_count; ++q)
            if (p->elements[e].kind == kind && p->elements[e].properties[q].role == wanted) return true;
    return false;
}

static rheo_status read_header(ply *p) {
    reader *r = p->r;
    const char *word;
    size_t length = reader_word(&word, r);
    if (!reader_is(word, length, "ply"))
        return reader_refuse(r, "a file that starts with 'ply'", "not a PLY file");
    for (;;) {
        reader_next_line(r);
        if (r->at >= r->end) return reader_refuse(r, "end_header", "the PLY header does not end");
        rheo_status status = RHEO_OK;
        length = reader_word(&word, r);
        if (reader_is(word, length, "end_header")) break;
        if (reader_is(word, length, "format")) status = read_format_line(p);
        else if (reader_is(word, length, "element")) status = read_element_line(p);
        else if (reader_is(word, length, "property")) status = read_property_line(p);
        else if (length && !reader_is(word, length, "comment") && !reader_is(word, length, "obj_info"))
            status = reader_refuse(r, "format, comment, obj_info, element, property or end_header",
                                   "unknown word '%.*s' in the PLY header", (int)(length < 40 ? length : 40),
                                   word);
        if (status) return status;
    }
    reader_next_line(r);
    if (!p->format) return reader_refuse(r, "a format line", "the PLY header names no format");
    if (!has_role(p, ELEMENT_VERTEX, PLY_X) || !has_role(p, ELEMENT_VERTEX, PLY_Y) ||
        !has_role(p, ELEMENT_VERTEX, PLY_Z))
        return reader_refuse(r, "element vertex with x, y and z", "the PLY file has no vertex positions");
    if (!has_role(p, ELEMENT_FACE, PLY_CORNERS))
        return reader_refuse(r, "element face with a list vertex_indices", "the PLY file has no faces");
    return RHEO_OK;
}

/* Body
 * ---------------------------------------------------------------------------------------------------------
 */

static uint64_t load_bits(const unsigned char *at, size_t size, bool big) {
    uint64_t bits = 0;
    for (size_t b = 0; b < size; ++b) bits |= (uint64_t)at[big ? size - 1 - b : b] << (8 * b);
    return bits;
}

static double decode(uint64_t bits, number_type type) {
    switch (type) {
    case INT8: return (double)(int8_t)bits;
    case INT16: return (double)(int16_t)bits;
    case INT32: return (double)(int32_t)bits;
    case FLOAT32: {
        uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof value);
        return (double)value;
    }
    case FLOAT64: {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    default: return (double)bits;
    }
}

static rheo_status read_value(double *value, ply *p, number_type type) {
    reader *r = p->r;
    if (p->format == FORMAT_TEXT) {
        for (reader_skip_blanks(r); r->at < r->end && *r->at == '\n'; reader_skip_blanks(r))
            reader_next_line(r);
        if (reader_number(value, r)) return RHEO_OK;
        return reader_refuse(r, "the numbers that the header declares",
                             r->at < r->end ? "not a number" : "the file ends too early");
    }
    size_t size = type_size[type];
    if ((size_t)(r->end - r->at) < size)
        return reader_refuse(r, "the bytes that the header declares", "the file ends too early");
    *value = decode(load_bits((const unsigned char *)r->at, size, p->format == FORMAT_BIG), type);
    r->at += size;
    return RHEO_OK;
}

static rheo_status keep_corner(ply *p, size_t at, double value) {
    if (at >= p->corner_capacity) {
        size_t capacity = p->corner_capacity ? 2 * p->corner_capacity : 64;
        uint32_t *grown = mem_grow(p->corner, p->corner_capacity * sizeof *grown, capacity * sizeof *grown);
        if (!grown) return report_no_memory(p->r->report, "a face");
        p->corner = grown;
        p->corner_capacity = capacity;
    }
    if (!(value >= 0 && value < (double)p->vertices && value == floor(value)))
        return reader_refuse(p->r, "indices from 0 to the number of vertices less 1",
                             "face %zu uses vertex %.17g of %.0f", p->r->mesh->triangle_count + 1, value,
                             (double)p->vertices);
    p->corner[at] = (uint32_t)value;
    return RHEO_OK;
}

static rheo_status read_list(ply *p, const property *q) {
    double count, value;
    rheo_status status = read_value(&count, p, q->count_type);
    if (status) return status;
    size_t least = p->format == FORMAT_TEXT ? 1 : type_size[q->type];
    if (!(count >= 0 && count == floor(count) && count * (double)least <= (double)(p->r->end - p->r->at)))
        return reader_refuse(p->r, "a length that fits into the file", "a list claims %.0f entries", count);
    size_t length = (size_t)count;
    for (size_t n = 0; n < length && !status; ++n) {
        status = read_value(&value, p, q->type);
        if (!status && q->role == PLY_CORNERS) status = keep_corner(p, n, value);
    }
    if (status || q->role != PLY_CORNERS) return status;
    if (length < 3) return reader_refuse(p->r, "at least three corners", "a face has %zu corners", length);
    return reader_add_polygon(p->r, p->corner, length);
}

static rheo_status read_item(ply *p, const element *e) {
    double position[3] = {0, 0, 0}, value;
    rheo_status status = RHEO_OK;
    for (int n = 0; n < e->property_count && !status; ++n) {
        const property *q = &e->properties[n];
        if (q->list) {
            status = read_list(p, q);
            continue;
        }
        status = read_value(&value, p, q->type);
        if (q->role >= PLY_X && q->role <= PLY_Z && !status) position[q->role] = value;
    }
    if (!status && e->kind == ELEMENT_VERTEX) status = reader_add_vertex(p->r, position);
    return status;
}

/* Whether so many items can be in the bytes that are left: a length byte for a list, a digit for a number in
 * text. */
static rheo_status check_count(const ply *p, const element *e) {
    double least = 0;
    for (int n = 0; n < e->property_count; ++n) {
        const property *q = &e->properties[n];
        least += p->format == FORMAT_TEXT ? 1 : (double)type_size[q->list ? q->count_type : q->type];
    }
    if ((double)e->count * fmax(least, 1) <= (double)(p->r->end - p->r->at)) return RHEO_OK;
    return reader_refuse(p->r, "counts that fit into the file",
                         "the header declares %.0f items, more than the file holds", (double)e->count);
}

rheo_status read_ply(reader *r) {
    ply *p = mem_alloc(sizeof *p);
    if (!p) return report_no_memory(r->report, "a PLY header");
    p->r = r;
    r->text = true;
    rheo_status status = read_header(p);
    r->text = p->format == FORMAT_TEXT;
    for (int e = 0; e < p->element_count && !status; ++e) {
        status = check_count(p, &p->elements[e]);
        for (uint64_t n = 0; n < p->elements[e].count && !status; ++n) status = read_item(p, &p->elements[e]);
    }
    mem_free(p->corner);
    mem_free(p);
    return status;
}

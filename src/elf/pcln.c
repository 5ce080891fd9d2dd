#include "elf/pcln.h"

#include "elf/dwarf_cursor.h"
#include "elf/segment.h"
#include "elf/symbols.h"

#define POINTER 8
#define FLAG_TOP 1     /* of an entry: nothing is above this frame */
#define FLAG_SPWRITE 2 /* SP is written in ways that pcsp cannot tell */

/* Where things are in each format.  Offsets in the header; 0: not there. */
struct layout {
	uint32_t magic;
	uint8_t text, names, pctab, functab;
	uint8_t address; /* bytes of one, in functab and at the begin of an entry */
	uint8_t flags;	 /* in an entry, behind its address */
};

/* Offsets in an entry, behind its address; its size without what not all formats have. */
enum { ENTRY_NAME = 0, ENTRY_PCSP = 12, ENTRY_SIZE = 16 };

static const struct layout layouts[] = {
	[PCLN_1_2] = { 0xfffffffb, .address = 8 },
	[PCLN_1_16] = { 0xfffffffa, .names = 24, .pctab = 48, .functab = 56, .address = 8,
			.flags = 33 },
	[PCLN_1_18] = { 0xfffffff0, .text = 24, .names = 32, .pctab = 56, .functab = 64,
			.address = 4, .flags = 33 },
	[PCLN_1_20] = { 0xfffffff1, .text = 24, .names = 32, .pctab = 56, .functab = 64,
			.address = 4, .flags = 37 },
};

/* Functions that leave the goroutine's stack for good, whatever their flags are. */
static const char *const roots[] = { "runtime.goexit", "runtime.mstart", "runtime.rt0_go",
				     "runtime.mcall", "runtime.morestack" };

/* Functions that a signal handler makes a goroutine go to where it is: it pushes that pc
 * (Go's runtime/signal_amd64.go, pushCall). */
static const char *const injected[] = { "runtime.asyncPreempt", "runtime.sigpanic",
					"runtime.debugCallV1", "runtime.debugCallV2" };

/* 0 past the end. */
static uint64_t number_at(const struct pcln *p, uint64_t at, unsigned size)
{
	uint64_t v = 0;

	if (at <= p->size && size <= p->size - at)
		memcpy(&v, p->bytes + at, size);
	return v;
}

const struct section *pcln_section(const struct image *image)
{
	const struct section *s = image_section(image, ".gopclntab");

	return s ? s : image_section(image, ".data.rel.ro.gopclntab");
}

static bool read_header(struct pcln *p)
{
	uint32_t magic = number_at(p, 0, 4);
	const struct layout *l;

	while (p->format < COUNT_OF(layouts) && layouts[p->format].magic != magic)
		p->format++;
	if (p->format == COUNT_OF(layouts) || number_at(p, 4, 2) ||
	    number_at(p, 7, 1) != POINTER)
		return false;
	l = &layouts[p->format];
	p->quantum = number_at(p, 6, 1);
	p->text = l->text ? number_at(p, l->text, POINTER) : 0;
	p->names = l->names ? number_at(p, l->names, POINTER) : 0;
	p->pctab = l->pctab ? number_at(p, l->pctab, POINTER) : 0;
	p->functab = l->functab ? number_at(p, l->functab, POINTER) : 16;
	return p->quantum && p->names < p->size && p->pctab < p->size && p->functab < p->size;
}

static uint32_t bounded_count(const struct pcln *p)
{
	uint64_t count = number_at(p, 8, POINTER);
	uint64_t room = (p->size - p->functab) / (2 * layouts[p->format].address);

	return count < room ? count : room;
}

/* The address of a function, that of the end of all code for index count. */
static uint64_t address_at(const struct pcln *p, uint32_t index)
{
	unsigned size = layouts[p->format].address;

	return p->text + number_at(p, p->functab + 2ull * size * index, size);
}

void pcln_range(const struct pcln *p, uint64_t *ret_start, uint64_t *ret_end)
{
	*ret_start = address_at(p, 0);
	*ret_end = address_at(p, p->count);
}

static const char *name_at(const struct pcln *p, uint64_t offset)
{
	uint64_t at = p->names + (uint32_t)offset;

	return at < p->size ? (const char *)p->bytes + at : "";
}

/* Also with ".abi0" or the like behind. */
static bool is_named(const char *name, const char *as)
{
	size_t n = strlen(as);

	return !strncmp(name, as, n) && (!name[n] || name[n] == '.');
}

static bool is_one_of(const char *name, const char *const *names, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (is_named(name, names[i]))
			return true;
	return false;
}

bool pcln_at(struct pcln *p, uint32_t index, struct pcln_func *ret)
{
	const struct layout *l = &layouts[p->format];
	uint64_t entry =
		number_at(p, p->functab + 2ull * l->address * index + l->address, l->address);
	uint64_t pcsp, flags, end;

	if (p->format != PCLN_1_2)
		entry += p->functab;
	entry += l->address;
	if (entry > p->size || p->size - entry < ENTRY_SIZE)
		return false;
	pcsp = number_at(p, entry + ENTRY_PCSP, 4);
	flags = l->flags ? number_at(p, entry + l->flags, 1) : 0;
	*ret = (struct pcln_func){
		.start = address_at(p, index),
		.end = address_at(p, index + 1),
		.name = name_at(p, number_at(p, entry + ENTRY_NAME, 4)),
		.pcsp = pcsp ? p->pctab + pcsp : 0,
		.switches = flags & FLAG_SPWRITE,
	};
	/* a signal handler's frame is nobody's for Go, but for a profile it has a caller */
	ret->outermost = (flags & FLAG_TOP && !is_named(ret->name, "runtime.sigtramp")) ||
			 is_one_of(ret->name, roots, COUNT_OF(roots));
	ret->injected = is_one_of(ret->name, injected, COUNT_OF(injected));
	if (ret->end <= ret->start)
		return false;
	end = pcln_run(p, ret, NULL, NULL);
	if (end > ret->start && end < ret->end)
		ret->end = end;
	return true;
}

static int64_t unzigzag(uint64_t v)
{
	return v & 1 ? ~(int64_t)(v >> 1) : (int64_t)(v >> 1);
}

uint64_t pcln_run(struct pcln *p, const struct pcln_func *f, pcln_emit *emit, void *store)
{
	struct dwarf_cursor c = { .end = p->bytes + p->size };
	uint64_t pc = f->start;
	int64_t below = -1;

	if (!f->pcsp || f->pcsp >= p->size)
		return pc;
	c.at = p->bytes + f->pcsp;
	for (bool first = true; pc < f->end && p->work; first = false, p->work--) {
		uint64_t change = cursor_uleb(&c), length = cursor_uleb(&c) * p->quantum;

		if (c.broken || (!change && !first) || length > f->end - pc)
			break;
		below += unzigzag((uint32_t)change);
		if (emit)
			emit(store, pc, below);
		pc += length;
	}
	return pc;
}

/* The prologue that asks whether the stack is large enough: cmp 16(%r14),%rsp, or
 * %r12 where the frame is large. */
static bool asks_for_stack(const struct image *image, uint64_t address)
{
	static const uint8_t small[] = { 0x49, 0x3b, 0x66, 0x10 }, large = 0x4d;
	uint8_t code[16];
	uint64_t offset;

	if (!image_to_offset(image, address, &offset) || !image_is_code(image, offset) ||
	    image_read(image, offset, code, sizeof(code)) != sizeof(code))
		return false;
	if (!memcmp(code, small, sizeof(small)))
		return true;
	for (unsigned i = 0; i + sizeof(small) <= sizeof(code); i++)
		if (code[i] == large && !memcmp(code + i + 1, small + 1, sizeof(small) - 1))
			return true;
	return false;
}

#define LOOKED_AT 256

/* Is this where the code begins?  Of compiled functions most ask for stack. */
static bool is_text(struct pcln *p, const struct image *image, uint64_t text)
{
	uint32_t step = p->count / LOOKED_AT + 1, looked = 0, asked = 0;
	struct pcln_func f;

	p->text = text;
	for (uint32_t i = 0; text && i < p->count; i += step) {
		if (!pcln_at(p, i, &f))
			continue;
		looked++;
		asked += asks_for_stack(image, f.start);
	}
	return asked > looked / 4;
}

static uint64_t text_symbol(const struct image *image)
{
	const struct symbols *s = image_statics(image);

	for (uint32_t i = 0; i < s->count; i++)
		if (!strcmp(symbols_name(s, i), "runtime.text"))
			return s->at[i].st_value;
	return 0;
}

/* Go 1.26 and later do not say where the code begins, nor do programs that are
 * relocated when they start: it is where functions are found then. */
static bool find_text(struct pcln *p, const struct image *image)
{
	const struct section *text = image_section(image, ".text");

	return p->text || !layouts[p->format].text ||
	       (text && is_text(p, image, text->address)) ||
	       is_text(p, image, text_symbol(image));
}

bool pcln_init(struct pcln *p, const struct image *image, const struct section *s,
	       const uint8_t *bytes)
{
	*p = (struct pcln){ .bytes = bytes, .size = bytes ? s->size : 0 };
	if (!read_header(p))
		return false;
	p->count = bounded_count(p);
	/* honest files share tables, and are gone through a few times */
	p->work = 64 * p->size;
	return p->count && find_text(p, image);
}

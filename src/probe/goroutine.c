#include "probe/goroutine.h"

#include "base/mem.h"
#include "elf/pcln.h"
#include "probe/hook.h"

#include <string.h>

#define SYSTEMSTACK_BYTES 256
#define FIELD_MAX 4096 /* bytes from the begin of a g or an m to what is looked at */

/* What of systemstack has been met. */
struct search {
	bool has_tls, has_m, has_g0, has_signal, has_current;
	int64_t rcx;
	struct goroutine_layout *found;
};

static bool begins(const uint8_t *code, size_t length, const char *with, size_t n)
{
	return length >= n && !memcmp(code, with, n);
}
#define BEGINS(code, length, with) begins((code), (length), (with), sizeof(with) - 1)

static int32_t wide_at(const uint8_t *code)
{
	int32_t v;

	memcpy(&v, code, sizeof(v));
	return v;
}

/* The distance in [reg + distance] of an instruction that ends with it. */
static int64_t distance(const uint8_t *code, size_t length, unsigned mod)
{
	return mod == 1 ? (int8_t)code[length - 1] : wide_at(code + length - 4);
}

static bool is_field(int64_t at)
{
	return at > 0 && at < FIELD_MAX && at % 8 == 0;
}

/* mov TLS, %rax: the place in the instruction, or in RCX. */
static void look_at_tls(struct search *s, const uint8_t *code, size_t length)
{
	int64_t tls = s->rcx;

	if (BEGINS(code, length, "\x48\xc7\xc1"))
		s->rcx = wide_at(code + 3);
	if (BEGINS(code, length, "\x64\x48\x8b\x04\x25"))
		tls = wide_at(code + 5);
	else if (!BEGINS(code, length, "\x64\x48\x8b\x01"))
		return;
	if (s->has_tls || !tls)
		return;
	s->has_tls = true;
	s->found->tls = tls;
}

/* Instructions with RAX and [RBX + distance], or RBX and [RAX + distance]. */
static void look_at_field(struct search *s, const uint8_t *code, size_t length)
{
	bool loads = code[1] == 0x8b, compares = code[1] == 0x3b || code[1] == 0x39;
	unsigned mod = code[2] >> 6, registers = code[2] & 63;
	int64_t at;

	if (loads && code[2] == 0x13) /* (%rbx), %rdx */
		s->has_g0 = s->has_m;
	if (mod != 1 && mod != 2)
		return;
	at = distance(code, length, mod);
	if (!is_field(at))
		return;
	if (loads && registers == 0x18 && !s->has_m) {
		s->has_m = s->has_tls;
		s->found->g_m = at;
	} else if (compares && registers == 0x03 && s->has_m && !s->has_signal) {
		s->has_signal = true; /* another one than what comes next */
	} else if (compares && registers == 0x03 && s->has_g0 && !s->has_current) {
		s->has_current = true;
		s->found->m_curg = at;
	}
}

bool goroutine_layout_of(struct decoder *d, const uint8_t *code, size_t size,
			 struct goroutine_layout *ret)
{
	struct search s = { .found = ret };
	struct code_bytes at = { code, size, 0 };
	struct insn i;

	while (!s.has_current && decoder_next(d, &at, &i) && !i.returns) {
		const uint8_t *bytes = code + i.address;

		look_at_tls(&s, bytes, i.length);
		if (i.length >= 3 && bytes[0] == 0x48)
			look_at_field(&s, bytes, i.length);
	}
	return s.has_signal && s.has_current;
}

static const struct symbol *find_systemstack(struct code_image *image)
{
	const struct symtab *symbols = code_symbols(image);
	const struct symbol *s = NULL;

	if (symbols)
		s = symtab_named(symbols, "runtime.systemstack.abi0");
	if (symbols && !s)
		s = symtab_named(symbols, "runtime.systemstack");
	return s;
}

static const char *read_layout(struct code_image *image, struct goroutine_layout *ret)
{
	const struct symbol *s = find_systemstack(image);
	uint8_t code[SYSTEMSTACK_BYTES];
	struct decoder *d;
	size_t size;
	bool found;

	if (!s)
		return "its runtime.systemstack, which would show where its goroutines are, "
		       "was not found";
	size = image_read(image->image, s->offset, code,
			  s->size < sizeof(code) ? s->size : sizeof(code));
	d = decoder_new();
	found = goroutine_layout_of(d, code, size, ret);
	decoder_free(d);
	return found ? NULL
		     : "its runtime.systemstack does not show where its goroutines are in a way "
		       "that is known";
}

static struct goroutine_code *read_code(struct code_image *image)
{
	const struct section *s = pcln_section(image->image);
	const uint8_t *bytes = section_bytes(image->image, s);
	struct goroutine_code *ret;
	struct pcln p;

	if (code_language(image) != CODE_GO)
		return NULL;
	ret = NEW(struct goroutine_code);
	if (!bytes || !pcln_init(&p, image->image, s, bytes)) {
		ret->refused = "its table of functions is missing, or not one that is known";
		return ret;
	}
	pcln_range(&p, &ret->start, &ret->end);
	ret->refused = read_layout(image, &ret->layout);
	return ret;
}

const struct goroutine_code *goroutine_code(struct code_image *image)
{
	if (image->image && !image->goroutines_read) {
		image->goroutines_read = true;
		image->goroutines = read_code(image);
	}
	return image->goroutines;
}

struct goroutine_layout goroutine_layout_at(struct code_image *image, uint64_t offset)
{
	const struct goroutine_code *g = goroutine_code(image);
	uint64_t address;

	if (!g || g->refused || !image_to_address(image->image, offset, &address) ||
	    address < g->start || address >= g->end)
		return (struct goroutine_layout){ 0 };
	return g->layout;
}

/*
 * goroutine - where a program in Go keeps which goroutine a thread runs.
 *
 * A goroutine's calls are its own, whichever threads run it, and its stack moves as it
 * grows.  So a call is known by the goroutine and by how far its return address lies
 * below the top of the stack.  What describes a goroutine (g), and the thread that runs
 * it (m), has been changed from release to release, and no program says how it is laid
 * out in its own; but runtime.systemstack, written in assembler, looks at each part that
 * is needed here, in an order that has been kept since Go 1.4 (runtime/asm_amd64.s):
 *
 *	MOVQ	TLS g, AX		the thread's goroutine
 *	MOVQ	g_m(AX), BX
 *	CMPQ	AX, m_gsignal(BX)
 *	MOVQ	m_g0(BX), DX		0: the first
 *	CMPQ	AX, m_curg(BX)
 *
 * That a g begins with its stack's bounds is what C code in Go programs relies on too
 * (runtime/runtime2.go, "offset known to runtime/cgo").
 */
#ifndef SONDE_PROBE_GOROUTINE_H
#define SONDE_PROBE_GOROUTINE_H

#include "probe/code.h"
#include "probe/decoder.h"
#include "wire/control.h"

struct goroutine_code {
	struct goroutine_layout layout;
	uint64_t start, end; /* of the code in Go, addresses of the file: others may be C */
	const char *refused; /* why calls cannot be told by goroutine, NULL: they can; static */
};

/* NULL: the image has no code in Go.  Valid until the image is closed. */
const struct goroutine_code *goroutine_code(struct code_image *image);

/* The layout for the calls of a function; zero if it is not in Go, or if goroutines cannot
 * be told there. */
struct goroutine_layout goroutine_layout_at(struct code_image *image, uint64_t offset);

/* Finds the layout in the code of runtime.systemstack; false: it is not as above. */
bool goroutine_layout_of(struct decoder *d, const uint8_t *code, size_t size,
			 struct goroutine_layout *ret);

#endif

#include "model/naming.h"

#include "base/array.h"

#include <string.h>

/* Names of arch/x86/include/asm/idtentry.h (DECLARE_IDTENTRY_SYSVEC and _IRQ, exc_nmi) and
 * arch/arm64/kernel/entry.S. */
bool naming_is_interrupt(const char *function)
{
	static const char *const entries[] = { "asm_common_interrupt", "asm_exc_nmi",
					       "el0t_64_irq",	       "el1h_64_irq",
					       "el0t_64_fiq",	       "el1h_64_fiq" };

	if (strncmp(function, "asm_sysvec_", strlen("asm_sysvec_")) == 0)
		return true;
	for (unsigned i = 0; i < COUNT_OF(entries); i++)
		if (strcmp(function, entries[i]) == 0)
			return true;
	return false;
}

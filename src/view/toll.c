#include "view/toll.h"

#include "model/profile.h"
#include "view/compare.h"

#include <math.h>

void toll_by_samples(struct picture_losses *l, double samples, double period)
{
	double middle = samples + COMPARE_Z * COMPARE_Z / 2;
	double half = COMPARE_Z * sqrt(samples + COMPARE_Z * COMPARE_Z / 4);

	l->probe_low_nsec = whole_number(fmax(0, middle - half) * period);
	l->probe_high_nsec = whole_number((middle + half) * period);
}

bool toll_is_dearer(const struct picture_losses *l)
{
	return l->probe_low_nsec > l->probe_nsec;
}

double toll_kept(const struct picture_losses *l, double probed)
{
	double samples, nsec;

	if (!toll_is_dearer(l) || !l->probe_nsec)
		return 0;
	/* the interval's middle lies so much beyond what was sampled */
	samples = l->in_probes / (l->in_probes + COMPARE_Z * COMPARE_Z / 2);
	nsec = samples * (l->probe_low_nsec / 2. + l->probe_high_nsec / 2.);
	return probed * fmax(0, nsec / l->probe_nsec - 1);
}

nsec toll_least(const struct picture_losses *l)
{
	return toll_is_dearer(l) ? l->probe_low_nsec : l->probe_nsec;
}

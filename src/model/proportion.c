#include "model/proportion.h"

#include <math.h>
#include <stdbool.h>

#define SAMPLES_LEAST 3 /* of the rest, for its share to be known */

static bool share_is_known(const struct proportion *rest)
{
	return rest->whole > 0 && rest->whole >= SAMPLES_LEAST * rest->tick;
}

/* Of the d_i of one side. */
static double spread_of(const struct proportion *p, double r)
{
	double sum = p->part - r * p->whole;
	double squares = p->part_squares - 2 * r * p->cross + r * r * p->whole_squares;

	return p->calls > 0 ? fmax(0, squares - sum * sum / p->calls) : 0;
}

static double chance_of(const struct proportion *p, double r)
{
	double part = fmin(fmax(p->part, 0), p->whole), other = p->whole - part;

	return p->tick * ((1 - r) * (1 - r) * part + r * r * other);
}

static double wider(double spread, double chance)
{
	return chance > 0 ? fmax(1, spread / chance) : 1;
}

struct proportion_excess proportion_compare(const struct proportion *in,
					    const struct proportion *rest)
{
	bool known = share_is_known(rest);
	double r = known ? fmin(fmax(rest->part / rest->whole, 0), 1) : 0;
	double spread[2] = { spread_of(in, r), spread_of(rest, r) };
	double chance[2] = { chance_of(in, r), chance_of(rest, r) };
	double v_in, v_rest, times;

	if (in->calls <= 0)
		return (struct proportion_excess){ 0 };
	v_in = fmax(spread[0], chance[0] * wider(spread[1], chance[1]));
	v_rest = fmax(spread[1], chance[1] * wider(spread[0], chance[0]));
	v_in = fmax(v_in, in->tick * in->tick);
	v_rest = fmax(v_rest, rest->tick * rest->tick);
	times = known ? in->whole / rest->whole : 0;
	return (struct proportion_excess){
		.excess = (in->part - r * in->whole) / in->calls,
		.error = sqrt(v_in + times * times * v_rest) / in->calls,
	};
}

static double deviance_of(double seen, double expected)
{
	return seen > 0 ? 2 * seen * log(seen / expected) : 0;
}

double proportion_z_of_counts(double in, double all, double share)
{
	double expected = all * share, more = in > expected ? 1 : -1;
	double seen = in - more / 2, deviance;

	if (!(expected > 0) || !(expected < all) || in < 0 || in > all ||
	    (seen - expected) * more <= 0)
		return 0;
	deviance = deviance_of(seen, expected) + deviance_of(all - seen, all - expected);
	return more * sqrt(fmax(0, deviance));
}

double proportion_z_least(double chance, unsigned tested)
{
	double low = 0, high = 40, tail = chance / (tested ? tested : 1);

	for (int i = 0; i < 60; i++) {
		double z = (low + high) / 2;

		if (erfc(z / sqrt(2)) > tail) /* both tails */
			low = z;
		else
			high = z;
	}
	return high;
}

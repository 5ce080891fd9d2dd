/*
 * proportion - whether a part has another share of the whole on one side than on the other.
 *
 * Each side is a number of calls, of which call i took y_i of sampled time, g_i of it in
 * the part.  With r = G / Y of the rest, the part's excess in IN is
 *
 *	D = sum_in (g_i - r y_i) = G - r Y:
 *
 * what calls of IN spend in it beyond what they would if they were the rest's calls, only
 * longer.  Its variance is that of a ratio estimator (Cochran, Sampling Techniques, 3rd
 * ed., 6.4): with d_i = g_i - r y_i,
 *
 *	Var(D) = V_in + Y_in^2 V_rest / Y_rest^2,  V = sum d_i^2 - (sum d_i)^2 / C.
 *
 * A side of few calls says little of how calls differ, so V is at least what chance makes
 * of samples of weight T (multinomial: T ((1-r)^2 G + r^2 (Y-G))), times what the calls of
 * the other side spread more than that; and at least one sample's worth, T^2.
 *
 * The rest's calls may be so much shorter that hardly a sample fell into them: of fewer
 * than three its share cannot be told, r is taken to be 0, and all that IN spends in the part
 * is excess.
 */
#ifndef SONDE_MODEL_PROPORTION_H
#define SONDE_MODEL_PROPORTION_H

/* Of one side; all times in one unit. */
struct proportion {
	double calls;		     /* C, all of them, sampled or not */
	double whole, whole_squares; /* Y; sum of y_i^2 */
	double part, part_squares;   /* G; sum of g_i^2 */
	double cross;		     /* sum of g_i y_i */
	double tick;		     /* T */
};

struct proportion_excess {
	double excess, error; /* D and its standard error, a call of IN; error 0: unknown */
};

struct proportion_excess proportion_compare(const struct proportion *in,
					    const struct proportion *rest);

/* How far it is from chance, as a z, that `in` of `all` events are on a side that each is on
 * with the chance `share`: the signed root of the binomial's deviance (McCullagh and Nelder,
 * Generalized Linear Models, 2nd ed., 4.4.3), half an event taken off as counts are whole
 * (Yates 1934).  Right for counts that are too small for the error that their own spread
 * gives: of 11 events, all on a side of one in seven, that says 3.3, and this 6.1.  The numbers
 * need not be whole. */
double proportion_z_of_counts(double in, double all, double share);

/* The least |z| that is no chance when so many of them are looked at: with `chance` that
 * any of them is as far out, of a normal distribution on both sides (Bonferroni). */
double proportion_z_least(double chance, unsigned tested);

#endif

/*
 * toll - what the probes took of the target.
 *
 * Their price (source/price) is the least that was found, of calls that follow one another:
 * the caches have all of the path through the kernel then.  Where the target does other work
 * in between it takes longer, several times as long where calls are milliseconds apart.  What
 * it does take the samples tell: those that fell into probes, each worth a period.  Beside
 * what calls took by a clock around them the share of samples is right: of ten runs with 490 to
 * 42,000 calls a second the two differed by less than the interval of chance.
 */
#ifndef SONDE_VIEW_TOLL_H
#define SONDE_VIEW_TOLL_H

#include "view/picture.h"

/* Sets the interval that the probes' time lies in, from so many samples.  period: nanoseconds
 * between them; 0 = not known, and none is set.  The score interval of a Poisson mean, of 95 %:
 * n + z²/2 ± z √(n + z²/4) (Rao 1948; of counts it is as good as the exact one, for n = 0 on).
 */
void toll_by_samples(struct picture_losses *l, double samples, double period);

/* Did they take more than their price, and not by chance? */
bool toll_is_dearer(const struct picture_losses *l);
/* Where `probed` nanoseconds of a duration were taken off for probes, by their price: so much
 * more there may be at most, if all of them grew like the samples in them say.  (What of a
 * probe lies in a duration grows less than the rest of it: where calls took six times the
 * price, that part was three times as long.) */
double toll_kept(const struct picture_losses *l, double probed);
/* At least so much they took, nanoseconds. */
nsec toll_least(const struct picture_losses *l);

#endif

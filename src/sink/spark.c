#include "sink/spark.h"

#include "view/shape.h"

#include <math.h>

#define COLUMNS_MOST 256

void spark_line(struct text *t, const struct picture_span *span, unsigned columns)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	double bins[COLUMNS_MOST], most = 0;

	if (!span->buckets.count || !columns)
		return;
	columns = columns > COLUMNS_MOST ? COLUMNS_MOST : columns;
	shape_bins(span, bins, columns);
	for (unsigned i = 0; i < columns; i++)
		most = fmax(most, bins[i]);
	for (unsigned i = 0; i < columns; i++) {
		double height = most > 0 ? 8 * sqrt(bins[i] / most) : 0;

		/* a step that a bucket only grazes has not one call */
		text_add(t, blocks[bins[i] < 0.1 ? 0
				   : height < 1	 ? 1
						 : (unsigned)lround(height)]);
	}
}

#include "source/file.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int replay_all(int fd, const char *name, source_event each, void *context,
		      struct stream_tally *ret_tally, struct error *err)
{
	struct stream_reader *reader;
	const struct event *e;
	int r = stream_reader_open(fd, name, &reader, err);

	if (r)
		return r;
	while ((r = stream_reader_next(reader, &e, err)) > 0)
		each(context, e);
	if (ret_tally)
		*ret_tally = *stream_reader_tally(reader);
	stream_reader_free(reader);
	return r;
}

int file_replay(const char *path, source_event each, void *context,
		struct stream_tally *ret_tally, struct error *err)
{
	AUTO_CLOSE int fd = -1;

	if (strcmp(path, "-") == 0)
		return replay_all(STDIN_FILENO, "standard input", each, context, ret_tally,
				  err);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_set(err, errno, "cannot open '%s': %s", path, strerror(errno));
	return replay_all(fd, path, each, context, ret_tally, err);
}

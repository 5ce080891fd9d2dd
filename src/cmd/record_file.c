#include "cmd/record_file.h"

#include "base/log.h"
#include "base/mem.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static int open_standard(struct replace *r, struct error *err)
{
	*r = (struct replace){ .path = mem_text("-"), .fd = dup(STDOUT_FILENO) };
	return r->fd < 0 ? error_set(err, errno, "cannot write to standard output: %s",
				     strerror(errno))
			 : 0;
}

int record_file_open(struct record_file *f, const char *path, enum replace_whose whose,
		     struct error *err)
{
	int code;

	f->writer = NULL;
	code = strcmp(path, "-") == 0 ? open_standard(&f->file, err)
				      : replace_open(&f->file, path, 0600, whose, err);
	return code ? code : stream_writer_new(f->file.fd, path, &f->writer, err);
}

int record_file_keep(struct record_file *f, struct error *err)
{
	return replace_keep(&f->file, err);
}

int record_file_end(const struct record_file *f, struct error *err)
{
	size_t waiting = stream_writer_waiting(f->writer);
	char size[TEXT_QUANTITY];

	if (waiting)
		log_say("all is gathered; %s wait for who reads '%s' (Ctrl-C gives them up)",
			text_size(size, waiting), f->file.path);
	return stream_writer_end(f->writer, err);
}

void record_file_done(struct record_file *f)
{
	stream_writer_free(f->writer);
	f->writer = NULL;
	replace_done(&f->file);
}

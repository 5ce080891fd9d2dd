#include "cmd/output.h"

#include "base/columns.h"
#include "base/log.h"
#include "base/outflow.h"
#include "base/terminal.h"
#include "cmd/replace.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_standard(const char *path)
{
	return !path || strcmp(path, "-") == 0;
}

static int unknown_format(const char *what, const char *name, struct error *err)
{
	AUTO_TEXT struct text known = { 0 };

	for (unsigned i = 0; sink_list[i]; i++)
		text_format(&known, "%s%s (%s)", i ? ", " : "", sink_list[i]->name,
			    sink_list[i]->suffix);
	return error_set(err, EINVAL, "no %s '%s'; there are: sonde (.sonde), %s", what, name,
			 text_string(&known));
}

static int choose_sink(const struct run_option *o, bool records, struct output *ret,
		       struct error *err)
{
	bool is_recording = o->format ? strcmp(o->format, "sonde") == 0
				      : o->output && text_ends(o->output, ".sonde");

	if (is_recording && !records)
		return error_set(err, EINVAL,
				 "this command cannot write a recording (.sonde): only "
				 "sonde record can");
	if (is_recording)
		return 0;
	if (o->format)
		ret->sink = sink_find(o->format);
	else if (o->json || is_standard(o->output))
		ret->sink = sink_find(o->json ? "json" : "text");
	else
		ret->sink = sink_for_path(o->output);
	if (ret->sink)
		return 0;
	return o->format ? unknown_format("format", o->format, err)
			 : unknown_format("format with the suffix of", o->output, err);
}

/* Asked for by COLUMNS, or the terminal's; 0: the sink's own. */
static unsigned columns_here(void)
{
	unsigned wanted = terminal_columns_wanted();

	return wanted ? wanted : terminal_columns(STDOUT_FILENO);
}

int output_choose(const struct run_option *o, bool records, struct output *ret,
		  struct error *err)
{
	bool standard = is_standard(o->output);

	*ret = (struct output){
		.path = o->output,
		.option = {
			.side = o->side,
			.weight = o->weight,
			.version = SONDE_VERSION,
			.columns = standard ? columns_here() : 0,
			.colour = standard && terminal_has_colour(STDOUT_FILENO),
		},
	};
	return choose_sink(o, records, ret, err);
}

static int write_all(int fd, const struct text *bytes)
{
	struct outflow out;
	int code;

	outflow_open(&out, fd);
	code = outflow_put(&out, text_string(bytes), bytes->size);
	if (code == 0)
		code = outflow_end(&out);
	outflow_done(&out);
	return code;
}

void output_text(const struct text *t)
{
	AUTO_TEXT struct text ascii = { 0 };

	fputs(terminal_text(text_string(t), &ascii), stdout);
	fflush(stdout);
}

void output_wrapped(const struct text *t)
{
	unsigned columns = terminal_columns(STDOUT_FILENO);
	AUTO_TEXT struct text lines = { 0 };

	if (columns)
		columns_wrap_lines(&lines, text_string(t), columns);
	output_text(columns ? &lines : t);
}

static int write_standard(const struct sink *sink, const struct text *bytes)
{
	AUTO_TEXT struct text ascii = { 0 };

	if (sink != sink_find("text") || terminal_takes_utf8())
		return write_all(STDOUT_FILENO, bytes);
	terminal_add_ascii(&ascii, text_string(bytes));
	return write_all(STDOUT_FILENO, &ascii);
}

static int write_file(const char *path, const struct text *bytes, struct error *err)
{
	struct replace file;
	int code = replace_open(&file, path, 0644, REPLACE_NAMED, err);

	if (code == 0) {
		code = write_all(file.fd, bytes);
		if (code)
			error_set(err, -code,
				  "cannot write '%s': %s (a recording would still hold "
				  "everything: -o FILE.sonde)",
				  path, strerror(-code));
	}
	if (code == 0)
		code = replace_keep(&file, err);
	replace_done(&file);
	return code;
}

int output_spares(const struct output *output, const char *input, struct error *err)
{
	struct stat in, out;

	if (is_standard(output->path) || stat(input, &in) < 0 || stat(output->path, &out) < 0 ||
	    !S_ISREG(out.st_mode) || in.st_dev != out.st_dev || in.st_ino != out.st_ino)
		return 0;
	return error_set(err, EINVAL,
			 "'%s' is what is read: the answer needs another file (-o FILE)",
			 output->path);
}

int output_picture(const struct output *output, const struct picture *p, struct error *err)
{
	struct sink_option option = output->option;
	AUTO_TEXT struct text bytes = { 0 };
	int code;

	option.side = sink_side(output->sink, p, option.side);
	code = output->sink->write(p, &option, &bytes, err);
	return code ? code : output_bytes(output, &bytes, err);
}

int output_bytes(const struct output *output, const struct text *bytes, struct error *err)
{
	char size[TEXT_QUANTITY];
	int code;

	if (!is_standard(output->path)) {
		code = write_file(output->path, bytes, err);
		if (code == 0)
			log_say("wrote %s (%s)", output->path, text_size(size, bytes->size));
		return code;
	}
	code = write_standard(output->sink, bytes);
	if (code == -EPIPE)
		return 0; /* the reader has seen enough */
	return code ? error_set(err, -code, "cannot write to standard output: %s",
				strerror(-code))
		    : 0;
}

#include "cmd/recording.h"

#include "base/log.h"
#include "source/file.h"

int recording_load(const char *path, struct feed *ret, struct error *err)
{
	AUTO_TEXT struct text damage = { 0 };
	struct stream_tally tally = { 0 };
	int code;

	feed_init(ret, NULL);
	code = file_replay(path, feed_event, ret, &tally, err);
	if (code == 0 && stream_tally_print(&tally, &damage))
		log_warn("'%s': %s", path, text_string(&damage));
	return code;
}

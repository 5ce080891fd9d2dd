#include "cmd/recording.h"

#include "base/log.h"
#include "base/notice.h"
#include "source/file.h"

int recording_load(const char *path, struct feed *ret, struct error *err)
{
	AUTO_TEXT struct text damage = { 0 };
	struct stream_tally tally = { 0 };
	int code;

	feed_init(ret, NULL);
	notice_begin("reading the recording");
	code = file_replay(path, feed_event, ret, &tally, err);
	notice_end();
	if (code == 0 && stream_tally_print(&tally, &damage))
		log_warn("'%s': %s", path, text_string(&damage));
	return code;
}

int recording_ask(const struct ask *ask, struct feed *feed, struct picture **ret,
		  struct error *err)
{
	int code;

	notice_begin("asking the recording");
	code = ask_picture(ask, feed, ret, err);
	notice_end();
	return code;
}

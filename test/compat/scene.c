#include "scene.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define IMAGE_REACH (1 << 20) /* bytes around scene_main() that are this program's */

/* Shared with forked children. */
static struct {
	_Atomic uint64_t own, in_children;
} * entries;
static const char *played;
static unsigned rounds; /* begun */

void scene_entered(void)
{
	entries->own++;
}

void scene_entered_in_child(void)
{
	entries->in_children++;
}

void scene_close(void)
{
	printf("{\"scene\":\"%s\",\"rounds\":%u,\"entries\":%llu,\"in_children\":%llu}\n",
	       played, rounds, (unsigned long long)entries->own,
	       (unsigned long long)entries->in_children);
	fflush(stdout);
}

const char *scene_place(const void *address)
{
	static _Thread_local char texts[8][24];
	static _Thread_local unsigned next;
	intptr_t away = (intptr_t)address - (intptr_t)scene_main;
	char *text = texts[next++ % 8];

	if (labs(away) > IMAGE_REACH)
		return "far";
	snprintf(text, sizeof(texts[0]), "%+ld", (long)away);
	return text;
}

int scene_main(int argc, char **argv, const struct scene *scenes)
{
	struct stage stage = { .mode = "", .seconds = 60 };
	uint64_t next;

	stage_options(&stage, argc, argv);
	while (scenes->name && strcmp(scenes->name, stage.mode) != 0)
		scenes++;
	if (!scenes->name) {
		fprintf(stderr, "%s: no scene is called '%s'\n", argv[0], stage.mode);
		return 2;
	}
	entries = mmap(NULL, sizeof(*entries), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (entries == MAP_FAILED)
		return 4;
	if (!stage.calls)
		stage.calls = scenes->rounds ? scenes->rounds : 400;
	stage_open(&stage);
	next = stage_now();
	played = scenes->name;
	for (unsigned i = 0; i < stage.calls; i++) {
		printf("%s %u:", played, i);
		rounds++;
		scenes->play(i);
		printf("\n");
		/* nothing that a child could print again */
		fflush(stdout);
		stage_pace(&next, stage.rate);
	}
	scene_close();
	munmap(entries, sizeof(*entries));
	return ferror(stdout) ? 5 : 0;
}

#include "proc/target.h"

#include "proc/access.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define EXE_NAME 256
#define NAMES_NEAR 3

static const char *user_name(uint32_t uid, char buf[32])
{
	struct passwd *user = getpwuid(uid);

	if (user)
		snprintf(buf, 32, "%s", user->pw_name);
	else
		snprintf(buf, 32, "uid %u", uid);
	return buf;
}

/* May its maps be read, and its files be reached?  The kernel asks for the rights of ptrace
 * there; for maps CAP_PERFMON is enough on new kernels (seen on 6.18). */
static bool is_open(uint32_t pid)
{
	uint32_t face = process_face(pid);
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/maps", face);
	AUTO_CLOSE int maps = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%u/root", face);
	AUTO_CLOSE int root = maps < 0 ? -1 : open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return root >= 0;
}

static int check_rights(const struct process *p, struct error *err)
{
	char user[32];
	int ret;

	if (is_open(p->pid))
		return 0;
	if (errno == ENOENT || errno == ESRCH)
		return error_set(err, ESRCH, "process %u ended", p->pid);
	ret = access_need(NEED_OTHERS, err);
	if (ret)
		error_prefix(err, "process %u (%s) belongs to %s", p->pid, p->comm,
			     user_name(p->uid, user));
	else
		ret = error_set(err, EACCES,
				"process %u (%s) cannot be looked at: it is protected by a "
				"security module or lives in another user namespace",
				p->pid, p->comm);
	return ret;
}

static int check_process(const struct process *p, struct error *err)
{
	if (p->pid == (uint32_t)getpid())
		return error_set(err, EINVAL,
				 "process %u is this sonde: it cannot look at itself", p->pid);
	if (p->kernel)
		return error_set(err, ENOTSUP,
				 "%u (%s) is a kernel thread: it runs no user code "
				 "(sonde record -a -K samples the kernel)",
				 p->pid, p->comm);
	if (p->ended)
		return error_set(err, ESRCH,
				 "process %u (%s) has ended (a zombie: its parent %u has not "
				 "waited for it)",
				 p->pid, p->comm, p->parent);
	return check_rights(p, err);
}

static void add_once(struct target *t, const struct process *p)
{
	for (uint32_t i = 0; i < t->processes.count; i++)
		if (t->processes.at[i].pid == p->pid)
			return;
	array_push(&t->processes, *p);
}

static int find_pids(const struct target_query *query, struct target *t, struct error *err)
{
	for (uint32_t i = 0; i < query->nr_pids; i++) {
		struct process p;
		int ret = process_read(query->pids[i], &p, NULL);

		if (ret)
			return error_set(err, ESRCH, "no process %u", query->pids[i]);
		if (p.pid != query->pids[i])
			return error_set(
				err, EINVAL,
				"%u is a thread of process %u (%s): use -t %u or -p %u",
				query->pids[i], p.pid, p.comm, query->pids[i], p.pid);
		ret = check_process(&p, err);
		if (ret)
			return ret;
		add_once(t, &p);
	}
	return 0;
}

static int find_tids(const struct target_query *query, struct target *t, struct error *err)
{
	for (uint32_t i = 0; i < query->nr_tids; i++) {
		struct process p;
		int ret = process_read(query->tids[i], &p, NULL);

		if (ret)
			return error_set(err, ESRCH, "no thread %u", query->tids[i]);
		ret = check_process(&p, err);
		if (ret)
			return ret;
		add_once(t, &p);
		array_push(&t->tids, query->tids[i]);
	}
	return 0;
}

/* Adds up to NAMES_NEAR names of processes that look like name. */
static void add_near_names(const struct process_list *all, const char *name, struct text *to)
{
	unsigned limit = strlen(name) / 3 + 1, found = 0;

	for (uint32_t i = 0; i < all->count && found < NAMES_NEAR; i++) {
		const char *comm = all->at[i].comm;

		if (text_distance(name, comm, limit + 1) > limit && !strstr(comm, name))
			continue;
		if (to->size && strstr(to->bytes, comm))
			continue;
		text_add(to, found++ ? ", " : " (near: ");
		text_add_plain(to, comm);
	}
	if (found)
		text_add(to, ")");
}

static bool is_named(const struct process *p, const char *glob)
{
	char exe[EXE_NAME];

	return text_glob(glob, p->comm) ||
	       text_glob(glob, process_exe_name(p->pid, exe, sizeof(exe)));
}

static int find_many(const struct target_query *query, struct target *t, struct error *err)
{
	struct process_list all = { 0 };
	struct error last = { "" };
	int ret = process_list_read(&all, err), code;

	for (uint32_t i = 0; !ret && i < all.count; i++) {
		if (query->name && !is_named(&all.at[i], query->name))
			continue;
		code = check_rights(&all.at[i], &last);
		if (code && code != -ESRCH)
			t->denied = last;
		if (code == -ESRCH)
			t->ended++;
		else if (code)
			t->refused++;
		else
			array_push(&t->processes, all.at[i]);
	}
	if (!ret && !t->processes.count && t->refused) {
		ret = error_set(err, EACCES, "%s", t->denied.text);
	} else if (!ret && !t->processes.count) {
		AUTO_TEXT struct text near = { 0 };

		if (query->name)
			add_near_names(&all, query->name, &near);
		ret = error_set(err, ESRCH, "no process is named '%s'%s",
				query->name ? query->name : "*", text_string(&near));
	}
	array_done(&all);
	return ret;
}

int target_find(const struct target_query *query, struct target *ret, struct error *err)
{
	struct target t = { 0 };
	int asked = !!query->nr_pids + !!query->nr_tids + !!query->name + query->all;
	int failed;

	if (!asked)
		return error_set(err, EINVAL,
				 "no target: -p PID, -n NAME, -t TID, -a, or -- CMD ARGS");
	if (asked > 1)
		return error_set(err, EINVAL, "give one of -p, -n, -t and -a, not several");
	if (query->nr_pids)
		failed = find_pids(query, &t, err);
	else if (query->nr_tids)
		failed = find_tids(query, &t, err);
	else
		failed = find_many(query, &t, err);
	if (failed) {
		target_done(&t);
		return failed;
	}
	t.all = query->all;
	t.many = query->all || query->name;
	t.thread = query->thread ? mem_text(query->thread) : NULL;
	*ret = t;
	return 0;
}

void target_drop(struct target *t, uint32_t pid)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < t->processes.count; i++) {
		if (t->processes.at[i].pid == pid)
			t->ended++;
		else
			t->processes.at[kept++] = t->processes.at[i];
	}
	t->processes.count = kept;
}

void target_done(struct target *t)
{
	array_done(&t->processes);
	array_done(&t->tids);
	free(t->thread);
	*t = (struct target){ 0 };
}

bool target_takes_thread(const struct target *t, uint32_t tid, const char *comm)
{
	bool taken = !t->tids.count;

	for (uint32_t i = 0; i < t->tids.count && !taken; i++)
		taken = t->tids.at[i] == tid;
	return taken && (!t->thread || text_glob(t->thread, comm));
}

void target_describe(const struct target *t, struct text *to)
{
	if (t->all) {
		text_add(to, "all processes");
	} else if (t->processes.count == 1) {
		text_add_plain(to, t->processes.at[0].comm);
		text_format(to, " (%u)", t->processes.at[0].pid);
	} else {
		text_format(to, "%u processes", t->processes.count);
	}
}

void target_option(const struct target *t, struct text *to)
{
	if (t->all) {
		text_add(to, "-a");
		return;
	}
	for (uint32_t i = 0; i < t->processes.count; i++)
		text_format(to, "%s%u", i ? "," : "-p ", t->processes.at[i].pid);
}

#include "session/loop.h"

#include "base/mem.h"
#include "session/end_signals.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Whom a signal ends: signals are the whole program's, and loops run one at a time. */
static struct loop *volatile hearing;

void loop_stop(struct loop *l, enum end_reason reason)
{
	l->reason = reason;
	l->until = 0;
	uv_stop(&l->uv);
}

nsec loop_left(const struct loop *l)
{
	nsec now = clock_now();

	return l->until == UINT64_MAX ? UINT64_MAX : l->until > now ? l->until - now : 0;
}

static void on_ear(uv_async_t *handle)
{
	loop_stop(handle->data, ENDED_BY_USER);
}

/* Only what signal-safety(7) allows; uv_async_send() is of those. */
static void on_signal(int number, siginfo_t *info, void *context)
{
	struct loop *l = hearing;
	int kept = errno;

	if (l) {
		l->signal = number;
		l->signals++;
		l->by_terminal = info->si_code == SI_KERNEL;
		uv_async_send(&l->ear);
	}
	errno = kept;
}

void loop_hear(struct loop *l)
{
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO | SA_RESTART };

	hearing = l;
	end_signals_set(&action);
}

void loop_deaf(struct loop *l)
{
	const struct sigaction ends = { .sa_handler = SIG_DFL };

	if (hearing != l)
		return;
	end_signals_set(&ends);
	hearing = NULL;
}

static void on_poll(uv_timer_t *handle)
{
	struct loop *l = handle->data;

	if (l->on_poll)
		l->on_poll(l->context);
}

static void on_tick(uv_timer_t *handle)
{
	struct loop *l = handle->data;

	if (l->on_tick)
		l->on_tick(l->context);
}

static void on_end(uv_timer_t *handle)
{
	loop_stop(handle->data, ENDED_BY_TIME);
}

void loop_init(struct loop *l, void *context)
{
	*l = (struct loop){ .context = context };
	uv_loop_init(&l->uv);
	uv_timer_init(&l->uv, &l->poll);
	uv_timer_init(&l->uv, &l->tick);
	uv_timer_init(&l->uv, &l->end);
	l->poll.data = l->tick.data = l->end.data = l;
	uv_async_init(&l->uv, &l->ear, on_ear);
	l->ear.data = l;
}

static void close_handle(uv_handle_t *handle, void *context)
{
	if (!uv_is_closing(handle))
		uv_close(handle, NULL);
}

void loop_done(struct loop *l)
{
	loop_deaf(l);
	uv_walk(&l->uv, close_handle, NULL);
	uv_run(&l->uv, UV_RUN_DEFAULT);
	uv_loop_close(&l->uv);
	for (uint32_t i = 0; i < l->processes.count; i++) {
		close(l->processes.at[i]->fd);
		free(l->processes.at[i]);
	}
	array_done(&l->processes);
	for (uint32_t i = 0; i < l->files.count; i++)
		free(l->files.at[i]);
	array_done(&l->files);
}

static void on_file(uv_poll_t *handle, int status, int events)
{
	struct loop *l = ((struct loop_file *)handle->data)->loop;

	if (l->on_file)
		l->on_file(l->context);
}

void loop_add_file(struct loop *l, int fd)
{
	struct loop_file *f = NEW(struct loop_file);

	f->loop = l;
	f->handle.data = f;
	array_push(&l->files, f);
	uv_poll_init(&l->uv, &f->handle, fd);
	uv_poll_start(&f->handle, UV_READABLE, on_file);
}

void loop_drop_files(struct loop *l)
{
	for (uint32_t i = 0; i < l->files.count; i++)
		uv_poll_stop(&l->files.at[i]->handle);
}

uint32_t loop_running(const struct loop *l)
{
	uint32_t running = 0;

	for (uint32_t i = 0; i < l->processes.count; i++)
		running += l->processes.at[i]->running;
	return running;
}

/* Nobody asks about it any more, and there may be thousands. */
static void on_forgotten(uv_handle_t *handle)
{
	struct loop_process *p = handle->data;
	struct loop *l = p->loop;
	uint32_t i = 0;

	while (l->processes.at[i] != p)
		i++;
	l->processes.at[i] = l->processes.at[--l->processes.count];
	close(p->fd);
	free(p);
}

static void on_process(uv_poll_t *handle, int status, int events)
{
	struct loop_process *p = handle->data;

	p->running = false;
	uv_poll_stop(handle);
	if (p->is_child)
		waitpid(p->pid, &p->status, WNOHANG);
	else
		uv_close((uv_handle_t *)handle, on_forgotten);
	if (!p->loop->keep && !loop_running(p->loop))
		loop_stop(p->loop, ENDED_BY_TARGET);
}

int loop_add_process(struct loop *l, uint32_t pid, bool is_child, struct error *err)
{
	struct loop_process *p;
	int fd = syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		return error_set(err, errno, "cannot watch process %u: %s", pid,
				 errno == ESRCH ? "it has ended" : strerror(errno));
	p = NEW(struct loop_process);
	*p = (struct loop_process){
		.loop = l,
		.fd = fd,
		.pid = pid,
		.running = true,
		.is_child = is_child,
	};
	array_push(&l->processes, p);
	uv_poll_init(&l->uv, &p->handle, fd);
	p->handle.data = p;
	uv_poll_start(&p->handle, UV_READABLE, on_process);
	return 0;
}

enum end_reason loop_run(struct loop *l, nsec duration, nsec interval)
{
	uint64_t msec = interval / NSEC_PER_MSEC;

	loop_hear(l);
	l->reason = ENDED_BY_TIME;
	l->until = duration ? clock_now() + duration : UINT64_MAX;
	uv_update_time(&l->uv);
	/* uv's time is that of the last whole millisecond: with one more nothing is early.
	 * The end comes before a tick that is due at the same time. */
	if (duration)
		uv_timer_start(&l->end, on_end,
			       (duration + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC + 1, 0);
	uv_timer_start(&l->poll, on_poll, LOOP_POLL_MSEC, LOOP_POLL_MSEC);
	uv_timer_start(&l->tick, on_tick, msec + 1, msec ? msec : 1);
	uv_run(&l->uv, UV_RUN_DEFAULT);
	uv_timer_stop(&l->poll);
	uv_timer_stop(&l->tick);
	uv_timer_stop(&l->end);
	return l->reason;
}

static const struct loop_process *find_child(const struct loop *l)
{
	for (uint32_t i = 0; i < l->processes.count; i++) {
		if (l->processes.at[i]->is_child)
			return l->processes.at[i];
	}
	return NULL;
}

int loop_child_status(const struct loop *l)
{
	const struct loop_process *child = find_child(l);

	return child ? child->status : 0;
}

bool loop_child_runs(const struct loop *l)
{
	const struct loop_process *child = find_child(l);

	return child && child->running;
}

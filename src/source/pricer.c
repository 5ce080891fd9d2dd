#include "source/pricer.h"

#include "base/helper.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define ROUNDS 21 /* as many as are remembered, soon */
#define MSEC 50	  /* between two of them */
#define LATER 500 /* between all others */

struct price pricer_look(struct pricer *p)
{
	struct price price;

	pthread_mutex_lock(&p->lock);
	price_again(&p->trial, &p->price);
	*p->taken = p->price.taken;
	price = p->price;
	pthread_mutex_unlock(&p->lock);
	return price;
}

/* Then takes the links away: that takes time as well. */
static void *look_again(void *context)
{
	struct pricer *p = context;
	struct pollfd enough = { .fd = p->enough, .events = POLLIN };

	for (int i = 0; poll(&enough, 1, i < ROUNDS ? MSEC : LATER) == 0; i++)
		(void)pricer_look(p);
	attach_done(&p->links);
	return NULL;
}

void pricer_begin(struct pricer *p, enum attach_kind kind,
		  const struct attach_programs *programs, const volatile __u64 *sum,
		  struct probe_prices *taken)
{
	price_measure(&p->links, kind, programs, sum, &p->trial, &p->price);
	pthread_mutex_init(&p->lock, NULL);
	p->taken = taken;
	*taken = p->price.taken;
	p->enough = eventfd(0, EFD_CLOEXEC);
	p->running = p->enough >= 0 && helper_start(&p->thread, NULL, look_again, p) == 0;
}

struct price pricer_price(struct pricer *p)
{
	struct price price;

	pthread_mutex_lock(&p->lock);
	price = p->price;
	pthread_mutex_unlock(&p->lock);
	return price;
}

void pricer_enough(struct pricer *p)
{
	uint64_t one = 1;

	if (p->running && write(p->enough, &one, sizeof(one)) != sizeof(one))
		p->running = false; /* cannot be: it would wait for ever */
}

void pricer_end(struct pricer *p)
{
	pricer_enough(p);
	if (p->running)
		pthread_join(p->thread, NULL);
	if (p->taken && p->enough >= 0)
		close(p->enough);
	attach_done(&p->links);
}

/*
 * feed_build - what was gathered of a small program (view/shop_build.h), for tests of what
 * asks.
 */
#ifndef SONDE_SESSION_FEED_BUILD_H
#define SONDE_SESSION_FEED_BUILD_H

#include "session/feed.h"
#include "view/shop_build.h"

static inline struct feed make_feed(void)
{
	return (struct feed){ .store = make_shop(NULL),
			      .namer = namer_new(NULL),
			      .live = true };
}

#endif

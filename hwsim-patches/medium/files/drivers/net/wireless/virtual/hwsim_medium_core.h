/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock of the hwsim medium: events in nominal order, and what is left to
 * do once the lock is dropped. It knows nothing of radios.
 */
#ifndef __HWSIM_MEDIUM_CORE_H
#define __HWSIM_MEDIUM_CORE_H

#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define HWSIM_NEVER	U64_MAX

struct hwsim_clock;

/* the order of what happens at one instant */
enum hwsim_phase {
	HWSIM_PHASE_END,	/* a transmission ends */
	HWSIM_PHASE_TIMEOUT,	/* no answer has come */
	HWSIM_PHASE_CONTEND,	/* backoffs have run out */
	HWSIM_PHASE_START,	/* a transmission starts */
};

/**
 * struct hwsim_event - an event at a nominal time
 * @node: in clock->events
 * @stale: in clock->stale, if its time has to be computed
 * @at_ns: when, on the medium's clock
 * @serial: order among events of one time and phase: that of creation
 * @phase: order among events of one time
 * @handler: what happens; the event is out of the tree by then
 * @when: of an event that is armed by hwsim_event_touch(): when, if ever
 */
struct hwsim_event {
	struct rb_node node;
	struct list_head stale;
	u64 at_ns;
	u64 serial;
	enum hwsim_phase phase;
	void (*handler)(struct hwsim_clock *clock, struct hwsim_event *event);
	u64 (*when)(struct hwsim_event *event);
};

/**
 * struct hwsim_later - work to do once the lock is dropped
 * @list: in clock->up or clock->discarded
 * @run: does it, and frees this
 */
struct hwsim_later {
	struct list_head list;
	void (*run)(struct hwsim_later *later);
};

/**
 * struct hwsim_clock - nominal time, and what happens when
 * @lock: guards all below, and is held by event handlers
 * @timer: wakes the medium for its next event
 * @now_ns: nominal time, CLOCK_MONOTONIC
 * @events: by time, phase and serial
 * @stale: events whose time has to be computed
 * @serial: number of the next event
 * @running: events are being processed: a change need not arm the timer
 * @up: what to do in softirq, in this order, after each instant
 * @discarded: what to do as soon as the lock is dropped, in any context
 */
struct hwsim_clock {
	spinlock_t lock;	/* see above */
	struct hrtimer timer;
	u64 now_ns;
	struct rb_root_cached events;
	struct list_head stale;
	u64 serial;
	bool running;
	struct list_head up;
	struct list_head discarded;
};

void hwsim_clock_init(struct hwsim_clock *clock);
void hwsim_clock_stop(struct hwsim_clock *clock);
u64 hwsim_clock_run(struct hwsim_clock *clock, u64 until_ns);
u64 hwsim_clock_enter(struct hwsim_clock *clock)
	__acquires(&clock->lock);
void hwsim_clock_leave(struct hwsim_clock *clock)
	__releases(&clock->lock);
void hwsim_event_init(struct hwsim_event *event, enum hwsim_phase phase);
void hwsim_event_add(struct hwsim_clock *clock, struct hwsim_event *event,
		     u64 at_ns);
void hwsim_event_cancel(struct hwsim_clock *clock, struct hwsim_event *event);
void hwsim_later_run_all(struct list_head *list);

/**
 * hwsim_clock_now_ns - nominal time of what is done now
 * @clock: the clock, locked
 */
static inline u64 hwsim_clock_now_ns(const struct hwsim_clock *clock)
{
	if (clock->running)
		return clock->now_ns;
	return max(clock->now_ns, ktime_get_ns());
}

/**
 * hwsim_event_touch - the time of an event may have changed
 * @clock: the clock, locked
 * @event: the event, which has @when
 *
 * It is computed once before the next event, however often this is called.
 */
static inline void hwsim_event_touch(struct hwsim_clock *clock,
				     struct hwsim_event *event)
{
	if (list_empty(&event->stale))
		list_add_tail(&event->stale, &clock->stale);
}

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The clock of the hwsim medium.
 *
 * Events have nominal times on an integer nanosecond clock and happen in that
 * order, however coarse or late the underlying timer is: what happens at a
 * nominal instant takes that for the present time, so stations whose backoff
 * ends in the same slot collide. Within an instant, phases say what comes
 * first.
 *
 * Most events are added for a time. Contention depends on all that is heard, so
 * its time would change many times before it comes. Such an event is only
 * touched, and its time is computed before the next event.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include "hwsim_medium_core.h"

static bool event_before(struct rb_node *a, const struct rb_node *b)
{
	const struct hwsim_event *first, *second;

	first = rb_entry(a, struct hwsim_event, node);
	second = rb_entry(b, struct hwsim_event, node);
	if (first->at_ns != second->at_ns)
		return first->at_ns < second->at_ns;
	if (first->phase != second->phase)
		return first->phase < second->phase;
	return first->serial < second->serial;
}

/**
 * hwsim_event_init - initialise an event that is not scheduled
 * @event: the event
 * @phase: its place among events of one time
 */
void hwsim_event_init(struct hwsim_event *event, enum hwsim_phase phase)
{
	memset(event, 0, sizeof(*event));
	RB_CLEAR_NODE(&event->node);
	INIT_LIST_HEAD(&event->stale);
	event->phase = phase;
}

/**
 * hwsim_event_add - schedule an event
 * @clock: the clock, locked
 * @event: the event, not in the tree
 * @at_ns: when, not before now
 */
void hwsim_event_add(struct hwsim_clock *clock, struct hwsim_event *event,
		     u64 at_ns)
{
	event->at_ns = at_ns;
	event->serial = clock->serial++;
	rb_add_cached(&event->node, &clock->events, event_before);
}

/**
 * hwsim_event_cancel - cancel an event
 * @clock: the clock, locked
 * @event: the event; nothing is done if it is not in the tree
 */
void hwsim_event_cancel(struct hwsim_clock *clock, struct hwsim_event *event)
{
	if (RB_EMPTY_NODE(&event->node))
		return;
	rb_erase_cached(&event->node, &clock->events);
	RB_CLEAR_NODE(&event->node);
}

/* compute the time of a touched event, which keeps its serial */
static void rearm(struct hwsim_clock *clock, struct hwsim_event *event)
{
	u64 at_ns = event->when(event);

	list_del_init(&event->stale);
	if (at_ns == event->at_ns && !RB_EMPTY_NODE(&event->node))
		return;
	hwsim_event_cancel(clock, event);
	event->at_ns = at_ns;
	if (at_ns != HWSIM_NEVER)
		rb_add_cached(&event->node, &clock->events, event_before);
}

/* the next event, or NULL */
static struct hwsim_event *next_event(struct hwsim_clock *clock)
{
	struct hwsim_event *event, *next;
	struct rb_node *node;

	list_for_each_entry_safe(event, next, &clock->stale, stale)
		rearm(clock, event);
	node = rb_first_cached(&clock->events);
	return node ? rb_entry(node, struct hwsim_event, node) : NULL;
}

/**
 * hwsim_clock_run - process what is due
 * @clock: the clock, locked
 * @until_ns: up to when. It stops after an instant that leaves something for
 *	mac80211, whose reaction comes before later events
 *
 * Return: when the next event is due
 */
u64 hwsim_clock_run(struct hwsim_clock *clock, u64 until_ns)
{
	struct hwsim_event *event;

	while ((event = next_event(clock))) {
		if (event->at_ns > until_ns)
			return event->at_ns;
		if (event->at_ns > clock->now_ns) {
			if (!list_empty(&clock->up))
				return event->at_ns;
			clock->now_ns = event->at_ns;
		}
		hwsim_event_cancel(clock, event);
		event->handler(clock, event);
	}
	return HWSIM_NEVER;
}

/**
 * hwsim_later_run_all - run deferred work; the lock is not held
 * @list: the work
 */
void hwsim_later_run_all(struct list_head *list)
{
	struct hwsim_later *later, *next;

	list_for_each_entry_safe(later, next, list, list) {
		list_del(&later->list);
		later->run(later);
	}
}

/*
 * Process what is due, then arm the timer. A caller that finds the medium
 * running leaves that to the runner. In real time, more events fall due
 * meanwhile: they wait for the next timer, so that other work gets its turn.
 */
static void run(struct hwsim_clock *clock)
{
	u64 next, until = ktime_get_ns();
	LIST_HEAD(discarded);
	LIST_HEAD(up);

	clock->running = true;
	for (;;) {
		next = hwsim_clock_run(clock, until);
		if (list_empty(&clock->up) && list_empty(&clock->discarded))
			break;
		list_splice_init(&clock->up, &up);
		list_splice_init(&clock->discarded, &discarded);
		spin_unlock(&clock->lock);
		hwsim_later_run_all(&up);
		hwsim_later_run_all(&discarded);
		spin_lock(&clock->lock);
	}
	clock->running = false;
	if (next != HWSIM_NEVER)
		hrtimer_start(&clock->timer, ns_to_ktime(next),
			      HRTIMER_MODE_ABS_SOFT);
}

static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	struct hwsim_clock *clock =
		container_of(timer, struct hwsim_clock, timer);

	spin_lock(&clock->lock);
	if (!clock->running)
		run(clock);
	spin_unlock(&clock->lock);
	return HRTIMER_NORESTART;
}

/**
 * hwsim_clock_enter - begin a change
 * @clock: the clock; locked on return
 *
 * Return: the nominal time of the change
 */
u64 hwsim_clock_enter(struct hwsim_clock *clock)
	__acquires(&clock->lock)
{
	spin_lock_bh(&clock->lock);
	return hwsim_clock_now_ns(clock);
}

/**
 * hwsim_clock_leave - end a change
 * @clock: the clock; unlocked on return
 *
 * If something is due earlier than before, the timer is set to it: no event
 * runs in the caller's context, which may hold mac80211's locks.
 */
void hwsim_clock_leave(struct hwsim_clock *clock)
	__releases(&clock->lock)
{
	LIST_HEAD(discarded);

	list_splice_init(&clock->discarded, &discarded);
	if (!clock->running) {
		struct hwsim_event *event = next_event(clock);
		u64 next = event ? event->at_ns : HWSIM_NEVER;

		if (!list_empty(&clock->up))
			next = 0;	/* at once */
		if (next != HWSIM_NEVER &&
		    (!hrtimer_is_queued(&clock->timer) ||
		     ktime_to_ns(hrtimer_get_expires(&clock->timer)) > next))
			hrtimer_start(&clock->timer, ns_to_ktime(next),
				      HRTIMER_MODE_ABS_SOFT);
	}
	spin_unlock_bh(&clock->lock);
	hwsim_later_run_all(&discarded);
}

/**
 * hwsim_clock_init - initialise a clock without events
 * @clock: the clock
 */
void hwsim_clock_init(struct hwsim_clock *clock)
{
	spin_lock_init(&clock->lock);
	hrtimer_init(&clock->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	clock->timer.function = on_timer;
	clock->events = RB_ROOT_CACHED;
	INIT_LIST_HEAD(&clock->stale);
	INIT_LIST_HEAD(&clock->up);
	INIT_LIST_HEAD(&clock->discarded);
}

/**
 * hwsim_clock_stop - stop a clock for good
 * @clock: the clock
 */
void hwsim_clock_stop(struct hwsim_clock *clock)
{
	hrtimer_cancel(&clock->timer);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The clock of the hwsim medium.
 *
 * Events have nominal times on an integer nanosecond clock and happen in that
 * order, however coarse or late the timer behind them is: what happens at one
 * nominal instant sees that instant, so stations whose backoff ends in the
 * same slot collide. Contention has no events of its own. After each event the
 * earliest start of any contender is computed anew, and the medium wakes for
 * whichever comes first.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include "hwsim_medium_int.h"

/* struct ieee80211_tx_rate has five bits for it */
#define TX_COUNT_MAX	31

/* the list of media, and which radio is on which */
DEFINE_MUTEX(hwsim_media_mutex);

static bool event_before(struct rb_node *a, const struct rb_node *b)
{
	const struct hwsim_event *first, *second;

	first = rb_entry(a, struct hwsim_event, node);
	second = rb_entry(b, struct hwsim_event, node);
	if (first->at_ns != second->at_ns)
		return first->at_ns < second->at_ns;
	return first->serial < second->serial;
}

/**
 * hwsim_event_add - let something happen
 * @medium: the medium, locked
 * @event: what; not in the tree
 * @at_ns: when, not before now
 */
void hwsim_event_add(struct hwsim_medium *medium, struct hwsim_event *event,
		     u64 at_ns)
{
	event->at_ns = at_ns;
	event->serial = medium->serial++;
	rb_add_cached(&event->node, &medium->events, event_before);
}

/**
 * hwsim_event_cancel - let something not happen
 * @medium: the medium, locked
 * @event: what; if it is not in the tree, nothing is done
 */
void hwsim_event_cancel(struct hwsim_medium *medium, struct hwsim_event *event)
{
	if (RB_EMPTY_NODE(&event->node))
		return;
	rb_erase_cached(&event->node, &medium->events);
	RB_CLEAR_NODE(&event->node);
}

/* the earliest start of a contender of a channel */
static u64 air_next_start(const struct hwsim_air *air)
{
	struct hwsim_radio *radio;
	u64 next = HWSIM_NEVER;

	list_for_each_entry(radio, &air->radios, tuned)
		next = min(next, hwsim_access_next(radio));
	return next;
}

/* when the medium has to do something next, and in which channel, if one */
static u64 next_time(struct hwsim_medium *medium, struct hwsim_air **contended)
{
	struct rb_node *first = rb_first_cached(&medium->events);
	u64 next = HWSIM_NEVER;
	struct hwsim_air *air;

	*contended = NULL;
	if (first)
		next = rb_entry(first, struct hwsim_event, node)->at_ns;
	list_for_each_entry(air, &medium->airs, list) {
		u64 start = air_next_start(air);

		/* what ends now is heard before anybody starts */
		if (start < next) {
			next = start;
			*contended = air;
		}
	}
	return next;
}

/*
 * Every contender whose time has come gets the medium. They do not hear each
 * other: what they send starts as events of this instant, after all of them.
 */
static void start_contenders(struct hwsim_medium *medium, struct hwsim_air *air)
{
	struct hwsim_radio *radio;

	list_for_each_entry(radio, &air->radios, tuned) {
		if (hwsim_access_next(radio) <= medium->now_ns)
			hwsim_access_grant(radio);
	}
}

/**
 * hwsim_run_events - process what is due
 * @medium: the medium, locked
 * @until_ns: up to when, but no more than one instant after which something is
 *	to go up: what mac80211 does about it comes before later events
 *
 * Return: when the next event is due
 */
u64 hwsim_run_events(struct hwsim_medium *medium, u64 until_ns)
{
	struct hwsim_air *air;
	u64 next;

	for (;;) {
		next = next_time(medium, &air);
		if (next > until_ns)
			return next;
		if (next > medium->now_ns) {
			if (!list_empty(&medium->up))
				return next;
			medium->now_ns = next;
		}
		if (air) {
			start_contenders(medium, air);
		} else {
			struct rb_node *node = rb_first_cached(&medium->events);
			struct hwsim_event *event;

			event = rb_entry(node, struct hwsim_event, node);
			hwsim_event_cancel(medium, event);
			event->happen(medium, event);
		}
	}
}

/*
 * mac80211 learns of the air time that a station used, and rate control how an
 * A-MPDU fared, whether or not a frame is done.
 */
static void report_peer(struct hwsim_up *up)
{
	struct ieee80211_sta *sta;

	rcu_read_lock();
	sta = ieee80211_find_sta_by_ifaddr(up->hw, up->peer, NULL);
	if (sta) {
		ieee80211_sta_register_airtime(sta, up->tid, up->tx_us,
					       up->rx_us);
		if (up->has_tx_info)
			ieee80211_tx_rate_update(up->hw, sta, &up->tx_info);
		if (up->end_session)
			ieee80211_stop_tx_ba_session(sta, up->tid);
	}
	rcu_read_unlock();
}

static void report_status(struct hwsim_mpdu *mpdu)
{
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(mpdu->skb);
	int i;

	if (mpdu->is_own) {
		dev_kfree_skb(mpdu->skb);
		return;
	}
	ieee80211_tx_info_clear_status(info);
	for (i = 0; i < IEEE80211_TX_MAX_RATES; i++) {
		info->status.rates[i] = mpdu->rates[i];
		info->status.rates[i].count = min_t(u8, mpdu->tried[i],
						    TX_COUNT_MAX);
		if (!mpdu->tried[i] && i)
			info->status.rates[i].idx = -1;
	}
	if (mpdu->acked)
		info->flags |= IEEE80211_TX_STAT_ACK;
	else if (!mpdu->wants_ack)
		info->flags |= IEEE80211_TX_STAT_NOACK_TRANSMITTED;
	ieee80211_tx_status_skb(mpdu->hw, mpdu->skb);
}

/**
 * hwsim_mpdu_discard - free a frame whose status nobody gets
 * @medium: the medium, locked
 * @mpdu: the frame, in no queue
 */
void hwsim_mpdu_discard(struct hwsim_medium *medium, struct hwsim_mpdu *mpdu)
{
	list_add_tail(&mpdu->list, &medium->discarded);
}

/**
 * hwsim_discarded_free - free what was discarded; the lock is not held
 * @discarded: the frames
 */
void hwsim_discarded_free(struct list_head *discarded)
{
	struct hwsim_mpdu *mpdu, *next;

	list_for_each_entry_safe(mpdu, next, discarded, list) {
		list_del(&mpdu->list);
		if (mpdu->is_own)
			dev_kfree_skb_any(mpdu->skb);
		else
			hwsim_skb_unsent(mpdu->hw, mpdu->skb);
		kfree(mpdu);
	}
}

/**
 * hwsim_mpdu_let_go - a radio holds one frame less
 * @radio: the radio
 */
void hwsim_mpdu_let_go(struct hwsim_radio *radio)
{
	radio->held--;
	/* who waits looks at what is held under the lock, too */
	if (waitqueue_active(&radio->medium->idle))
		wake_up(&radio->medium->idle);
}

/* hand everything in @up to mac80211; the lock is not held, softirqs are off */
static void deliver(struct list_head *up)
{
	struct hwsim_up *item, *next;

	list_for_each_entry_safe(item, next, up, list) {
		list_del(&item->list);
		if (item->has_peer)
			report_peer(item);
		if (item->mpdu) {
			report_status(item->mpdu);
			kfree(item->mpdu);
		}
		if (item->skb)
			item->ops->rx(item->hw, &item->rx_status, item->skb);
		kfree(item);
	}
}

/*
 * Process what is due, then arm the timer. Whoever comes while the medium is
 * running leaves it to the runner. In real time more falls due meanwhile: that
 * has its turn when the timer comes again, so that others have theirs.
 */
static void run(struct hwsim_medium *medium)
{
	u64 next, until = ktime_get_ns();
	LIST_HEAD(discarded);
	LIST_HEAD(up);

	medium->running = true;
	for (;;) {
		next = hwsim_run_events(medium, until);
		if (list_empty(&medium->up) && list_empty(&medium->discarded))
			break;
		list_splice_init(&medium->up, &up);
		list_splice_init(&medium->discarded, &discarded);
		spin_unlock(&medium->lock);
		deliver(&up);
		hwsim_discarded_free(&discarded);
		spin_lock(&medium->lock);
	}
	medium->running = false;
	if (next != HWSIM_NEVER)
		hrtimer_start(&medium->timer, ns_to_ktime(next),
			      HRTIMER_MODE_ABS_SOFT);
}

static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	struct hwsim_medium *medium =
		container_of(timer, struct hwsim_medium, timer);

	spin_lock(&medium->lock);
	if (!medium->running)
		run(medium);
	spin_unlock(&medium->lock);
	return HRTIMER_NORESTART;
}

/**
 * hwsim_medium_enter - begin to change something
 * @medium: the medium; locked from here on
 *
 * Return: the nominal time of the change
 */
u64 hwsim_medium_enter(struct hwsim_medium *medium)
	__acquires(&medium->lock)
{
	spin_lock_bh(&medium->lock);
	if (medium->running)
		return medium->now_ns;
	return max(medium->now_ns, ktime_get_ns());
}

/**
 * hwsim_medium_leave - end a change
 * @medium: the medium; unlocked from here on
 *
 * If something is due earlier than before, the timer is set to it: nothing
 * happens within the caller's context, which may hold mac80211's locks.
 */
void hwsim_medium_leave(struct hwsim_medium *medium)
	__releases(&medium->lock)
{
	LIST_HEAD(discarded);

	list_splice_init(&medium->discarded, &discarded);
	if (!medium->running) {
		struct hwsim_air *air;
		u64 next = next_time(medium, &air);

		if (!list_empty(&medium->up))
			next = 0;	/* at once */
		if (next != HWSIM_NEVER &&
		    (!hrtimer_is_queued(&medium->timer) ||
		     ktime_to_ns(hrtimer_get_expires(&medium->timer)) > next))
			hrtimer_start(&medium->timer, ns_to_ktime(next),
				      HRTIMER_MODE_ABS_SOFT);
	}
	spin_unlock_bh(&medium->lock);
	hwsim_discarded_free(&discarded);
}

/**
 * hwsim_up_frame - let a received frame go up
 * @radio: who received it
 * @rx_status: how
 * @skb: the frame
 */
void hwsim_up_frame(struct hwsim_radio *radio,
		    const struct ieee80211_rx_status *rx_status,
		    struct sk_buff *skb)
{
	struct hwsim_up *up = kzalloc(sizeof(*up), GFP_ATOMIC);

	if (!up) {
		kfree_skb(skb);
		return;
	}
	up->hw = radio->hw;
	up->ops = radio->ops;
	up->skb = skb;
	up->rx_status = *rx_status;
	list_add_tail(&up->list, &radio->medium->up);
}

/**
 * hwsim_up_status - let a frame's status go up; it is no longer ours
 * @radio: who sent it
 * @mpdu: the frame
 */
void hwsim_up_status(struct hwsim_radio *radio, struct hwsim_mpdu *mpdu)
{
	struct hwsim_medium *medium = radio->medium;
	struct hwsim_up *up = kzalloc(sizeof(*up), GFP_ATOMIC);

	hwsim_mpdu_let_go(radio);
	if (!up) {
		hwsim_mpdu_discard(medium, mpdu);
		return;
	}
	up->hw = mpdu->hw;
	up->mpdu = mpdu;
	list_add_tail(&up->list, &medium->up);
}

static struct hwsim_up *up_peer(struct hwsim_radio *radio, const u8 *addr,
				u8 tid)
{
	struct hwsim_up *up = kzalloc(sizeof(*up), GFP_ATOMIC);

	if (!up)
		return NULL;
	up->hw = radio->hw;
	up->has_peer = true;
	ether_addr_copy(up->peer, addr);
	up->tid = tid;
	list_add_tail(&up->list, &radio->medium->up);
	return up;
}

/**
 * hwsim_up_sent - let mac80211 know that a station was sent something
 * @radio: who sent it
 * @ppdu: what; it has ended
 * @ampdu: MPDUs in it, if they belong to a BlockAck session, else 0
 * @acked: how many of them were acknowledged
 */
void hwsim_up_sent(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu,
		   u32 ampdu, u32 acked)
{
	struct hwsim_up *up = up_peer(radio, ppdu->ra, ppdu->tid);

	if (!up)
		return;
	up->tx_us = div_u64(ppdu->end_ns - ppdu->start_ns, NSEC_PER_USEC);
	if (!ampdu)
		return;
	up->has_tx_info = true;
	up->tx_info.flags = IEEE80211_TX_CTL_AMPDU | IEEE80211_TX_STAT_AMPDU;
	if (acked)
		up->tx_info.flags |= IEEE80211_TX_STAT_ACK;
	up->tx_info.band = radio->channel->band;
	up->tx_info.status.rates[0] = ppdu->tx_rate;
	up->tx_info.status.rates[0].count = 1;
	up->tx_info.status.rates[1].idx = -1;
	up->tx_info.status.ampdu_len = ampdu;
	up->tx_info.status.ampdu_ack_len = acked;
}

/**
 * hwsim_up_received - let mac80211 know that a station sent something
 * @radio: who received it
 * @ppdu: what; it has ended
 */
void hwsim_up_received(struct hwsim_radio *radio, const struct hwsim_ppdu *ppdu)
{
	struct hwsim_up *up = up_peer(radio, ppdu->ta, ppdu->tid);

	if (up)
		up->rx_us = div_u64(ppdu->end_ns - ppdu->start_ns,
				    NSEC_PER_USEC);
}

/**
 * hwsim_up_end_session - have mac80211 end a BlockAck agreement
 * @radio: its originator
 * @addr: its recipient
 * @tid: its TID
 *
 * Return: false if there is no memory to ask for it
 */
bool hwsim_up_end_session(struct hwsim_radio *radio, const u8 *addr, u8 tid)
{
	struct hwsim_up *up = up_peer(radio, addr, tid);

	if (up)
		up->end_session = true;
	return up;
}

/**
 * hwsim_medium_new - make a medium
 * @id: its number
 * @seed: of its random streams
 *
 * Return: the medium, or NULL
 */
struct hwsim_medium *hwsim_medium_new(u32 id, u64 seed)
{
	struct hwsim_medium *medium = kvzalloc(sizeof(*medium),
						 GFP_KERNEL_ACCOUNT);

	if (!medium)
		return NULL;
	medium->id = id;
	medium->seed = seed;
	spin_lock_init(&medium->lock);
	hrtimer_init(&medium->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	medium->timer.function = on_timer;
	medium->events = RB_ROOT_CACHED;
	INIT_LIST_HEAD(&medium->airs);
	INIT_LIST_HEAD(&medium->faults);
	INIT_LIST_HEAD(&medium->up);
	INIT_LIST_HEAD(&medium->discarded);
	init_waitqueue_head(&medium->idle);
	return medium;
}

/**
 * hwsim_medium_free - remove a medium that has no radios
 * @medium: the medium
 */
void hwsim_medium_free(struct hwsim_medium *medium)
{
	struct hwsim_fault *fault, *next_fault;
	struct hwsim_air *air, *next_air;
	int i;

	hrtimer_cancel(&medium->timer);
	list_for_each_entry_safe(fault, next_fault, &medium->faults, list)
		kfree(fault);
	list_for_each_entry_safe(air, next_air, &medium->airs, list)
		kfree(air);
	for (i = 0; i < HWSIM_MEDIUM_NUM_CURVES; i++)
		hwsim_curve_free(medium->curves[i]);
	for (i = 0; i < HWSIM_MEDIUM_MAX_FADINGS; i++)
		kvfree(medium->fadings[i]);
	kvfree(medium);
}

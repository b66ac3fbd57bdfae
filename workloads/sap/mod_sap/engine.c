/* SPDX-License-Identifier: MIT */
#include "engine.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "clock.h"

enum { EVENTS_MAX = 64 };

struct entry {
	struct entry *next;
	struct transfer *transfer;
	int file;
	const void *owner;
	bool ready;	 /* epoll reported its socket */
	int64_t due_ns;	 /* CLOCK_MONOTONIC; -1: no timeout */
	uint64_t progress; /* transfer_progress() when last looked at, and when it last grew */
	int64_t progress_ns;
	uint32_t events; /* registered with epoll */
};

struct engine {
	struct engine_options options;
	int epoll, timer;
	struct entry *entries;
	unsigned int count;
};

static int64_t now_ns(void)
{
	return sap_clock_ns(CLOCK_MONOTONIC);
}

struct engine *engine_open(const struct engine_options *options)
{
	struct engine *const engine = calloc(1, sizeof(*engine));
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = NULL };

	if (!engine)
		return NULL;
	engine->options = *options;
	engine->epoll = epoll_create1(EPOLL_CLOEXEC);
	engine->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (engine->epoll >= 0 && engine->timer >= 0 &&
	    epoll_ctl(engine->epoll, EPOLL_CTL_ADD, engine->timer, &event) == 0)
		return engine;
	engine_close(engine);
	return NULL;
}

int engine_fd(const struct engine *engine)
{
	return engine->epoll;
}

/* When the transfer is given up unless it makes progress. */
static int64_t stalls_ns(const struct engine *engine, const struct entry *entry)
{
	return entry->progress_ns + engine->options.stall_ns;
}

/* When an entry needs a turn even if its socket stays quiet. */
static int64_t next_ns(const struct engine *engine, const struct entry *entry)
{
	const int64_t stalls = stalls_ns(engine, entry);

	return entry->due_ns >= 0 && entry->due_ns < stalls ? entry->due_ns : stalls;
}

/* Sets the timer to the earliest timeout, or disarms it. */
static void set_timer(struct engine *engine)
{
	struct itimerspec at = { 0 };
	int64_t first_ns = -1;

	for (const struct entry *entry = engine->entries; entry; entry = entry->next) {
		if (first_ns < 0 || next_ns(engine, entry) < first_ns)
			first_ns = next_ns(engine, entry);
	}
	if (first_ns >= 0)
		at.it_value = sap_timespec(first_ns ? first_ns : 1); /* 0 would disarm it */
	timerfd_settime(engine->timer, TFD_TIMER_ABSTIME, &at, NULL);
}

static uint32_t epoll_events(const struct entry *entry)
{
	return transfer_poll_events(entry->transfer) & POLLOUT ? EPOLLIN | EPOLLOUT : EPOLLIN;
}

/* Records what an entry waits for after it has run. */
static void watch(struct engine *engine, struct entry *entry)
{
	const int64_t wait_ns = transfer_next_ns(entry->transfer);
	struct epoll_event event = { .events = epoll_events(entry), .data.ptr = entry };

	entry->due_ns = wait_ns < 0 ? -1 : now_ns() + wait_ns;
	if (event.events == entry->events)
		return;
	entry->events = event.events;
	epoll_ctl(engine->epoll, EPOLL_CTL_MOD, transfer_fd(entry->transfer), &event);
}

/* Ends the transfer of the entry *place and removes it from the list. */
static void end(struct engine *engine, struct entry **place, enum transfer_state state, const char *why)
{
	struct entry *const entry = *place;
	struct engine_end ended = {
		.to = transfer_to(entry->transfer),
		.state = state,
		.why = why,
		.sent = transfer_sent(entry->transfer),
		.length = transfer_length(entry->transfer),
	};

	*place = entry->next;
	engine->count--;
	transfer_get_stats(entry->transfer, &ended.stats);
	if (engine->options.ended)
		engine->options.ended(engine->options.context, &ended);
	transfer_close(entry->transfer); /* closes the socket, which removes it from epoll */
	close(entry->file);
	free(entry);
}

/* Whether the transfer still makes progress. now: when this round of engine_work() began. */
static bool progresses(const struct engine *engine, struct entry *entry, int64_t now)
{
	const uint64_t progress = transfer_progress(entry->transfer);

	if (progress != entry->progress) {
		entry->progress = progress;
		entry->progress_ns = now;
	}
	return now < stalls_ns(engine, entry);
}

/* Runs the transfer of the entry *place. Returns false if it has ended and was removed. */
static bool work(struct engine *engine, struct entry **place, int64_t now)
{
	struct entry *const entry = *place;
	const enum transfer_state state = transfer_work(entry->transfer);

	entry->ready = false;
	if (state == TRANSFER_RUNS && !progresses(engine, entry, now)) {
		end(engine, place, TRANSFER_FAILED, "no progress (sap.stall-timeout)");
		return false;
	}
	if (state == TRANSFER_RUNS) {
		watch(engine, entry);
		return true;
	}
	end(engine, place, state, state == TRANSFER_FAILED ? transfer_error(entry->transfer) : NULL);
	return false;
}

void engine_work(struct engine *engine)
{
	struct epoll_event events[EVENTS_MAX];
	const int count = epoll_wait(engine->epoll, events, EVENTS_MAX, 0);
	struct entry **place = &engine->entries;
	const int64_t now = now_ns();
	uint64_t expirations;

	/* only mark entries here: one that ends must not be referenced by a later event */
	for (int i = 0; i < count; i++) {
		if (events[i].data.ptr)
			((struct entry *)events[i].data.ptr)->ready = true;
		else if (read(engine->timer, &expirations, sizeof(expirations)) < 0)
			continue; /* it was set again in the meantime */
	}
	while (*place) {
		if (((*place)->ready || next_ns(engine, *place) <= now) && !work(engine, place, now))
			continue;
		place = &(*place)->next;
	}
	set_timer(engine);
}

static bool same_host(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	const struct sockaddr_in *const a4 = (const struct sockaddr_in *)a, *const b4 = (const struct sockaddr_in *)b;
	const struct sockaddr_in6 *const a6 = (const struct sockaddr_in6 *)a, *const b6 = (const struct sockaddr_in6 *)b;

	if (a->ss_family != b->ss_family)
		return false;
	if (a->ss_family == AF_INET)
		return a4->sin_addr.s_addr == b4->sin_addr.s_addr;
	return a6->sin6_scope_id == b6->sin6_scope_id &&
	       memcmp(&a6->sin6_addr, &b6->sin6_addr, sizeof(a6->sin6_addr)) == 0;
}

static bool same_port(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	/* at the same place in both families */
	return ((const struct sockaddr_in *)a)->sin_port == ((const struct sockaddr_in *)b)->sin_port;
}

static enum engine_verdict start(struct engine *engine, const struct transfer_job *job, const void *owner, int *error)
{
	struct entry *const entry = calloc(1, sizeof(*entry));
	struct epoll_event event = { .data.ptr = entry };
	int system_error;

	*error = entry ? transfer_start(&entry->transfer, job, &engine->options.transfer) : SAP_ERR_MEMORY;
	if (*error) {
		system_error = errno;
		free(entry);
		errno = system_error;
		return ENGINE_ERROR;
	}
	entry->file = job->file;
	entry->owner = owner;
	entry->events = event.events = epoll_events(entry);
	if (epoll_ctl(engine->epoll, EPOLL_CTL_ADD, transfer_fd(entry->transfer), &event) != 0) {
		*error = SAP_ERR_SYSTEM;
		system_error = errno;
		transfer_close(entry->transfer);
		free(entry);
		errno = system_error;
		return ENGINE_ERROR;
	}
	entry->next = engine->entries;
	engine->entries = entry;
	engine->count++;
	entry->progress = transfer_progress(entry->transfer);
	entry->progress_ns = now_ns();
	watch(engine, entry);
	set_timer(engine);
	return ENGINE_STARTED;
}

enum engine_verdict engine_start(struct engine *engine, const struct transfer_job *job, const void *owner, int *error)
{
	struct entry **place = &engine->entries;
	unsigned int to_host = 0;

	*error = SAP_OK;
	while (*place) {
		const struct sockaddr_storage *const to = transfer_to((*place)->transfer);

		if (same_host(to, &job->to) && same_port(to, &job->to)) {
			if (!transfer_is_ending((*place)->transfer))
				return ENGINE_PORT_TAKEN;
			end(engine, place, TRANSFER_DONE, NULL);
			continue;
		}
		to_host += same_host(to, &job->to);
		place = &(*place)->next;
	}
	if (engine->count >= engine->options.transfers_max)
		return ENGINE_FULL;
	if (to_host >= engine->options.transfers_per_address_max)
		return ENGINE_ADDRESS_FULL;
	return start(engine, job, owner, error);
}

unsigned int engine_transfers(const struct engine *engine)
{
	return engine->count;
}

bool engine_has(const struct engine *engine, const void *owner)
{
	for (const struct entry *entry = engine->entries; entry; entry = entry->next) {
		if (entry->owner == owner)
			return true;
	}
	return false;
}

void engine_leave(struct engine *engine, const void *owner, bool end_transfers)
{
	struct entry **place = &engine->entries;

	while (*place) {
		if ((*place)->owner == owner) {
			(*place)->owner = NULL;
			if (end_transfers) {
				if (transfer_is_ending((*place)->transfer))
					end(engine, place, TRANSFER_DONE, NULL);
				else
					end(engine, place, TRANSFER_FAILED, "the client has closed its connection");
				continue;
			}
		}
		place = &(*place)->next;
	}
	set_timer(engine);
}

void engine_close(struct engine *engine)
{
	while (engine->entries)
		end(engine, &engine->entries, TRANSFER_FAILED, "the server is shutting down");
	if (engine->timer >= 0)
		close(engine->timer);
	if (engine->epoll >= 0)
		close(engine->epoll);
	free(engine);
}

/* SPDX-License-Identifier: MIT */
#include "pf.h"

#include <string.h>

#define SECOND_NS UINT64_C(1000000000)

/* FNV-1a. A device that looks for objects with equal hashes mixes up its own ones only. */
uint64_t pf_object(const char *target, size_t length)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (uint8_t)target[i]) * UINT64_C(1099511628211);
	return hash ? hash : 1; /* 0 is a page */
}

static bool is_of(const struct pf_memory *memory, const uint8_t device[PF_ADDRESS])
{
	return !memcmp(memory->device, device, PF_ADDRESS);
}

struct pf_memory *pf_connection(struct pf_memory *from, const uint8_t device[PF_ADDRESS])
{
	while (from && !is_of(from, device))
		from = from->next;
	return from;
}

void pf_begin(struct pf *pf, struct pf_memory *memory, const uint8_t device[PF_ADDRESS])
{
	unsigned int others = 0;

	*memory = (struct pf_memory){ .next = NULL };
	memcpy(memory->device, device, PF_ADDRESS);
	for (const struct pf_memory *one = pf->memories; one; one = one->next)
		others += !memcmp(one->device, device, PF_NEIGHBOURS);
	if (others >= PF_CONNECTIONS)
		return;
	memory->next = pf->memories;
	if (pf->memories)
		pf->memories->previous = memory;
	pf->memories = memory;
}

void pf_forget(struct pf *pf, struct pf_memory *memory)
{
	for (unsigned int i = 0; i < pf->waiting; i++)
		if (pf->packets[i].memory == memory)
			pf->packets[i].memory = NULL;
	if (memory->previous)
		memory->previous->next = memory->next;
	else if (pf->memories == memory)
		pf->memories = memory->next;
	if (memory->next)
		memory->next->previous = memory->previous;
	memory->previous = memory->next = NULL;
}

static struct pf_request *request_at(struct pf_memory *memory, uint64_t offset)
{
	for (struct pf_request *one = memory->requests; one < memory->requests + PF_REQUESTS; one++)
		if (one->used && one->offset == offset)
			return one;
	return NULL;
}

/* The place of a new one; the oldest one is forgotten. */
static struct pf_request *new_request(struct pf_memory *memory, uint64_t offset)
{
	struct pf_request *one;

	memory->newest = (memory->newest + 1) % PF_REQUESTS;
	one = &memory->requests[memory->newest];
	*one = (struct pf_request){ .used = true, .offset = offset };
	return one;
}

static enum pf_class class_of(const struct pf_memory *memory, uint32_t exchange)
{
	if (memory && exchange)
		for (const struct pf_request *one = memory->requests; one < memory->requests + PF_REQUESTS; one++)
			if (one->used && one->exchange == exchange)
				return one->class;
	return PF_UNSAID;
}

/* What the monitor of a device has said; NULL: nothing. */
static const struct pf_device *watched(const struct pf *pf, const uint8_t device[PF_ADDRESS])
{
	for (const struct pf_device *one = pf->devices; one < pf->devices + PF_DEVICES; one++)
		if (one->spoke && !memcmp(one->address, device, PF_ADDRESS))
			return one;
	return NULL;
}

static enum pf_class said(const struct pf *pf, const uint8_t device[PF_ADDRESS], uint64_t object)
{
	const struct pf_device *of = watched(pf, device);

	for (unsigned int i = 0; of && i < PF_OBJECTS; i++)
		if (of->objects[i].object == object)
			return of->objects[i].class;
	return PF_UNSAID;
}

/* Give a request its class. */
static void classify(struct pf *pf, struct pf_request *request, enum pf_class class)
{
	pf->counts.later += class == PF_LATER && request->class != PF_LATER;
	request->class = class;
}

enum pf_class pf_request(struct pf *pf, struct pf_memory *memory, uint64_t offset, uint32_t exchange, uint64_t object)
{
	struct pf_request *request = request_at(memory, offset);

	if (!request)
		request = new_request(memory, offset);
	pf->counts.requests++;
	request->exchange = exchange;
	request->object = object;
	if (object)
		classify(pf, request, said(pf, memory->device, object));
	if (pf->settings.alone && object)
		request->held = request->class == PF_LATER ||
				(request->class == PF_UNSAID && watched(pf, memory->device));
	return request->class;
}

void pf_answer(struct pf_memory *memory, uint32_t exchange, bool ended)
{
	memory->answer = exchange;
	if (!ended)
		return;
	for (struct pf_request *one = memory->requests; one < memory->requests + PF_REQUESTS; one++)
		if (one->exchange == exchange)
			one->ended = true;
}

void pf_notice(struct pf *pf, struct pf_memory *memory, uint64_t offset, enum pf_class class)
{
	struct pf_request *request = request_at(memory, offset);

	if (!request)
		request = new_request(memory, offset); /* the notice has overtaken the request */
	classify(pf, request, class);
}

/* Where what the monitor of a device says is kept, or can be: in place of what was said longest ago. */
static struct pf_device *place_of(struct pf *pf, const uint8_t device[PF_ADDRESS])
{
	struct pf_device *oldest = pf->devices, *alike = NULL;
	unsigned int count = 0;

	for (struct pf_device *one = pf->devices; one < pf->devices + PF_DEVICES; one++) {
		bool is_alike = one->spoke && !memcmp(one->address, device, PF_NEIGHBOURS);

		if (is_alike && !memcmp(one->address, device, PF_ADDRESS))
			return one;
		if (one->spoke < oldest->spoke)
			oldest = one;
		if (is_alike && (!alike || one->spoke < alike->spoke))
			alike = one;
		count += is_alike;
	}
	return count >= PF_ALIKE ? alike : oldest;
}

void pf_said(struct pf *pf, const uint8_t device[PF_ADDRESS], uint64_t object, enum pf_class class)
{
	struct pf_device *of = place_of(pf, device);
	unsigned int at;

	if (!of->spoke || memcmp(of->address, device, PF_ADDRESS)) {
		*of = (struct pf_device){ .next = 0 };
		memcpy(of->address, device, PF_ADDRESS);
	}
	of->spoke = ++pf->said;
	for (at = 0; at < PF_OBJECTS && of->objects[at].object != object; at++)
		;
	if (at == PF_OBJECTS) {
		at = of->next;
		of->next = (of->next + 1) % PF_OBJECTS;
	}
	of->objects[at].object = object;
	of->objects[at].class = class;
}

bool pf_said_of(struct pf *pf, struct pf_memory *memory, uint64_t object, enum pf_class class, uint64_t *offset)
{
	for (struct pf_request *one = memory->requests; one < memory->requests + PF_REQUESTS; one++) {
		bool tells = one->class == PF_LATER || class == PF_LATER; /* what was not said is first, anyway */

		if (!one->used || one->ended || one->object != object || one->class == class)
			continue;
		classify(pf, one, class);
		*offset = one->offset;
		if (tells)
			return true;
	}
	return false;
}

static uint64_t duration_ns(const struct pf *pf, size_t bytes, unsigned int packets)
{
	if (!pf->settings.rate_bps)
		return 0;
	return (bytes + (size_t)packets * PF_FRAME) * 8 * SECOND_NS / pf->settings.rate_bps;
}

/* Alone: whether an object that is to come first is under way to a device. */
static bool first_under_way(const struct pf *pf, const uint8_t device[PF_ADDRESS])
{
	for (const struct pf_memory *one = pf->memories; one; one = one->next)
		for (unsigned int i = 0; is_of(one, device) && i < PF_REQUESTS; i++) {
			const struct pf_request *request = &one->requests[i];

			if (request->used && !request->ended && !request->held && request->class != PF_LATER)
				return true;
		}
	return false;
}

/* Alone: how long a connection's packets wait, from when they came; 0: they do not. */
static uint64_t hold_ns(const struct pf *pf, const struct pf_memory *memory)
{
	uint64_t found_ns = 0;

	for (const struct pf_request *one = memory->requests; one < memory->requests + PF_REQUESTS; one++) {
		uint64_t most_ns = one->class == PF_LATER ? pf->settings.most_ns : PF_UNSAID_NS;

		if (!one->used || !one->held || one->class == PF_FIRST)
			continue;
		if (one->class == PF_LATER && !first_under_way(pf, memory->device))
			continue;
		if (most_ns > found_ns)
			found_ns = most_ns;
	}
	return found_ns;
}

static void let_go(struct pf_memory *memory)
{
	for (struct pf_request *one = memory->requests; one < memory->requests + PF_REQUESTS; one++)
		one->held = false;
}

/* Whether packets of a connection wait. */
static bool waits(const struct pf *pf, const struct pf_memory *memory)
{
	for (unsigned int i = 0; i < pf->waiting; i++)
		if (pf->packets[i].memory == memory && !pf->packets[i].dropped)
			return true;
	return false;
}

/* Whether a packet that TCP repeats waits already. */
static bool is_there(const struct pf *pf, const struct pf_memory *memory, const struct pf_segment *segment)
{
	if (!memory || segment->seq == segment->end)
		return false;
	for (unsigned int i = 0; i < pf->waiting; i++) {
		const struct pf_packet *one = &pf->packets[i];

		if (one->memory == memory && one->seq == segment->seq && one->end == segment->end && !one->dropped)
			return true;
	}
	return false;
}

/* Drop a packet of a later object, the newest one. False: there is none. */
static bool make_room(struct pf *pf)
{
	for (unsigned int i = pf->waiting; i-- > 0;) {
		struct pf_packet *one = &pf->packets[i];

		if (!one->dropped && class_of(one->memory, one->exchange) == PF_LATER) {
			one->dropped = true;
			pf->dropped++;
			pf->bytes -= one->bytes;
			return true;
		}
	}
	return false;
}

/* Whether a packet can leave at once. */
static bool leaves_at_once(struct pf *pf, struct pf_memory *memory, uint64_t now_ns)
{
	if (pf->settings.rate_bps)
		return pf->waiting == pf->dropped && now_ns >= pf->free_ns;
	if (waits(pf, memory) || (memory && hold_ns(pf, memory)))
		return false;
	if (memory)
		let_go(memory);
	return true;
}

enum pf_verdict pf_leave(struct pf *pf, struct pf_memory *memory, const struct pf_segment *segment,
			 struct pf_ticket ticket, uint64_t now_ns)
{
	uint64_t own_ns = duration_ns(pf, segment->bytes, 1), from_ns = now_ns > pf->free_ns ? now_ns : pf->free_ns;
	uint64_t in_order_ns;

	if (leaves_at_once(pf, memory, now_ns)) {
		pf->free_ns = from_ns + own_ns;
		return PF_PASS;
	}
	if (is_there(pf, memory, segment)) {
		pf->counts.repeated++;
		return PF_DROP;
	}
	if (pf->waiting - pf->dropped >= pf->settings.limit || pf->waiting == PF_HELD) {
		pf->counts.dropped++;
		if (class_of(memory, memory ? memory->answer : 0) == PF_LATER || pf->waiting == PF_HELD || !make_room(pf))
			return PF_DROP;
	}
	pf->counts.held++;
	in_order_ns = from_ns + duration_ns(pf, pf->bytes, pf->waiting - pf->dropped);
	pf->packets[pf->waiting++] = (struct pf_packet){
		.ticket = ticket,
		.memory = memory,
		.exchange = memory ? memory->answer : 0,
		.seq = segment->seq,
		.end = segment->end,
		.bytes = segment->bytes,
		.came_ns = now_ns,
		.in_order_ns = in_order_ns,
	};
	pf->bytes += segment->bytes;
	return PF_HOLD;
}

/* Whether no packet of its connection is in front of this one. */
static bool is_front(const struct pf *pf, unsigned int at)
{
	for (unsigned int i = 0; i < at; i++)
		if (pf->packets[i].memory == pf->packets[at].memory && !pf->packets[i].dropped)
			return false;
	return true;
}

/* Server's side: which packet leaves next; there is one. */
static unsigned int pick(struct pf *pf, uint64_t now_ns)
{
	unsigned int oldest = pf->waiting;

	pf->picks++;
	for (unsigned int i = pf->waiting; i-- > 0;) {
		struct pf_packet *one = &pf->packets[i];

		if (one->dropped)
			continue;
		oldest = i;
		if (one->memory && class_of(one->memory, one->exchange) != PF_LATER)
			one->memory->picked = pf->picks;
	}
	if (now_ns >= pf->packets[oldest].in_order_ns + pf->settings.most_ns) {
		pf->counts.overdue += pf->packets[oldest].overtaken;
		return oldest;
	}
	for (unsigned int i = oldest; i < pf->waiting; i++) {
		const struct pf_packet *one = &pf->packets[i];

		if (!one->dropped && (!one->memory || one->memory->picked == pf->picks))
			return i;
	}
	return oldest;
}

/* At the end: the oldest one leaves next. False: there is none. */
static bool pick_oldest(const struct pf *pf, unsigned int *at)
{
	for (*at = 0; *at < pf->waiting; ++*at)
		if (!pf->packets[*at].dropped)
			return true;
	return false;
}

/* Alone: which packet leaves next. False: none does yet. */
static bool pick_released(struct pf *pf, uint64_t now_ns, unsigned int *at)
{
	for (unsigned int i = 0; i < pf->waiting; i++) {
		const struct pf_packet *one = &pf->packets[i];
		uint64_t most_ns;

		if (one->dropped || (one->memory && !is_front(pf, i)))
			continue;
		most_ns = one->memory ? hold_ns(pf, one->memory) : 0;
		if (now_ns < one->came_ns + most_ns)
			continue;
		pf->counts.overdue += most_ns > 0;
		if (one->memory)
			let_go(one->memory);
		*at = i;
		return true;
	}
	return false;
}

static void take(struct pf *pf, unsigned int at, struct pf_ticket *ticket)
{
	*ticket = pf->packets[at].ticket;
	memmove(&pf->packets[at], &pf->packets[at + 1], (pf->waiting - at - 1) * sizeof(*pf->packets));
	pf->waiting--;
}

static bool take_dropped(struct pf *pf, struct pf_ticket *ticket)
{
	for (unsigned int i = 0; pf->dropped && i < pf->waiting; i++)
		if (pf->packets[i].dropped) {
			pf->dropped--;
			take(pf, i, ticket);
			return true;
		}
	return false;
}

bool pf_due(struct pf *pf, uint64_t now_ns, struct pf_ticket *ticket, bool *passes)
{
	unsigned int at;

	*passes = false;
	if (take_dropped(pf, ticket))
		return true;
	if (!pf->waiting || (now_ns < pf->free_ns && !pf->ending))
		return false;
	if (pf->ending && pick_oldest(pf, &at))
		;
	else if (pf->settings.rate_bps)
		at = pick(pf, now_ns);
	else if (!pick_released(pf, now_ns, &at))
		return false;
	for (unsigned int i = 0; i < at; i++) {
		pf->counts.overtaken += !pf->packets[i].overtaken;
		pf->packets[i].overtaken = true;
	}
	pf->bytes -= pf->packets[at].bytes;
	pf->free_ns = now_ns + duration_ns(pf, pf->packets[at].bytes, 1);
	take(pf, at, ticket);
	*passes = true;
	return true;
}

uint64_t pf_next_ns(const struct pf *pf)
{
	uint64_t next_ns = UINT64_MAX;

	if (pf->dropped || (pf->ending && pf->waiting))
		return 0;
	if (!pf->waiting || pf->settings.rate_bps)
		return pf->waiting ? pf->free_ns : UINT64_MAX;
	for (unsigned int i = 0; i < pf->waiting; i++) {
		const struct pf_packet *one = &pf->packets[i];
		uint64_t own_ns = one->came_ns + (one->memory ? hold_ns(pf, one->memory) : 0);

		if (own_ns < next_ns)
			next_ns = own_ns;
	}
	return next_ns;
}

void pf_leave_all(struct pf *pf)
{
	pf->ending = true;
}

/* SPDX-License-Identifier: MIT */
#include "receiver.h"

#include <string.h>

#include "serial.h"

void sap_receiver_init(struct sap_receiver *receiver, struct sap_memory *memory,
		       const struct sap_core_config *config)
{
	const uint32_t ring = sap_power_of_two(config->window);
	const uint32_t slots = config->window + config->approximate_queue;
	struct sap_message *const messages = sap_memory_take(memory, slots, sizeof(*messages));
	uint32_t *const stack = sap_memory_take(memory, slots, sizeof(*stack));
	uint32_t *const ready = sap_memory_take(memory, slots, sizeof(*ready));
	uint32_t *const early = sap_memory_take(memory, ring, sizeof(*early));
	uint8_t *const bytes = sap_memory_take(memory, slots, config->payload_bytes);

	if (!receiver)
		return;
	*receiver = (struct sap_receiver){
		.payload_bytes = config->payload_bytes,
		.window = config->window,
		.queue = config->approximate_queue,
		.first_number = config->first_number,
		.slots = slots,
		.messages = messages,
		.bytes = bytes,
		.free = stack,
		.free_count = slots,
		.next = config->first_number,
		.end = config->first_number,
		.mask = ring - 1,
		.early = early,
		.ready = ready,
		.next_approximate = config->first_number,
		.offered = config->window,
	};
	for (uint32_t i = 0; i < slots; i++)
		stack[i] = slots - 1 - i; /* hand out low slots first, so that unused memory stays untouched */
	for (uint32_t i = 0; i < ring; i++)
		early[i] = SAP_NO_SLOT;
}

uint32_t sap_receiver_window(const struct sap_receiver *receiver)
{
	return receiver->window - receiver->ready_guaranteed;
}

static uint32_t store(struct sap_receiver *receiver, const struct sap_header *header, const uint8_t *payload)
{
	const uint32_t slot = receiver->free[--receiver->free_count];

	receiver->messages[slot] = (struct sap_message){
		.length = header->payload,
		.precise = header->head,
		.guaranteed = header->type == SAP_TYPE_DATA,
		.number = header->number - receiver->first_number,
		.after = header->count,
	};
	if (header->payload)
		memcpy(receiver->bytes + (size_t)slot * receiver->payload_bytes, payload, header->payload);
	return slot;
}

static void enqueue(struct sap_receiver *receiver, uint32_t slot)
{
	receiver->ready[(receiver->ready_at + receiver->ready_count) % receiver->slots] = slot;
	receiver->ready_count++;
	receiver->ready_guaranteed += receiver->messages[slot].guaranteed;
}

/* Moves datagrams that are now in order to the ready queue. */
static void advance(struct sap_receiver *receiver)
{
	uint32_t *early = &receiver->early[receiver->next & receiver->mask];

	while (*early != SAP_NO_SLOT) {
		enqueue(receiver, *early);
		*early = SAP_NO_SLOT;
		receiver->early_count--;
		early = &receiver->early[++receiver->next & receiver->mask];
	}
	if (receiver->fin_known && receiver->next == receiver->fin_number) {
		receiver->next++;
		receiver->ended = true;
	}
}

/* The peer has sent the approximate datagrams before next, according to a received datagram of either kind. */
static void learn_approximate(struct sap_receiver *receiver, uint32_t next)
{
	const int64_t ahead = sap_ahead(next, receiver->next_approximate);

	if (ahead <= 0)
		return;
	receiver->known_approximate += (uint64_t)ahead;
	if (ahead >= SAP_SEEN_BITS) {
		memset(receiver->seen, 0, sizeof(receiver->seen));
		receiver->next_approximate = next;
	}
	for (; receiver->next_approximate != next; receiver->next_approximate++) {
		const uint32_t bit = receiver->next_approximate % SAP_SEEN_BITS;

		receiver->seen[bit / 64] &= ~(UINT64_C(1) << bit % 64);
	}
}

void sap_receiver_data(struct sap_receiver *receiver, const struct sap_header *header, const uint8_t *payload,
		       struct sap_stats *stats)
{
	const int64_t ahead = sap_ahead(header->number, receiver->next);
	uint32_t *const early = &receiver->early[header->number & receiver->mask];

	if (header->payload > receiver->payload_bytes || ahead >= receiver->window ||
	    (receiver->fin_known && sap_ahead(header->number, receiver->fin_number) >= 0)) {
		stats->rejected_senseless++;
	} else if (ahead < 0 || *early != SAP_NO_SLOT) {
		stats->duplicates++;
	} else if (ahead >= sap_receiver_window(receiver)) {
		stats->overruns++;
	} else {
		*early = store(receiver, header, payload);
		receiver->early_count++;
		if (sap_ahead(header->number + 1, receiver->end) > 0)
			receiver->end = header->number + 1;
		learn_approximate(receiver, receiver->first_number + header->count);
		advance(receiver);
	}
}

void sap_receiver_approximate(struct sap_receiver *receiver, const struct sap_header *header, const uint8_t *payload,
			      struct sap_stats *stats)
{
	const uint32_t bit = header->number % SAP_SEEN_BITS;
	const uint64_t mark = UINT64_C(1) << bit % 64;

	if (header->payload > receiver->payload_bytes) {
		stats->rejected_senseless++;
		return;
	}
	if (!receiver->ended)
		learn_approximate(receiver, header->number + 1);
	if (receiver->ended || sap_ahead(receiver->next_approximate, header->number) > SAP_SEEN_BITS) {
		stats->late++;
	} else if (receiver->seen[bit / 64] & mark) {
		stats->duplicates++;
	} else {
		receiver->seen[bit / 64] |= mark;
		receiver->received_approximate++;
		if (receiver->ready_count - receiver->ready_guaranteed >= receiver->queue)
			stats->overruns++;
		else
			enqueue(receiver, store(receiver, header, payload));
	}
}

void sap_receiver_fin(struct sap_receiver *receiver, const struct sap_header *header, struct sap_stats *stats)
{
	const int64_t ahead = sap_ahead(header->number, receiver->next);
	const bool known = receiver->fin_known;

	if (known ? header->number != receiver->fin_number :
		    ahead < 0 || ahead >= receiver->window || sap_ahead(header->number, receiver->end) < 0) {
		stats->rejected_senseless++;
		return;
	}
	stats->control++;
	if (known)
		return;
	receiver->fin_known = true;
	receiver->fin_number = header->number;
	receiver->end = header->number + 1;
	learn_approximate(receiver, receiver->first_number + header->count);
	advance(receiver);
}

int sap_receiver_take(struct sap_receiver *receiver, void *data, size_t size, struct sap_message *message,
		      struct sap_stats *stats)
{
	uint32_t slot;

	if (!receiver->ready_count)
		return receiver->ended ? SAP_ERR_END : SAP_ERR_AGAIN;
	slot = receiver->ready[receiver->ready_at];
	*message = receiver->messages[slot];
	if (message->length > size)
		return SAP_ERR_TOO_SHORT;
	if (message->length)
		memcpy(data, receiver->bytes + (size_t)slot * receiver->payload_bytes, message->length);
	receiver->ready_at = (receiver->ready_at + 1) % receiver->slots;
	receiver->ready_count--;
	receiver->free[receiver->free_count++] = slot;
	if (message->guaranteed) {
		receiver->ready_guaranteed--;
		stats->delivered_guaranteed++;
	} else {
		stats->delivered_approximate++;
	}
	return SAP_OK;
}

static bool has_received(const struct sap_receiver *receiver, uint32_t number)
{
	return receiver->early[number & receiver->mask] != SAP_NO_SLOT ||
	       (receiver->fin_known && number == receiver->fin_number);
}

void sap_receiver_acknowledge(struct sap_receiver *receiver, struct sap_header *header,
			      uint8_t bitmap[SAP_BITMAP_BYTES_MAX])
{
	memset(bitmap, 0, SAP_BITMAP_BYTES_MAX);
	header->payload = 0;
	for (uint32_t number = receiver->next + 1; sap_ahead(receiver->end, number) > 0; number++) {
		const uint32_t index = number - receiver->next - 1;

		if (!has_received(receiver, number))
			continue;
		bitmap[index / 8] |= (uint8_t)(1u << index % 8);
		header->payload = (uint16_t)(index / 8 + 1);
	}
	header->type = receiver->ended ? SAP_TYPE_FIN_ACK : SAP_TYPE_ACK;
	header->head = header->payload;
	header->number = receiver->next;
	header->count = sap_receiver_window(receiver);
	receiver->offered = header->count;
}

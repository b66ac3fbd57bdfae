/* SPDX-License-Identifier: MIT */
#include "rar.h"

static void drop(struct rar *rar, struct rar_message *message)
{
	message->connection = NULL;
	rar->waiting--;
}

/* A round begins: the message is there, its copies follow. */
static void begin_round(const struct rar *rar, struct rar_message *message, uint64_t now_ns)
{
	message->round_ns = now_ns;
	message->copies_left = rar->settings.copies;
	message->next_ns = now_ns + (message->copies_left ? message->gap_ns : message->timeout_ns);
}

static struct rar_message *room(struct rar *rar)
{
	for (struct rar_message *one = rar->messages; one < rar->messages + RAR_MESSAGES; one++)
		if (!one->connection)
			return one;
	return NULL;
}

/* The mean of all round trips of messages; before there is one, that of the handshake. */
static uint64_t mean_ns(const struct rar_memory *memory, const struct track_flow *flow)
{
	if (memory->rtt_count)
		return memory->rtt_sum_ns / memory->rtt_count;
	return flow->handshake_ns ? flow->handshake_ns : RAR_RTT_UNKNOWN_NS;
}

void rar_thin(struct rar *rar, struct rar_memory *memory, const struct track_connection *connection,
	      enum track_direction direction, const struct segment *segment, uint64_t now_ns)
{
	uint64_t rtt_ns = mean_ns(memory, &connection->flow[direction]);
	struct rar_message *message = room(rar);

	rar->counts.thin++;
	if (message)
		message->length = segment_copy(segment, message->packet, sizeof(message->packet));
	if (!message || !message->length) {
		rar->counts.no_room++;
		return;
	}
	message->connection = connection;
	message->memory = memory;
	message->first_ns = now_ns;
	message->direction = direction;
	message->end = segment_next(segment);
	message->version = segment->version;
	message->rounds = 1;
	message->gap_ns = rtt_ns / rar->settings.stagger;
	message->timeout_ns = rtt_ns + rar->settings.alpha_ns;
	rar->waiting++;
	begin_round(rar, message, now_ns);
}

void rar_acknowledged(struct rar *rar, const struct track_connection *connection, uint64_t now_ns)
{
	if (!rar->waiting)
		return;
	for (struct rar_message *one = rar->messages; one < rar->messages + RAR_MESSAGES; one++)
		if (one->connection == connection &&
		    !segment_after(one->end, connection->flow[one->direction].acked)) {
			const struct track_flow *flow = &connection->flow[one->direction];
			bool is_syn = one->end == flow->first + 1; /* TCP may have repeated it: not with its timeout */

			one->memory->rtt_sum_ns += is_syn ? flow->handshake_ns : now_ns - one->first_ns;
			one->memory->rtt_count++;
			drop(rar, one);
		}
}

void rar_forget(struct rar *rar, const struct track_connection *connection)
{
	if (!rar->waiting)
		return;
	for (struct rar_message *one = rar->messages; one < rar->messages + RAR_MESSAGES; one++)
		if (one->connection == connection)
			drop(rar, one);
}

/* The message that is due first; NULL: none waits. */
static struct rar_message *first(struct rar *rar)
{
	struct rar_message *found = NULL;

	if (!rar->waiting)
		return NULL;
	for (struct rar_message *one = rar->messages; one < rar->messages + RAR_MESSAGES; one++)
		if (one->connection && (!found || one->next_ns < found->next_ns))
			found = one;
	return found;
}

uint64_t rar_next_ns(const struct rar *rar)
{
	const struct rar_message *found = first((struct rar *)rar);

	return found ? found->next_ns : UINT64_MAX;
}

/* Its alarm: nothing has acknowledged it. False: it is given up. */
static bool alarm_rings(struct rar *rar, struct rar_message *message, uint64_t now_ns)
{
	rar->counts.alarms++;
	if (message->rounds == RAR_ROUNDS) {
		rar->counts.given_up++;
		drop(rar, message);
		return false;
	}
	message->rounds++;
	begin_round(rar, message, now_ns);
	return true;
}

bool rar_due(struct rar *rar, uint64_t now_ns, struct rar_packet *packet)
{
	struct rar_message *message;

	while ((message = first(rar)) && message->next_ns <= now_ns) {
		if (message->copies_left) {
			message->copies_left--;
			message->next_ns = message->copies_left ? message->next_ns + message->gap_ns :
								  message->round_ns + message->timeout_ns;
		} else if (!alarm_rings(rar, message, now_ns)) {
			continue;
		}
		rar->counts.copies++;
		rar->counts.bytes += message->length;
		*packet = (struct rar_packet){ message->version, message->packet, message->length };
		return true;
	}
	return false;
}

bool rar_copy(struct rar *rar, struct rar_memory *memory, const struct segment *segment)
{
	uint64_t identity;

	if (segment_next(segment) == segment->seq || segment->length > RAR_LONGEST ||
	    !segment_identity(segment, &identity))
		return false;
	for (unsigned int i = 0; i < RAR_REMEMBERED; i++)
		if (memory->identities[i] == identity) {
			rar->counts.filtered++;
			return true;
		}
	memory->identities[memory->next] = identity;
	memory->next = (memory->next + 1) % RAR_REMEMBERED;
	return false;
}

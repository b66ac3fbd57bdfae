/* SPDX-License-Identifier: MIT */
/* flow send: sends a flow, and prints what was sent in each interval, and the state of congestion control. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "fail.h"
#include "flow.h"
#include "packet.h"
#include "report.h"

/* After an error of UDP, and after datagrams that the network dropped at once, unless the processor is slower. */
#define RETRY_NS (SECOND_NS / 1000)
/* Between two packets without a wait, at most: reading the guest's clock moves it by 256 ns, and nothing else does. */
#define BUSY_NS 5000
/* That a datagram takes in the buffer besides its own bytes, at least. */
#define LEAST_OVERHEAD_BYTES 512
/* For what the transport still has to deliver at the end; after that, the kernel continues. */
#define LINGER_NS SECOND_NS

struct sent {
	uint64_t packets, bytes;
	uint64_t refused; /* attempts of which the transport took nothing */
	uint64_t errors;  /* of attempts to send a datagram; UDP continues after them */
};

struct sender {
	const struct send_options *options;
	int fd;
	uint64_t start_ns, end_ns, interval, next_state_ns;
	uint64_t ready_ns; /* when the processor can begin the next packet */
	struct sent now, all;
	uint8_t data[PACKET_BYTES_MAX];
	uint64_t burst_ns, burst_bytes, room_bytes; /* the latest of datagrams sent without a wait; all; the buffer */
	size_t length, done; /* of the current packet; how much of it the stream has taken */
	int error;	     /* errno that ended the flow, or 0 */
};

static uint64_t later(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns : b_ns;
}

static uint64_t sooner(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns < b_ns ? a_ns : b_ns;
}

static void report_sent(FILE *to, const struct sent *sent)
{
	report_count(to, "packets", sent->packets);
	report_count(to, "bytes", sent->bytes);
	report_count(to, "refused", sent->refused);
	report_count(to, "errors", sent->errors);
}

static void next_interval(struct sender *sender)
{
	report_begin(stdout, "sent", sender->start_ns + (sender->interval + 1) * sender->options->every_ns);
	report_sent(stdout, &sender->now);
	report_end(stdout);
	sender->all.packets += sender->now.packets;
	sender->all.bytes += sender->now.bytes;
	sender->all.refused += sender->now.refused;
	sender->all.errors += sender->now.errors;
	sender->now = (struct sent){ 0 };
	sender->interval++;
}

/* Prints the line of each interval that has ended at that time, and of a sample of the state that is due. */
static void print_due(struct sender *sender, uint64_t now)
{
	const uint64_t every_ns = sender->options->state_every_ns;
	const struct protocol *protocol = sender->options->protocol;
	char *line = NULL;
	size_t size;
	FILE *memory;

	while (now >= sender->start_ns + (sender->interval + 1) * sender->options->every_ns)
		next_interval(sender);
	if (!every_ns || now < sender->next_state_ns)
		return;
	sender->next_state_ns += ((now - sender->next_state_ns) / every_ns + 1) * every_ns;
	memory = open_memstream(&line, &size);
	if (!memory)
		fail_errno("state");
	report_begin(memory, "state", now);
	if (protocol->state(sender->fd, &sender->options->settings, memory)) {
		report_end(memory);
		fclose(memory);
		fwrite(line, 1, size, stdout);
	} else {
		fclose(memory);
	}
	free(line);
}

/* When print_due() has something to do; at most limit_ns. */
static uint64_t next_due_ns(const struct sender *sender, uint64_t limit_ns)
{
	const uint64_t end_ns = sender->start_ns + (sender->interval + 1) * sender->options->every_ns;
	const uint64_t due_ns = sooner(end_ns, limit_ns);

	return sender->options->state_every_ns ? sooner(due_ns, sender->next_state_ns) : due_ns;
}

static void prepare(struct sender *sender, enum packet_type type, uint64_t number, uint64_t now)
{
	const uint32_t bytes = type == PACKET_DATA ? sender->options->packet_bytes : PACKET_HEADER_BYTES;
	const struct packet packet = { .type = type, .length = (uint16_t)bytes, .number = number,
				       .start_ns = sender->start_ns, .sent_ns = now };

	packet_pack(&packet, sender->data);
	packet_fill(number, sender->data + PACKET_HEADER_BYTES, bytes - PACKET_HEADER_BYTES);
	sender->length = bytes;
	sender->done = 0;
}

enum outcome { TAKEN, REFUSED, FAILED, BROKEN };

/* Offers the transport what it has not taken of the current packet. */
static enum outcome offer(struct sender *sender)
{
	const ssize_t took =
		send(sender->fd, sender->data + sender->done, sender->length - sender->done, MSG_NOSIGNAL);

	if (took >= 0) {
		sender->done += (size_t)took;
		return sender->done == sender->length ? TAKEN : REFUSED;
	}
	if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
		return REFUSED;
	if (!sender->options->protocol->connected)
		return FAILED; /* an answer to an earlier datagram, or no route: this one was not sent */
	sender->error = errno;
	return BROKEN;
}

/*
 * Counts a datagram, and returns whether those before it, without a wait, had filled the buffer already. Then the network
 * has dropped some, as it does while it resolves a neighbour's address. No send() waits, so virtual time would stand
 * still.
 */
static bool overflows(struct sender *sender, uint64_t now)
{
	bool full;

	if (sender->options->protocol->connected)
		return false; /* it waits for answers */
	if (now - sender->burst_ns > BUSY_NS)
		sender->burst_bytes = 0;
	sender->burst_ns = now;
	full = sender->burst_bytes >= sender->room_bytes;
	sender->burst_bytes += sender->length + LEAST_OVERHEAD_BYTES;
	return full;
}

static uint64_t cost_ns(const struct sender *sender)
{
	const struct send_options *options = sender->options;

	return options->per_packet_ns + options->per_byte_ns * options->packet_bytes;
}

/* Waits until the transport may take data again, but not longer than until due_ns. Returns the time after that. */
static uint64_t wait_after(struct sender *sender, enum outcome outcome, uint64_t due_ns)
{
	const uint64_t cost = cost_ns(sender);

	if (outcome != REFUSED)
		return wait_until(sooner(due_ns, now_ns() + (cost ? cost : RETRY_NS)));
	wait_for(sender->fd, POLLOUT, due_ns);
	return now_ns();
}

/*
 * How long to offer a packet: until the end of the flow. One that a stream has begun must be finished, or the sink
 * could not read what follows.
 */
static uint64_t limit_ns(const struct sender *sender)
{
	return sender->done ? sender->end_ns + LINGER_NS : sender->end_ns;
}

/* A signal brings the end forward. Another one then ends the wait for what the transport still has to deliver. */
static void heed_signal(struct sender *sender, uint64_t now)
{
	if (!stop_asked())
		return;
	sender->end_ns = sooner(sender->end_ns, now);
	stop_forget();
}

/*
 * Waits for the turn of packet number n, and sends it. False: the time is over, or the flow has failed. It reads the
 * clock as rarely as possible: in the guest, each reading is a system call.
 */
static bool send_packet(struct sender *sender, uint64_t n)
{
	const uint64_t gap_ns = sender->options->gap_ns;
	const uint64_t turn_ns = later(gap_ns ? sender->start_ns + n * gap_ns : 0, sender->ready_ns);
	uint64_t begun_ns = turn_ns; /* as planned: a wait that ended slightly late does not make the processor slower */
	enum outcome outcome = REFUSED;
	uint64_t now;

	do {
		now = wait_until(next_due_ns(sender, sooner(turn_ns, sender->end_ns)));
		print_due(sender, now);
	} while (now < sooner(turn_ns, sender->end_ns) && !stop_asked());
	prepare(sender, PACKET_DATA, n, now);
	while (heed_signal(sender, now), now < limit_ns(sender)) {
		outcome = offer(sender);
		if (outcome == TAKEN || outcome == BROKEN)
			break;
		sender->now.refused += outcome == REFUSED;
		sender->now.errors += outcome == FAILED;
		now = begun_ns = wait_after(sender, outcome, next_due_ns(sender, limit_ns(sender)));
		print_due(sender, now);
	}
	if (outcome != TAKEN)
		return false;
	sender->now.packets++;
	sender->now.bytes += sender->length;
	sender->ready_ns = begun_ns + cost_ns(sender);
	if (overflows(sender, now))
		sender->ready_ns = later(sender->ready_ns, now + RETRY_NS);
	return true;
}

/* Says how many packets were sent, several times if that can be lost, and lets the transport deliver what it has. */
static void finish(struct sender *sender)
{
	const uint64_t until_ns = sender->end_ns + LINGER_NS;
	const uint64_t packets = sender->all.packets + sender->now.packets;
	const int ends = sender->options->protocol->stream ? 1 : PACKET_ENDS;
	enum outcome outcome;
	char nothing;

	for (int i = 0; i < ends && !stop_asked() && now_ns() < until_ns; i++) {
		prepare(sender, PACKET_END, packets, now_ns());
		while ((outcome = offer(sender)) == REFUSED && !stop_asked() && now_ns() < until_ns)
			wait_after(sender, outcome, until_ns);
		if (i + 1 < ends)
			wait_until(now_ns() + PACKET_ENDS_NS);
	}
	if (!sender->options->protocol->connected)
		return;
	shutdown(sender->fd, SHUT_WR);
	/* the sink closes when it has read everything */
	while (sender->options->protocol->stream && !stop_asked() && now_ns() < until_ns &&
	       wait_for(sender->fd, POLLIN, until_ns) && recv(sender->fd, &nothing, 1, 0) > 0)
		;
}

static void print_end(const struct sender *sender)
{
	const struct send_options *options = sender->options;

	report_begin(stdout, "end", now_ns());
	report_text(stdout, "role", "sender");
	report_text(stdout, "protocol", options->protocol->name);
	report_sent(stdout, &sender->all);
	report_time(stdout, "start_s", sender->start_ns);
	if (sender->error)
		report_text(stdout, "error", strerrorname_np(sender->error));
	report_end(stdout);
}

/* A packet that no path carries is the user's mistake. */
static void check_length(const struct sender *sender)
{
	const int most = sender->options->protocol->packet_most(sender->fd);

	if (most && sender->options->packet_bytes > (uint32_t)most)
		refuse("--packet-bytes %u: a packet to this sink carries %d bytes at most, and %s does not divide it",
		       sender->options->packet_bytes, most, sender->options->protocol->name);
}

int send_run(const struct send_options *options)
{
	static struct sender sender;

	sender.options = options;
	sender.fd = protocol_connect(options->protocol, &options->settings);
	check_length(&sender);
	sender.room_bytes = protocol_room_bytes(sender.fd);
	stop_on_signals(); /* signals simply end a sender that waits for its connection */
	sender.start_ns = sender.next_state_ns = sender.ready_ns = now_ns();
	sender.end_ns = sender.start_ns + options->duration_ns;
	for (uint64_t n = 0; send_packet(&sender, n); n++)
		;
	/* a stream that has begun a packet cannot take another one */
	if (!sender.error && (!sender.done || sender.done == sender.length))
		finish(&sender);
	while (now_ns() >= sender.start_ns + (sender.interval + 1) * options->every_ns)
		next_interval(&sender);
	if (sender.now.packets || sender.now.refused || sender.now.errors)
		next_interval(&sender);
	print_end(&sender);
	fflush(stdout);
	close(sender.fd);
	if (sender.error) {
		errno = sender.error;
		fail_errno("the flow broke");
	}
	return 0;
}

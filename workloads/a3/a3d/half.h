/* SPDX-License-Identifier: MIT */
/*
 * One end of a TCP connection, which a3d plays towards a real host: segments and the time go in, packets come out. No
 * sockets, no clock, no memory of what is sent: bytes are read from their owner each time that they are needed.
 *
 * A half counts bytes of each direction from the moment when it began, in 64 bits, and never the numbers of TCP. What the
 * host has sent is handed over in order, at once; it is acknowledged only as far as the owner permits.
 *
 * Sender: RFC 9293, timer of RFC 6298, slow start, congestion avoidance, fast retransmit and recovery of RFC 5681 and 6582
 * (NewReno), RFC 3042, windows of 10 segments at first (RFC 6928). Receiver: SACK (RFC 2018), timestamps (RFC 7323).
 *
 * What a segment says counts only if its numbers are within the windows (RFC 9293 3.10.7.4, RFC 5961). A half that goes on
 * with a connection of which it knows only what the numbers are at least (half_resume()) asks the host first, and again for
 * a minute, since the answer may have been an old segment. In that time it believes acknowledgements of what it has not
 * sent itself, as far as there may be bytes that were sent before: twice the largest window of the host behind the answer.
 * Later, such a one acknowledges what was sent here: the host has the rest beyond a gap, and gets it again. A host that
 * answers with numbers that cannot be has another connection with these ports, which is reset.
 *
 * Not modelled: what the host says by SACK, ECN (a connection with it is not to be taken over), Nagle's algorithm, delayed
 * acknowledgements. Urgent data are answered with a reset. Segments that are too long for a link here, or that do not
 * arrive, become shorter (RFC 4821, without its probes for longer ones).
 */
#ifndef A3D_HALF_H
#define A3D_HALF_H

#include "segment.h"

enum {
	HALF_PACKET = 1600, /* bytes of a packet at most */
	HALF_STAMPS = 16,
	HALF_RETRIES = 15, /* then the host is taken to be gone */
	HALF_STORED = 1 << 20, /* bytes that are ahead of a gap, with what it takes to keep them */
	HALF_PIECES = 1024, /* of them */
};

#define HALF_LEAST_RTO_NS UINT64_C(200000000) /* that of Linux; RFC 6298 has a second */
#define HALF_MOST_RTO_NS UINT64_C(60000000000)
#define HALF_NO_END UINT64_MAX
#define HALF_OUTSIDE_NS UINT64_C(500000000) /* from one answer to what is outside the window to the next one */
#define HALF_KEEP_NS UINT64_C(600000000000) /* a host that was not heard for so long is asked whether it is there */
#define HALF_TRUST_NS UINT64_C(60000000000) /* so late, an old segment of the host may come */

struct half_settings {
	uint8_t version; /* of IP */
	struct segment_end self; /* whom it plays */
	struct segment_end host;
	uint32_t send, receive; /* numbers of the first byte that it will send, and that the host will */
	uint16_t mss; /* bytes of payload at most, options taken off */
	uint8_t send_scale; /* of windows that the host tells */
	uint8_t receive_scale; /* of those that it is told */
	bool sack; /* the host has agreed to it */
	bool stamps;
	uint32_t stamp; /* the time in its timestamps is that of the clock in milliseconds, and this */
	uint32_t echo; /* the host's newest timestamp */
	uint64_t window; /* bytes that the host takes */
	uint64_t least_rto_ns;
};

struct half_owner {
	/* The next bytes of the host. Returns how many of them are taken; the host will send the rest again. */
	size_t (*received)(void *context, const uint8_t *bytes, size_t length);
	/* Copy bytes to send, which have been offered and are not acknowledged. False: the half is to reset. */
	bool (*read)(void *context, uint64_t at, uint8_t *bytes, size_t length);
	void *context;
};

enum half_state {
	HALF_OPEN,
	HALF_RESET_BY_HOST,
	HALF_GONE, /* the host does not answer */
	HALF_RESETTING, /* half_reset() was called: it answers everything with a reset, until the host has forgotten it */
};

struct half_piece;

struct half {
	struct half_settings settings;
	struct half_owner owner;
	enum half_state state;

	/* what the host sends */
	uint64_t received; /* bytes, all in order */
	uint64_t end; /* bytes before its FIN; HALF_NO_END: not known */
	bool finished; /* its FIN came, and all before it */
	uint64_t permitted; /* may be acknowledged */
	bool permitted_end;
	uint64_t edge; /* bytes up to here are taken */
	uint64_t told, told_edge; /* acknowledged, and the edge that the host knows */
	uint64_t old_edge; /* what it had sent before half_resume() is within a window that it was told then */
	bool told_end;
	bool handing; /* over: not again from there */
	bool acknowledge; /* as soon as possible */
	uint64_t outside_ns; /* when something outside the window may be answered again */
	struct half_piece *ahead;
	uint64_t newest_piece; /* which one came last */
	size_t stored;
	unsigned int pieces; /* that are ahead */
	struct {
		uint64_t end;
		uint32_t stamp;
	} stamps[HALF_STAMPS]; /* of segments that are not acknowledged: the first one's is told */
	unsigned int stamp_count;
	uint32_t stamp_latest;

	/* what the host is sent */
	uint64_t offered; /* bytes that can be read */
	bool offered_end; /* a FIN follows them */
	uint64_t acked, sent, sent_most; /* FIN counts as one more */
	bool acked_end; /* the FIN as well */
	uint64_t window, window_most;
	uint32_t window_seq, window_ack; /* of the segment that told it */
	uint64_t cwnd, ssthresh, recover;
	unsigned int dup_acks;
	bool recovering, again; /* the first bytes go out once more */
	uint64_t srtt_ns, rttvar_ns, rto_ns; /* the last one without what a retry adds */
	unsigned int retries; /* of the same bytes */
	unsigned int silent; /* times that the timer has rung since the host was heard */
	uint64_t timer_ns; /* when the first bytes are sent again; UINT64_MAX: not at all */
	uint64_t timed_at, timed_ns; /* without timestamps: bytes that time a round trip; 0: none */
	uint64_t sent_ns; /* when anything was sent last */
	bool probing; /* the timer is that of a closed window */

	/* what is asked of the host: whether it is there, what it has, or whether it has forgotten the connection */
	bool learning; /* numbers are what they are at least */
	uint64_t slack; /* they are so much more at most */
	uint64_t trusts_to; /* up to here, acknowledgements of what was never sent here may be true */
	bool trusts; /* they are believed: the answer may have been an old segment, */
	uint64_t trusts_ns; /* if the host was not heard after this time */
	uint64_t ask_ns; /* when it is asked next; UINT64_MAX: not at all */
	unsigned int asks; /* without an answer */

	bool reset; /* a reset is to be sent */
	uint32_t reset_seq;
	uint16_t id; /* of the last packet, IPv4 */

	/* counts */
	uint64_t segments, repeated; /* sent with bytes; of these, not for the first time */
};

void half_begin(struct half *half, const struct half_settings *settings, const struct half_owner *owner);

/* A segment from the host, all of which is there. */
void half_segment(struct half *half, const struct segment *segment, uint64_t now_ns);

/* Permit to acknowledge bytes that it has handed over, and the FIN behind them. */
void half_permit(struct half *half, uint64_t bytes, bool end);

/* Take the host's bytes up to here; may be less than before. */
void half_take(struct half *half, uint64_t edge);

/* Bytes of the host up to here have come on another way. */
void half_skip(struct half *half, uint64_t bytes);

/*
 * Begin in the middle: at least so many bytes of the host have come, and at least so many for it are acknowledged; at
 * most `slack` more. The host is asked; when it has answered, `learning` is false.
 */
void half_resume(struct half *half, uint64_t received, uint64_t acked, uint64_t slack, uint64_t now_ns);

/* There are bytes to send up to here, and a FIN behind them. */
void half_offer(struct half *half, uint64_t bytes, bool end);

/* A packet of this length could not leave: send the same in shorter ones. */
void half_too_long(struct half *half, size_t length);

/* Make the host say what it has: with an old segment, which it answers. */
size_t half_ask(struct half *half, uint64_t now_ns, uint8_t *packet, size_t room);

/* End the connection with a reset, which is repeated until the host has forgotten the connection. */
void half_reset(struct half *half);

/* Write the next packet for the host. Returns its length; 0: there is nothing to send. */
size_t half_due(struct half *half, uint64_t now_ns, uint8_t *packet, size_t room);

/* When there will be something to send, unless something happens before; UINT64_MAX: never. */
uint64_t half_next_ns(const struct half *half);

/* Free what is ahead of a gap. */
void half_end(struct half *half);

#endif

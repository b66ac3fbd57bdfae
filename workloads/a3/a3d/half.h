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
 * Not modelled: what the host says by SACK, ECN (a connection with it is not to be taken over), urgent data, Nagle's
 * algorithm, delayed acknowledgements, path MTU discovery (packets of IPv4 may be fragmented).
 */
#ifndef A3D_HALF_H
#define A3D_HALF_H

#include "segment.h"

enum {
	HALF_PACKET = 1600, /* bytes of a packet at most */
	HALF_STAMPS = 16,
	HALF_RETRIES = 15, /* then the host is taken to be gone */
	HALF_STORED = 1 << 20, /* bytes that are ahead of a gap, with what it takes to keep them */
};

#define HALF_LEAST_RTO_NS UINT64_C(200000000) /* that of Linux; RFC 6298 has a second */
#define HALF_MOST_RTO_NS UINT64_C(60000000000)
#define HALF_NO_END UINT64_MAX

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
	bool believes; /* an acknowledgement of what was never sent is true: it has passed before */
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
	HALF_RESETTING, /* half_reset() was called: it answers everything with a reset */
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
	bool told_end;
	bool handing; /* over: not again from there */
	bool acknowledge; /* as soon as possible */
	struct half_piece *ahead;
	uint64_t newest_piece; /* which one came last */
	size_t stored;
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
	bool heard; /* the host has said what it has */
	bool probing; /* the timer is that of a closed window */
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

/* Bytes of the host up to here have come on another way; so has the FIN behind them. */
void half_skip(struct half *half, uint64_t bytes, bool end);

/* Begin in the middle: so many bytes of the host have come, and so many for it are acknowledged. */
void half_resume(struct half *half, uint64_t received, uint64_t acked);

/* There are bytes to send up to here, and a FIN behind them. */
void half_offer(struct half *half, uint64_t bytes, bool end);

/* Make the host say what it has: with an old segment, which it answers. */
size_t half_ask(struct half *half, uint64_t now_ns, uint8_t *packet, size_t room);

/* End the connection with a reset. */
void half_reset(struct half *half);

/* Write the next packet for the host. Returns its length; 0: there is nothing to send. */
size_t half_due(struct half *half, uint64_t now_ns, uint8_t *packet, size_t room);

/* When there will be something to send, unless something happens before; UINT64_MAX: never. */
uint64_t half_next_ns(const struct half *half);

/* Free what is ahead of a gap. */
void half_end(struct half *half);

#endif

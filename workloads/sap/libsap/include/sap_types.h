/* SPDX-License-Identifier: MIT */
/*
 * SAP, the Selectively Approximate Protocol: what the sockets (sap.h) and the protocol core (sap_core.h) share.
 *
 * A datagram has a precise head and an approximate tail; either may be empty. Three kinds follow from it:
 *
 *   kind          head      tail       delivered
 *   precise       all       -          once, in order, guaranteed, bit by bit as sent
 *   mixed         h bytes   the rest   once, in order, guaranteed; the tail may have wrong bits
 *   approximate   - (or h)  the rest   at most once, as it comes, perhaps never; the tail may have wrong bits
 *
 * Order. Precise and mixed datagrams are guaranteed: they are delivered in the order in which they were sent. An
 * approximate datagram is delivered at once when it arrives; it waits for nobody. So it may overtake a guaranteed one
 * that was sent before it and had to be repeated, and may be overtaken by anything. Each message tells its own number
 * among those of its kind and how many of the other kind were sent before it: a receiver that cares can put them in
 * the order of sending. Nothing is delivered after the end (SAP_ERR_END), which comes after all guaranteed datagrams.
 */
#ifndef SAP_TYPES_H
#define SAP_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The functions of the library, in libsap.so. */
#define SAP_API __attribute__((visibility("default")))

/* Bytes of a SAP header, in front of each payload. UDP-Lite's checksum always covers it. */
#define SAP_HEADER_BYTES 36

/* Payload of a datagram unless the options say otherwise: the paper's 1 KB. */
#define SAP_PAYLOAD_BYTES 1024

/* The largest payload: what an MTU of 1500 bytes leaves behind the headers of IPv6 (40), UDP-Lite (8) and SAP. */
#define SAP_PAYLOAD_BYTES_MAX 1416

/* The largest window, in datagrams: as many bits as a selective acknowledgement has. */
#define SAP_WINDOW_MAX 256

/*
 * Errors: what functions return that did not do what they were asked to. All are negative; sap_strerror() has a
 * sentence for each.
 */
enum sap_error {
	SAP_OK = 0,
	SAP_ERR_AGAIN = -1,	/* would have to wait, and the socket does not wait (timeout 0) */
	SAP_ERR_TIMEDOUT = -2,	/* waited as long as the timeout allows; may be tried again */
	SAP_ERR_UNREACHED = -3,	/* the peer has not answered for so long that the connection was given up */
	SAP_ERR_END = -4,	/* the peer has sent FIN, and all that it guaranteed has been received */
	SAP_ERR_CLOSED = -5,	/* cannot send: FIN was sent already */
	SAP_ERR_UNCONNECTED = -6, /* nobody has connected to this listening socket yet */
	SAP_ERR_TOO_LONG = -7,	/* more than the payload of one datagram */
	SAP_ERR_TOO_SHORT = -8,	/* the buffer is shorter than the datagram, which stays to be received */
	SAP_ERR_ARGUMENT = -9,	/* an argument or option is out of its range */
	SAP_ERR_MEMORY = -10,	/* no memory */
	SAP_ERR_SYSTEM = -11,	/* a system call failed: errno says how */
};

/* A sentence for an error or SAP_OK. Static; never NULL. */
SAP_API const char *sap_strerror(int error);

/* What sap_send() makes of data. A socket starts precise. */
enum sap_mode {
	SAP_PRECISE,
	SAP_APPROXIMATE,
};

/* How guaranteed datagrams are sent. */
enum sap_control {
	/*
	 * The paper's: one datagram in flight, a fixed retransmission timeout, no congestion control.
	 */
	SAP_STOP_AND_WAIT,
	/*
	 * Beyond the paper: many in flight. Slow start and additive increase, multiplicative decrease (RFC 5681),
	 * selective acknowledgements with loss after three later ones (RFC 6675), retransmission timeout from
	 * measured round trips (RFC 6298).
	 */
	SAP_WINDOW,
};

/* What sap_ready() and sap_core_ready() tell. */
#define SAP_CONNECTED (1u << 0)	/* the handshake is done */
#define SAP_READABLE (1u << 1)	/* sap_recv() has a datagram, or SAP_ERR_END */
#define SAP_WRITABLE (1u << 2)	/* sap_send() takes a datagram of the current mode */
#define SAP_FLUSHED (1u << 3)	/* all guaranteed datagrams are acknowledged, and FIN if it was sent */
#define SAP_ENDED (1u << 4)	/* the peer's FIN has come; datagrams may still wait in sap_recv() */
#define SAP_DONE (1u << 5)	/* to be closed: one side has sent FIN, it is acknowledged, and linger is over */
#define SAP_FAILED (1u << 6)	/* the connection was given up; calls return SAP_ERR_UNREACHED */

/* For sap_send_head(): the head is protected but not guaranteed; the datagram is approximate, and sent once. */
#define SAP_ONCE 1u

/* What is known of a received datagram besides its bytes. */
struct sap_message {
	uint32_t length;	/* bytes of payload */
	uint32_t precise;	/* the first so many are as sent; those behind may have wrong bits */
	bool guaranteed;	/* precise or mixed, which come in order; else approximate */
	uint32_t number;	/* among those of its kind (guaranteed or not), in the order of sending, from 0 */
	uint32_t after;		/* how many of the other kind were sent before it */
};

/*
 * Counters since the socket was made, in datagrams. Those of received ones add up: every datagram that came is in
 * delivered, waiting, control, or in one of rejected_*, duplicates, late, overruns.
 */
struct sap_stats {
	/* sent */
	uint64_t sent;			/* all, repetitions and control datagrams too */
	uint64_t sent_guaranteed;	/* precise and mixed ones, each once */
	uint64_t sent_approximate;
	uint64_t retransmitted;		/* repetitions of guaranteed ones and FIN */
	uint64_t retransmitted_fast;	/* of these, those that selective acknowledgements asked for */
	uint64_t timeouts;		/* expirations of the retransmission timeout */
	/* received */
	uint64_t received;		/* all */
	uint64_t control;		/* PING, PING_ACK, ACK, FIN, FIN_ACK that were taken */
	uint64_t delivered_guaranteed;	/* handed to the application */
	uint64_t delivered_approximate;
	uint64_t waiting;		/* received, not handed over yet (not a counter: as it is now) */
	uint64_t duplicates;		/* guaranteed or approximate ones that had come before */
	uint64_t late;			/* approximate ones too old to tell whether they had come before, or after FIN */
	uint64_t overruns;		/* dropped since the application had left no room */
	uint64_t rejected_damaged;	/* not a SAP datagram, or its CRC-32C is wrong */
	uint64_t rejected_foreign;	/* of another connection: forged, or left from an older one */
	uint64_t rejected_senseless;	/* of this connection, but acknowledges what was never sent and the like */
	uint64_t lost_approximate;	/* numbers that have not come, up to the largest known of (not a counter: a
					 * datagram that was only late is subtracted again)
					 */
};

#ifdef __cplusplus
}
#endif

#endif

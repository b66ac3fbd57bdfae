/* SPDX-License-Identifier: MIT */
/*
 * SAP, the Selectively Approximate Protocol: types shared by the sockets (sap.h) and the protocol core (sap_core.h).
 *
 * A datagram has a precise head and an approximate tail; either may be empty. This gives three kinds:
 *
 *   kind          head      tail       delivery
 *   precise       all       -          guaranteed: once, in order, exactly as sent
 *   mixed         h bytes   the rest   guaranteed: once, in order; the tail may contain bit errors
 *   approximate   - (or h)  the rest   best effort: at most once, in any order; the tail may contain bit errors
 *
 * Ordering. Precise and mixed datagrams are guaranteed and delivered in the order in which they were sent. An
 * approximate datagram is delivered as soon as it arrives. It may overtake an earlier guaranteed datagram that had to
 * be retransmitted, and any datagram may overtake it. Each message carries its own number among those of its kind and
 * the number of datagrams of the other kind sent before it, so a receiver can restore the sending order if it needs to.
 * The end of the stream (SAP_ERR_END) follows all guaranteed datagrams; nothing is delivered after it.
 */
#ifndef SAP_TYPES_H
#define SAP_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Marks functions exported by libsap.so. */
#define SAP_API __attribute__((visibility("default")))

/* Length of the SAP header in front of each payload. UDP-Lite's checksum always covers it. */
#define SAP_HEADER_BYTES 36

/* Default payload of a datagram: the paper's 1 KB. */
#define SAP_PAYLOAD_BYTES 1024

/* Largest payload: an MTU of 1500 bytes minus the headers of IPv6 (40), UDP-Lite (8) and SAP. */
#define SAP_PAYLOAD_BYTES_MAX 1416

/* Largest window, in datagrams: the number of bits in a selective acknowledgement. */
#define SAP_WINDOW_MAX 256

/* Errors that functions return. All are negative. sap_strerror() describes them. */
enum sap_error {
	SAP_OK = 0,
	SAP_ERR_AGAIN = -1,	/* the call would block, and the socket is non-blocking (timeout 0) */
	SAP_ERR_TIMEDOUT = -2,	/* the socket's timeout expired; the call may be repeated */
	SAP_ERR_UNREACHED = -3,	/* the peer did not answer for give_up_ms: the connection has failed */
	SAP_ERR_END = -4,	/* end of stream: FIN and all guaranteed datagrams have been received */
	SAP_ERR_CLOSED = -5,	/* cannot send after FIN */
	SAP_ERR_UNCONNECTED = -6, /* no peer has connected to this listening socket yet */
	SAP_ERR_TOO_LONG = -7,	/* the data does not fit in one datagram */
	SAP_ERR_TOO_SHORT = -8,	/* the buffer is too small for the datagram, which stays queued */
	SAP_ERR_ARGUMENT = -9,	/* an argument or option is out of range */
	SAP_ERR_MEMORY = -10,	/* out of memory */
	SAP_ERR_SYSTEM = -11,	/* a system call failed; see errno */
};

/* Returns a description of an error or of SAP_OK: a static string, never NULL. */
SAP_API const char *sap_strerror(int error);

/* The kind of datagram that sap_send() sends. New sockets are precise. */
enum sap_mode {
	SAP_PRECISE,
	SAP_APPROXIMATE,
};

/* How guaranteed datagrams are sent. */
enum sap_control {
	/*
	 * As in the paper: one datagram in flight, a fixed retransmission timeout, no congestion control.
	 */
	SAP_STOP_AND_WAIT,
	/*
	 * Beyond the paper: many datagrams in flight. Slow start, additive increase, multiplicative decrease
	 * (RFC 5681); selective acknowledgements, a datagram is lost once three later ones have arrived (RFC 6675);
	 * retransmission timeout from measured round-trip times (RFC 6298).
	 */
	SAP_WINDOW,
};

/* Flags of sap_ready() and sap_core_ready(). */
#define SAP_CONNECTED (1u << 0)	/* the handshake is complete */
#define SAP_READABLE (1u << 1)	/* sap_recv() returns a datagram or SAP_ERR_END */
#define SAP_WRITABLE (1u << 2)	/* sap_send() accepts a datagram of the current mode */
#define SAP_FLUSHED (1u << 3)	/* all guaranteed datagrams are acknowledged, and FIN if sent */
#define SAP_ENDED (1u << 4)	/* the peer's FIN has arrived; sap_recv() may still have datagrams */
#define SAP_DONE (1u << 5)	/* ready to close: one side's FIN is acknowledged, lingering is over */
#define SAP_FAILED (1u << 6)	/* the connection has failed; calls return SAP_ERR_UNREACHED */

/* Flag of sap_send_head(): send the datagram once, as approximate. Its head is protected but not guaranteed. */
#define SAP_ONCE 1u

/* Metadata of a received datagram. */
struct sap_message {
	uint32_t length;	/* of the payload, in bytes */
	uint32_t precise;	/* number of leading bytes that are exactly as sent; the rest may have bit errors */
	bool guaranteed;	/* true: precise or mixed, delivered in order; false: approximate */
	uint32_t number;	/* among datagrams of its kind (guaranteed or not), in sending order, from 0 */
	uint32_t after;		/* number of datagrams of the other kind sent before it */
};

/*
 * Counters since the socket was created, in datagrams. Each received datagram is counted in exactly one of delivered_*,
 * waiting, control, duplicates, late, overruns and rejected_*.
 */
struct sap_stats {
	/* sent */
	uint64_t sent;			/* all, including retransmissions and control datagrams */
	uint64_t sent_guaranteed;	/* precise and mixed, without retransmissions */
	uint64_t sent_approximate;
	uint64_t retransmitted;		/* retransmissions of guaranteed datagrams and FIN */
	uint64_t retransmitted_fast;	/* of these, those triggered by selective acknowledgements */
	uint64_t timeouts;		/* expirations of the retransmission timeout */
	uint64_t acknowledged;		/* guaranteed datagrams and FIN that the peer has acknowledged */
	/* received */
	uint64_t received;		/* all */
	uint64_t control;		/* accepted PING, PING_ACK, ACK, FIN and FIN_ACK */
	uint64_t delivered_guaranteed;	/* passed to the application */
	uint64_t delivered_approximate;
	uint64_t waiting;		/* received, not yet passed to the application (current value, not a counter) */
	uint64_t duplicates;		/* guaranteed or approximate datagrams received before */
	uint64_t late;			/* approximate, and either too old to detect duplicates or after FIN */
	uint64_t overruns;		/* dropped: the receive queue was full */
	uint64_t rejected_damaged;	/* not a SAP datagram, or its CRC-32C is wrong */
	uint64_t rejected_foreign;	/* of another connection: forged, or from an earlier one */
	uint64_t rejected_senseless;	/* of this connection but invalid, e.g. acknowledges data never sent */
	uint64_t lost_approximate;	/* numbers not received, up to the largest known (not a counter: decreases when
					 * a late datagram arrives)
					 */
};

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The protocol core of libsap: one end of one connection, without sockets, clock, allocation or global state.
 *
 * The caller passes in the time (nanoseconds of any monotonic clock), received datagrams, and buffers for datagrams to
 * be sent. libsap's sockets do this with UDP-Lite and CLOCK_MONOTONIC, tests with a simulated channel. The event loop:
 *
 *	a datagram arrived:     sap_core_input(core, &from, bytes, length, now_ns)
 *	the application:        sap_core_send(), sap_core_receive(), sap_core_fin()
 *	after each of these, and at sap_core_next_ns():
 *	                        while (sap_core_output(core, bytes, size, &out, now_ns)) send out.length bytes
 *
 * Thread safety: a core may be used by one thread at a time. Different cores are independent.
 * Ownership: the core lives in memory that the caller provides and may free once it no longer uses the core. There is
 * nothing else to free, and the core keeps no pointers to its arguments.
 *
 * sap(7) documents the protocol.
 */
#ifndef SAP_CORE_H
#define SAP_CORE_H

#include "sap_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sap_core;

/* A time that never comes: no timer is running. */
#define SAP_NEVER UINT64_MAX

/* Size of the buffer for sap_core_output(). */
#define SAP_DATAGRAM_BYTES_MAX (SAP_HEADER_BYTES + SAP_PAYLOAD_BYTES_MAX)

/* Address of a peer. The core compares and hashes its bytes but never interprets them. */
struct sap_address {
	uint8_t length; /* bytes used, 0 to 31 */
	uint8_t bytes[31];
};

enum sap_role {
	SAP_CONNECTS,
	SAP_LISTENS,
};

struct sap_core_config {
	enum sap_role role;
	/* SAP_CONNECTS: the peer to connect to. SAP_LISTENS: how the peer's address must begin; length 0: any. */
	struct sap_address peer;
	/* SAP_CONNECTS: the connection number; 0: random. SAP_LISTENS: the only one that may connect; 0: any. */
	uint64_t connection;
	/*
	 * Unpredictable bytes, different for each core. SAP_CONNECTS: the first eight are the connection number, unless
	 * connection is set. SAP_LISTENS: the key for its tokens.
	 */
	uint8_t random[16];
	/* Meaning and ranges as in struct sap_options (sap.h). */
	enum sap_control control;
	uint32_t payload_bytes;
	uint32_t window;
	uint32_t approximate_queue;
	uint64_t rto_ns;
	uint64_t rto_min_ns;
	uint64_t give_up_ns;
	uint64_t linger_ns;
	uint32_t first_number; /* of datagrams of either kind, same at both ends; for tests of wraparound */
};

/* How to send a datagram from sap_core_output(). */
struct sap_output {
	size_t length;		/* of the datagram, in bytes */
	size_t precise;		/* number of leading bytes that a checksum must cover; length: all */
	struct sap_address to;
};

/* Initializes *config to the defaults of struct sap_options. The caller must set role, peer and random. */
SAP_API void sap_core_config_init(struct sap_core_config *config);

/* Returns the memory that a core with this configuration needs, in bytes; 0 if a value is out of range. */
SAP_API size_t sap_core_bytes(const struct sap_core_config *config);

/*
 * Creates a core in memory. A connecting core has a PING ready to send.
 *
 * memory: at least sap_core_bytes() bytes, aligned as by malloc(3); need not be zeroed.
 * Returns: the core, at address memory; NULL if the configuration is out of range or bytes is too small.
 */
SAP_API struct sap_core *sap_core_init(void *memory, size_t bytes, const struct sap_core_config *config,
				       uint64_t now_ns);

/*
 * Processes a received datagram. It may contain anything: damaged, forged or invalid datagrams are counted in struct
 * sap_stats and have no other effect.
 */
SAP_API void sap_core_input(struct sap_core *core, const struct sap_address *from, const uint8_t *datagram,
			    size_t length, uint64_t now_ns);

/*
 * Runs expired timers and writes the next datagram that is due.
 *
 * datagram, size: the buffer. SAP_DATAGRAM_BYTES_MAX bytes are enough; the minimum is SAP_HEADER_BYTES plus the larger
 * of payload_bytes and SAP_WINDOW_MAX / 8.
 * Returns: true if there was one; otherwise *out is undefined.
 */
SAP_API bool sap_core_output(struct sap_core *core, uint8_t *datagram, size_t size, struct sap_output *out,
			     uint64_t now_ns);

/* Returns when sap_core_output() must be called next; 0: now; SAP_NEVER: no timer is running. */
SAP_API uint64_t sap_core_next_ns(const struct sap_core *core);

/*
 * Queues a datagram for sap_core_output(). The queue holds one.
 *
 * head: number of leading bytes that are precise.
 * guaranteed: true: precise or mixed; false: approximate, sent once.
 * Returns: 0 or an error.
 * Errors: SAP_ERR_AGAIN (still connecting, the window is full, or the previous datagram is still queued),
 * SAP_ERR_UNCONNECTED, SAP_ERR_CLOSED, SAP_ERR_TOO_LONG, SAP_ERR_UNREACHED, SAP_ERR_ARGUMENT (head > length, or
 * guaranteed and not empty but head is 0).
 */
SAP_API int sap_core_send(struct sap_core *core, const void *data, size_t length, size_t head, bool guaranteed);

/*
 * Copies the next received datagram, of message->length bytes, to data.
 *
 * Returns: 0 or an error.
 * Errors: SAP_ERR_AGAIN (no datagram waits), SAP_ERR_END, SAP_ERR_UNREACHED, SAP_ERR_TOO_SHORT (size is less than
 * message->length; the datagram stays queued).
 */
SAP_API int sap_core_receive(struct sap_core *core, void *data, size_t size, struct sap_message *message);

/*
 * Ends the sending direction: FIN is sent after all guaranteed datagrams.
 *
 * Returns: 0 or an error.
 * Errors: SAP_ERR_AGAIN (still connecting), SAP_ERR_UNCONNECTED, SAP_ERR_UNREACHED.
 */
SAP_API int sap_core_fin(struct sap_core *core);

/*
 * Returns the state of the core: a bitwise OR of SAP_CONNECTED etc. guaranteed: the kind of datagram that SAP_WRITABLE
 * refers to.
 */
SAP_API unsigned int sap_core_ready(const struct sap_core *core, bool guaranteed);

/* Returns the peer's address; its length is 0 for a listening core that is not connected. */
SAP_API struct sap_address sap_core_peer(const struct sap_core *core);

/* Gets the counters. */
SAP_API void sap_core_get_stats(const struct sap_core *core, struct sap_stats *stats);

/* Estimates of the sender, for tests and statistics. */
struct sap_core_estimates {
	uint32_t in_flight;	/* guaranteed datagrams sent, not acknowledged and not considered lost */
	uint32_t congestion_window; /* datagrams; 1 with SAP_STOP_AND_WAIT */
	uint64_t rto_ns;	/* current retransmission timeout, including backoff */
	uint64_t srtt_ns;	/* smoothed round-trip time; 0: not measured yet */
};

/* Gets the estimates. */
SAP_API void sap_core_get_estimates(const struct sap_core *core, struct sap_core_estimates *estimates);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The protocol core of libsap: one end of one connection, without sockets, clock, allocation or global state.
 *
 * Whoever uses it passes in the time (nanoseconds of any clock that never goes back), datagrams that came, and room for
 * datagrams to be sent. libsap's sockets do that with UDP-Lite and CLOCK_MONOTONIC; tests do it with a simulated
 * channel. The loop:
 *
 *	a datagram came:        sap_core_input(core, &from, bytes, length, now_ns)
 *	the user wants:         sap_core_send(), sap_core_receive(), sap_core_fin()
 *	then, and whenever sap_core_next_ns() is reached:
 *	                        while (sap_core_output(core, bytes, size, &out, now_ns)) put out.length bytes on the wire
 *
 * Reentrancy: a core is used by one thread at a time; different cores are independent of each other.
 * Ownership: the caller's memory holds the core; it is the caller's again when the core is not used any more. Nothing
 * else is kept: what is passed in is copied.
 *
 * The protocol is written down in sap(7).
 */
#ifndef SAP_CORE_H
#define SAP_CORE_H

#include "sap_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sap_core;

/* No time: nothing is to be done however long it takes. */
#define SAP_NEVER UINT64_MAX

/* Room that sap_core_output() needs. */
#define SAP_DATAGRAM_BYTES_MAX (SAP_HEADER_BYTES + SAP_PAYLOAD_BYTES_MAX)

/* Where a datagram comes from or goes to. Compared byte by byte and hashed, never interpreted. */
struct sap_address {
	uint8_t length; /* of bytes, 0 to 31 */
	uint8_t bytes[31];
};

enum sap_role {
	SAP_CONNECTS,
	SAP_LISTENS,
};

struct sap_core_config {
	enum sap_role role;
	struct sap_address peer; /* SAP_CONNECTS: whom to ping */
	/*
	 * Bits that nobody can guess, other ones for each core. SAP_CONNECTS: the first eight are the connection's id.
	 * SAP_LISTENS: the key of its tokens.
	 */
	uint8_t random[16];
	/* As in struct sap_options (sap.h), which has their bounds and meaning. */
	enum sap_control control;
	uint32_t payload_bytes;
	uint32_t window;
	uint32_t approximate_queue;
	uint64_t rto_ns;
	uint64_t rto_min_ns;
	uint64_t give_up_ns;
	uint64_t linger_ns;
	uint32_t first_number; /* of guaranteed and of approximate datagrams; both ends alike. For tests of wrapping */
};

/* How a datagram that sap_core_output() gave is to be sent. */
struct sap_output {
	size_t length;		/* bytes of the datagram */
	size_t precise;		/* a checksum has to cover so many of them; length: all */
	struct sap_address to;
};

/* Sets everything to the defaults of struct sap_options; role, peer and random are the caller's. */
SAP_API void sap_core_config_init(struct sap_core_config *config);

/* Bytes of memory that a core with this configuration needs; 0: something in it is out of its bounds. */
SAP_API size_t sap_core_bytes(const struct sap_core_config *config);

/*
 * Makes a core in memory. A connecting one has a PING to send at once.
 *
 * memory: sap_core_bytes() bytes, aligned as malloc() does it; need not be zero.
 * Returns: the core, which is memory, or NULL: the configuration is out of bounds, or bytes are too few.
 */
SAP_API struct sap_core *sap_core_init(void *memory, size_t bytes, const struct sap_core_config *config,
				       uint64_t now_ns);

/*
 * Takes a datagram that came. It may be anything: what is damaged, forged or senseless is counted and has no effect.
 * The counters tell what became of it.
 */
SAP_API void sap_core_input(struct sap_core *core, const struct sap_address *from, const uint8_t *datagram,
			    size_t length, uint64_t now_ns);

/*
 * Gives the next datagram that is due, after the timers that are due have been run.
 *
 * datagram: SAP_DATAGRAM_BYTES_MAX bytes, or SAP_HEADER_BYTES + payload_bytes if that is known to be less and at least
 * SAP_HEADER_BYTES + SAP_WINDOW_MAX / 8.
 * Returns: whether there was one. If not, *out is undefined.
 */
SAP_API bool sap_core_output(struct sap_core *core, uint8_t *datagram, size_t size, struct sap_output *out,
			     uint64_t now_ns);

/* When sap_core_output() has to be called next: 0: at once; SAP_NEVER. */
SAP_API uint64_t sap_core_next_ns(const struct sap_core *core);

/*
 * Takes a datagram to be sent. At most one waits for sap_core_output().
 *
 * head: so many of the length bytes are precise. guaranteed: precise or mixed; else sent once.
 * Errors: SAP_ERR_AGAIN (still connecting, the window is full, or the last one waits for sap_core_output()), SAP_ERR_UNCONNECTED,
 * SAP_ERR_CLOSED, SAP_ERR_TOO_LONG, SAP_ERR_UNREACHED, SAP_ERR_ARGUMENT (head > length, or guaranteed and nothing
 * precise in it).
 */
SAP_API int sap_core_send(struct sap_core *core, const void *data, size_t length, size_t head, bool guaranteed);

/*
 * Hands over the next datagram, of message->length bytes.
 *
 * Errors: SAP_ERR_AGAIN (none is there), SAP_ERR_END, SAP_ERR_UNREACHED, SAP_ERR_TOO_SHORT (size is less than
 * message->length; it stays).
 */
SAP_API int sap_core_receive(struct sap_core *core, void *data, size_t size, struct sap_message *message);

/* Nothing more will be sent: FIN goes out behind all guaranteed datagrams. Errors: SAP_ERR_UNCONNECTED, _UNREACHED. */
SAP_API int sap_core_fin(struct sap_core *core);

/*
 * What may be done now: an OR of SAP_CONNECTED and so on. SAP_WRITABLE tells of guaranteed datagrams if guaranteed, else
 * of those sent once.
 */
SAP_API unsigned int sap_core_ready(const struct sap_core *core, bool guaranteed);

/* The peer: of a listening core, once it is connected, else an address of length 0. */
SAP_API struct sap_address sap_core_peer(const struct sap_core *core);

SAP_API void sap_core_get_stats(const struct sap_core *core, struct sap_stats *stats);

/* What the sender estimates, for tests and statistics. */
struct sap_core_estimates {
	uint32_t in_flight;	/* guaranteed datagrams sent and neither acknowledged nor held for lost */
	uint32_t congestion_window; /* datagrams; 1 with SAP_STOP_AND_WAIT */
	uint64_t rto_ns;	/* retransmission timeout now, with backoff */
	uint64_t srtt_ns;	/* smoothed round trip; 0: none measured */
};

SAP_API void sap_core_get_estimates(const struct sap_core *core, struct sap_core_estimates *estimates);

#ifdef __cplusplus
}
#endif

#endif

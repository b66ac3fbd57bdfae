/* SPDX-License-Identifier: MIT */
/*
 * libsap: sockets for the Selectively Approximate Protocol, over UDP-Lite (RFC 3828), IPv4 or IPv6.
 *
 * The protocol and its API follow B. Ransford, L. Ceze, "SAP: an Architecture for Selectively Approximate Wireless
 * Communication". sap_types.h explains precise and approximate datagrams and their ordering.
 *
 * A sender:                                    A receiver:
 *
 *	sap_sock_t *s;                                  sap_sock_t *s;
 *	sap_connect(&s, to, to_length, NULL);           sap_listen(&s, at, at_length, NULL);
 *	sap_send(s, size, sizeof(size));                while ((n = sap_recv(s, data, sizeof(data), &m)) >= 0)
 *	sap_set_mode(s, SAP_APPROXIMATE);                       use(data, n, &m);
 *	sap_send(s, pixels, 1024);                      if (n != SAP_ERR_END) handle the error
 *	sap_fin(s);                                     sap_close(s);
 *	sap_close(s);
 *
 * Connections. A socket has one peer. A listening socket accepts the first peer that completes the handshake and
 * ignores all others; to serve several peers at once, listen on several ports. So anyone who can reach the port can
 * connect first: if the peer is known in advance, set the options peer or token, or both. Both sides may send. A listening socket
 * keeps no state for a PING and answers it with a datagram of the same length, so a flood of forged PINGs neither
 * exhausts memory nor is amplified.
 *
 * Blocking. Functions block for at most the socket's timeout: SAP_WAIT_FOREVER waits without limit, 0 is for programs
 * with an event loop, see sap_process(). The protocol makes progress only within calls: the library uses no threads and
 * no signals. A socket with guaranteed data in flight must be served: call sap_flush() or sap_fin() before leaving it
 * idle.
 *
 * Errors. Functions that return int or ssize_t return a negative enum sap_error on failure. After any error except
 * SAP_ERR_UNREACHED and SAP_ERR_SYSTEM the socket is unchanged. ICMP errors are ignored: a peer may start to listen
 * later, and anyone can forge them.
 *
 * Thread safety. There is no global state. Threads may use different sockets concurrently, but a socket only one thread
 * at a time. No function is async-signal-safe, and a signal does not interrupt a wait.
 *
 * Ownership. The caller owns a socket from sap_connect() or sap_listen() until sap_close(). The library keeps no
 * pointers to its arguments; data is copied.
 *
 * Security. The header and the precise bytes are protected by a CRC-32C in addition to UDP-Lite's checksum, because in
 * approximate mode the link layer delivers damaged frames. Every datagram carries random numbers of both ends (128 bits
 * in all), so an attacker who cannot read the traffic cannot forge acknowledgements, data or FIN. One who can read it
 * can: there is no cryptography. The same applies to the option token.
 */
#ifndef SAP_H
#define SAP_H

#include <sys/socket.h>
#include <sys/types.h>

#include "sap_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sap_sock sap_sock_t;

/* Timeout: wait without limit. */
#define SAP_WAIT_FOREVER (-1)

/*
 * Options of a socket. Initialize it with sap_options_init() and change the members you need.
 *
 * A program and the shared library may know different numbers of options. size tells the library how many the program
 * knows. The library uses defaults for members that the program lacks. Members that the library lacks must be zero,
 * which always means the default for members added later; otherwise the program wants what this library cannot do, and
 * gets SAP_ERR_ARGUMENT. So is a size that no version has had, as in options that were never initialized.
 */
struct sap_options {
	uint32_t size;			/* of this structure in bytes; set by sap_options_init() */
	int timeout_ms;			/* how long calls block: SAP_WAIT_FOREVER, or 0 not to; default 10 000 */
	enum sap_control control;	/* default SAP_STOP_AND_WAIT */
	uint32_t payload_bytes;		/* largest payload at both ends, 1 to SAP_PAYLOAD_BYTES_MAX; default 1024 */
	uint32_t window;		/* largest number of guaranteed datagrams in flight, and of received ones queued
					 * for sap_recv(): 1 to SAP_WINDOW_MAX; default 64
					 */
	uint32_t approximate_queue;	/* largest number of received approximate datagrams queued for sap_recv(), 1 to
					 * 65 536; further ones are dropped (overruns); default 256
					 */
	uint32_t rto_ms;		/* retransmission timeout; with SAP_WINDOW the initial one; default 50 */
	uint32_t rto_min_ms;		/* SAP_WINDOW: minimum retransmission timeout; default 200, as Linux TCP */
	uint32_t give_up_ms;		/* SAP_ERR_UNREACHED if the peer acknowledges nothing for this long while data
					 * is in flight; default 10 000
					 */
	uint32_t linger_ms;		/* how long sap_close() acknowledges retransmitted FINs; default 200 */
	const struct sockaddr *peer;	/* sap_listen(): the only host that may connect, and the only port unless it is
					 * 0; IPv4 or IPv6, as the socket; default NULL: any
					 */
	uint64_t token;			/* random number that both ends know from elsewhere, for example from a request
					 * over TCP. sap_connect() uses it as the connection number. sap_listen()
					 * ignores all PINGs without it. Default 0: a random number; any
					 */
};

/* Initializes all options to their defaults. options: a pointer to struct sap_options. */
#define sap_options_init(options) sap_options_init_size((options), sizeof(*(options)))

/* The same for a structure of size bytes; for bindings of other languages. */
SAP_API void sap_options_init_size(struct sap_options *options, size_t size);

/*
 * Connects to a listening peer: sends SAP_PING every rto_ms until the peer acknowledges it.
 *
 * With timeout 0 it returns at once; the socket is connected when sap_ready() reports SAP_CONNECTED.
 *
 * *sock: set to the socket, or to NULL on error.
 * to: an IPv4 or IPv6 address with a port.
 * options: NULL for the defaults.
 * Returns: 0 or an error.
 * Errors: SAP_ERR_TIMEDOUT (no answer within timeout_ms), SAP_ERR_UNREACHED (no answer within give_up_ms),
 * SAP_ERR_ARGUMENT, SAP_ERR_MEMORY, SAP_ERR_SYSTEM (e.g. EPROTONOSUPPORT: the kernel lacks UDP-Lite).
 */
SAP_API int sap_connect(sap_sock_t **sock, const struct sockaddr *to, socklen_t to_length,
			const struct sap_options *options);

/*
 * Creates a listening socket. Does not block.
 *
 * *sock: set to the socket, or to NULL on error.
 * at: address and port. With port 0 the kernel chooses one, see sap_local(). An IPv6 socket accepts IPv6 only.
 * options: NULL for the defaults.
 * Returns: 0 or an error.
 * Errors: SAP_ERR_ARGUMENT, SAP_ERR_MEMORY, SAP_ERR_SYSTEM (e.g. EADDRINUSE, EPROTONOSUPPORT).
 */
SAP_API int sap_listen(sap_sock_t **sock, const struct sockaddr *at, socklen_t at_length,
		       const struct sap_options *options);

/*
 * Waits until a peer has connected to a listening socket. Needed only by programs that send first: sap_recv() also
 * waits for the peer.
 *
 * Returns: 0 or an error.
 * Errors: SAP_ERR_AGAIN, SAP_ERR_TIMEDOUT, SAP_ERR_SYSTEM.
 */
SAP_API int sap_accept(sap_sock_t *sock);

/* Get the socket's own address, and its peer's (SAP_ERR_UNCONNECTED if it has none yet). Return 0 or an error. */
SAP_API int sap_local(const sap_sock_t *sock, struct sockaddr_storage *address, socklen_t *length);
SAP_API int sap_peer(const sap_sock_t *sock, struct sockaddr_storage *address, socklen_t *length);

/* Sets the kind of datagram that sap_send() sends from now on. Returns 0 or SAP_ERR_ARGUMENT. */
SAP_API int sap_set_mode(sap_sock_t *sock, enum sap_mode mode);
SAP_API enum sap_mode sap_get_mode(const sap_sock_t *sock);

/* Sets how long calls block, in ms: SAP_WAIT_FOREVER, or 0 not to block. Returns 0 or SAP_ERR_ARGUMENT. */
SAP_API int sap_set_timeout(sap_sock_t *sock, int timeout_ms);

/*
 * Sends one datagram, precise or approximate according to the socket's mode.
 *
 * A precise datagram is copied, sent, and retransmitted until the peer acknowledges it; the call does not wait for
 * that. It blocks while the window is full (SAP_STOP_AND_WAIT: until the previous datagram is acknowledged). An
 * approximate datagram is sent once; the call blocks while the kernel's send buffer is full.
 *
 * length: 0 to payload_bytes.
 * Returns: length or an error.
 * Errors: SAP_ERR_AGAIN, SAP_ERR_TIMEDOUT, SAP_ERR_UNREACHED, SAP_ERR_UNCONNECTED, SAP_ERR_CLOSED, SAP_ERR_TOO_LONG,
 * SAP_ERR_SYSTEM.
 */
SAP_API ssize_t sap_send(sap_sock_t *sock, const void *data, size_t length);

/*
 * Sends one datagram whose first head bytes are precise and whose other bytes are approximate, regardless of the mode.
 *
 * With head > 0 the datagram is guaranteed and in order, like a precise one. It is retransmitted as a whole; its tail
 * may arrive damaged. Wi-Fi transmits a partially covered frame only once, so losing it costs a retransmission timeout:
 * for low delay, send it precise or with SAP_ONCE. With head 0 or SAP_ONCE the datagram is approximate: it arrives with
 * an intact head or not at all. With head == length and no SAP_ONCE it is precise.
 *
 * flags: 0 or SAP_ONCE.
 * Returns: length or an error.
 * Errors: those of sap_send(), and SAP_ERR_ARGUMENT if head > length or flags has unknown bits.
 */
SAP_API ssize_t sap_send_head(sap_sock_t *sock, const void *data, size_t length, size_t head, unsigned int flags);

/*
 * Receives one datagram.
 *
 * data, size: the buffer. payload_bytes are always enough.
 * message: filled in with the datagram's metadata; may be NULL.
 * Returns: the datagram's length, which may be 0, or an error.
 * Errors: SAP_ERR_END, SAP_ERR_AGAIN, SAP_ERR_TIMEDOUT, SAP_ERR_TOO_SHORT (message->length is the size needed),
 * SAP_ERR_UNREACHED, SAP_ERR_SYSTEM. A receiver with no data in flight cannot distinguish a silent peer from a dead
 * one: both give SAP_ERR_TIMEDOUT.
 */
SAP_API ssize_t sap_recv(sap_sock_t *sock, void *data, size_t size, struct sap_message *message);

/*
 * Waits until all guaranteed datagrams are acknowledged. Returns at once for a listening socket without a peer.
 *
 * Returns: 0 or an error.
 * Errors: SAP_ERR_AGAIN, SAP_ERR_TIMEDOUT, SAP_ERR_UNREACHED, SAP_ERR_SYSTEM.
 */
SAP_API int sap_flush(sap_sock_t *sock);

/*
 * Ends the sending direction: sends SAP_FIN and waits until the peer has acknowledged it and all guaranteed datagrams.
 * The socket can still receive. After SAP_ERR_AGAIN or SAP_ERR_TIMEDOUT call it again to continue waiting.
 *
 * Returns: 0 or an error.
 * Errors: SAP_ERR_AGAIN, SAP_ERR_TIMEDOUT, SAP_ERR_UNREACHED, SAP_ERR_UNCONNECTED, SAP_ERR_SYSTEM.
 */
SAP_API int sap_fin(sap_sock_t *sock);

/*
 * Closes and frees the socket; NULL is allowed. Sends nothing: without a preceding sap_fin(), the peer notices only
 * through its own timeouts. If the peer's FIN arrived less than linger_ms ago and the timeout is not 0, the call blocks
 * for the rest of linger_ms to acknowledge retransmissions of FIN, in case the first acknowledgement was lost. Programs
 * with an event loop should keep calling sap_process() until SAP_DONE instead.
 */
SAP_API void sap_close(sap_sock_t *sock);

/*
 * Event loops. Set the timeout to 0, then repeat:
 *
 *	poll sap_fd() for sap_poll_events(), for at most sap_next_timeout_ns()
 *	sap_process()
 *	sap_recv() until SAP_ERR_AGAIN; sap_send() until SAP_ERR_AGAIN
 *
 * Every call may change sap_poll_events() and sap_next_timeout_ns(): get them again before each poll.
 */

/*
 * Returns the file descriptor, for poll(2) and the like. It belongs to the socket: do not close it. You may set socket
 * options on it, such as SO_SNDBUF.
 */
SAP_API int sap_fd(const sap_sock_t *sock);

/* Returns the events to poll for: POLLIN, and POLLOUT while the kernel's send buffer has no room for a datagram. */
SAP_API short sap_poll_events(const sap_sock_t *sock);

/* Returns the time until sap_process() must be called even without events, in nanoseconds; -1: no timeout. */
SAP_API int64_t sap_next_timeout_ns(const sap_sock_t *sock);

/* Reads what has arrived and sends what is due. Never blocks. Returns 0, SAP_ERR_UNREACHED or SAP_ERR_SYSTEM. */
SAP_API int sap_process(sap_sock_t *sock);

/* Returns the socket's state: a bitwise OR of SAP_CONNECTED etc. (sap_types.h). Does no protocol work. */
SAP_API unsigned int sap_ready(const sap_sock_t *sock);

/* Gets the counters of the socket. */
SAP_API void sap_get_stats(const sap_sock_t *sock, struct sap_stats *stats);

#ifdef __cplusplus
}
#endif

#endif

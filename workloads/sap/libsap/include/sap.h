/* SPDX-License-Identifier: MIT */
/*
 * libsap: sockets of the Selectively Approximate Protocol, over UDP-Lite (RFC 3828), IPv4 or IPv6.
 *
 * The protocol and its API are those of: B. Ransford, L. Ceze, "SAP: an Architecture for Selectively Approximate
 * Wireless Communication". sap_types.h says what precise and approximate datagrams are and how they are ordered.
 *
 * A sender:                                    A receiver:
 *
 *	sap_sock_t *s;                                  sap_sock_t *s;
 *	sap_connect(&s, to, to_length, NULL);           sap_listen(&s, at, at_length, NULL);
 *	sap_send(s, size, sizeof(size));                while ((n = sap_recv(s, data, sizeof(data), &m)) >= 0)
 *	sap_set_mode(s, SAP_APPROXIMATE);                       use(data, n, &m);
 *	sap_send(s, pixels, 1024);                      complain unless n == SAP_ERR_END
 *	sap_fin(s);                                     sap_close(s);
 *	sap_close(s);
 *
 * Connections. A socket has one peer. A listening socket becomes connected to the first that completes the handshake
 * and hears nobody else; for several peers at a time, listen on several ports. Either side may send. A listening
 * socket keeps nothing of who pings it and answers a PING with as few bytes as it had, so that floods of forged ones
 * neither fill it nor are amplified.
 *
 * Waiting. Functions wait for as long as the timeout of the socket says: SAP_WAIT_FOREVER, or 0 for programs with an
 * event loop, see sap_process(). Protocol work is done within calls only: there is no thread and no signal. So a
 * socket that has guaranteed data in flight needs to be called: sap_flush() or sap_fin() before it is left alone.
 *
 * Errors. Functions that return int or ssize_t return a negative enum sap_error if they fail. After any error except
 * SAP_ERR_UNREACHED and SAP_ERR_SYSTEM the socket is as it was before the call. ICMP errors are not errors here: a
 * peer may start to listen later, and anybody can forge them.
 *
 * Reentrancy. There is no global state. Different sockets may be used by different threads at the same time; one
 * socket by one thread at a time. No function is safe in signal handlers, and a signal does not end a wait.
 *
 * Ownership. A socket belongs to the caller from sap_connect() or sap_listen() to sap_close(). The library keeps no
 * pointer to anything that is passed to it: data are copied.
 *
 * Trust. Header and precise bytes carry a CRC-32C besides UDP-Lite's checksum, since in approximate mode the link
 * layer hands up damaged frames. Both ends' random numbers (128 bits) are in each datagram, so whoever cannot read the
 * traffic cannot forge an acknowledgement, data or an end. Whoever can read it, can: there is no cryptography.
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

/* A timeout that never comes. */
#define SAP_WAIT_FOREVER (-1)

/*
 * Options of a socket. Fill it with sap_options_init() and change what you need: a program that is compiled again with a
 * version that has more options gets their defaults.
 */
struct sap_options {
	int timeout_ms;			/* how long calls wait: SAP_WAIT_FOREVER, 0: not at all. Default: 10 000 */
	enum sap_control control;	/* Default: SAP_STOP_AND_WAIT */
	uint32_t payload_bytes;		/* largest payload, 1 to SAP_PAYLOAD_BYTES_MAX; both ends alike. Default: 1024 */
	uint32_t window;		/* guaranteed datagrams in flight at most, and those of the peer that are kept
					 * until they are received: 1 to SAP_WINDOW_MAX. Default: 64
					 */
	uint32_t approximate_queue;	/* approximate ones that are kept until they are received, 1 to 65 536; more
					 * are dropped (overruns). Default: 256
					 */
	uint32_t rto_ms;		/* retransmission timeout; with SAP_WINDOW the first one. Default: 50 */
	uint32_t rto_min_ms;		/* SAP_WINDOW: least retransmission timeout. Default: 200, Linux' for TCP */
	uint32_t give_up_ms;		/* a peer that acknowledges nothing for so long while something of ours waits
					 * for it is SAP_ERR_UNREACHED. Default: 10 000
					 */
	uint32_t linger_ms;		/* how long sap_close() answers repetitions of the peer's FIN. Default: 200 */
};

/* Sets all options to their defaults. */
SAP_API void sap_options_init(struct sap_options *options);

/*
 * Connects to a peer that listens: sends SAP_PING, again every rto_ms, and waits for its acknowledgement.
 *
 * With timeout 0 it does not wait: the socket is connected when sap_ready() has SAP_CONNECTED.
 *
 * *sock: the socket, or NULL after an error.
 * to: an IPv4 or IPv6 address with a port.
 * options: NULL for the defaults.
 * Errors: SAP_ERR_TIMEDOUT (nobody answered within timeout_ms), SAP_ERR_UNREACHED (nor within give_up_ms),
 * SAP_ERR_ARGUMENT, SAP_ERR_MEMORY, SAP_ERR_SYSTEM (EPROTONOSUPPORT: this kernel has no UDP-Lite).
 */
SAP_API int sap_connect(sap_sock_t **sock, const struct sockaddr *to, socklen_t to_length,
			const struct sap_options *options);

/*
 * Makes a socket that somebody may connect to. Does not wait.
 *
 * *sock: the socket, or NULL after an error.
 * at: address and port; port 0 lets the kernel choose, sap_local() tells. An IPv6 socket takes IPv6 only.
 * options: NULL for the defaults.
 * Errors: SAP_ERR_ARGUMENT, SAP_ERR_MEMORY, SAP_ERR_SYSTEM (EADDRINUSE, EPROTONOSUPPORT and so on).
 */
SAP_API int sap_listen(sap_sock_t **sock, const struct sockaddr *at, socklen_t at_length,
		       const struct sap_options *options);

/*
 * Waits until a listening socket is connected. Only who wants to know, or to send first, needs it: sap_recv() waits
 * for the peer too.
 *
 * Errors: SAP_ERR_AGAIN, SAP_ERR_TIMEDOUT, SAP_ERR_SYSTEM.
 */
SAP_API int sap_accept(sap_sock_t *sock);

/* The socket's own address, and that of its peer (SAP_ERR_UNCONNECTED while there is none). */
SAP_API int sap_local(const sap_sock_t *sock, struct sockaddr_storage *address, socklen_t *length);
SAP_API int sap_peer(const sap_sock_t *sock, struct sockaddr_storage *address, socklen_t *length);

/* What sap_send() makes of data from now on; what was sent before stays what it was. */
SAP_API int sap_set_mode(sap_sock_t *sock, enum sap_mode mode);
SAP_API enum sap_mode sap_get_mode(const sap_sock_t *sock);

/* How long calls wait from now on, in milliseconds: SAP_WAIT_FOREVER, or 0: not at all. */
SAP_API int sap_set_timeout(sap_sock_t *sock, int timeout_ms);

/*
 * Sends one datagram, precise or approximate as the mode says.
 *
 * A precise one is copied, sent, and sent again until the peer has acknowledged it: the call returns before that.
 * While the window is full (SAP_STOP_AND_WAIT: until the last one is acknowledged) it waits. An approximate one is
 * sent once; the call waits while the kernel's buffer is full.
 *
 * length: 0 to payload_bytes.
 * Returns: length, or SAP_ERR_AGAIN, SAP_ERR_TIMEDOUT, SAP_ERR_UNREACHED, SAP_ERR_UNCONNECTED, SAP_ERR_CLOSED,
 * SAP_ERR_TOO_LONG, SAP_ERR_SYSTEM.
 */
SAP_API ssize_t sap_send(sap_sock_t *sock, const void *data, size_t length);

/*
 * Sends one datagram whose first head bytes are precise and whose others are approximate, whatever the mode is.
 *
 * With head > 0 it is guaranteed and in order like a precise one: if it has to be sent again, then with its tail, which
 * may arrive damaged. On Wi-Fi a partly covered frame is tried once only, so a lost head costs a retransmission timeout:
 * what must be fast and sure is better precise, or SAP_ONCE. With head 0 or SAP_ONCE it is approximate: it arrives with a right head or not at all. With
 * head == length and no SAP_ONCE it is precise.
 *
 * flags: 0 or SAP_ONCE.
 * Returns and errors: as sap_send(); SAP_ERR_ARGUMENT if head > length.
 */
SAP_API ssize_t sap_send_head(sap_sock_t *sock, const void *data, size_t length, size_t head, unsigned int flags);

/*
 * Receives one datagram.
 *
 * data, size: where to put it. payload_bytes are always enough.
 * message: what is known of it; may be NULL.
 * Returns: its length, which may be 0, or SAP_ERR_END, SAP_ERR_AGAIN, SAP_ERR_TIMEDOUT, SAP_ERR_TOO_SHORT (*message
 * tells the length), SAP_ERR_UNREACHED, SAP_ERR_SYSTEM. A receiver that awaits no answer cannot tell a peer that is
 * silent from one that is gone: it gets SAP_ERR_TIMEDOUT for both.
 */
SAP_API ssize_t sap_recv(sap_sock_t *sock, void *data, size_t size, struct sap_message *message);

/*
 * Waits until all guaranteed datagrams are acknowledged; a listening socket that nobody has connected to has none.
 *
 * Errors: SAP_ERR_AGAIN, SAP_ERR_TIMEDOUT, SAP_ERR_UNREACHED, SAP_ERR_SYSTEM.
 */
SAP_API int sap_flush(sap_sock_t *sock);

/*
 * Sends SAP_FIN: nothing more will be sent. Waits until the peer has acknowledged it, and with it all guaranteed
 * datagrams. Receiving goes on. May be called again after SAP_ERR_AGAIN or SAP_ERR_TIMEDOUT, to wait on.
 *
 * Errors: SAP_ERR_AGAIN, SAP_ERR_TIMEDOUT, SAP_ERR_UNREACHED, SAP_ERR_UNCONNECTED, SAP_ERR_SYSTEM.
 */
SAP_API int sap_fin(sap_sock_t *sock);

/*
 * Frees the socket; NULL is allowed. Nothing is sent: without sap_fin() before, the peer learns of it by its own
 * timeouts only. If the peer's FIN has come less than linger_ms ago, and timeout is not 0, it stays that long to
 * acknowledge it again, in case the acknowledgement was lost. Event loops do that themselves: until SAP_DONE.
 */
SAP_API void sap_close(sap_sock_t *sock);

/*
 * For event loops. Set timeout 0, then:
 *
 *	wait until sap_fd() has sap_poll_events(), or sap_next_timeout_ns() have passed
 *	sap_process()
 *	sap_recv() until SAP_ERR_AGAIN; sap_send() until SAP_ERR_AGAIN
 *
 * and ask sap_poll_events() and sap_next_timeout_ns() anew after each call of any function.
 */

/* The file descriptor, for poll() and the like. It belongs to the socket. Its options may be changed (SO_SNDBUF). */
SAP_API int sap_fd(const sap_sock_t *sock);

/* What to poll for: POLLIN, and POLLOUT while a datagram waits for room in the kernel. */
SAP_API short sap_poll_events(const sap_sock_t *sock);

/* Nanoseconds until sap_process() has to be called even if nothing comes; -1: no need. */
SAP_API int64_t sap_next_timeout_ns(const sap_sock_t *sock);

/* Takes what has come, sends what is due. Never waits. Errors: SAP_ERR_UNREACHED, SAP_ERR_SYSTEM. */
SAP_API int sap_process(sap_sock_t *sock);

/* What may be done without waiting: an OR of SAP_CONNECTED and so on (sap_types.h). Does no work itself. */
SAP_API unsigned int sap_ready(const sap_sock_t *sock);

/* The counters of the socket. */
SAP_API void sap_get_stats(const sap_sock_t *sock, struct sap_stats *stats);

#ifdef __cplusplus
}
#endif

#endif

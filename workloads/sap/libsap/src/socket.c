/* SPDX-License-Identifier: MIT */
/* Sockets: the protocol core on top of UDP-Lite, plus blocking. sap.h documents the functions. */
#define _GNU_SOURCE /* ppoll */
#include "sap.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "options.h"
#include "sap_core.h"
#include "udplite.h"

/* Datagrams read in one go: a flood must not keep a call from returning. */
enum { BATCH = 64 };

static const uint64_t MS = UINT64_C(1000000);

struct sap_sock {
	struct sap_core *core; /* also the memory to free */
	struct sap_udplite udplite;
	enum sap_mode mode;
	int timeout_ms;
	uint32_t linger_ms;
	bool listens;
	bool output_pending; /* datagram waits for room in the kernel's send buffer */
	struct sap_output out;
	uint8_t datagram[SAP_DATAGRAM_BYTES_MAX];
};

/* Sends the pending datagram and what the core has to send. */
static int flush(sap_sock_t *sock)
{
	while (sock->output_pending ||
	       sap_core_output(sock->core, sock->datagram, sizeof(sock->datagram), &sock->out, sap_now_ns())) {
		sock->output_pending = true;
		switch (sap_udplite_send(&sock->udplite, sock->datagram, &sock->out)) {
		case SAP_IO_DONE:
			sock->output_pending = false;
			break;
		case SAP_IO_LATER:
			return SAP_OK;
		case SAP_IO_ERROR:
			sock->output_pending = false;
			return SAP_ERR_SYSTEM;
		}
	}
	return SAP_OK;
}

/* Once a listening socket has a peer, connects the UDP-Lite socket, so that the kernel drops what others send. */
static int connect_to_peer(sap_sock_t *sock)
{
	struct sockaddr_storage peer;
	const struct sap_address address = sap_core_peer(sock->core);

	if (sock->udplite.connected || !(sap_core_ready(sock->core, false) & SAP_CONNECTED))
		return SAP_OK;
	return sap_udplite_connect(&sock->udplite, (struct sockaddr *)&peer, sap_address_unpack(&address, &peer)) ?
		       SAP_OK : SAP_ERR_SYSTEM;
}

/* Does all that can be done without blocking. */
static int work(sap_sock_t *sock)
{
	uint8_t datagram[SAP_DATAGRAM_BYTES_MAX + 1]; /* + 1 to detect datagrams that are too long */
	struct sap_address from;
	size_t length;
	int error = flush(sock);

	for (int i = 0; i < BATCH && !error; i++) {
		switch (sap_udplite_receive(&sock->udplite, datagram, sizeof(datagram), &length, &from)) {
		case SAP_IO_DONE:
			if (length > sizeof(datagram))
				length = sizeof(datagram);
			sap_core_input(sock->core, &from, datagram, length, sap_now_ns());
			error = connect_to_peer(sock);
			if (!error)
				error = flush(sock);
			break;
		case SAP_IO_LATER:
			return SAP_OK;
		case SAP_IO_ERROR:
			return SAP_ERR_SYSTEM;
		}
	}
	return error;
}

/* Returns the end of a timeout that starts now, or SAP_NEVER. */
static uint64_t deadline_ns(int timeout_ms)
{
	return timeout_ms < 0 ? SAP_NEVER : sap_now_ns() + (uint64_t)timeout_ms * MS;
}

/* Waits until a datagram arrives, the core is due, or the deadline. */
static int wait_once(const sap_sock_t *sock, uint64_t end_ns)
{
	const uint64_t due_ns = sap_core_next_ns(sock->core), now_ns = sap_now_ns();
	struct pollfd descriptor = { .fd = sock->udplite.fd, .events = sap_poll_events(sock) };
	struct timespec timeout = { 0 };

	/* while output is pending, the core cannot send anyway */
	if (!sock->output_pending && due_ns < end_ns)
		end_ns = due_ns;
	if (end_ns != SAP_NEVER && end_ns > now_ns)
		timeout = sap_timespec((int64_t)(end_ns - now_ns));
	if (ppoll(&descriptor, 1, end_ns == SAP_NEVER ? NULL : &timeout, NULL) < 0 && errno != EINTR)
		return SAP_ERR_SYSTEM;
	return SAP_OK;
}

static unsigned int ready(const sap_sock_t *sock, bool guaranteed)
{
	unsigned int ready = sap_core_ready(sock->core, guaranteed);

	if (sock->output_pending)
		ready &= ~(unsigned int)(SAP_WRITABLE | SAP_FLUSHED | SAP_DONE);
	return ready;
}

/* Does protocol work and waits until one of the wanted flags is set. */
static int wait_for(sap_sock_t *sock, unsigned int wanted, bool guaranteed, uint64_t end_ns)
{
	int error;

	for (;;) {
		error = work(sock);
		if (error)
			return error;
		if (ready(sock, guaranteed) & wanted)
			return SAP_OK;
		if (ready(sock, guaranteed) & SAP_FAILED)
			return SAP_ERR_UNREACHED;
		if (sock->timeout_ms == 0)
			return SAP_ERR_AGAIN;
		if (sap_now_ns() >= end_ns)
			return SAP_ERR_TIMEDOUT;
		error = wait_once(sock, end_ns);
		if (error)
			return error;
	}
}

static int configure(struct sap_core_config *config, const struct sap_options *options)
{
	sap_core_config_init(config);
	if (options->timeout_ms < SAP_WAIT_FOREVER)
		return SAP_ERR_ARGUMENT;
	config->control = options->control;
	config->payload_bytes = options->payload_bytes;
	config->window = options->window;
	config->approximate_queue = options->approximate_queue;
	config->rto_ns = options->rto_ms * MS;
	config->rto_min_ns = options->rto_min_ms * MS;
	config->give_up_ns = options->give_up_ms * MS;
	config->linger_ns = options->linger_ms * MS;
	config->connection = options->token;
	return sap_random(config->random, sizeof(config->random)) ? SAP_OK : SAP_ERR_SYSTEM;
}

static int create_core(sap_sock_t *sock, const struct sap_core_config *config)
{
	const size_t bytes = sap_core_bytes(config);
	void *memory;

	if (!bytes)
		return SAP_ERR_ARGUMENT;
	memory = malloc(bytes);
	if (!memory)
		return SAP_ERR_MEMORY;
	sock->core = sap_core_init(memory, bytes, config, sap_now_ns());
	return SAP_OK;
}

/* Creates a socket without an address or a core, and fills in *config for create_core(). */
static int create(sap_sock_t **created, struct sap_core_config *config, enum sap_role role, int family,
		  const struct sap_options *given)
{
	struct sap_options options;
	sap_sock_t *sock;
	int error;

	*created = NULL;
	if (!sap_options_read(&options, given) || (family != AF_INET && family != AF_INET6))
		return SAP_ERR_ARGUMENT;
	error = configure(config, &options);
	if (error)
		return error;
	config->role = role;
	if (options.peer && (role != SAP_LISTENS || options.peer->sa_family != family ||
			     !sap_address_pack_expected(&config->peer, options.peer)))
		return SAP_ERR_ARGUMENT;
	if (!sap_core_bytes(config))
		return SAP_ERR_ARGUMENT;
	sock = calloc(1, sizeof(*sock));
	if (!sock)
		return SAP_ERR_MEMORY;
	sock->timeout_ms = options.timeout_ms;
	sock->linger_ms = options.linger_ms;
	if (!sap_udplite_open(&sock->udplite, family)) {
		free(sock);
		return SAP_ERR_SYSTEM;
	}
	*created = sock;
	return SAP_OK;
}

/* Closes and frees a socket without lingering. Preserves errno. */
static void discard(sap_sock_t *sock)
{
	const int error = errno;

	close(sock->udplite.fd);
	free(sock->core);
	free(sock);
	errno = error;
}

static int start_connecting(sap_sock_t *sock, struct sap_core_config *config, const struct sockaddr *to,
			    socklen_t length)
{
	struct sockaddr_storage peer;
	socklen_t peer_length = sizeof(peer);
	int error;

	if (!sap_udplite_connect(&sock->udplite, to, length) ||
	    getpeername(sock->udplite.fd, (struct sockaddr *)&peer, &peer_length) != 0)
		return SAP_ERR_SYSTEM;
	if (!sap_address_pack(&config->peer, &peer))
		return SAP_ERR_ARGUMENT;
	error = create_core(sock, config);
	if (!error)
		error = wait_for(sock, SAP_CONNECTED, false, deadline_ns(sock->timeout_ms));
	return error == SAP_ERR_AGAIN ? SAP_OK : error;
}

int sap_connect(sap_sock_t **sock, const struct sockaddr *to, socklen_t to_length, const struct sap_options *options)
{
	struct sap_core_config config;
	int error = create(sock, &config, SAP_CONNECTS, to->sa_family, options);

	if (error)
		return error;
	error = start_connecting(*sock, &config, to, to_length);
	if (error) {
		discard(*sock);
		*sock = NULL;
	}
	return error;
}

int sap_listen(sap_sock_t **sock, const struct sockaddr *at, socklen_t at_length, const struct sap_options *options)
{
	struct sap_core_config config;
	int error = create(sock, &config, SAP_LISTENS, at->sa_family, options);

	if (error)
		return error;
	(*sock)->listens = true;
	error = sap_udplite_bind(&(*sock)->udplite, at, at_length) ? create_core(*sock, &config) : SAP_ERR_SYSTEM;
	if (error) {
		discard(*sock);
		*sock = NULL;
	}
	return error;
}

int sap_accept(sap_sock_t *sock)
{
	return wait_for(sock, SAP_CONNECTED, false, deadline_ns(sock->timeout_ms));
}

int sap_local(const sap_sock_t *sock, struct sockaddr_storage *address, socklen_t *length)
{
	*length = sizeof(*address);
	return getsockname(sock->udplite.fd, (struct sockaddr *)address, length) == 0 ? SAP_OK : SAP_ERR_SYSTEM;
}

int sap_peer(const sap_sock_t *sock, struct sockaddr_storage *address, socklen_t *length)
{
	const struct sap_address peer = sap_core_peer(sock->core);

	*length = sap_address_unpack(&peer, address);
	return *length ? SAP_OK : SAP_ERR_UNCONNECTED;
}

int sap_set_mode(sap_sock_t *sock, enum sap_mode mode)
{
	if (mode != SAP_PRECISE && mode != SAP_APPROXIMATE)
		return SAP_ERR_ARGUMENT;
	sock->mode = mode;
	return SAP_OK;
}

enum sap_mode sap_get_mode(const sap_sock_t *sock)
{
	return sock->mode;
}

int sap_set_timeout(sap_sock_t *sock, int timeout_ms)
{
	if (timeout_ms < SAP_WAIT_FOREVER)
		return SAP_ERR_ARGUMENT;
	sock->timeout_ms = timeout_ms;
	return SAP_OK;
}

/* Sends a datagram as soon as there is room for it. */
static ssize_t send_datagram(sap_sock_t *sock, const void *data, size_t length, size_t head, bool guaranteed)
{
	const uint64_t end_ns = deadline_ns(sock->timeout_ms);
	int error = work(sock); /* acknowledgements that have arrived make room */

	if (!error)
		error = sock->output_pending ? SAP_ERR_AGAIN :
					       sap_core_send(sock->core, data, length, head, guaranteed);
	if (error == SAP_ERR_AGAIN) {
		error = wait_for(sock, SAP_WRITABLE, guaranteed, end_ns);
		if (!error)
			error = sap_core_send(sock->core, data, length, head, guaranteed);
	}
	if (!error)
		error = flush(sock);
	return error ? error : (ssize_t)length;
}

ssize_t sap_send(sap_sock_t *sock, const void *data, size_t length)
{
	const bool precise = sock->mode == SAP_PRECISE;

	return send_datagram(sock, data, length, precise ? length : 0, precise);
}

ssize_t sap_send_head(sap_sock_t *sock, const void *data, size_t length, size_t head, unsigned int flags)
{
	if (flags & ~SAP_ONCE)
		return SAP_ERR_ARGUMENT;
	return send_datagram(sock, data, length, head, !(flags & SAP_ONCE) && (head || !length));
}

ssize_t sap_recv(sap_sock_t *sock, void *data, size_t size, struct sap_message *message)
{
	struct sap_message ignored;
	int error;

	if (!message)
		message = &ignored;
	error = sap_core_receive(sock->core, data, size, message);
	if (error == SAP_ERR_AGAIN) {
		error = wait_for(sock, SAP_READABLE, false, deadline_ns(sock->timeout_ms));
		if (!error)
			error = sap_core_receive(sock->core, data, size, message);
	} else if (!error && sap_core_next_ns(sock->core) == 0) {
		flush(sock); /* the peer waits for this window update; an error shows in the next call that does work */
	}
	return error ? error : (ssize_t)message->length;
}

int sap_flush(sap_sock_t *sock)
{
	if (sock->listens && !(sap_core_ready(sock->core, false) & SAP_CONNECTED))
		return SAP_OK;
	return wait_for(sock, SAP_FLUSHED, false, deadline_ns(sock->timeout_ms));
}

int sap_fin(sap_sock_t *sock)
{
	const uint64_t end_ns = deadline_ns(sock->timeout_ms);
	int error = sap_core_fin(sock->core);

	if (error == SAP_ERR_AGAIN) { /* still connecting */
		error = wait_for(sock, SAP_CONNECTED, false, end_ns);
		if (!error)
			error = sap_core_fin(sock->core);
	}
	return error ? error : wait_for(sock, SAP_FLUSHED, false, end_ns);
}

void sap_close(sap_sock_t *sock)
{
	if (!sock)
		return;
	if (sock->timeout_ms != 0 && ready(sock, false) & SAP_ENDED)
		wait_for(sock, SAP_DONE, false, deadline_ns((int)sock->linger_ms));
	discard(sock);
}

int sap_fd(const sap_sock_t *sock)
{
	return sock->udplite.fd;
}

short sap_poll_events(const sap_sock_t *sock)
{
	return (short)(sock->output_pending ? POLLIN | POLLOUT : POLLIN);
}

int64_t sap_next_timeout_ns(const sap_sock_t *sock)
{
	const uint64_t next_ns = sap_core_next_ns(sock->core), now_ns = sap_now_ns();

	if (next_ns == SAP_NEVER || sock->output_pending)
		return -1;
	return next_ns > now_ns ? (int64_t)(next_ns - now_ns) : 0;
}

int sap_process(sap_sock_t *sock)
{
	const int error = work(sock);

	return !error && ready(sock, false) & SAP_FAILED ? SAP_ERR_UNREACHED : error;
}

unsigned int sap_ready(const sap_sock_t *sock)
{
	return ready(sock, sock->mode == SAP_PRECISE);
}

void sap_get_stats(const sap_sock_t *sock, struct sap_stats *stats)
{
	sap_core_get_stats(sock->core, stats);
}

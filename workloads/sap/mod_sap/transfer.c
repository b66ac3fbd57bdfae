/* SPDX-License-Identifier: MIT */
#include "transfer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Datagrams at once, and the pause after them if the network does not make it wait: others have their turn, other clients
 * and, where both ends are on one processor, the receiver. Its socket holds about 90 datagrams and nobody repeats them.
 */
enum { AT_ONCE = 16, PAUSE_NS = 1000 };

struct transfer {
	sap_sock_t *sock;
	struct transfer_job job;
	off_t sent;
	size_t held;	/* bytes of the file in data, which are next */
	bool more;	/* could send: stopped after AT_ONCE, or not begun; not for want of anything */
	int error;	/* enum sap_error */
	int system_error; /* errno */
	const char *why; /* NULL: error tells */
	uint8_t data[SAP_PAYLOAD_BYTES];
};

int transfer_start(struct transfer **started, const struct transfer_job *job, const struct transfer_options *options)
{
	struct transfer *const transfer = calloc(1, sizeof(*transfer));
	struct sap_options sap;
	int error;

	*started = NULL;
	if (!transfer)
		return SAP_ERR_MEMORY;
	sap_options_init(&sap);
	sap.timeout_ms = 0;
	sap.control = options->control;
	sap.give_up_ms = options->give_up_ms;
	sap.payload_bytes = SAP_PAYLOAD_BYTES;
	sap.approximate_queue = 1; /* nothing is received */
	if (options->control == SAP_STOP_AND_WAIT)
		sap.window = 1;
	error = sap_connect(&transfer->sock, (const struct sockaddr *)&job->to, job->to_length, &sap);
	if (error) {
		free(transfer);
		return error;
	}
	/* a smaller queue would do, too: it may fail */
	setsockopt(sap_fd(transfer->sock), SOL_SOCKET, SO_SNDBUF, &options->send_buffer_bytes,
		   sizeof(options->send_buffer_bytes));
	sap_set_mode(transfer->sock, job->mode);
	transfer->job = *job;
	/* a peer as quick as that has answered already: nothing else would make its socket ready */
	transfer->more = sap_ready(transfer->sock) & SAP_CONNECTED;
	*started = transfer;
	return SAP_OK;
}

static enum transfer_state failed(struct transfer *transfer, int error, const char *why)
{
	transfer->system_error = errno;
	transfer->error = error;
	transfer->why = why;
	return TRANSFER_FAILED;
}

/* Reads the next datagram's bytes. Page cache or not, as lighttpd itself does it. */
static bool hold(struct transfer *transfer)
{
	const off_t rest = transfer->job.length - transfer->sent;
	const size_t wanted = rest < SAP_PAYLOAD_BYTES ? (size_t)rest : SAP_PAYLOAD_BYTES;
	size_t have = 0;
	ssize_t got;

	while (have < wanted) {
		got = pread(transfer->job.file, transfer->data + have, wanted - have, transfer->sent + (off_t)have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got == 0)
			errno = 0;
		if (got <= 0)
			return false;
		have += (size_t)got;
	}
	transfer->held = wanted;
	return true;
}

/* Sends until it would have to wait. Returns an error, or SAP_ERR_AGAIN or SAP_OK, which are none. */
static int feed(struct transfer *transfer)
{
	ssize_t sent;

	transfer->more = false;
	for (int i = 0; transfer->sent < transfer->job.length; i++) {
		if (i == AT_ONCE) {
			transfer->more = true;
			return SAP_ERR_AGAIN;
		}
		if (!transfer->held && !hold(transfer)) {
			transfer->why = errno ? strerror(errno) : "the file has become shorter";
			return SAP_ERR_SYSTEM;
		}
		sent = sap_send(transfer->sock, transfer->data, transfer->held);
		if (sent < 0)
			return (int)sent;
		transfer->sent += (off_t)transfer->held;
		transfer->held = 0;
	}
	return SAP_OK;
}

enum transfer_state transfer_work(struct transfer *transfer)
{
	int error = sap_process(transfer->sock);

	if (error)
		return failed(transfer, error, NULL);
	error = sap_ready(transfer->sock) & SAP_CONNECTED ? feed(transfer) : SAP_ERR_AGAIN;
	if (!error)
		error = sap_fin(transfer->sock);
	if (!error)
		return TRANSFER_DONE;
	return error == SAP_ERR_AGAIN ? TRANSFER_RUNS : failed(transfer, error, transfer->why);
}

int transfer_fd(const struct transfer *transfer)
{
	return sap_fd(transfer->sock);
}

short transfer_poll_events(const struct transfer *transfer)
{
	return sap_poll_events(transfer->sock);
}

int64_t transfer_next_ns(const struct transfer *transfer)
{
	return transfer->more ? PAUSE_NS : sap_next_timeout_ns(transfer->sock);
}

bool transfer_is_ending(const struct transfer *transfer)
{
	return transfer->sent == transfer->job.length;
}

const struct sockaddr_storage *transfer_to(const struct transfer *transfer)
{
	return &transfer->job.to;
}

off_t transfer_sent(const struct transfer *transfer)
{
	return transfer->sent;
}

off_t transfer_length(const struct transfer *transfer)
{
	return transfer->job.length;
}

const char *transfer_error(const struct transfer *transfer)
{
	if (transfer->why)
		return transfer->why;
	return transfer->error == SAP_ERR_SYSTEM ? strerror(transfer->system_error) : sap_strerror(transfer->error);
}

void transfer_get_stats(const struct transfer *transfer, struct sap_stats *stats)
{
	sap_get_stats(transfer->sock, stats);
}

void transfer_close(struct transfer *transfer)
{
	sap_close(transfer->sock);
	free(transfer);
}

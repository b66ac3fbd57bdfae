/* SPDX-License-Identifier: MIT */
#include "transfer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Datagrams sent in one go, and the pause after them if the network does not block. The pause gives a turn to other
 * clients and, if both ends share a processor, to the receiver: its socket buffer holds about 90 datagrams, and
 * approximate ones that do not fit are lost.
 */
enum { BATCH = 16, PAUSE_NS = 1000 };

struct transfer {
	sap_sock_t *sock;
	struct transfer_job job;
	off_t sent;
	size_t pending;	/* bytes in data that are to be sent next */
	bool can_continue; /* not blocked: stopped after BATCH, or not started yet */
	int error;	/* enum sap_error */
	int system_error; /* errno */
	const char *why; /* NULL: as error says */
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
	sap.token = job->token;
	if (options->control == SAP_STOP_AND_WAIT)
		sap.window = 1;
	error = sap_connect(&transfer->sock, (const struct sockaddr *)&job->to, job->to_length, &sap);
	if (error) {
		free(transfer);
		return error;
	}
	/* ignore errors: any buffer size works */
	setsockopt(sap_fd(transfer->sock), SOL_SOCKET, SO_SNDBUF, &options->send_buffer_bytes,
		   sizeof(options->send_buffer_bytes));
	sap_set_mode(transfer->sock, job->mode);
	transfer->job = *job;
	/* a fast peer may have answered already; then no event would follow */
	transfer->can_continue = sap_ready(transfer->sock) & SAP_CONNECTED;
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

/* Reads the next datagram's bytes from the file. May block on the disk, as lighttpd itself does. */
static bool read_next(struct transfer *transfer)
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
	transfer->pending = wanted;
	return true;
}

/* Sends until it would block. Returns SAP_OK if all is sent, SAP_ERR_AGAIN if not, or an error. */
static int feed(struct transfer *transfer)
{
	ssize_t sent;

	transfer->can_continue = false;
	for (int i = 0; transfer->sent < transfer->job.length; i++) {
		if (i == BATCH) {
			transfer->can_continue = true;
			return SAP_ERR_AGAIN;
		}
		if (!transfer->pending && !read_next(transfer)) {
			transfer->why = errno ? strerror(errno) : "the file has become shorter";
			return SAP_ERR_SYSTEM;
		}
		sent = sap_send(transfer->sock, transfer->data, transfer->pending);
		if (sent < 0)
			return (int)sent;
		transfer->sent += (off_t)transfer->pending;
		transfer->pending = 0;
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
	return transfer->can_continue ? PAUSE_NS : sap_next_timeout_ns(transfer->sock);
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

uint64_t transfer_progress(const struct transfer *transfer)
{
	struct sap_stats stats;

	/* libsap takes further data only once there is room: acknowledged, or taken by the kernel */
	sap_get_stats(transfer->sock, &stats);
	return (uint64_t)transfer->sent + stats.acknowledged;
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

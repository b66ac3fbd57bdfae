/* SPDX-License-Identifier: MIT */
/*
 * One file on its way by SAP: handshake, datagrams of 1 KB in the order of the file, FIN. Never waits.
 *
 * The n-th datagram holds the bytes from n * SAP_PAYLOAD_BYTES on; only the last may be shorter.
 */
#ifndef MOD_SAP_TRANSFER_H
#define MOD_SAP_TRANSFER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "sap.h"

struct transfer;

/* What is sent, and where to. */
struct transfer_job {
	struct sockaddr_storage to;
	socklen_t to_length;
	int file;	/* to read from; stays the caller's, who keeps it open until transfer_close() */
	off_t length;	/* bytes of it */
	enum sap_mode mode;
};

/* How all are sent. */
struct transfer_options {
	enum sap_control control;
	uint32_t give_up_ms;	/* a client that answers nothing for so long is given up */
	int send_buffer_bytes;	/* SO_SNDBUF: what waits in the kernel */
};

enum transfer_state {
	TRANSFER_RUNS,
	TRANSFER_DONE,		/* the client has acknowledged FIN */
	TRANSFER_FAILED,	/* transfer_error() says why */
};

/* Sends the first PING. *transfer: NULL after an error. Errors: those of sap_connect(). */
int transfer_start(struct transfer **transfer, const struct transfer_job *job, const struct transfer_options *options);

/* Does what can be done without waiting; a large file that never has to wait takes several calls. */
enum transfer_state transfer_work(struct transfer *transfer);

/* To wait for, as in sap.h: the descriptor, what to poll it for, and how long at most (-1: for ever). */
int transfer_fd(const struct transfer *transfer);
short transfer_poll_events(const struct transfer *transfer);
int64_t transfer_next_ns(const struct transfer *transfer);

/* Whether all of the file is sent, and only the client's acknowledgement of FIN is missing. */
bool transfer_is_ending(const struct transfer *transfer);

/* Where to. */
const struct sockaddr_storage *transfer_to(const struct transfer *transfer);

/* Bytes of the file that are sent, and all there are. */
off_t transfer_sent(const struct transfer *transfer);
off_t transfer_length(const struct transfer *transfer);

/* Why it failed. */
const char *transfer_error(const struct transfer *transfer);

void transfer_get_stats(const struct transfer *transfer, struct sap_stats *stats);

/* Ends it, whatever it was doing, and frees it. */
void transfer_close(struct transfer *transfer);

#endif

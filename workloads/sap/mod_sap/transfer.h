/* SPDX-License-Identifier: MIT */
/*
 * Sends one file over SAP: handshake, datagrams of 1 KB in file order, FIN. Never blocks on the network.
 *
 * Datagram n holds the bytes from n * SAP_PAYLOAD_BYTES on; only the last may be shorter.
 */
#ifndef MOD_SAP_TRANSFER_H
#define MOD_SAP_TRANSFER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "sap.h"

struct transfer;

/* What to send, and where. */
struct transfer_job {
	struct sockaddr_storage to;
	socklen_t to_length;
	int file;	/* descriptor to read from; the caller keeps it open until transfer_close() */
	off_t length;	/* bytes of the file to send */
	enum sap_mode mode;
	uint64_t token;	/* by which the client recognizes the server; 0: none */
};

/* Options common to all transfers. */
struct transfer_options {
	enum sap_control control;
	uint32_t give_up_ms;	/* fail if the client does not answer for this long */
	int send_buffer_bytes;	/* SO_SNDBUF: bytes queued in the kernel */
};

enum transfer_state {
	TRANSFER_RUNS,
	TRANSFER_DONE,		/* the client has acknowledged FIN */
	TRANSFER_FAILED,	/* transfer_error() says why */
};

/* Starts a transfer: sends the first PING. *transfer: NULL on error. Returns 0 or an error of sap_connect(). */
int transfer_start(struct transfer **transfer, const struct transfer_job *job, const struct transfer_options *options);

/* Does what can be done without blocking. A large file takes several calls even if the network never blocks. */
enum transfer_state transfer_work(struct transfer *transfer);

/* As sap_fd(), sap_poll_events() and sap_next_timeout_ns() of sap.h: what to wait for before transfer_work(). */
int transfer_fd(const struct transfer *transfer);
short transfer_poll_events(const struct transfer *transfer);
int64_t transfer_next_ns(const struct transfer *transfer);

/* Whether the whole file has been sent and only the acknowledgement of FIN is missing. */
bool transfer_is_ending(const struct transfer *transfer);

/* Returns the address of the client. */
const struct sockaddr_storage *transfer_to(const struct transfer *transfer);

/* Return the number of bytes sent so far, and the length of the file. */
off_t transfer_sent(const struct transfer *transfer);
off_t transfer_length(const struct transfer *transfer);

/* Returns a number that grows whenever the client acknowledges data, or the kernel takes approximate data. */
uint64_t transfer_progress(const struct transfer *transfer);

/* Returns the reason of TRANSFER_FAILED. */
const char *transfer_error(const struct transfer *transfer);

/* Gets the counters of the socket. */
void transfer_get_stats(const struct transfer *transfer, struct sap_stats *stats);

/* Ends the transfer in any state and frees it. */
void transfer_close(struct transfer *transfer);

#endif

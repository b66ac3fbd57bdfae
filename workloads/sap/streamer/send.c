/* SPDX-License-Identifier: MIT */
/* sap-streamer send, send-file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "command.h"
#include "errors.h"
#include "net.h"
#include "report.h"
#include "stream.h"
#include "streamer.h"

/*
 * SO_SNDBUF, which the kernel doubles: room for about seven datagrams of 1 KB. This keeps the radio busy, and no
 * datagram waits so long that mac80211's CoDel (50 ms at low rates) drops it: all losses happen on the air.
 */
#define BUFFER_BYTES 8192

struct sending {
	struct stream_opening opening;
	struct sap_options sap;
	const char *to, *file, *keep;
	uint16_t port;
	bool approximate, json;
	uint64_t head, every_ns, buffer;
	uint8_t *content; /* of the file; NULL: send the pattern */
};

enum { TO = 1, PORT, BYTES, MODE, SEED, EVERY, PAYLOAD, WINDOW, BUFFER, GIVE_UP, FILE_, HEAD, KEEP, JSON };

/* struct option: name, has_arg, flag, val */
#define COMMON_OPTIONS \
	{ "to", 1, NULL, TO }, { "port", 1, NULL, PORT }, { "mode", 1, NULL, MODE }, { "every", 1, NULL, EVERY }, \
	{ "payload", 1, NULL, PAYLOAD }, { "window", 1, NULL, WINDOW }, { "buffer", 1, NULL, BUFFER }, \
	{ "give-up", 1, NULL, GIVE_UP }, { "json", 0, NULL, JSON }

static const struct option SEND[] = {
	COMMON_OPTIONS, { "bytes", 1, NULL, BYTES }, { "seed", 1, NULL, SEED }, { NULL, 0, NULL, 0 }
};

static const struct option SEND_FILE[] = {
	COMMON_OPTIONS, { "file", 1, NULL, FILE_ }, { "head", 1, NULL, HEAD }, { "keep", 1, NULL, KEEP },
	{ NULL, 0, NULL, 0 }
};

static void set_option(void *context, int option, const char *value)
{
	struct sending *const sending = context;

	switch (option) {
	case TO:
		sending->to = value;
		break;
	case PORT:
		sending->port = option_port("port", value);
		break;
	case BYTES:
		sending->opening.bytes = option_bytes("bytes", value);
		break;
	case MODE:
		sending->approximate = !option_choice("mode", value, "precise", "approximate");
		break;
	case SEED:
		sending->opening.seed = (uint32_t)option_number("seed", value, 0, UINT32_MAX);
		break;
	case EVERY:
		sending->every_ns = option_duration("every", value);
		break;
	case PAYLOAD:
		sending->opening.payload = (uint32_t)option_number("payload", value, 1, SAP_PAYLOAD_BYTES_MAX);
		break;
	case WINDOW:
		sending->sap.control = SAP_WINDOW;
		sending->sap.window = (uint32_t)option_number("window", value, 1, SAP_WINDOW_MAX);
		break;
	case BUFFER:
		sending->buffer = option_bytes("buffer", value);
		break;
	case GIVE_UP:
		sending->sap.give_up_ms = option_duration_ms("give-up", value);
		break;
	case FILE_:
		sending->file = value;
		break;
	case HEAD:
		sending->head = option_bytes("head", value);
		break;
	case KEEP:
		sending->keep = value;
		break;
	case JSON:
		sending->json = true;
		break;
	}
}

static struct sending parse(int argc, char **argv, const struct option *options)
{
	struct sending sending = {
		.opening = { .payload = SAP_PAYLOAD_BYTES },
		.approximate = true,
		.buffer = BUFFER_BYTES,
	};

	sap_options_init(&sending.sap);
	sending.sap.timeout_ms = SAP_WAIT_FOREVER; /* give_up_ms ends it */
	command_options(argc, argv, options, set_option, &sending);
	if (!sending.to || !sending.port)
		refuse("--to HOST and --port N are required: where to send");
	sending.sap.payload_bytes = sending.opening.payload < STREAM_OPENING_BYTES ? STREAM_OPENING_BYTES :
										     sending.opening.payload;
	return sending;
}

/* Loads the file and, with --keep, saves a copy. */
static void load(struct sending *sending)
{
	FILE *file = fopen(sending->file, "rb"), *copy;
	struct stat status;
	off_t size;

	if (!file || fstat(fileno(file), &status))
		fail_errno(sending->file);
	if (!S_ISREG(status.st_mode))
		refuse("--file %s: not a regular file", sending->file);
	size = status.st_size;
	if (!size)
		refuse("--file %s: the file is empty", sending->file);
	sending->opening.bytes = (uint64_t)size;
	sending->content = malloc((size_t)size);
	if (!sending->content)
		fail(sending->file, SAP_ERR_MEMORY);
	errno = EIO;
	if (fread(sending->content, 1, (size_t)size, file) != (size_t)size)
		fail_errno(sending->file);
	fclose(file);
	if (!sending->keep)
		return;
	copy = fopen(sending->keep, "wb");
	if (!copy || fwrite(sending->content, 1, (size_t)size, copy) != (size_t)size || fclose(copy))
		fail_errno(sending->keep);
}

/* Returns the number of leading datagrams that are precise: those that contain a byte of the head, or all. */
static uint32_t precise_datagrams(const struct sending *sending)
{
	const uint64_t all = stream_datagrams(&sending->opening);
	const uint64_t payload = sending->opening.payload, head = (sending->head + payload - 1) / payload;

	return (uint32_t)(!sending->approximate || head > all ? all : head);
}

static void send_one(sap_sock_t *sock, const struct sending *sending, uint64_t index)
{
	const uint32_t length = stream_length(&sending->opening, index);
	uint8_t filled[SAP_PAYLOAD_BYTES_MAX];
	const uint8_t *data = filled;
	ssize_t sent;

	if (sending->content)
		data = sending->content + index * sending->opening.payload;
	else
		stream_fill(&sending->opening, index, filled, length);
	sent = sap_send(sock, data, length);
	if (sent < 0)
		fail("sending", (int)sent);
}

/* Sends all datagrams. Returns once the last one has been passed to the socket. */
static void send_all(sap_sock_t *sock, const struct sending *sending)
{
	const uint64_t count = stream_datagrams(&sending->opening), start_ns = now_ns();

	for (uint64_t index = 0; index < count; index++) {
		if (index == sending->opening.precise) {
			/* approximate datagrams would overtake retransmissions of the opening or the head */
			must(sap_flush(sock), "sending the precise part");
			must(sap_set_mode(sock, SAP_APPROXIMATE), "changing the mode");
		}
		if (sending->every_ns)
			must(wait_until(sock, start_ns + index * sending->every_ns), "sending");
		send_one(sock, sending, index);
	}
}

static void print_report(const struct sending *sending, sap_sock_t *sock, uint64_t elapsed_ns)
{
	const char *mode = sending->approximate ? "approximate" : "precise";
	struct report report;
	struct sap_stats stats;

	sap_get_stats(sock, &stats);
	if (!sending->json) {
		printf("%s: %llu datagrams, %llu bytes in %.3f s; %llu retransmitted\n", mode,
		       (unsigned long long)stream_datagrams(&sending->opening),
		       (unsigned long long)sending->opening.bytes, (double)elapsed_ns / (double)SAP_NS_PER_S,
		       (unsigned long long)stats.retransmitted);
		return;
	}
	report_begin(&report, stdout);
	report_text(&report, "role", "sender");
	report_text(&report, "content", sending->content ? "file" : "pattern");
	report_text(&report, "mode", mode);
	report_count(&report, "seed", sending->opening.seed);
	report_count(&report, "bytes", sending->opening.bytes);
	report_count(&report, "datagrams", stream_datagrams(&sending->opening));
	report_count(&report, "precise", sending->opening.precise);
	report_count(&report, "elapsed_ns", elapsed_ns);
	report_sap(&report, &stats);
	report_end(&report);
}

/* Sends opening, datagrams and end. elapsed_ns: from the opening to the acknowledgement of FIN. */
static int run(struct sending *sending)
{
	const struct address to = address_of(sending->to, sending->port);
	const int buffer = sending->buffer > INT32_MAX / 2 ? INT32_MAX / 2 : (int)sending->buffer;
	uint8_t opening[STREAM_OPENING_BYTES];
	uint64_t start_ns;
	sap_sock_t *sock;
	ssize_t sent;

	if ((sending->opening.bytes - 1) / sending->opening.payload >= UINT32_MAX)
		refuse("the stream exceeds 2^32 - 1 datagrams; send fewer bytes or increase --payload");
	sending->opening.precise = precise_datagrams(sending);
	must(sap_connect(&sock, (const struct sockaddr *)&to.storage, to.length, &sending->sap), "connecting");
	if (setsockopt(sap_fd(sock), SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer)))
		fail_errno("SO_SNDBUF");
	start_ns = now_ns();
	stream_opening_pack(&sending->opening, opening);
	sent = sap_send(sock, opening, sizeof(opening));
	if (sent < 0)
		fail("sending the opening", (int)sent);
	send_all(sock, sending);
	must(sap_fin(sock), "ending");
	print_report(sending, sock, now_ns() - start_ns);
	sap_close(sock);
	free(sending->content);
	return 0;
}

int verb_send(int argc, char **argv)
{
	struct sending sending = parse(argc, argv, SEND);

	if (!sending.opening.bytes)
		refuse("--bytes is required: how much to send, for example --bytes 10M");
	return run(&sending);
}

int verb_send_file(int argc, char **argv)
{
	struct sending sending = parse(argc, argv, SEND_FILE);

	if (!sending.file)
		refuse("--file FILE is required: the file to send");
	sending.opening.content = STREAM_FILE;
	load(&sending);
	return run(&sending);
}

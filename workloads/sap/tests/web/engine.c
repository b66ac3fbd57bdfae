/* SPDX-License-Identifier: MIT */
/*
 * Tests of mod_sap's transfers on this machine's loopback interface, without lighttpd: a receiver in the same thread takes
 * what comes.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../library/check.h"
#include "../library/table.h"
#include "engine.h"
#include "sap_core.h"
#include "wire.h"

enum { RECEIVERS = 4, FILE_BYTES = 300 * 1024 + 77, HANG_S = 60 };

static const int64_t MS = 1000000;

struct receiver {
	sap_sock_t *sock;
	uint8_t data[FILE_BYTES];
	size_t bytes;
	bool ended;
};

static struct receiver receivers[RECEIVERS];
static const int owners[RECEIVERS]; /* their addresses are used only */
static unsigned int done, failed;
static char why[100];

static void on_end(void *context, const struct engine_end *end)
{
	CHECK(context == &done);
	if (end->state == TRANSFER_DONE) {
		done++;
		return;
	}
	failed++;
	snprintf(why, sizeof(why), "%s", end->why);
}

static uint8_t byte(size_t at)
{
	return (uint8_t)(at * 7 + at / 1024);
}

static int make_file(size_t length)
{
	const int file = memfd_create("test", 0);
	uint8_t *const bytes = malloc(length);

	CHECK(file >= 0 && bytes);
	for (size_t i = 0; i < length; i++)
		bytes[i] = byte(i);
	CHECK(write(file, bytes, length) == (ssize_t)length);
	free(bytes);
	return file;
}

static struct engine_options options_of(unsigned int transfers_max, enum sap_control control, uint32_t give_up_ms)
{
	return (struct engine_options){
		.transfer = { .control = control, .give_up_ms = give_up_ms, .send_buffer_bytes = 16384 },
		.transfers_max = transfers_max,
		.transfers_per_address_max = transfers_max,
		.stall_ns = 60000 * MS,
		.ended = on_end,
		.context = &done,
	};
}

static struct engine *engine_of(const struct engine_options *options)
{
	struct engine *const engine = engine_open(options);

	CHECK(engine);
	return engine;
}

static struct engine *make_engine(unsigned int transfers_max, enum sap_control control, uint32_t give_up_ms)
{
	const struct engine_options options = options_of(transfers_max, control, give_up_ms);

	return engine_of(&options);
}

static struct transfer_job make_job(int family, uint16_t port, enum sap_mode mode)
{
	struct transfer_job job = { .mode = mode, .length = FILE_BYTES };

	if (family == AF_INET6) {
		*(struct sockaddr_in6 *)&job.to = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = htons(port),
									 .sin6_addr = in6addr_loopback };
		job.to_length = sizeof(struct sockaddr_in6);
	} else {
		*(struct sockaddr_in *)&job.to = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port),
								       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
		job.to_length = sizeof(struct sockaddr_in);
	}
	job.file = make_file(FILE_BYTES);
	return job;
}

/* Listens, and has the engine send there. */
static void start(struct engine *engine, unsigned int i, int family, enum sap_mode mode)
{
	struct transfer_job job = make_job(family, 0, mode);
	struct sap_options options;
	socklen_t length;
	int error;

	sap_options_init(&options);
	options.timeout_ms = 0;
	CHECK(sap_listen(&receivers[i].sock, (struct sockaddr *)&job.to, job.to_length, &options) == SAP_OK);
	CHECK(sap_local(receivers[i].sock, &job.to, &length) == SAP_OK);
	CHECK(engine_start(engine, &job, &owners[i], &error) == ENGINE_STARTED);
}

static void receive(struct receiver *receiver)
{
	uint8_t data[SAP_PAYLOAD_BYTES];
	struct sap_message message;
	ssize_t got;

	while ((got = sap_recv(receiver->sock, data, sizeof(data), &message)) >= 0) {
		CHECK((size_t)message.number * SAP_PAYLOAD_BYTES + (size_t)got <= FILE_BYTES);
		memcpy(receiver->data + (size_t)message.number * SAP_PAYLOAD_BYTES, data, (size_t)got);
		receiver->bytes += (size_t)got;
	}
	CHECK(got == SAP_ERR_AGAIN || got == SAP_ERR_END);
	receiver->ended |= got == SAP_ERR_END;
}

/* Lets everything continue until the engine has no transfers; receive: whether somebody takes what comes. */
static void run(struct engine *engine, bool takes)
{
	struct pollfd descriptors[RECEIVERS + 1];
	nfds_t count;

	alarm(HANG_S); /* kills the test if a transfer never ends */
	while (engine_transfers(engine)) {
		count = 0;
		descriptors[count++] = (struct pollfd){ .fd = engine_fd(engine), .events = POLLIN };
		for (unsigned int i = 0; takes && i < RECEIVERS; i++) {
			if (receivers[i].sock)
				descriptors[count++] = (struct pollfd){ .fd = sap_fd(receivers[i].sock), .events = POLLIN };
		}
		CHECK(poll(descriptors, count, -1) > 0);
		engine_work(engine);
		for (unsigned int i = 0; takes && i < RECEIVERS; i++) {
			if (receivers[i].sock)
				receive(&receivers[i]);
		}
	}
	alarm(0);
}

/*
 * test_native.py puts this between libsap and the kernel: a receiver so quick that it answers within sendto(), or a
 * kernel that takes no file data.
 */
ssize_t __real_sendto(int fd, const void *data, size_t length, int flags, const struct sockaddr *to, socklen_t to_length);
ssize_t __wrap_sendto(int fd, const void *data, size_t length, int flags, const struct sockaddr *to, socklen_t to_length);
static bool quick, full;

ssize_t __wrap_sendto(int fd, const void *data, size_t length, int flags, const struct sockaddr *to, socklen_t to_length)
{
	ssize_t sent;

	if (full && length > SAP_HEADER_BYTES) {
		errno = EAGAIN;
		return -1;
	}
	sent = __real_sendto(fd, data, length, flags, to, to_length);
	if (quick) {
		quick = false; /* not of the answer */
		receive(&receivers[0]);
		quick = true;
	}
	return sent;
}

static void check_received(const struct receiver *receiver)
{
	CHECK(receiver->ended && receiver->bytes == FILE_BYTES);
	for (size_t i = 0; i < FILE_BYTES; i++)
		CHECK(receiver->data[i] == byte(i));
}

static void close_all(struct engine *engine)
{
	for (unsigned int i = 0; i < RECEIVERS; i++)
		sap_close(receivers[i].sock);
	engine_close(engine);
}

static void a_file_arrives(int family, enum sap_mode mode, enum sap_control control)
{
	struct engine *const engine = make_engine(1, control, 10000);

	start(engine, 0, family, mode);
	run(engine, true);
	check_received(&receivers[0]);
	CHECK(done == 1 && failed == 0);
	close_all(engine);
}

static void approximate(void)
{
	a_file_arrives(AF_INET, SAP_APPROXIMATE, SAP_STOP_AND_WAIT);
}

static void precise(void)
{
	a_file_arrives(AF_INET, SAP_PRECISE, SAP_STOP_AND_WAIT);
}

static void precise_with_a_window(void)
{
	a_file_arrives(AF_INET, SAP_PRECISE, SAP_WINDOW);
}

static void approximate_ipv6(void)
{
	a_file_arrives(AF_INET6, SAP_APPROXIMATE, SAP_STOP_AND_WAIT);
}

static void the_token_of_the_request(void)
{
	const uint64_t token = UINT64_C(0xfedcba9876543210);

	for (unsigned int right = 0; right < 2; right++) {
		struct engine *const engine = make_engine(1, SAP_STOP_AND_WAIT, 200);
		struct transfer_job job = make_job(AF_INET, 0, SAP_PRECISE);
		struct sap_options options;
		socklen_t length;
		int error;

		sap_options_init(&options);
		options.timeout_ms = 0;
		options.token = token;
		CHECK(sap_listen(&receivers[0].sock, (struct sockaddr *)&job.to, job.to_length, &options) == SAP_OK);
		CHECK(sap_local(receivers[0].sock, &job.to, &length) == SAP_OK);
		job.token = right ? token : 0;
		CHECK(engine_start(engine, &job, &owners[0], &error) == ENGINE_STARTED);
		run(engine, true);
		CHECK(done == right && failed == 1);
		close_all(engine);
	}
	check_received(&receivers[0]);
}

static void a_receiver_that_answers_before_the_engine_looks(void)
{
	struct engine *const engine = make_engine(1, SAP_WINDOW, 10000);

	quick = true;
	start(engine, 0, AF_INET, SAP_PRECISE);
	quick = false;
	run(engine, true);
	check_received(&receivers[0]);
	CHECK(done == 1 && failed == 0);
	close_all(engine);
}

static void several_at_once(void)
{
	struct engine *const engine = make_engine(RECEIVERS, SAP_STOP_AND_WAIT, 10000);

	for (unsigned int i = 0; i < RECEIVERS; i++)
		start(engine, i, AF_INET, i % 2 ? SAP_PRECISE : SAP_APPROXIMATE);
	CHECK(engine_transfers(engine) == RECEIVERS);
	run(engine, true);
	for (unsigned int i = 0; i < RECEIVERS; i++)
		check_received(&receivers[i]);
	CHECK(done == RECEIVERS && failed == 0);
	close_all(engine);
}

static void no_more_than_allowed(void)
{
	struct engine *const engine = make_engine(1, SAP_STOP_AND_WAIT, 10000);
	struct transfer_job job = make_job(AF_INET, 5001, SAP_PRECISE);
	int error;

	start(engine, 0, AF_INET, SAP_PRECISE);
	CHECK(engine_start(engine, &job, &owners[1], &error) == ENGINE_FULL);
	run(engine, true);
	close(job.file); /* still ours */
	close_all(engine);
}

static void one_transfer_to_a_port(void)
{
	struct engine *const engine = make_engine(4, SAP_STOP_AND_WAIT, 100);
	struct transfer_job first = make_job(AF_INET, 5001, SAP_PRECISE), second = make_job(AF_INET, 5001, SAP_PRECISE);
	int error;

	CHECK(engine_start(engine, &first, &owners[0], &error) == ENGINE_STARTED);
	CHECK(engine_start(engine, &second, &owners[1], &error) == ENGINE_PORT_TAKEN);
	close(second.file);
	run(engine, false);
	close_all(engine);
}

static void a_client_that_does_not_answer_is_given_up(void)
{
	struct engine *const engine = make_engine(1, SAP_STOP_AND_WAIT, 100);
	struct transfer_job job = make_job(AF_INET, 5001, SAP_APPROXIMATE);
	int error;

	CHECK(engine_start(engine, &job, &owners[0], &error) == ENGINE_STARTED);
	run(engine, false);
	CHECK(done == 0 && failed == 1 && strcmp(why, sap_strerror(SAP_ERR_UNREACHED)) == 0);
	close_all(engine);
}

static void one_address_takes_not_all_transfers(void)
{
	struct engine_options options = options_of(3, SAP_STOP_AND_WAIT, 100);
	struct transfer_job first = make_job(AF_INET, 5001, SAP_PRECISE), second = make_job(AF_INET, 5002, SAP_PRECISE),
			    other = make_job(AF_INET, 5003, SAP_PRECISE);
	struct engine *engine;
	int error;

	((struct sockaddr_in *)&other.to)->sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
	options.transfers_per_address_max = 1;
	engine = engine_of(&options);
	CHECK(engine_start(engine, &first, &owners[0], &error) == ENGINE_STARTED);
	CHECK(engine_start(engine, &second, &owners[1], &error) == ENGINE_ADDRESS_FULL);
	CHECK(engine_start(engine, &other, &owners[2], &error) == ENGINE_STARTED);
	run(engine, false);
	CHECK(engine_start(engine, &second, &owners[1], &error) == ENGINE_STARTED);
	close_all(engine);
}

/* Clients that answer, so that libsap does not give them up, and never take anything. */

enum { SILENT = UINT16_MAX };

/* A UDP-Lite socket that knows the wire format but not the protocol. */
static int make_liar(struct transfer_job *job)
{
	const int liar = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, IPPROTO_UDPLITE);

	CHECK(liar >= 0 && bind(liar, (struct sockaddr *)&job->to, job->to_length) == 0);
	CHECK(getsockname(liar, (struct sockaddr *)&job->to, &job->to_length) == 0);
	return liar;
}

/*
 * Answers each PING as if it were the first. Acknowledges a guaranteed datagram when it comes for the patience-th time,
 * until then only the ones before it; 0: never any; SILENT: never says a word about data.
 */
static void lie(int liar, unsigned int patience)
{
	static uint32_t next;
	static unsigned int times;
	uint8_t datagram[SAP_DATAGRAM_BYTES_MAX];
	struct sockaddr_storage from;
	struct sap_header header;
	socklen_t length = sizeof(from);
	ssize_t got;

	while ((got = recvfrom(liar, datagram, sizeof(datagram), 0, (struct sockaddr *)&from, &length)) >= 0) {
		struct sap_header answer = { .type = SAP_TYPE_ACK, .token = 5, .count = 9 };

		CHECK(sap_wire_read(&header, datagram, (size_t)got));
		if (header.type == SAP_TYPE_PING && (!header.token || patience == SILENT))
			answer.type = SAP_TYPE_PING_ACK;
		else if (patience == SILENT)
			continue;
		if ((header.type == SAP_TYPE_DATA || header.type == SAP_TYPE_FIN) && header.number == next &&
		    ++times == patience) {
			times = 0;
			next++;
			if (header.type == SAP_TYPE_FIN)
				answer.type = SAP_TYPE_FIN_ACK;
		}
		answer.connection = header.connection;
		answer.number = answer.type == SAP_TYPE_PING_ACK ? 0 : next;
		CHECK(sendto(liar, datagram, sap_wire_write(datagram, &answer, NULL), 0, (struct sockaddr *)&from,
			     length) > 0);
	}
}

static void send_to_a_liar(enum sap_mode mode, unsigned int patience, int64_t stall_ns)
{
	struct engine_options options = options_of(1, SAP_STOP_AND_WAIT, 60000);
	struct transfer_job job = make_job(AF_INET, 0, mode);
	const int liar = make_liar(&job);
	struct engine *engine;
	int error;

	options.stall_ns = stall_ns;
	engine = engine_of(&options);
	job.length = 3 * SAP_PAYLOAD_BYTES;
	CHECK(engine_start(engine, &job, &owners[0], &error) == ENGINE_STARTED);
	alarm(HANG_S);
	while (engine_transfers(engine)) {
		struct pollfd descriptors[] = { { .fd = engine_fd(engine), .events = POLLIN },
						{ .fd = liar, .events = POLLIN } };

		CHECK(poll(descriptors, 2, -1) > 0);
		lie(liar, patience);
		engine_work(engine);
	}
	close(liar);
	close_all(engine);
}

static void has_stalled(void)
{
	CHECK(done == 0 && failed == 1 && strcmp(why, "no progress (sap.stall-timeout)") == 0);
}

static void a_client_that_acknowledges_only_what_it_has(void)
{
	send_to_a_liar(SAP_PRECISE, 0, 200 * MS);
	has_stalled();
}

static void a_client_that_never_acknowledges_the_end(void)
{
	send_to_a_liar(SAP_APPROXIMATE, 0, 200 * MS);
	has_stalled();
}

static void a_client_that_answers_only_pings(void)
{
	send_to_a_liar(SAP_APPROXIMATE, SILENT, 200 * MS);
	has_stalled();
}

/* A datagram takes 5 · 50 ms, the file longer than a stall may take. */
static void slow_progress_is_progress(void)
{
	send_to_a_liar(SAP_PRECISE, 6, 900 * MS);
	CHECK(done == 1 && failed == 0);
}

/* Its window closes, and its program never opens it again. */
static void a_client_that_reads_nothing(void)
{
	struct engine_options options = options_of(1, SAP_WINDOW, 60000);
	struct engine *engine;

	options.stall_ns = 200 * MS;
	engine = engine_of(&options);
	start(engine, 0, AF_INET, SAP_PRECISE);
	alarm(HANG_S);
	while (engine_transfers(engine)) {
		struct pollfd descriptors[] = { { .fd = engine_fd(engine), .events = POLLIN },
						{ .fd = sap_fd(receivers[0].sock), .events = POLLIN } };

		CHECK(poll(descriptors, 2, -1) > 0);
		CHECK(sap_process(receivers[0].sock) == SAP_OK);
		engine_work(engine);
	}
	has_stalled();
	close_all(engine);
}

/* An interface that sends nothing, so that the buffer of the socket stays full. */
static void a_kernel_that_takes_nothing(void)
{
	struct engine_options options = options_of(1, SAP_STOP_AND_WAIT, 60000);
	struct engine *engine;

	options.stall_ns = 200 * MS;
	engine = engine_of(&options);
	full = true;
	start(engine, 0, AF_INET, SAP_APPROXIMATE);
	run(engine, true);
	has_stalled();
	close_all(engine);
}

static void transfers_end_with_their_owner(void)
{
	struct engine *const engine = make_engine(2, SAP_STOP_AND_WAIT, 10000);

	start(engine, 0, AF_INET, SAP_PRECISE);
	start(engine, 1, AF_INET, SAP_PRECISE);
	engine_leave(engine, &owners[0], true);
	CHECK(failed == 1 && strcmp(why, "the client has closed its connection") == 0);
	CHECK(!engine_has(engine, &owners[0]) && engine_has(engine, &owners[1]));
	engine_leave(engine, &owners[1], false);
	CHECK(!engine_has(engine, &owners[1]) && engine_transfers(engine) == 1);
	run(engine, true);
	check_received(&receivers[1]);
	CHECK(done == 1 && failed == 1);
	close_all(engine);
}

static void a_file_that_becomes_shorter(void)
{
	struct engine *const engine = make_engine(1, SAP_STOP_AND_WAIT, 10000);
	struct transfer_job job = make_job(AF_INET, 0, SAP_PRECISE);
	struct sap_options options;
	socklen_t length;
	int error;

	sap_options_init(&options);
	options.timeout_ms = 0;
	CHECK(sap_listen(&receivers[0].sock, (struct sockaddr *)&job.to, job.to_length, &options) == SAP_OK);
	CHECK(sap_local(receivers[0].sock, &job.to, &length) == SAP_OK);
	CHECK(ftruncate(job.file, 5000) == 0);
	CHECK(engine_start(engine, &job, &owners[0], &error) == ENGINE_STARTED);
	run(engine, true);
	CHECK(failed == 1 && strcmp(why, "the file has become shorter") == 0);
	CHECK(!receivers[0].ended && receivers[0].bytes == 4096);
	close_all(engine);
}

static void what_runs_ends_with_the_engine(void)
{
	struct engine *const engine = make_engine(1, SAP_STOP_AND_WAIT, 10000);

	start(engine, 0, AF_INET, SAP_PRECISE);
	close_all(engine);
	CHECK(failed == 1);
}

static const struct test engine_tests[] = {
	TEST(approximate),
	TEST(precise),
	TEST(precise_with_a_window),
	TEST(approximate_ipv6),
	TEST(the_token_of_the_request),
	TEST(a_receiver_that_answers_before_the_engine_looks),
	TEST(several_at_once),
	TEST(no_more_than_allowed),
	TEST(one_transfer_to_a_port),
	TEST(a_client_that_does_not_answer_is_given_up),
	TEST(one_address_takes_not_all_transfers),
	TEST(a_client_that_acknowledges_only_what_it_has),
	TEST(a_client_that_never_acknowledges_the_end),
	TEST(a_client_that_answers_only_pings),
	TEST(slow_progress_is_progress),
	TEST(a_client_that_reads_nothing),
	TEST(a_kernel_that_takes_nothing),
	TEST(transfers_end_with_their_owner),
	TEST(a_file_that_becomes_shorter),
	TEST(what_runs_ends_with_the_engine),
	END_OF_TESTS
};

const struct test *const tables[] = { engine_tests, NULL };

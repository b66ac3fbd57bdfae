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

enum { RECEIVERS = 4, FILE_BYTES = 300 * 1024 + 77 };

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

static struct engine *make_engine(unsigned int transfers_max, enum sap_control control, uint32_t give_up_ms)
{
	const struct engine_options options = {
		.transfer = { .control = control, .give_up_ms = give_up_ms, .send_buffer_bytes = 16384 },
		.transfers_max = transfers_max,
		.ended = on_end,
		.context = &done,
	};
	struct engine *const engine = engine_open(&options);

	CHECK(engine);
	return engine;
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

/* Lets all go on until the engine has no transfers; receive: whether somebody takes what comes. */
static void run(struct engine *engine, bool takes)
{
	struct pollfd descriptors[RECEIVERS + 1];
	nfds_t count;

	while (engine_transfers(engine)) {
		count = 0;
		descriptors[count++] = (struct pollfd){ .fd = engine_fd(engine), .events = POLLIN };
		for (unsigned int i = 0; takes && i < RECEIVERS; i++) {
			if (receivers[i].sock)
				descriptors[count++] = (struct pollfd){ .fd = sap_fd(receivers[i].sock), .events = POLLIN };
		}
		CHECK(poll(descriptors, count, 20000) > 0); /* everything has a timer: this one is for a hang */
		engine_work(engine);
		for (unsigned int i = 0; takes && i < RECEIVERS; i++) {
			if (receivers[i].sock)
				receive(&receivers[i]);
		}
	}
}

/* test_native.py puts this between libsap and the kernel: a receiver so quick that it answers within sendto(). */
ssize_t __real_sendto(int fd, const void *data, size_t length, int flags, const struct sockaddr *to, socklen_t to_length);
ssize_t __wrap_sendto(int fd, const void *data, size_t length, int flags, const struct sockaddr *to, socklen_t to_length);
static bool quick;

ssize_t __wrap_sendto(int fd, const void *data, size_t length, int flags, const struct sockaddr *to, socklen_t to_length)
{
	const ssize_t sent = __real_sendto(fd, data, length, flags, to, to_length);

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
	TEST(a_receiver_that_answers_before_the_engine_looks),
	TEST(several_at_once),
	TEST(no_more_than_allowed),
	TEST(one_transfer_to_a_port),
	TEST(a_client_that_does_not_answer_is_given_up),
	TEST(transfers_end_with_their_owner),
	TEST(a_file_that_becomes_shorter),
	TEST(what_runs_ends_with_the_engine),
	END_OF_TESTS
};

const struct test *const tables[] = { engine_tests, NULL };

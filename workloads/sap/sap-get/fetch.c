/* SPDX-License-Identifier: MIT */
#include "fetch.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "clock.h"
#include "datagrams.h"
#include "sink.h"

enum {
	WAITFDS = 16,		/* more than one connection and a resolver need */
	BATCH = 1024,		/* datagrams received in one go, before other requests get a turn */
	LINE_BYTES = 512,
	HEADERS_BYTES_MAX = 1 << 20,
	RECEIVE_BUFFER_BYTES = 1 << 20, /* the default holds about 90 datagrams; approximate ones beyond it are lost */
};

struct fetch {
	const struct options *options;
	struct result result;
	enum fetch_state state;
	int64_t progress_ns;	/* when data last arrived */
	/* HTTP */
	CURLM *multi;
	CURL *easy;
	struct curl_slist *headers;
	char message[CURL_ERROR_SIZE];
	bool answered;		/* the response is complete, or failed */
	char *response_headers;	/* for --include */
	size_t response_headers_length;
	/* SAP; sock is NULL if not used, or not any more */
	sap_sock_t *sock;
	uint64_t token;		/* by which the server is recognized; 0: none */
	bool ended;		/* FIN has been received */
	bool more;		/* stopped after BATCH: libsap may hold datagrams even if the socket is empty */
	bool guaranteed;	/* kind of all datagrams; set by the first */
	struct datagrams datagrams;
	struct sink sink;
};

/* Fails the request. Only the first reason counts. */
__attribute__((format(printf, 3, 4))) static void fail(struct fetch *fetch, int exit_code, const char *format, ...)
{
	va_list arguments;

	if (fetch->result.exit_code)
		return;
	fetch->result.exit_code = exit_code;
	va_start(arguments, format);
	vsnprintf(fetch->result.error, sizeof(fetch->result.error), format, arguments);
	va_end(arguments);
}

static const char *sap_reason(int error)
{
	return error == SAP_ERR_SYSTEM ? strerror(errno) : sap_strerror(error);
}

/* HTTP */

static bool is_ipv6(const struct options *options, const char *url)
{
	const char *const scheme = strstr(url, "://");

	return options->ipv6 || *(scheme ? scheme + 3 : url) == '[';
}

static size_t on_header(char *data, size_t size, size_t count, void *context)
{
	struct fetch *const fetch = context;
	const size_t length = size * count;
	char *longer;

	fetch->progress_ns = sap_clock_ns(CLOCK_MONOTONIC);
	if (!fetch->options->include && !fetch->options->head)
		return length;
	if (length > HEADERS_BYTES_MAX - fetch->response_headers_length)
		return 0;
	longer = realloc(fetch->response_headers, fetch->response_headers_length + length);
	if (!longer)
		return 0;
	memcpy(longer + fetch->response_headers_length, data, length);
	fetch->response_headers = longer;
	fetch->response_headers_length += length;
	return length;
}

static size_t on_body(char *data, size_t size, size_t count, void *context)
{
	struct fetch *const fetch = context;
	const size_t length = size * count;

	fetch->progress_ns = sap_clock_ns(CLOCK_MONOTONIC);
	if (fetch->result.first_ns < 0)
		fetch->result.first_ns = fetch->progress_ns;
	if (!sink_write(&fetch->sink, fetch->sink.size, data, length)) {
		fail(fetch, EXIT_WRITE, "%s: %s", fetch->sink.path ? fetch->sink.path : "memory", strerror(errno));
		return 0;
	}
	return length;
}

static bool add_header(struct fetch *fetch, const char *text)
{
	struct curl_slist *const longer = curl_slist_append(fetch->headers, text);

	if (longer)
		fetch->headers = longer;
	return longer != NULL;
}

/* Adds the headers that request SAP, and the user's. */
static bool make_headers(struct fetch *fetch)
{
	const struct options *const options = fetch->options;
	char line[LINE_BYTES];
	size_t length;
	char *approx;
	bool ok = true;

	for (const struct curl_slist *header = options->headers; header && ok; header = header->next)
		ok = add_header(fetch, header->data);
	if (!fetch->sock)
		return ok;
	snprintf(line, sizeof(line), "X-SAP-Port: %u", (unsigned int)fetch->result.port);
	ok = ok && add_header(fetch, line);
	if (ok && fetch->token) {
		snprintf(line, sizeof(line), "X-SAP-Token: %016" PRIx64, fetch->token);
		ok = add_header(fetch, line);
	}
	if (ok && options->force_precise)
		ok = add_header(fetch, "X-SAP-Force-Precise: 1");
	if (ok && options->approx) {
		length = strlen(options->approx) + sizeof("X-SAP-Approx: ");
		approx = malloc(length);
		if (!approx)
			return false;
		snprintf(approx, length, "X-SAP-Approx: %s", options->approx);
		ok = add_header(fetch, approx);
		free(approx);
	}
	return ok;
}

static bool start_request(struct fetch *fetch)
{
	const struct options *const options = fetch->options;
	CURL *const easy = fetch->easy = curl_easy_init();

	fetch->multi = curl_multi_init();
	if (!easy || !fetch->multi || !make_headers(fetch))
		return false;
	curl_easy_setopt(easy, CURLOPT_URL, fetch->result.url);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http"); /* no https: SAP is not encrypted */
	curl_easy_setopt(easy, CURLOPT_DEFAULT_PROTOCOL, "http");
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(easy, CURLOPT_PROXY, ""); /* the server sends SAP to the address that connects */
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_NOBODY, options->head ? 1L : 0L);
	curl_easy_setopt(easy, CURLOPT_USERAGENT, "sap-get");
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, fetch->headers);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, fetch->message);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, fetch);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, fetch);
	curl_easy_setopt(easy, CURLOPT_IPRESOLVE,
			 is_ipv6(options, fetch->result.url) ? (long)CURL_IPRESOLVE_V6 : (long)CURL_IPRESOLVE_V4);
	return curl_multi_add_handle(fetch->multi, easy) == CURLM_OK;
}

/* Gets a response header, truncated to size. False: it is missing or repeated. */
static bool header(const struct fetch *fetch, const char *name, char *to, size_t size)
{
	struct curl_header *found;

	if (curl_easy_header(fetch->easy, name, 0, CURLH_HEADER, -1, &found) != CURLHE_OK || found->amount != 1)
		return false;
	snprintf(to, size, "%s", found->value);
	return true;
}

static bool read_length(const char *text, int64_t *length)
{
	uint64_t number = 0;

	if (!*text || strlen(text) > 18 || text[strspn(text, "0123456789")])
		return false;
	for (; *text; text++)
		number = number * 10 + (uint64_t)(*text - '0');
	if (number > DATAGRAMS_FILE_BYTES_MAX)
		return false; /* never create a file of that length */
	*length = (int64_t)number;
	return true;
}

static int64_t info_ns(const struct fetch *fetch, CURLINFO which)
{
	curl_off_t microseconds = 0;

	curl_easy_getinfo(fetch->easy, which, &microseconds);
	return microseconds > 0 ? fetch->result.begin_ns + microseconds * 1000 : -1;
}

static void stop_sap(struct fetch *fetch)
{
	sap_close(fetch->sock);
	fetch->sock = NULL;
}

/* Evaluates the SAP headers of a complete response. */
static void read_response(struct fetch *fetch)
{
	struct result *const result = &fetch->result;
	char mode[16] = "", length[24] = "";
	curl_off_t announced = -1;

	header(fetch, "X-SAP-Refused", result->refused, sizeof(result->refused));
	header(fetch, "Content-Type", result->content_type, sizeof(result->content_type));
	if (!header(fetch, "X-SAP-Mode", mode, sizeof(mode))) {
		curl_easy_getinfo(fetch->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced);
		result->length = announced;
		stop_sap(fetch);
		return;
	}
	header(fetch, "X-SAP-Content-Type", result->content_type, sizeof(result->content_type));
	if (strcmp(mode, "approximate") == 0)
		result->transport = TRANSPORT_SAP_APPROXIMATE;
	else if (strcmp(mode, "precise") == 0)
		result->transport = TRANSPORT_SAP_PRECISE;
	else
		fail(fetch, EXIT_SAP_PROTOCOL, "X-SAP-Mode is \"%s\", neither approximate nor precise", mode);
	if (!header(fetch, "X-SAP-Length", length, sizeof(length)) || !read_length(length, &result->length))
		fail(fetch, EXIT_SAP_PROTOCOL, "X-SAP-Length is \"%s\", not a number of bytes up to %" PRIu64, length,
		     DATAGRAMS_FILE_BYTES_MAX);
	if (!fetch->sock)
		fail(fetch, EXIT_SAP_PROTOCOL, "the server responded with SAP, which was not requested");
	if (fetch->options->head)
		stop_sap(fetch);
}

/* The response is complete, or the request has failed. */
static void on_response(struct fetch *fetch, CURLcode code)
{
	struct result *const result = &fetch->result;

	fetch->answered = true;
	result->connected_ns = info_ns(fetch, CURLINFO_CONNECT_TIME_T);
	result->requested_ns = info_ns(fetch, CURLINFO_POSTTRANSFER_TIME_T);
	curl_easy_getinfo(fetch->easy, CURLINFO_RESPONSE_CODE, &result->http_code);
	if (code != CURLE_OK) {
		fail(fetch, (int)code, "%s", fetch->message[0] ? fetch->message : curl_easy_strerror(code));
		return;
	}
	read_response(fetch);
	if (!fetch->sock)
		result->end_ns = sap_clock_ns(CLOCK_MONOTONIC);
	if (result->http_code >= 400)
		fail(fetch, EXIT_HTTP_ERROR, "the server responded with status %ld", result->http_code);
}

static void work_http(struct fetch *fetch)
{
	CURLMsg *message;
	int running, left;

	if (fetch->answered)
		return;
	curl_multi_perform(fetch->multi, &running);
	while ((message = curl_multi_info_read(fetch->multi, &left))) {
		if (message->msg == CURLMSG_DONE)
			on_response(fetch, message->data.result);
	}
}

/* SAP */

/* SO_RCVBUFFORCE may exceed the system's limit but needs CAP_NET_ADMIN; SO_RCVBUF is capped. Ignores errors. */
static void enlarge_buffer(int fd)
{
	const int bytes = RECEIVE_BUFFER_BYTES;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) != 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

/* Chooses the token, unless the user wants none. */
static bool choose_token(struct fetch *fetch)
{
	while (!fetch->options->no_token && !fetch->token) { /* 0 would mean that there is no token */
		if (getrandom(&fetch->token, sizeof(fetch->token), 0) < 0 && errno != EINTR)
			return false;
	}
	return true;
}

static bool listen_sap(struct fetch *fetch, uint16_t port)
{
	struct sockaddr_storage at = { 0 };
	struct sockaddr_in *const in = (struct sockaddr_in *)&at;
	struct sockaddr_in6 *const in6 = (struct sockaddr_in6 *)&at;
	struct sap_options options;
	socklen_t length;
	int error;

	if (is_ipv6(fetch->options, fetch->result.url)) {
		*in6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = htons(port) };
		length = sizeof(*in6);
	} else {
		*in = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port) };
		length = sizeof(*in);
	}
	sap_options_init(&options);
	options.timeout_ms = 0;
	options.payload_bytes = SAP_PAYLOAD_BYTES;
	error = choose_token(fetch) ? SAP_OK : SAP_ERR_SYSTEM;
	options.token = fetch->token;
	if (!error)
		error = sap_listen(&fetch->sock, (struct sockaddr *)&at, length, &options);
	if (!error)
		error = sap_local(fetch->sock, &at, &length);
	if (error) {
		fail(fetch, EXIT_SAP_SOCKET, "cannot listen on UDP-Lite port %u: %s", (unsigned int)port,
		     sap_reason(error));
		stop_sap(fetch);
		return false;
	}
	enlarge_buffer(sap_fd(fetch->sock));
	fetch->result.port = ntohs(at.ss_family == AF_INET ? in->sin_port : in6->sin6_port);
	return true;
}

/* Checks that the peer is the server: without a token, a listening socket accepts whoever pings first. */
static bool peer_is_server(struct fetch *fetch)
{
	struct sockaddr_storage peer;
	struct in6_addr server;
	const void *address;
	size_t size;
	socklen_t length;
	const char *text = NULL;
	char shown[INET6_ADDRSTRLEN] = "";

	if (sap_peer(fetch->sock, &peer, &length) != SAP_OK)
		return true;
	address = peer.ss_family == AF_INET ? (void *)&((struct sockaddr_in *)&peer)->sin_addr :
					      (void *)&((struct sockaddr_in6 *)&peer)->sin6_addr;
	size = peer.ss_family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr);
	curl_easy_getinfo(fetch->easy, CURLINFO_PRIMARY_IP, &text);
	if (text && inet_pton(peer.ss_family, text, &server) == 1 && memcmp(&server, address, size) == 0)
		return true;
	inet_ntop(peer.ss_family, address, shown, sizeof(shown));
	fail(fetch, EXIT_SAP_STRANGER, "%s connected to port %u but is not the server", shown,
	     (unsigned int)fetch->result.port);
	return false;
}

static void take_datagram(struct fetch *fetch, const uint8_t *data, size_t length, const struct sap_message *message)
{
	const uint64_t offset = (uint64_t)message->number * SAP_PAYLOAD_BYTES;

	if (!fetch->datagrams.count) {
		fetch->guaranteed = message->guaranteed;
		fetch->result.first_ns = fetch->progress_ns;
	}
	if (message->guaranteed != fetch->guaranteed) {
		fail(fetch, EXIT_SAP_PROTOCOL, "precise and approximate datagrams are mixed");
		return;
	}
	switch (datagrams_add(&fetch->datagrams, message->number, length)) {
	case DATAGRAMS_NEW:
		if (!sink_write(&fetch->sink, offset, data, length))
			fail(fetch, EXIT_WRITE, "%s: %s", fetch->sink.path ? fetch->sink.path : "memory",
			     strerror(errno));
		return;
	case DATAGRAMS_AGAIN:
		return;
	case DATAGRAMS_TOO_FAR:
		fail(fetch, EXIT_SAP_PROTOCOL, "datagram %" PRIu32 " of %zu bytes cannot be part of a file",
		     message->number, length);
		return;
	case DATAGRAMS_MEMORY:
		fail(fetch, EXIT_WRITE, "out of memory");
		return;
	}
}

static void work_sap(struct fetch *fetch)
{
	uint8_t data[SAP_PAYLOAD_BYTES];
	struct sap_message message;
	ssize_t got;

	fetch->more = false;
	for (int i = 0; !fetch->result.exit_code; i++) {
		if (i == BATCH) {
			fetch->more = true;
			return;
		}
		got = sap_recv(fetch->sock, data, sizeof(data), &message);
		if (got == SAP_ERR_AGAIN)
			return;
		fetch->progress_ns = sap_clock_ns(CLOCK_MONOTONIC);
		if (got == SAP_ERR_END) {
			fetch->ended = true;
			fetch->result.end_ns = fetch->progress_ns;
			return;
		}
		if (got < 0)
			fail(fetch, EXIT_SAP_SOCKET, "port %u: %s", (unsigned int)fetch->result.port,
			     sap_reason((int)got));
		else
			take_datagram(fetch, data, (size_t)got, &message);
	}
}

/* The end */

/* When --max-time is over; INT64_MAX without it. */
static int64_t last_ns(const struct fetch *fetch)
{
	return fetch->options->max_time_ns ? fetch->result.begin_ns + fetch->options->max_time_ns : INT64_MAX;
}

static int64_t deadline_ns(const struct fetch *fetch)
{
	const int64_t idle_ns = fetch->progress_ns + fetch->options->timeout_ns;

	return last_ns(fetch) < idle_ns ? last_ns(fetch) : idle_ns;
}

/* Whether nobody has connected, but somebody tried without the token. */
static bool only_strangers_came(const struct fetch *fetch)
{
	struct sap_stats stats;

	if (!fetch->sock || !fetch->token || sap_ready(fetch->sock) & SAP_CONNECTED)
		return false;
	sap_get_stats(fetch->sock, &stats);
	return stats.rejected_foreign > 0;
}

static void check_time(struct fetch *fetch)
{
	const int64_t now_ns = sap_clock_ns(CLOCK_MONOTONIC);

	if (now_ns < deadline_ns(fetch))
		return;
	if (fetch->answered && fetch->sock && !peer_is_server(fetch))
		return;
	fail(fetch, EXIT_TIMED_OUT, "%s after %.3f s: %s%s",
	     fetch->options->max_time_ns ? "timed out" : "no more data",
	     (double)(now_ns - fetch->result.begin_ns) / 1e9,
	     fetch->answered ? "the end of the file announced over SAP is missing" :
			       "the response is incomplete",
	     only_strangers_came(fetch) ? "; datagrams without the token have arrived: if the server does not know "
					  "X-SAP-Token, use --no-token" : "");
}

static void compare(struct fetch *fetch, uint64_t length)
{
	struct result *const result = &fetch->result;
	struct differences differences;
	uint64_t rest = length;

	if (result->transport == TRANSPORT_TCP) { /* nothing is missing */
		for (uint32_t i = 0; rest; i++) {
			const size_t size = rest < SAP_PAYLOAD_BYTES ? (size_t)rest : SAP_PAYLOAD_BYTES;

			if (datagrams_add(&fetch->datagrams, i, size) != DATAGRAMS_NEW)
				break;
			rest -= size;
		}
	}
	if (datagrams_compare(&fetch->datagrams, fetch->sink.fd, fetch->options->compare, length, &differences)) {
		fail(fetch, EXIT_COMPARE, "%s: %s", fetch->options->compare,
		     errno ? strerror(errno) : "differs in length from the received file");
		return;
	}
	result->datagrams_damaged = differences.datagrams;
	result->bytes_damaged = differences.datagram_bytes;
	result->wrong_bytes = differences.bytes;
	result->wrong_bits = differences.bits;
}

/* Completes the result and the file. */
static void finish(struct fetch *fetch)
{
	struct result *const result = &fetch->result;
	uint64_t length = fetch->sink.size;

	if (result->transport == TRANSPORT_TCP) {
		result->bytes = (int64_t)fetch->sink.size;
	} else if (!fetch->options->head && result->length >= 0) {
		result->bytes = (int64_t)fetch->datagrams.bytes;
		result->datagrams = fetch->datagrams.count;
		if (!datagrams_fit(&fetch->datagrams, (uint64_t)result->length, &result->datagrams_lost))
			fail(fetch, EXIT_SAP_PROTOCOL, "%" PRIu64 " datagrams with %" PRIu64
			     " bytes do not fit a file of %" PRId64 " bytes", fetch->datagrams.count,
			     fetch->datagrams.bytes, result->length);
		else if (fetch->datagrams.count &&
			 fetch->guaranteed != (result->transport == TRANSPORT_SAP_PRECISE))
			fail(fetch, EXIT_SAP_PROTOCOL, "the datagrams are not of the announced mode");
		else if (result->transport == TRANSPORT_SAP_PRECISE && result->datagrams_lost)
			fail(fetch, EXIT_SAP_PROTOCOL, "%" PRIu64 " precise datagrams are missing",
			     result->datagrams_lost);
		length = (uint64_t)result->length;
	}
	if (fetch->sock)
		sap_get_stats(fetch->sock, &result->stats);
	if (fetch->sink.fd < 0)
		return;
	if (!sink_finish(&fetch->sink, length, fetch->response_headers, fetch->response_headers_length))
		fail(fetch, EXIT_WRITE, "%s: %s", fetch->sink.path ? fetch->sink.path : "standard output",
		     strerror(errno));
	if (fetch->options->compare && !result->exit_code && !fetch->options->head)
		compare(fetch, length);
}

static bool is_complete(const struct fetch *fetch)
{
	return fetch->result.exit_code || (fetch->answered && (!fetch->sock || fetch->ended));
}

enum fetch_state fetch_work(struct fetch *fetch)
{
	if (fetch->state == FETCH_LINGERS) {
		if (sap_process(fetch->sock) != SAP_OK || sap_ready(fetch->sock) & (SAP_DONE | SAP_FAILED) ||
		    sap_clock_ns(CLOCK_MONOTONIC) >= last_ns(fetch))
			fetch->state = FETCH_OVER;
		return fetch->state;
	}
	if (fetch->state == FETCH_OVER)
		return fetch->state;
	work_http(fetch);
	if (fetch->sock && !fetch->ended && !fetch->result.exit_code)
		work_sap(fetch);
	if (fetch->answered && fetch->sock && !fetch->result.exit_code)
		peer_is_server(fetch);
	if (!is_complete(fetch))
		check_time(fetch);
	if (!is_complete(fetch))
		return FETCH_RUNS;
	finish(fetch);
	fetch->state = fetch->ended && fetch->sock && !fetch->result.exit_code ? FETCH_LINGERS : FETCH_OVER;
	return fetch->state;
}

struct fetch *fetch_new(const struct options *options, const char *url, const char *output, uint16_t port)
{
	struct fetch *const fetch = calloc(1, sizeof(*fetch));

	if (!fetch)
		return NULL;
	fetch->options = options;
	fetch->sink.fd = -1;
	fetch->result = (struct result){
		.url = url,
		.length = -1,
		.wrong_bytes = -1,
		.wrong_bits = -1,
		.datagrams_damaged = -1,
		.bytes_damaged = -1,
		.started_ns = sap_clock_ns(CLOCK_REALTIME),
		.begin_ns = sap_clock_ns(CLOCK_MONOTONIC),
		.connected_ns = -1,
		.requested_ns = -1,
		.first_ns = -1,
		.end_ns = -1,
	};
	fetch->progress_ns = fetch->result.begin_ns;
	if (!sink_open(&fetch->sink, output, options->include || options->head))
		fail(fetch, EXIT_WRITE, "%s: %s", output ? output : "memory", strerror(errno));
	else if (!options_sap(options) || listen_sap(fetch, port)) {
		if (!start_request(fetch))
			fail(fetch, CURLE_FAILED_INIT, "out of memory, or libcurl lacks HTTP");
	}
	return fetch;
}

size_t fetch_poll(const struct fetch *fetch, struct pollfd *descriptors, size_t size)
{
	struct curl_waitfd waits[WAITFDS];
	unsigned int count = 0;
	size_t used = 0;

	if (!fetch->answered && fetch->multi && curl_multi_waitfds(fetch->multi, waits, WAITFDS, &count) == CURLM_OK) {
		for (unsigned int i = 0; i < count && i < WAITFDS; i++, used++) {
			if (used >= size)
				continue;
			descriptors[used] = (struct pollfd){ .fd = waits[i].fd };
			if (waits[i].events & CURL_WAIT_POLLIN)
				descriptors[used].events |= POLLIN;
			if (waits[i].events & CURL_WAIT_POLLOUT)
				descriptors[used].events |= POLLOUT;
		}
	}
	if (fetch->sock && fetch->state != FETCH_OVER) {
		if (used < size)
			descriptors[used] = (struct pollfd){ .fd = sap_fd(fetch->sock),
							     .events = sap_poll_events(fetch->sock) };
		used++;
	}
	return used;
}

static int64_t earlier(int64_t a_ns, int64_t b_ns)
{
	if (a_ns < 0 || b_ns < 0)
		return a_ns < 0 ? b_ns : a_ns;
	return a_ns < b_ns ? a_ns : b_ns;
}

int64_t fetch_next_ns(const struct fetch *fetch)
{
	int64_t next_ns = -1, left_ns;
	long ms = -1;

	if (fetch->state == FETCH_OVER || fetch->result.exit_code || fetch->more)
		return 0;
	if (fetch->sock)
		next_ns = sap_next_timeout_ns(fetch->sock);
	if (fetch->state == FETCH_LINGERS) {
		left_ns = last_ns(fetch) - sap_clock_ns(CLOCK_MONOTONIC);
		return earlier(next_ns, left_ns > 0 ? left_ns : 0);
	}
	if (!fetch->answered && fetch->multi && curl_multi_timeout(fetch->multi, &ms) == CURLM_OK && ms >= 0)
		next_ns = earlier(next_ns, ms * SAP_NS_PER_MS);
	left_ns = deadline_ns(fetch) - sap_clock_ns(CLOCK_MONOTONIC);
	return earlier(next_ns, left_ns > 0 ? left_ns : 0);
}

const struct result *fetch_result(const struct fetch *fetch)
{
	return &fetch->result;
}

void fetch_free(struct fetch *fetch)
{
	if (fetch->easy && fetch->multi)
		curl_multi_remove_handle(fetch->multi, fetch->easy);
	curl_easy_cleanup(fetch->easy);
	curl_multi_cleanup(fetch->multi);
	curl_slist_free_all(fetch->headers);
	sap_close(fetch->sock);
	sink_close(&fetch->sink);
	datagrams_free(&fetch->datagrams);
	free(fetch->response_headers);
	free(fetch);
}

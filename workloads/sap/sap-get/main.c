/* SPDX-License-Identifier: MIT */
/*
 * sap-get: fetches files over HTTP, and over SAP from servers with mod_sap. web.md is the manual.
 *
 * One loop serves all requests that are running or lingering.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "fetch.h"
#include "options.h"
#include "show.h"

enum { DESCRIPTORS_PER_FETCH = 17 };

struct node {
	struct node *next;
	struct fetch *fetch;
	bool shown;
};

struct session {
	const struct options *options;
	struct node *nodes;
	size_t count;
	unsigned int running;
	unsigned int started;	/* all requests so far */
	int exit_code;		/* of the first failed request */
};

static int64_t now_ns(void)
{
	return sap_clock_ns(CLOCK_MONOTONIC);
}

static bool start(struct session *session, unsigned int url)
{
	const struct options *const options = session->options;
	struct node *const node = calloc(1, sizeof(*node));
	const uint16_t port = options->port ? (uint16_t)(options->port + session->started) : 0;

	if (!node)
		return false;
	node->fetch = fetch_new(options, options->urls[url], options->outputs[url], port);
	if (!node->fetch) {
		free(node);
		return false;
	}
	node->next = session->nodes;
	session->nodes = node;
	session->count++;
	session->started++;
	session->running++;
	return true;
}

static void show(struct session *session, const struct result *result)
{
	const struct options *const options = session->options;

	session->running--;
	if (result->exit_code && !session->exit_code)
		session->exit_code = result->exit_code;
	if (result->exit_code && !options->silent)
		fprintf(stderr, "sap-get: (%d) %s: %s\n", result->exit_code, result->url, result->error);
	if (options->json)
		show_json(stdout, result);
	if (options->write_out)
		show_format(stdout, options->write_out, result);
}

static void work(struct session *session)
{
	struct node **place = &session->nodes, *node;
	enum fetch_state state;

	while ((node = *place)) {
		state = fetch_work(node->fetch);
		if (state != FETCH_RUNS && !node->shown) {
			node->shown = true;
			show(session, fetch_result(node->fetch));
		}
		if (state != FETCH_OVER) {
			place = &node->next;
			continue;
		}
		*place = node->next;
		session->count--;
		fetch_free(node->fetch);
		free(node);
	}
}

/* Waits for an event or timeout of any request, or until end_ns (-1: no limit). */
static bool wait_for(const struct session *session, int64_t end_ns)
{
	const size_t size = session->count * DESCRIPTORS_PER_FETCH;
	struct pollfd *const descriptors = calloc(size ? size : 1, sizeof(*descriptors));
	struct timespec timeout;
	int64_t wait_ns = -1, next_ns;
	size_t used = 0;
	int got;

	if (!descriptors)
		return false;
	if (end_ns >= 0)
		wait_ns = end_ns > now_ns() ? end_ns - now_ns() : 0;
	for (const struct node *node = session->nodes; node; node = node->next) {
		used += fetch_poll(node->fetch, descriptors + used, size - used);
		next_ns = fetch_next_ns(node->fetch);
		if (next_ns >= 0 && (wait_ns < 0 || next_ns < wait_ns))
			wait_ns = next_ns;
	}
	timeout = sap_timespec(wait_ns < 0 ? 0 : wait_ns);
	got = ppoll(descriptors, used < size ? used : size, wait_ns < 0 ? NULL : &timeout, NULL);
	free(descriptors);
	return got >= 0 || errno == EINTR;
}

/* Runs until no request is running; does not wait for lingering ones. */
static bool run(struct session *session)
{
	for (;;) {
		work(session);
		if (!session->running)
			return true;
		if (!wait_for(session, -1))
			return false;
	}
}

static bool sleep_until(struct session *session, int64_t end_ns)
{
	while (now_ns() < end_ns) {
		work(session);
		if (!wait_for(session, end_ns))
			return false;
	}
	return true;
}

static bool linger(struct session *session)
{
	for (work(session); session->nodes; work(session)) {
		if (!wait_for(session, -1))
			return false;
	}
	return true;
}

/* Fetches all URLs, one after the other or in parallel, --count times. */
static bool fetch_all(struct session *session)
{
	const struct options *const options = session->options;
	bool first = true;

	for (unsigned int round = 0; round < options->count; round++) {
		for (unsigned int url = 0; url < options->url_count; url++) {
			if (!first && options->pause_ns && (url == 0 || !options->parallel) &&
			    !sleep_until(session, now_ns() + options->pause_ns))
				return false;
			first = false;
			if (!start(session, url))
				return false;
			if (!options->parallel && !run(session))
				return false;
		}
		if (!run(session))
			return false;
	}
	return linger(session);
}

int main(int argc, char **argv)
{
	struct options options;
	struct session session = { .options = &options };
	enum options_verdict verdict = options_parse(&options, argc, argv);

	if (verdict == OPTIONS_RUN) {
		signal(SIGPIPE, SIG_IGN);
		curl_global_init(CURL_GLOBAL_DEFAULT);
		if (!fetch_all(&session)) {
			fprintf(stderr, "sap-get: %s\n", strerror(errno));
			session.exit_code = EXIT_WRITE;
		}
		while (session.nodes) {
			struct node *const node = session.nodes;

			session.nodes = node->next;
			fetch_free(node->fetch);
			free(node);
		}
		curl_global_cleanup();
	}
	options_free(&options);
	return verdict == OPTIONS_WRONG ? EXIT_WRONG_USAGE : session.exit_code;
}

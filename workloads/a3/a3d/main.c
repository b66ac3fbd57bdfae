/* SPDX-License-Identifier: MIT */
/*
 * a3d: the daemon of A3, next to a mobile device (--side client) or in front of servers (--side server).
 *
 *	a3d --side client|server [--rar] [--copies NUMBER] [--stagger DIVISOR] [--alpha-ms MS]
 *	    [--pf] [--pf-alone] [--pf-rate BIT/S] [--pf-limit PACKETS] [--pf-most-ms MS]
 *	    [--ib FOLDER] [--ib-quota BYTES] [--ib-quota-all BYTES]
 *	    [--tp FOLDER] [--tp-quota BYTES] [--serialise]
 *	    [--ae FOLDER --ae-key FILE|--ae-plain] [--hook forward|host] [--queue NUMBER] [--every-ms MS]
 *
 * It sees packets of the ports of CIFS, SMTP and HTTP that this node forwards, or those of this host. With no element on,
 * it passes them as they are. It prints a line of JSON per interval. SIGTERM and SIGINT end it; if it is killed, its rules
 * stay, and packets pass. Packets of connections that it has changed do not pass without it: if there are any, its rules
 * stay in either case, and the next a3d goes on with what is in FOLDER.
 *
 * FILE has the secret of the two a3d, 16 bytes or more. Nobody else may be able to read it, nor FOLDER.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#include "chain.h"
#include "fail.h"
#include "listen.h"
#include "monitor.h"
#include "private.h"
#include "queue.h"
#include "rules.h"
#include "store.h"

#define SECOND_NS UINT64_C(1000000000)
#define LAST_NS SECOND_NS /* that it waits at its end for hosts to say that they have forgotten connections */

enum {
	HEADERS = 128, /* bytes of a packet: those of IP and TCP, with all options */
	TP_COUNTS = 11, /* at the end of a report, with TP only */
	LAST_BATCHES = 1000, /* that are decided on before it ends */
	HEARD = 4, /* datagrams of monitors, then it looks at packets again: nobody who says much may keep it from that */
};

static const uint16_t ports[] = { 445, 139, 25, 587, 80 };

struct options {
	struct chain_settings chain;
	const char *tables; /* the folder of AE's tables */
	const char *key; /* the file with AE's secret */
	const char *folder; /* of IB; NULL: it is off */
	const char *blocks; /* folder of TP; NULL: it is off */
	enum rules_hook hook;
	uint16_t queue;
	uint64_t every_ns;
};

struct daemon {
	struct options options;
	struct queue *queue;
	struct store store;
	int raw4, raw6;
	int monitor; /* its datagrams come here; -1: none do */
	struct chain chain;
	uint64_t packets, bytes; /* with IP headers */
	uint64_t errors; /* copies that could not be sent */
};

static volatile sig_atomic_t ending, reporting;

static void end(int number)
{
	(void)number;
	ending = 1;
}

static void report_is_due(int number)
{
	(void)number;
	reporting = 1;
}

static uint64_t time_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

static uint64_t number(const char *option, const char *text, uint64_t least, uint64_t most)
{
	uint64_t value;
	char *rest;

	errno = 0;
	value = strtoull(text, &rest, 10);
	if (errno || rest == text || *rest || *text == '-' || value < least || value > most)
		refuse("%s %s: must be a whole number from %" PRIu64 " to %" PRIu64, option, text, least, most);
	return value;
}

/* Which of two words it is: 0 or 1. */
static unsigned int word(const char *option, const char *text, const char *first, const char *second)
{
	if (strcmp(text, first) && strcmp(text, second))
		refuse("%s %s: must be %s or %s", option, text, first, second);
	return !strcmp(text, second);
}

/* Read an option with a value. False: there is none of this name. */
static bool read_option(struct options *options, const char *name, const char *value)
{
	struct rar_settings *rar = &options->chain.rar;
	struct pf_settings *pf = &options->chain.pf;

	if (!strcmp(name, "--side"))
		options->chain.side = word(name, value, "client", "server") ? CHAIN_SERVER : CHAIN_CLIENT;
	else if (!strcmp(name, "--copies"))
		rar->copies = (unsigned int)number(name, value, 0, 16);
	else if (!strcmp(name, "--stagger"))
		rar->stagger = (unsigned int)number(name, value, 1, 1000);
	else if (!strcmp(name, "--alpha-ms"))
		rar->alpha_ns = number(name, value, 0, 60 * 1000) * (SECOND_NS / 1000);
	else if (!strcmp(name, "--pf-rate"))
		pf->rate_bps = number(name, value, 1000, UINT64_C(100000000000));
	else if (!strcmp(name, "--pf-limit"))
		pf->limit = (unsigned int)number(name, value, 1, PF_HELD);
	else if (!strcmp(name, "--pf-most-ms"))
		pf->most_ns = number(name, value, 0, 60 * 1000) * (SECOND_NS / 1000);
	else if (!strcmp(name, "--ae"))
		options->tables = value;
	else if (!strcmp(name, "--ae-key"))
		options->key = value;
	else if (!strcmp(name, "--ib"))
		options->folder = value;
	else if (!strcmp(name, "--ib-quota"))
		options->chain.relay.quota = number(name, value, 0, INT64_MAX);
	else if (!strcmp(name, "--ib-quota-all"))
		options->chain.relay.quota_all = number(name, value, 0, INT64_MAX);
	else if (!strcmp(name, "--tp"))
		options->blocks = value;
	else if (!strcmp(name, "--tp-quota"))
		options->chain.tp.quota = number(name, value, 0, INT64_MAX);
	else if (!strcmp(name, "--hook"))
		options->hook = word(name, value, "forward", "host") ? RULES_HOST : RULES_FORWARD;
	else if (!strcmp(name, "--queue"))
		options->queue = (uint16_t)number(name, value, 0, UINT16_MAX - 1);
	else if (!strcmp(name, "--every-ms"))
		options->every_ns = number(name, value, 1, 3600 * 1000) * (SECOND_NS / 1000);
	else
		return false;
	return true;
}

/* Read an option without a value. False: there is none of this name. */
static bool read_flag(struct options *options, const char *name)
{
	if (!strcmp(name, "--rar"))
		options->chain.rar_on = true;
	else if (!strcmp(name, "--ae-plain"))
		options->chain.ae.plain = true;
	else if (!strcmp(name, "--pf"))
		options->chain.pf.on = true;
	else if (!strcmp(name, "--pf-alone"))
		options->chain.pf.alone = true;
	else if (!strcmp(name, "--serialise"))
		options->chain.tp.tp.serialise = true;
	else
		return false;
	return true;
}

/* Refuse options that do not fit together. */
static void check_options(const struct options *options)
{
	const struct pf_settings *pf = &options->chain.pf;
	bool client = options->chain.side == CHAIN_CLIENT;

	if (options->chain.side == CHAIN_NO_SIDE)
		refuse("--side is missing: write --side client or --side server");
	if (pf->alone && !(pf->on && client))
		refuse("--pf-alone needs --pf and --side client");
	if (pf->rate_bps && !(pf->on && !client))
		refuse("--pf-rate needs --pf and --side server");
	if (pf->on && !client && !pf->rate_bps)
		refuse("--pf at the server's side needs --pf-rate: what waits elsewhere cannot be put in order");
	if (options->tables && !options->chain.ae.plain && !options->key)
		refuse("--ae needs --ae-key FILE, which both ends have; or --ae-plain, without tables");
	if (options->folder && options->hook == RULES_HOST)
		refuse("--ib needs a router: write --hook forward");
	if ((options->blocks || options->chain.tp.tp.serialise) && options->hook == RULES_HOST)
		refuse("--tp and --serialise need a router: write --hook forward");
}

static bool note_changed(void *context, uint8_t version, const struct segment_end *client,
			 const struct segment_end *server, bool on)
{
	(void)context;
	return rules_change(version, client, server, on);
}

/* What TP keeps gets old while the machine sleeps, too. */
static uint64_t with_sleep_ns(void)
{
	return time_ns(CLOCK_BOOTTIME);
}

static void read_options(struct options *options, int argc, char **argv)
{
	*options = (struct options){
		.queue = 9100,
		.every_ns = SECOND_NS,
		.chain.rar = { .copies = 2, .stagger = 10, .alpha_ns = SECOND_NS / 50 },
		.chain.pf = { .limit = 50, .most_ns = SECOND_NS / 10 * 8 },
		.chain.relay = { .quota = UINT64_C(64) << 20,
				 .quota_all = UINT64_C(256) << 20,
				 .behind = RELAY_BEHIND,
				 .least_rto_ns = HALF_LEAST_RTO_NS,
				 .changed = note_changed },
		.chain.tp = { .quota = UINT64_C(256) << 20, .now_ns = with_sleep_ns },
	};
	for (int i = 1; i < argc; i++) {
		if (read_flag(options, argv[i]))
			continue;
		if (!argv[i + 1])
			refuse("%s is not an option, or has no value", argv[i]);
		else if (read_option(options, argv[i], argv[i + 1]))
			i++;
		else
			refuse("%s is not an option; there are --side client|server, --rar, --copies NUMBER, "
			       "--stagger DIVISOR, --alpha-ms MS, --pf, --pf-alone, --pf-rate BIT/S, --pf-limit PACKETS, "
			       "--pf-most-ms MS, --ib FOLDER, --ib-quota BYTES, --ib-quota-all BYTES, --tp FOLDER, "
			       "--tp-quota BYTES, --serialise, --ae FOLDER, "
			       "--ae-key FILE, --ae-plain, --hook forward|host, "
			       "--queue NUMBER, --every-ms MS",
			       argv[i]);
	}
	check_options(options);
	options->chain.relay.ib = options->folder;
	options->chain.tp.tp.predict = options->blocks;
	options->chain.tp.on = options->blocks || options->chain.tp.tp.serialise;
}

/* A folder or file that only this user may use cannot be used: errno says why. */
static void fail_private(const char *path)
{
	if (errno == EPERM)
		refuse("%s is not this user's alone; use chown and chmod", path);
	if (errno == EINVAL)
		refuse("%s: must have from %d to %d bytes", path, PRIVATE_KEY_LEAST, PRIVATE_KEY_MOST);
	fail_errno(path);
}

static void lock(int folder, const char *path)
{
	if (flock(folder, LOCK_EX | LOCK_NB))
		refuse("%s: another a3d stores there; each one needs a folder of its own", path);
}

/* Open the folder of journals; make it, if it is not there. */
static int open_folder(const char *path)
{
	int folder = private_folder(path);

	if (folder < 0)
		fail_private(path);
	lock(folder, path);
	return folder;
}

/* Begin with AE, if it is on. */
static void open_tables(struct daemon *daemon)
{
	struct ae_settings *ae = &daemon->options.chain.ae;
	uint64_t seeds[TABLE_SEEDS];

	if (!daemon->options.tables)
		return;
	if (!store_open(&daemon->store, daemon->options.tables))
		fail_private(daemon->options.tables);
	lock(daemon->store.folder, daemon->options.tables);
	if (!ae->plain && private_key(daemon->options.key, ae->key))
		fail_private(daemon->options.key);
	if (getrandom(seeds, sizeof(seeds), 0) != sizeof(seeds))
		fail_errno("no random numbers");
	table_seed(seeds);
	ae->on = true;
	ae->store = store_of(&daemon->store);
}

/* Whether an element is on. */
static bool does_something(const struct options *options)
{
	return options->chain.rar_on || options->chain.relay.ib || options->chain.ae.on ||
	       options->chain.pf.on || options->chain.tp.on;
}

/* What a monitor has said. */
static void on_datagram(void *context, const uint8_t address[16], const uint8_t *bytes, size_t length)
{
	chain_monitor(context, address, bytes, length);
}

/* A socket for whole packets, which do not pass the queues. */
static int raw_socket(int family)
{
	const uint32_t mark = RULES_MARK;
	int one = socket(family, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW), yes = 1;

	if (one < 0 || setsockopt(one, SOL_SOCKET, SO_MARK, &mark, sizeof(mark)) ||
	    (family == AF_INET6 && setsockopt(one, IPPROTO_IPV6, IPV6_HDRINCL, &yes, sizeof(yes))))
		fail_errno("no socket for copies");
	return one;
}

static void send_packet(struct daemon *daemon, const struct rar_packet *packet)
{
	struct sockaddr_in to4 = { .sin_family = AF_INET };
	struct sockaddr_in6 to6 = { .sin6_family = AF_INET6 };
	ssize_t sent;

	if (packet->version == 4) {
		memcpy(&to4.sin_addr, packet->bytes + 16, 4);
		sent = sendto(daemon->raw4, packet->bytes, packet->length, MSG_DONTWAIT, (struct sockaddr *)&to4,
			      sizeof(to4));
	} else {
		memcpy(&to6.sin6_addr, packet->bytes + 24, 16);
		sent = sendto(daemon->raw6, packet->bytes, packet->length, MSG_DONTWAIT, (struct sockaddr *)&to6,
			      sizeof(to6));
	}
	if (sent < 0 && errno == EMSGSIZE)
		chain_too_long(&daemon->chain, packet);
	daemon->errors += sent < 0; /* TCP has its own timer */
}

/* Decide on a packet. */
static void decide(struct daemon *daemon, const struct queue_packet *packet, uint64_t now_ns)
{
	bool changed = packet->queue != daemon->options.queue;
	unsigned int about = (changed ? CHAIN_IS_CHANGED : 0) | (packet->left_to_card ? CHAIN_LEFT_TO_CARD : 0);
	struct chain *chain = &daemon->chain;
	enum chain_verdict verdict = changed ? CHAIN_DROP : CHAIN_PASS;

	if ((does_something(&daemon->options) || changed) && packet->bytes)
		verdict = chain_packet(chain, packet->bytes, packet->length, about, now_ns,
				       (struct pf_ticket){ .id = packet->id, .queue = packet->queue });
	if (verdict == CHAIN_PASS)
		queue_accept(daemon->queue, packet);
	else if (verdict == CHAIN_CHANGED)
		queue_change(daemon->queue, packet, chain->changed, chain->changed_length);
	else if (verdict == CHAIN_HELD)
		queue_hold(daemon->queue, packet);
	else
		queue_drop(daemon->queue, packet);
}

/* Give packets that were held, and are no longer, their verdicts. */
static void release(struct daemon *daemon, uint64_t now_ns)
{
	struct pf_ticket ticket;
	bool passes;

	while (chain_release(&daemon->chain, now_ns, &ticket, &passes))
		queue_release(daemon->queue, ticket.id, ticket.queue, passes);
}

/* Decide on packets that wait; wait for the first one, so long at most. False: there was none. */
static bool handle(struct daemon *daemon, const struct timespec *most)
{
	struct queue_packet packet;
	uint64_t now_ns;

	if (!queue_receive(daemon->queue, most))
		return false;
	now_ns = does_something(&daemon->options) ? time_ns(CLOCK_MONOTONIC) : 0;
	while (queue_next(daemon->queue, &packet)) {
		daemon->packets++;
		daemon->bytes += packet.size;
		decide(daemon, &packet, now_ns);
	}
	queue_flush(daemon->queue);
	return true;
}

static void report(const struct daemon *daemon)
{
	const struct chain *chain = &daemon->chain;
	const struct rar_counts *rar = &chain->rar.counts;
	const struct ae_counts *ae = &chain->ae.counts;
	const struct pf_counts *pf = &chain->pf.counts;
	const struct relay_counts *relay = &chain->relays.counts;
	const struct tp_links_counts links = tp_links_count(&chain->tp);
	const struct tp_counts *tp = &links.all;
	const uint64_t *left = chain->track.counts.left;
	const struct {
		const char *name;
		uint64_t value;
	} counts[] = {
		{ "packets", daemon->packets },
		{ "bytes", daemon->bytes },
		{ "connections", chain->track.counts.connections },
		{ "not_followed", chain->track.counts.not_followed },
		{ "left_middle", left[TRACK_LEFT_MIDDLE] },
		{ "left_options", left[TRACK_LEFT_OPTIONS] },
		{ "left_gap", left[TRACK_LEFT_GAP] },
		{ "left_memory", left[TRACK_LEFT_MEMORY] },
		{ "left_odd", left[TRACK_LEFT_ODD] },
		{ "left_protocol", left[TRACK_LEFT_PROTOCOL] },
		{ "encrypted", chain->counts.alone[OBSERVE_ENCRYPTED] },
		{ "signed", chain->counts.alone[OBSERVE_SIGNED] },
		{ "thin", rar->thin },
		{ "copies", rar->copies },
		{ "copied_bytes", rar->bytes },
		{ "alarms", rar->alarms },
		{ "given_up", rar->given_up },
		{ "no_room", rar->no_room },
		{ "filtered", rar->filtered },
		{ "far_ends", ae->far_ends },
		{ "no_far_end", ae->no_far_end },
		{ "encoded", ae->encoded },
		{ "plain_bytes", ae->bytes },
		{ "encoded_bytes", ae->encoded_bytes },
		{ "incompressible", ae->incompressible },
		{ "repeated", ae->repeated },
		{ "off", ae->off },
		{ "decoded", ae->decoded },
		{ "refused", ae->refused },
		{ "mails", ae->mails },
		{ "behind", ae->behind },
		{ "no_table", ae->no_room + daemon->store.errors },
		{ "pf_requests", pf->requests },
		{ "pf_later", pf->later },
		{ "pf_held", pf->held },
		{ "pf_waiting", daemon->chain.pf.waiting },
		{ "pf_overtaken", pf->overtaken },
		{ "pf_overdue", pf->overdue },
		{ "pf_repeated", pf->repeated },
		{ "pf_dropped", pf->dropped },
		{ "pf_said", pf->said },
		{ "pf_refused", pf->refused },
		{ "pf_notices", chain->counts.notices },
		{ "taken", relay->taken },
		{ "taken_over", relay->over },
		{ "resumed", relay->resumed },
		{ "resets", relay->resets + chain->counts.refused },
		{ "stored", relay->stored },
		{ "syncs", relay->syncs },
		{ "disk_full", relay->full },
		{ "not_taken", relay->no_room },
		{ "errors", daemon->errors },
		{ "predicted", tp->predicted },
		{ "answered", tp->answered },
		{ "fetched", tp->fetched },
		{ "served", tp->served },
		{ "wasted", tp->wasted },
		{ "oplocks", tp->oplocks },
		{ "breaks", tp->breaks },
		{ "stale", tp->stale },
		{ "tp_taken", chain->tp.taken },
		{ "tp_left", links.left },
		{ "tp_broken", links.broken },
	};
	size_t length = sizeof(counts) / sizeof(*counts) - (chain->settings.tp.on ? 0 : TP_COUNTS);
	uint64_t now_ns = time_ns(CLOCK_REALTIME);

	printf("{\"t_s\": \"%" PRIu64 ".%09" PRIu64 "\"", now_ns / SECOND_NS, now_ns % SECOND_NS);
	for (size_t i = 0; i < length; i++)
		printf(", \"%s\": %" PRIu64, counts[i].name, counts[i].value);
	puts("}");
	fflush(stdout);
}

/* Send what is due now. Returns how long there is nothing more to send; NULL: until another packet comes. */
static const struct timespec *send_due(struct daemon *daemon, struct timespec *left)
{
	struct rar_packet packet;
	uint64_t now_ns, next_ns;

	if (chain_next_ns(&daemon->chain) == UINT64_MAX)
		return NULL; /* it need not know the time */
	now_ns = time_ns(CLOCK_MONOTONIC);
	release(daemon, now_ns);
	while (chain_due(&daemon->chain, now_ns, &packet))
		send_packet(daemon, &packet);
	next_ns = chain_next_ns(&daemon->chain);
	if (next_ns == UINT64_MAX)
		return NULL;
	next_ns = next_ns > now_ns ? next_ns : now_ns;
	*left = (struct timespec){ .tv_sec = (time_t)((next_ns - now_ns) / SECOND_NS),
				   .tv_nsec = (long)((next_ns - now_ns) % SECOND_NS) };
	return left;
}

/* Serve the queues until a signal ends it. One that comes just before it waits is noticed with the next report. */
static void serve(struct daemon *daemon)
{
	struct timespec left;

	while (!ending) {
		if (reporting) {
			reporting = 0;
			report(daemon);
		}
		handle(daemon, send_due(daemon, &left));
		if (daemon->monitor >= 0)
			listen_take(daemon->monitor, HEARD, on_datagram, &daemon->chain);
	}
}

/* Serve the queues until then at most, or until something else is to be looked at. */
static void serve_once(struct daemon *daemon, uint64_t until_ns)
{
	uint64_t now_ns = time_ns(CLOCK_MONOTONIC), left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
	struct timespec left, most = { .tv_sec = (time_t)(left_ns / SECOND_NS), .tv_nsec = (long)(left_ns % SECOND_NS) };
	const struct timespec *due = send_due(daemon, &left);

	if (due && (due->tv_sec < most.tv_sec || (due->tv_sec == most.tv_sec && due->tv_nsec < most.tv_nsec)))
		most = *due;
	handle(daemon, &most);
}

/* Let all that waits leave in its order, and end. The rules stay, if there is a connection that they keep from passing. */
static void leave(struct daemon *daemon)
{
	const struct timespec now = { 0 };
	uint64_t began_ns = time_ns(CLOCK_MONOTONIC), until_ns = began_ns + LAST_NS;
	int child;

	chain_leave(&daemon->chain, began_ns);
	serve_once(daemon, 0); /* what PF has held comes before what passes from now on */
	child = rules_stop(daemon->options.queue);
	queue_watch(daemon->queue, child);
	while (child >= 0 && !rules_stopped(child))
		serve_once(daemon, UINT64_MAX);
	queue_watch(daemon->queue, -1);
	for (unsigned int i = 0; i < LAST_BATCHES && handle(daemon, &now); i++)
		;
	while (!chain_is_left(&daemon->chain) && time_ns(CLOCK_MONOTONIC) < until_ns)
		serve_once(daemon, until_ns);
	chain_end(&daemon->chain);
	report(daemon);
	if (!rules_left())
		rules_remove(daemon->options.queue);
}

static void on(int signal, void (*handler)(int))
{
	const struct sigaction action = { .sa_handler = handler }; /* system calls are interrupted */

	sigaction(signal, &action, NULL);
}

/* Let signals say when a report is due. */
static void report_every(uint64_t every_ns)
{
	const struct timeval every = { .tv_sec = (time_t)(every_ns / SECOND_NS),
				       .tv_usec = (suseconds_t)(every_ns % SECOND_NS / 1000) };
	const struct itimerval timer = { .it_interval = every, .it_value = every };

	on(SIGALRM, report_is_due);
	setitimer(ITIMER_REAL, &timer, NULL);
}

int main(int argc, char **argv)
{
	static struct daemon daemon;
	struct rules_owner owner;

	read_options(&daemon.options, argc, argv);
	owner = (struct rules_owner){ daemon.options.chain.side, daemon.options.queue, daemon.options.hook,
				      daemon.options.folder };
	on(SIGTERM, end);
	on(SIGINT, end);
	open_tables(&daemon);
	if (daemon.options.folder)
		daemon.options.chain.relay.folder = open_folder(daemon.options.folder);
	if (daemon.options.blocks)
		daemon.options.chain.tp.folder = open_folder(daemon.options.blocks);
	daemon.raw4 = raw_socket(AF_INET);
	daemon.raw6 = raw_socket(AF_INET6);
	rules_alone();
	daemon.queue = queue_open(daemon.options.queue, does_something(&daemon.options) ? QUEUE_ALL : HEADERS);
	daemon.monitor = -1;
	if (daemon.options.chain.pf.on && daemon.options.chain.side == CHAIN_CLIENT) {
		daemon.monitor = listen_open(MONITOR_PORT);
		if (daemon.monitor < 0)
			fail_errno("no socket for the monitor");
	}
	queue_watch(daemon.queue, daemon.monitor);
	rules_make(&owner, ports, sizeof(ports) / sizeof(*ports),
		   daemon.options.chain.ae.on || (daemon.options.chain.pf.on && daemon.monitor < 0),
		   daemon.monitor < 0 ? 0 : MONITOR_PORT);
	chain_begin(&daemon.chain, &daemon.options.chain, time_ns(CLOCK_MONOTONIC));
	report(&daemon);
	report_every(daemon.options.every_ns);
	serve(&daemon);
	report_every(0);
	leave(&daemon);
	if (daemon.options.tables)
		store_close(&daemon.store);
	return 0;
}

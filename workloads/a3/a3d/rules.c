/* SPDX-License-Identifier: MIT */
#include "rules.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fail.h"
#include "segment.h"

/* Let nft read these rules, as one transaction. */
static bool applied(const char *rules)
{
	int ends[2], status;
	size_t length = strlen(rules);
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return false;
	child = fork();
	if (!child) {
		dup2(ends[0], STDIN_FILENO);
		execlp("nft", "nft", "-f", "-", (char *)NULL);
		_exit(127);
	}
	close(ends[0]);
	if (child > 0 && write(ends[1], rules, length) != (ssize_t)length)
		length = 0; /* nft says what it lacks */
	close(ends[1]);
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* Append to a text. */
__attribute__((format(printf, 3, 4))) static void add(char *text, size_t room, const char *format, ...)
{
	size_t length = strlen(text);
	va_list words;

	va_start(words, format);
	vsnprintf(text + length, room - length, format, words);
	va_end(words);
}

void rules_make(uint16_t queue, enum rules_hook hook, const uint16_t *ports, size_t count, bool experiments,
		uint16_t monitor)
{
	char list[256] = "", rules[4096] = "";
	static const struct {
		const char *name, *past;
		enum rules_hook hook;
	} chains[] = {
		{ "forward", "", RULES_FORWARD },
		{ "input", "iifname \"lo\" accept;", RULES_HOST },
		{ "output", "oifname \"lo\" accept;", RULES_HOST },
	};

	for (size_t i = 0; i < count; i++)
		add(list, sizeof(list), "%s%u", i ? ", " : "", ports[i]);
	add(rules, sizeof(rules),
	    "table inet a3 {\n"
	    "set changed4 { type ipv4_addr . inet_service . ipv4_addr . inet_service; }\n"
	    "set changed6 { type ipv6_addr . inet_service . ipv6_addr . inet_service; }\n"
	    "chain ours { }\n");
	for (size_t i = 0; i < sizeof(chains) / sizeof(*chains); i++)
		add(rules, sizeof(rules), "chain %s { type filter hook %s priority filter; }\n", chains[i].name,
		    chains[i].name);
	add(rules, sizeof(rules),
	    "}\nflush table inet a3\ntable inet a3 {\nchain ours {\n"
	    "ip saddr . tcp sport . ip daddr . tcp dport @changed4 queue to %u\n"
	    "ip6 saddr . tcp sport . ip6 daddr . tcp dport @changed6 queue to %u\n"
	    "queue flags bypass to %u\n}\n",
	    queue + 1, queue + 1, queue);
	for (size_t i = 0; i < sizeof(chains) / sizeof(*chains); i++)
		if (chains[i].hook == hook)
			add(rules, sizeof(rules),
			    "chain %s { %s meta mark %u accept; tcp dport { %s } goto ours; tcp sport { %s } goto ours; }\n",
			    chains[i].name, chains[i].past, RULES_MARK, list, list);
	for (size_t i = 0; experiments && i < sizeof(chains) / sizeof(*chains); i++)
		if (chains[i].hook == hook) /* 16 bits behind IP's header: where TCP has the port, too */
			add(rules, sizeof(rules), "chain %s { meta l4proto %d @th,16,16 { %s } goto ours; }\n",
			    chains[i].name, SEGMENT_EXPERIMENT, list);
	if (monitor)
		add(rules, sizeof(rules), "chain input { iifname != \"lo\" udp dport %u fib saddr . iif oif missing drop; }\n",
		    monitor);
	add(rules, sizeof(rules), "}\n");
	if (!applied(rules))
		refuse("nft does not take the rules for the queues");
}

void rules_remove(void)
{
	applied("table inet a3 {}\ndelete table inet a3\n");
}

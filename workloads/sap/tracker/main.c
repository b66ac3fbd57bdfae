/* SPDX-License-Identifier: MIT */
/* sap-tracker: sends positions, and tells the speed that they amount to where they arrive. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "report.h"
#include "tracker.h"

static const char USAGE[] =
	"usage: sap-tracker receive --port N [--tcp] [--json] [--gaps ignored|counted] [--bind ADDRESS]\n"
	"                           [--idle DURATION]\n"
	"       sap-tracker send    --to HOST --port N --trace CSV [--mode precise|approximate] [--tcp]\n"
	"                           [--every DURATION] [--count N] [--give-up DURATION] [--json]\n"
	"       sap-tracker average --trace CSV\n"
	"--every: how often a point is sent; default: as often as the trace has one. --mode: default approximate.\n"
	"--gaps: whether the receiver knows of points that were lost; default: ignored, as in the paper.\n"
	"durations: 5ms, 250us, 1.5s\n";

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} verbs[] = { { "send", verb_send }, { "receive", verb_receive }, { "average", verb_average } };

	program = "sap-tracker";
	if (argc >= 2 && !strcmp(argv[1], "--help")) {
		fputs(USAGE, stdout);
		return 0;
	}
	for (size_t i = 0; argc >= 2 && i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (!strcmp(argv[1], verbs[i].name))
			return verbs[i].run(argc - 1, argv + 1);
	}
	fputs(USAGE, stderr);
	return 2;
}

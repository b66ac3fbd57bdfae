/* SPDX-License-Identifier: MIT */
/* sap-tracker: sends positions; the receiver computes the mean speed. */
#include "command.h"
#include "errors.h"
#include "tracker.h"

static const char USAGE[] =
	"usage: sap-tracker receive --port N [--tcp] [--json] [--gaps ignored|counted] [--bind ADDRESS]\n"
	"                           [--idle DURATION]\n"
	"       sap-tracker send    --to HOST --port N --trace CSV [--mode precise|approximate] [--tcp]\n"
	"                           [--every DURATION] [--count N] [--give-up DURATION] [--json]\n"
	"       sap-tracker average --trace CSV\n"
	"--every: interval between points; default: that of the trace. --mode: default approximate.\n"
	"--gaps: whether the receiver takes lost points into account; default: ignored, as in the paper.\n"
	"durations: 5ms, 250us, 1.5s\n";

int main(int argc, char **argv)
{
	static const struct verb verbs[] = { { "send", verb_send }, { "receive", verb_receive }, { "average", verb_average } };

	program = "sap-tracker";
	return command_run(USAGE, verbs, sizeof(verbs) / sizeof(verbs[0]), argc, argv);
}

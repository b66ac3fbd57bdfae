/* SPDX-License-Identifier: MIT */
/* sap-streamer: sends a stream that both ends know, or a file, and tells what became of it. */
#include "command.h"
#include "report.h"
#include "streamer.h"

static const char USAGE[] =
	"usage: sap-streamer receive   --port N [--json] [--output FILE] [--bind ADDRESS] [--idle DURATION]\n"
	"       sap-streamer send      --to HOST --port N --bytes 10M [--seed S] [options]\n"
	"       sap-streamer send-file --to HOST --port N --file FILE [--head BYTES] [--keep FILE] [options]\n"
	"options of both:\n"
	"       --mode precise|approximate   default: approximate\n"
	"       --every DURATION             one datagram each 5ms; default: as fast as the network takes them\n"
	"       --payload BYTES              of a datagram; default: 1024\n"
	"       --window N                   precise datagrams in flight, with congestion control; default: the\n"
	"                                    paper's one, with a fixed timeout\n"
	"       --buffer BYTES               SO_SNDBUF, which the kernel doubles; default: 8192\n"
	"       --give-up DURATION           silence of the receiver after which it is given up; default: 10s\n"
	"       --json                       the report as JSON\n"
	"bytes: 4096, 10M (MiB), 10MB; durations: 5ms, 250us, 1.5s\n";

int main(int argc, char **argv)
{
	static const struct verb verbs[] = { { "send", verb_send }, { "send-file", verb_send_file }, { "receive", verb_receive } };

	program = "sap-streamer";
	return command_run(USAGE, verbs, sizeof(verbs) / sizeof(verbs[0]), argc, argv);
}

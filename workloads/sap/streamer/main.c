/* SPDX-License-Identifier: MIT */
/* sap-streamer: sends a stream known to both ends, or a file, and reports what arrived. */
#include "command.h"
#include "errors.h"
#include "streamer.h"

static const char USAGE[] =
	"usage: sap-streamer receive   --port N [--json] [--output FILE] [--max-bytes BYTES] [--bind ADDRESS]\n"
	"                             [--idle DURATION]\n"
	"       sap-streamer send      --to HOST --port N --bytes BYTES [--seed S] [options]\n"
	"       sap-streamer send-file --to HOST --port N --file FILE [--head BYTES] [--keep FILE] [options]\n"
	"       --max-bytes BYTES            save streams up to this length; default: 1G\n"
	"options of send and send-file:\n"
	"       --mode precise|approximate   default: approximate\n"
	"       --every DURATION             interval between datagrams; default: as fast as possible\n"
	"       --payload BYTES              payload of a datagram; default: 1024\n"
	"       --window N                   up to N precise datagrams in flight, with congestion control;\n"
	"                                    default: one, with a fixed timeout, as in the paper\n"
	"       --buffer BYTES               SO_SNDBUF, which the kernel doubles; default: 8192\n"
	"       --give-up DURATION           give up after this long without an answer; default: 10s\n"
	"       --json                       print the report as JSON\n"
	"bytes: 4096, 10M (MiB), 10MB; durations: 5ms, 250us, 1.5s\n";

int main(int argc, char **argv)
{
	static const struct verb verbs[] = { { "send", verb_send }, { "send-file", verb_send_file }, { "receive", verb_receive } };

	program = "sap-streamer";
	return command_run(USAGE, verbs, sizeof(verbs) / sizeof(verbs[0]), argc, argv);
}

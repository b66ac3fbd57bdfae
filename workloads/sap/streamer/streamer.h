/* SPDX-License-Identifier: MIT */
/* The subcommands of sap-streamer. */
#ifndef STREAMER_H
#define STREAMER_H

int verb_send(int argc, char **argv);
int verb_send_file(int argc, char **argv);
int verb_receive(int argc, char **argv);

#endif

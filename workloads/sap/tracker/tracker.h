/* SPDX-License-Identifier: MIT */
/* The subcommands of sap-tracker. */
#ifndef TRACKER_H
#define TRACKER_H

int verb_send(int argc, char **argv);
int verb_receive(int argc, char **argv);
/* Prints the mean speed of a trace, as the reference. */
int verb_average(int argc, char **argv);

#endif

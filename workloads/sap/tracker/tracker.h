/* SPDX-License-Identifier: MIT */
/* The verbs of sap-tracker. */
#ifndef TRACKER_H
#define TRACKER_H

int verb_send(int argc, char **argv);
int verb_receive(int argc, char **argv);
/* The reference: the average speed of a trace itself. */
int verb_average(int argc, char **argv);

#endif

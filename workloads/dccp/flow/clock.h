/* SPDX-License-Identifier: MIT */
/* Time, waiting, and stopping on signals. All times are CLOCK_REALTIME, which all nodes share. */
#ifndef FLOW_CLOCK_H
#define FLOW_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define SECOND_NS UINT64_C(1000000000)

uint64_t now_ns(void);

/*
 * Waits end on time from now on. By default Linux lets them end 50 us late, to wake up less often: a slow processor of
 * 236 us for each packet would send a tenth less.
 */
void exact_timers(void);

/*
 * From now on SIGINT and SIGTERM do not kill the program, but end system calls that wait, with EINTR: at the latest a
 * second later.
 */
void stop_on_signals(void);
bool stop_asked(void);
/* Waiting waits again, until the next signal. */
void stop_forget(void);

/* Waits until at_ns, or until a signal. Returns the time after that. */
uint64_t wait_until(uint64_t at_ns);

/* Waits for events of poll(2) until at_ns, or until a signal; returns those that occurred. */
short wait_for(int fd, short events, uint64_t at_ns);

#endif

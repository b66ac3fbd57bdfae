/* SPDX-License-Identifier: MIT */
#include "clock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "fail.h"

static volatile sig_atomic_t stopping;

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / SECOND_NS), .tv_nsec = (long)(ns % SECOND_NS) };
}

uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

void exact_timers(void)
{
	if (prctl(PR_SET_TIMERSLACK, 1))
		fail_errno("timer slack");
}

/* A signal may come between reading the flag and a system call that then waits. So another one follows. */
static void on_signal(int number)
{
	(void)number;
	stopping = 1;
	alarm(1);
}

void stop_on_signals(void)
{
	const struct sigaction action = { .sa_handler = on_signal }; /* without SA_RESTART */

	if (sigaction(SIGINT, &action, NULL) || sigaction(SIGTERM, &action, NULL) || sigaction(SIGALRM, &action, NULL))
		fail_errno("signals");
}

bool stop_asked(void)
{
	return stopping;
}

void stop_forget(void)
{
	stopping = 0;
}

uint64_t wait_until(uint64_t at_ns)
{
	const struct timespec at = timespec_of(at_ns);

	while (!stopping && clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
	return now_ns();
}

short wait_for(int fd, short events, uint64_t at_ns)
{
	struct pollfd polled = { .fd = fd, .events = events };
	const uint64_t now = now_ns();
	const struct timespec left = timespec_of(at_ns > now ? at_ns - now : 0);
	const int ready = ppoll(&polled, 1, &left, NULL);

	if (ready < 0 && errno != EINTR)
		fail_errno("poll");
	return ready > 0 ? polled.revents : 0;
}

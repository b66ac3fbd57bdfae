// SPDX-License-Identifier: MIT
/*
 * What one system call of a guest program costs at least on this machine: a PTRACE_SYSEMU stop and the way back, as
 * User Mode Linux has two context switches for each. Prints microseconds.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef PTRACE_SYSEMU
#define PTRACE_SYSEMU 31
#endif
#define STOPS 100000

int main(void)
{
	struct timespec begin, end;
	int status, number;
	pid_t child = fork();

	if (child < 0)
		return 1;
	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		for (;;)
			syscall(SYS_getppid);
	}
	waitpid(child, &status, 0);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (number = 0; number < STOPS; number++) {
		ptrace(PTRACE_SYSEMU, child, 0, 0);
		waitpid(child, &status, 0);
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	kill(child, SIGKILL);
	printf("%.3f\n", ((end.tv_sec - begin.tv_sec) * 1e9 + (end.tv_nsec - begin.tv_nsec)) / STOPS / 1e3);
	return 0;
}

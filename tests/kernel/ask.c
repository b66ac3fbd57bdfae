// SPDX-License-Identifier: MIT
/*
 * The first and only program of a guest: prints what /proc/hostask does, then powers off. It tells the host "ready",
 * prints each line that the host answers with how long that took, and what comes after the last one.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <time.h>
#include <unistd.h>

#define PATH "/proc/hostask"

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static const char *outcome(ssize_t result)
{
	static char text[32];

	if (result < 0)
		return strerror(errno);
	snprintf(text, sizeof(text), "%zd", result);
	return text;
}

int main(void)
{
	static char block[20000];
	char *nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int64_t asked_ns;
	ssize_t length;
	int fd;

	mount("proc", "/proc", "proc", 0, NULL);
	fd = open(PATH, O_RDWR);
	if (fd < 0) {
		printf("ask: open: %s\n", strerror(errno));
		goto out;
	}
	printf("ask: again: %s\n", outcome(open(PATH, O_RDWR)));
	printf("ask: seek: %s\n", outcome(lseek(fd, 1, SEEK_SET)));
	printf("ask: poll: %s\n", outcome(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 0)));
	printf("ask: read nothing: %s\n", outcome(read(fd, block, 0)));
	printf("ask: write nothing: %s\n", outcome(write(fd, block, 0)));
	printf("ask: write from nowhere: %s\n", outcome(write(fd, nowhere, 10)));
	printf("ask: write much: %s\n", outcome(write(fd, block, sizeof(block))));
	printf("ask: write: %s\n", outcome(write(fd, "ready\n", 6)));
	printf("ask: read to nowhere: %s\n", outcome(read(fd, nowhere, 10)));
	for (;;) {
		asked_ns = now_ns();
		length = read(fd, block, sizeof(block));
		if (length <= 0)
			break;
		printf("ask: %.*s after %lld us\n", (int)strcspn(block, "\n"), block,
		       (long long)(now_ns() - asked_ns) / 1000);
		if (write(fd, "next\n", 5) != 5)
			printf("ask: next: %s\n", strerror(errno));
	}
	printf("ask: end: %s\n", outcome(length));
	printf("ask: write to nobody: %s\n", outcome(write(fd, "next\n", 5)));
	close(fd);
	printf("ask: open anew: %s\n", open(PATH, O_RDWR) < 0 ? strerror(errno) : "done");
out:
	fflush(stdout);
	reboot(RB_POWER_OFF);
}

// SPDX-License-Identifier: MIT
/*
 * The first and only program of a guest: prints the size and a checksum (FNV-1a) of each /dev/hostromN, and what
 * happens to a program that writes to it or reads beyond its end, then powers off.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <unistd.h>

static void look(int number)
{
	static unsigned char block[3000]; // neither a page nor a sector
	uint64_t sum = 0xcbf29ce484222325;
	long long size = 0;
	char path[32];
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/dev/hostrom%d", number);
	fd = open(path, O_RDONLY);
	if (fd < 0) {
		printf("rom: %d: %s\n", number, strerror(errno));
		return;
	}
	while ((length = read(fd, block, sizeof(block))) > 0) {
		size += length;
		for (ssize_t i = 0; i < length; i++)
			sum = (sum ^ block[i]) * 0x100000001b3;
	}
	printf("rom: %d: %lld bytes, %016llx, behind them %zd\n", number, size, (unsigned long long)sum,
	       pread(fd, block, 1, size));
	close(fd);
	fd = open(path, O_RDWR);
	length = fd < 0 ? -1 : write(fd, block, sizeof(block));
	if (length >= 0 && fsync(fd))
		length = -1;
	printf("rom: %d: write: %s\n", number, length < 0 ? strerror(errno) : "done");
}

int main(void)
{
	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	for (int number = 0; number < 17; number++)
		look(number);
	fflush(stdout);
	reboot(RB_POWER_OFF);
}

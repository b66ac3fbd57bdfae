// SPDX-License-Identifier: MIT
/*
 * The first and only program of a guest: prints what a program can see that ought to follow from lab.seed= alone, then
 * powers off.
 */

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void print_bytes(const char *name, const unsigned char *bytes, size_t count)
{
	printf("seen: %s ", name);
	for (size_t i = 0; i < count; i++)
		printf("%02x", bytes[i]);
	printf("\n");
}

static void print_device(const char *path)
{
	unsigned char bytes[16];
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, bytes, sizeof(bytes)) != sizeof(bytes))
		printf("seen: %s cannot be read\n", path);
	else
		print_bytes(path, bytes, sizeof(bytes));
	close(fd);
}

static void print_file(const char *path)
{
	char line[512];
	FILE *file = fopen(path, "r");

	while (file && fgets(line, sizeof(line), file))
		printf("seen: %s %s", path, line);
	if (file)
		fclose(file);
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		printf("seen: %s cannot be written\n", path);
	close(fd);
}

/* When the first program started, and the number of the next process. */
static void print_start(void)
{
	struct timespec now;
	pid_t child;

	clock_gettime(CLOCK_MONOTONIC, &now);
	printf("seen: start %lld ns\n", now.tv_sec * 1000000000LL + now.tv_nsec);
	fflush(stdout);
	child = fork();
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	printf("seen: child %d\n", child);
}

int main(void)
{
	const struct timespec two_minutes = { .tv_sec = 120 };
	unsigned char bytes[100];

	print_start();
	mkdir("/proc", 0755);
	mkdir("/dev", 0755);
	mount("proc", "/proc", "proc", 0, NULL);
	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);

	print_bytes("AT_RANDOM", (const unsigned char *)getauxval(AT_RANDOM), 16);
	for (int i = 0; i < 3; i++) {
		if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
			return 1;
		print_bytes("getrandom", bytes, sizeof(bytes));
	}
	/* neither writing to it nor time changes it */
	write_file("/dev/urandom", "something");
	nanosleep(&two_minutes, NULL);
	print_device("/dev/urandom");
	print_device("/dev/random");
	print_device("/dev/hwrng");
	print_file("/proc/sys/kernel/random/boot_id");
	print_file("/proc/sys/kernel/random/uuid");
	print_file("/proc/cpuinfo");
	print_file("/proc/meminfo");
	print_file("/proc/iomem");
	print_file("/proc/self/maps");
	fflush(stdout);
	sync();
	reboot(RB_POWER_OFF);
	return 1;
}

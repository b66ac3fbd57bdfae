// SPDX-License-Identifier: MIT
// The init of a test guest: prints what a program can learn about its processor, its kernel and their host.
// One line each, "NAME = VALUE"; a signal instead of a value if the program may not ask. Then "done".

#define _GNU_SOURCE
#include <cpuid.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define VSYSCALL_TIME 0xffffffffff600400
#define VSYSCALL_GETCPU 0xffffffffff600800
#define SELECTOR_OF_CPU_NUMBER 0x7b // GDT_ENTRY_CPUNODE of Linux on x86-64

static sigjmp_buf back;

static void on_fault(int signal)
{
	siglongjmp(back, signal);
}

#define ASK(name, ...)                                                \
	do {                                                          \
		volatile uint64_t value = 0;                          \
		int faulted = sigsetjmp(back, 1);                     \
		if (!faulted) {                                       \
			__VA_ARGS__;                                  \
			printf("%s = %#llx\n", name, (unsigned long long)value); \
		} else {                                              \
			printf("%s = signal %d\n", name, faulted);    \
		}                                                     \
	} while (0)

static uint64_t retried(uint64_t (*read)(unsigned char *there))
{
	unsigned char there = 0;
	uint64_t value = 0;

	for (int i = 0; i < 1000 && !there; i++)
		value = read(&there);
	return value;
}

static uint64_t rdrand(unsigned char *there)
{
	uint64_t value;

	asm volatile("rdrand %0; setc %1" : "=r"(value), "=qm"(*there) : : "cc");
	return value;
}

static uint64_t rdseed(unsigned char *there)
{
	uint64_t value;

	asm volatile("rdseed %0; setc %1" : "=r"(value), "=qm"(*there) : : "cc");
	return value;
}

static uint64_t in_registers(int register_number, int what)
{
	uint32_t low = 0, high = 0;

	if (what == 'x')
		asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(register_number));
	else if (what == 'm')
		asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(register_number));
	else if (what == 'u')
		asm volatile(".byte 0x0f, 0x01, 0xfd" : "=a"(low), "=d"(high) : "c"(register_number)); // rdpru
	else
		asm volatile(".byte 0x0f, 0x01, 0xee" : "=a"(low), "=d"(high) : "c"(register_number)); // rdpkru
	return (uint64_t)high << 32 | low;
}

static uint64_t hash(uint64_t before, const void *data, size_t length)
{
	for (const unsigned char *byte = data; length--; byte++)
		before = (before ^ *byte) * 0x100000001b3; // FNV-1a
	return before;
}

// Which processor it is, without what says on which of them the program runs.
static uint64_t cpuid_of_model(void)
{
	uint64_t found = 0;

	for (int part = 0; part < 3; part++) {
		uint32_t first = (uint32_t[]){0, 0x80000000, 0x40000000}[part], r[4] = {0};

		__cpuid(first, r[0], r[1], r[2], r[3]);
		for (uint32_t leaf = first, last = r[0]; leaf <= last && leaf < first + 0x40; leaf++)
			for (uint32_t below = 0; below < 8; below++) {
				__cpuid_count(leaf, below, r[0], r[1], r[2], r[3]);
				if (leaf == 1)
					r[1] &= 0x00ffffff;
				if (leaf == 0xb || leaf == 0x1f || leaf == 0x80000026)
					r[3] = 0;
				if (leaf == 0x8000001e)
					r[0] = r[1] = r[2] = 0;
				found = hash(found, r, sizeof(r));
			}
	}
	return found;
}

static uint64_t cpuid_of_place(void)
{
	uint32_t a, b, c, d;

	__cpuid(1, a, b, c, d);
	return b >> 24;
}

static uint64_t of_file(const char *path)
{
	static char text[1 << 20];
	int fd = open(path, O_RDONLY);
	uint64_t found = fd < 0 ? 0 : 1;
	ssize_t length;

	while (fd >= 0 && (length = read(fd, text, sizeof(text))) > 0)
		found = hash(found, text, length);
	if (fd >= 0)
		close(fd);
	return found;
}

struct __attribute__((packed)) table {
	uint16_t limit;
	uint64_t base;
};

static void instructions(void)
{
	struct table table = {0};

	ASK("rdrand", value = retried(rdrand));
	ASK("rdseed", value = retried(rdseed));
	ASK("rdpid", asm volatile("rdpid %0" : "=r"(value)));
	ASK("lsl of the processor's number", {
		uint32_t limit = 0;
		asm volatile("lsl %1, %0" : "+r"(limit) : "r"(SELECTOR_OF_CPU_NUMBER) : "cc");
		value = limit;
	});
	ASK("cpuid: model", value = cpuid_of_model());
	ASK("cpuid: number of the processor", value = cpuid_of_place());
	ASK("xgetbv 0", value = in_registers(0, 'x'));
	ASK("xgetbv 1", value = in_registers(1, 'x'));
	ASK("rdpmc", value = in_registers(0, 'm'));
	ASK("rdpru 0", value = in_registers(0, 'u'));
	ASK("rdpru 1", value = in_registers(1, 'u'));
	ASK("rdpkru", value = in_registers(0, 'k'));
	ASK("sgdt", asm volatile("sgdt %0" : "=m"(table)); value = table.base + table.limit);
	ASK("sidt", asm volatile("sidt %0" : "=m"(table)); value = table.base + table.limit);
	ASK("sldt", asm volatile("sldt %0" : "=r"(value)));
	ASK("str", asm volatile("str %0" : "=r"(value)));
	ASK("smsw", asm volatile("smsw %0" : "=r"(value)));
	ASK("rdfsbase", asm volatile("rdfsbase %0" : "=r"(value)));
	ASK("rdgsbase", asm volatile("rdgsbase %0" : "=r"(value)));
	ASK("stmxcsr", {
		uint32_t control;
		asm volatile("stmxcsr %0" : "=m"(control));
		value = control;
	});
	ASK("fstenv", {
		uint32_t environment[7];
		asm volatile("fnstenv %0; fldenv %0" : "+m"(environment));
		value = hash(0, environment, sizeof(environment));
	});
	ASK("vsyscall time", value = ((time_t(*)(time_t *))VSYSCALL_TIME)(NULL));
	ASK("vsyscall getcpu", {
		unsigned int number = 0;
		((long (*)(unsigned int *, void *, void *))VSYSCALL_GETCPU)(&number, NULL, NULL);
		value = number;
	});
	ASK("read of the vsyscall page", value = *(volatile uint64_t *)VSYSCALL_TIME);
}

static void kernel(void)
{
	static const unsigned long types[] = {
		AT_HWCAP, AT_HWCAP2, AT_PAGESZ, AT_CLKTCK, AT_FLAGS, AT_SECURE, AT_SYSINFO_EHDR, AT_MINSIGSTKSZ,
		AT_L1D_CACHESIZE, AT_L2_CACHESIZE, AT_L3_CACHESIZE, AT_BASE, AT_PHDR, AT_RANDOM,
	};
	static const char *const files[] = {
		"/proc/cpuinfo", "/proc/version", "/proc/self/maps", "/proc/self/environ", "/proc/meminfo",
		"/proc/stat", "/proc/interrupts", "/proc/softirqs", "/proc/vmstat", "/proc/iomem", "/proc/self/auxv",
		"/proc/self/limits", "/proc/kallsyms", "/proc/vmallocinfo", "/proc/zoneinfo", "/proc/buddyinfo",
	};
	struct utsname names = {0};
	struct timespec unit;
	unsigned int number;
	uint64_t bytes[2];

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		printf("auxiliary vector %lu = %#lx\n", types[i], getauxval(types[i]));
	memcpy(bytes, (void *)getauxval(AT_RANDOM), sizeof(bytes));
	printf("random bytes of a new program = %#llx\n", (unsigned long long)hash(0, bytes, sizeof(bytes)));
	printf("platform = %s\n", (char *)getauxval(AT_PLATFORM));
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		printf("%s = %#llx\n", files[i], (unsigned long long)of_file(files[i]));
	uname(&names);
	printf("uname = %#llx\n", (unsigned long long)hash(0, &names, sizeof(names)));
	syscall(SYS_getcpu, &number, NULL, NULL);
	printf("getcpu = %u\n", number);
	clock_getres(CLOCK_MONOTONIC, &unit);
	printf("resolution of the clock = %ld\n", unit.tv_nsec);
	syscall(SYS_getrandom, bytes, sizeof(bytes), 0);
	printf("getrandom = %#llx\n", (unsigned long long)hash(0, bytes, sizeof(bytes)));
	printf("addresses = %p %p %p\n", (void *)&names, sbrk(0),
	       mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	syscall(SYS_mount, "proc", "/proc", "proc", 0, NULL);
	for (const int *number = (int[]){SIGSEGV, SIGILL, SIGBUS, SIGTRAP, SIGFPE, SIGSYS, 0}; *number; number++)
		signal(*number, on_fault);
	kernel();
	instructions();
	puts("done");
	reboot(RB_POWER_OFF);
}

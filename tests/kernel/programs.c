// SPDX-License-Identifier: MIT
// The init of a test guest: does what programs do to their processor, and tells what of it came out right.
// One line each, "ok NAME" or "not ok NAME: why"; then "done".

#define _GNU_SOURCE
#include <cpuid.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define ROUNDS 200

static void verdict(const char *name, const char *why)
{
	if (why)
		printf("not ok %s: %s\n", name, why);
	else
		printf("ok %s\n", name);
}

// Vector registers

enum { LOW = 0, HIGH = 1, NONE = 2 };

static int avx512(void)
{
	unsigned int a, b = 0, c, d, xcr0;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return 0;
	asm volatile("xgetbv" : "=a"(xcr0) : "c"(0) : "edx");
	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX512VL) && (xcr0 & 0xe6) == 0xe6;
}

static uint64_t get(int which)
{
	uint64_t value = 0;

	if (which == LOW)
		asm volatile("movq %%xmm7, %0" : "=r"(value));
	else if (which == HIGH)
		asm volatile("vmovq %%xmm29, %0" : "=r"(value));
	return value;
}

static void put(int which, uint64_t value)
{
	if (which == LOW)
		asm volatile("movq %0, %%xmm7" : : "r"(value) : "xmm7");
	else if (which == HIGH)
		asm volatile("vmovq %0, %%xmm29" : : "r"(value));
}

// A system call that touches no register of ours.
static long raw(long number, long a, long b)
{
	long result;

	asm volatile("syscall" : "=a"(result) : "0"(number), "D"(a), "S"(b) : "rcx", "r11", "memory");
	return result;
}

static __thread uint64_t mine;
static int which_register;

static void *keeps_its_registers(void *argument)
{
	uint64_t value = (uintptr_t)argument;

	mine = value;
	put(which_register, value);
	for (int round = 0; round < ROUNDS; round++) {
		raw(SYS_sched_yield, 0, 0);
		if (get(which_register) != value || mine != value)
			return "another thread's";
	}
	return NULL;
}

static void threads(const char *name, int which)
{
	pthread_t others[4];
	void *why = NULL, *result;

	which_register = which;
	for (uintptr_t number = 0; number < 4; number++)
		if (pthread_create(&others[number], NULL, keeps_its_registers, (void *)(number + 1)))
			exit(2);
	for (int number = 0; number < 4; number++) {
		pthread_join(others[number], &result);
		if (result)
			why = result;
	}
	verdict(name, why);
}

static void child_has_its_parents_registers(const char *name, int which)
{
	int status;
	pid_t child;

	put(which, 4711);
	child = raw(SYS_fork, 0, 0);
	if (!child)
		raw(SYS_exit_group, get(which) != 4711, 0);
	put(which, 1);
	waitpid(child, &status, 0);
	verdict(name, status ? "the child's differ" : NULL);
}

// Faults

static volatile sig_atomic_t caught, caught_code;
static void *volatile caught_at;
static volatile int skip_bytes;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	caught = signal;
	caught_code = info->si_code;
	caught_at = info->si_addr;
	put(which_register, 99); // a handler may use every register
	uc->uc_mcontext.gregs[REG_RIP] += skip_bytes;
}

static void catch_faults(void)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

	for (const int *signal = (int[]){SIGSEGV, SIGILL, SIGFPE, SIGTRAP, SIGALRM, 0}; *signal; signal++)
		sigaction(*signal, &action, NULL);
}

static void fault(const char *name, int signal, int code, int bytes, void (*commit)(void), void *at)
{
	const char *why = NULL;

	caught = 0;
	skip_bytes = bytes;
	put(which_register, 4711);
	commit();
	if (get(which_register) != 4711)
		why = "the handler changed a vector register";
	else if (caught != signal)
		why = "another signal";
	else if (code && caught_code != code)
		why = "another si_code";
	else if (at && caught_at != at)
		why = "another si_addr";
	verdict(name, why);
}

static char *protected;

static void illegal(void) { asm volatile("ud2"); }
static void breakpoint(void) { asm volatile("int3"); }
static void divide(void) { asm volatile("xor %%ecx, %%ecx; mov $1, %%eax; cltd; idiv %%ecx" : : : "eax", "ecx", "edx"); }
static void store(void) { asm volatile("movb $1, (%0)" : : "a"(protected)); }

static void faults(int which)
{
	which_register = which;
	catch_faults();
	fault(which == HIGH ? "illegal-instruction-avx512" : "illegal-instruction", SIGILL, ILL_ILLOPN, 2, illegal, NULL);
	fault(which == HIGH ? "breakpoint-avx512" : "breakpoint", SIGTRAP, 0, 0, breakpoint, NULL);
	fault(which == HIGH ? "division-by-zero-avx512" : "division-by-zero", SIGFPE, FPE_INTDIV, 2, divide, NULL);
	protected = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	fault(which == HIGH ? "store-to-read-only-avx512" : "store-to-read-only", SIGSEGV, SEGV_ACCERR, 3, store,
	      protected);
	munmap(protected, 4096);
	fault(which == HIGH ? "store-to-nothing-avx512" : "store-to-nothing", SIGSEGV, SEGV_MAPERR, 3, store, protected);
}

static void page_faults_keep_registers(void)
{
	enum { PAGES = 8000 }; // 500 faults: each provides 16 pages
	char *memory = mmap(NULL, PAGES * 4096L, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const char *why = NULL;
	uint64_t seen;

	for (int page = 0; page < PAGES; page++) {
		asm volatile("movq %1, %%xmm7; mov %1, %%r12; movb $7, (%2); movq %%xmm7, %0; xor %%r12, %0"
			     : "=&r"(seen)
			     : "r"((uint64_t)page), "r"(memory + page * 4096L)
			     : "xmm7", "r12", "memory");
		if (seen || memory[page * 4096L] != 7)
			why = "a register changed";
	}
	munmap(memory, PAGES * 4096L);
	verdict("page-faults-keep-registers", why);
}

static void system_calls_keep_registers(void)
{
	uint64_t differ;

	asm volatile("mov $1, %%rbx; mov $2, %%rdx; mov $3, %%r8; mov $4, %%r9; mov $5, %%r10; mov $6, %%r12\n\t"
		     "mov $7, %%r13; mov $8, %%r14; mov $9, %%r15; mov $10, %%rdi; mov $11, %%rsi\n\t"
		     "mov %1, %%eax; syscall\n\t"
		     "shl $0, %%rbx; xor $1, %%rbx; xor $2, %%rdx; xor $3, %%r8; xor $4, %%r9; xor $5, %%r10\n\t"
		     "xor $6, %%r12; xor $7, %%r13; xor $8, %%r14; xor $9, %%r15; xor $10, %%rdi; xor $11, %%rsi\n\t"
		     "or %%rdx, %%rbx; or %%r8, %%rbx; or %%r9, %%rbx; or %%r10, %%rbx; or %%r12, %%rbx\n\t"
		     "or %%r13, %%rbx; or %%r14, %%rbx; or %%r15, %%rbx; or %%rdi, %%rbx; or %%rsi, %%rbx\n\t"
		     "mov %%rbx, %0"
		     : "=m"(differ)
		     : "i"(SYS_getppid)
		     : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
		       "memory");
	verdict("system-calls-keep-registers", differ ? "a register changed" : NULL);
}

static void interrupted_call(void)
{
	struct itimerval timer = {.it_value.tv_usec = 1000};
	struct timespec long_time = {.tv_sec = 10};
	const char *why = NULL;

	caught = skip_bytes = 0;
	setitimer(ITIMER_REAL, &timer, NULL);
	if (nanosleep(&long_time, &long_time) != -1 || errno != EINTR || caught != SIGALRM)
		why = "nanosleep was not interrupted";
	else if (long_time.tv_sec != 9)
		why = "the rest is wrong";
	verdict("interrupted-call", why);
}

// Tracing

static void traced(void)
{
	struct user_regs_struct regs;
	struct user_fpregs_struct fp;
	int status, steps = 0;
	const char *why = NULL;
	pid_t child = fork();

	if (!child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raw(SYS_kill, getpid(), SIGSTOP);
		asm volatile("movq %0, %%xmm7\n\tmov $3, %%ecx\n1:\tdec %%ecx\n\tjnz 1b\n\tint3" : : "r"(4711L) : "ecx", "xmm7");
		raw(SYS_exit_group, get(LOW) != 815, 0);
	}
	waitpid(child, &status, 0);
	do {
		ptrace(PTRACE_SINGLESTEP, child, 0, 0);
		waitpid(child, &status, 0);
		ptrace(PTRACE_GETREGS, child, 0, &regs);
	} while (WIFSTOPPED(status) && ++steps < 200 && (ptrace(PTRACE_PEEKTEXT, child, regs.rip, 0) & 0xff) != 0xcc);
	if (steps < 8 || steps >= 200)
		why = "single steps went astray";
	ptrace(PTRACE_GETFPREGS, child, 0, &fp);
	if (!why && fp.xmm_space[7 * 4] != 4711)
		why = "a wrong vector register was read";
	fp.xmm_space[7 * 4] = 815;
	ptrace(PTRACE_SETFPREGS, child, 0, &fp);
	ptrace(PTRACE_CONT, child, 0, 0); // into int3
	waitpid(child, &status, 0);
	if (!why && (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP))
		why = "no stop at the breakpoint";
	ptrace(PTRACE_CONT, child, 0, 0);
	waitpid(child, &status, 0);
	if (!why && status)
		why = "the vector register that was set did not arrive";
	verdict("traced", why);
}

// The clock

static int64_t ns(struct timespec time) { return time.tv_sec * 1000000000LL + time.tv_nsec; }

static int64_t read_clock(clockid_t clock, int by_call)
{
	struct timespec time;

	if (by_call)
		raw(SYS_clock_gettime, clock, (long)&time);
	else
		clock_gettime(clock, &time);
	return ns(time);
}

static void clocks_agree(const char *name, clockid_t clock)
{
	int64_t last = read_clock(clock, 1);
	const char *why = NULL;

	for (int round = 0; round < 500; round++) {
		int64_t now = read_clock(clock, round % 7 == 0 || round % 50 == 1);

		// each read costs a cycle of 256 ns, and nothing else does
		if (now - last < 255 || now - last > 257)
			why = "a read did not take one cycle";
		last = now;
	}
	verdict(name, why);
}

static void waiting_for_the_clock_ends(void)
{
	int64_t end = read_clock(CLOCK_MONOTONIC, 0) + 3000000;
	struct itimerval timer = {.it_value.tv_usec = 1000};
	struct timeval day;
	int64_t seconds;

	caught = skip_bytes = 0;
	setitimer(ITIMER_REAL, &timer, NULL);
	while (read_clock(CLOCK_MONOTONIC, 0) < end)
		;
	verdict("timers-fire-while-a-program-reads-the-clock", caught == SIGALRM ? NULL : "no signal");

	gettimeofday(&day, NULL);
	seconds = read_clock(CLOCK_REALTIME, 0) / 1000000000;
	verdict("time-of-day", day.tv_sec == seconds && time(NULL) == seconds ? NULL : "clocks differ");
}

// The time-stamp counter: nanoseconds of virtual time

static int64_t read_counter(uint32_t *processor)
{
	uint32_t low, high, aux = 0;

	if (processor)
		asm volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(aux));
	else
		asm volatile("rdtsc" : "=a"(low), "=d"(high));
	if (processor)
		*processor = aux;
	return ((int64_t)high << 32) | low;
}

static void with_prefix(void) { asm volatile("rex.w rdtsc" : : : "rax", "rdx"); }

static void time_stamp_counter(void)
{
	const struct timespec pause = {.tv_nsec = 10000000};
	int64_t before = read_counter(NULL), slept, raw;
	const char *why = NULL;
	uint32_t processor;

	nanosleep(&pause, NULL);
	slept = read_counter(&processor) - before;
	raw = read_clock(CLOCK_MONOTONIC_RAW, 1) - read_counter(NULL);
	if (slept < pause.tv_nsec || slept > pause.tv_nsec + 100000)
		why = "it does not count nanoseconds of virtual time";
	else if (raw > 0 || raw < -100000)
		why = "it does not begin with the guest";
	else if (processor)
		why = "RDTSCP: another processor than 0";
	printf("the counter: %lld\n", (long long)before);
	verdict("time-stamp-counter", why);
	for (int64_t end = read_counter(NULL) + 1000000; read_counter(NULL) < end;)
		;
	verdict("waiting-for-the-counter-ends", NULL);
	which_register = LOW;
	catch_faults();
	fault("no-other-way-to-the-counter", SIGSEGV, 0, 3, with_prefix, NULL);
}

// The kernel's pages in a program: one to read (hwsim-patches: um_vvar.h), and those it shares with the stub

static uint64_t *find_vvar(void)
{
	char line[256];
	uint64_t *vvar = NULL;
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "[vvar]") && strstr(line, "r--p"))
			vvar = (uint64_t *)strtoull(line, NULL, 16);
	if (maps)
		fclose(maps);
	return vvar;
}

static void the_kernels_pages(void)
{
	uint64_t *vvar = find_vvar();
	volatile uint32_t *reads;
	const char *why = NULL;
	int status = -1;
	pid_t child;

	if (!vvar || !vvar[1]) {
		verdict("the-vdso-counts-reads", "there is no [vvar] to read");
		return;
	}
	reads = (volatile uint32_t *)vvar[1];
	raw(SYS_getppid, 0, 0);
	for (uint32_t count = 1; count <= 32; count++) {
		read_clock(CLOCK_MONOTONIC, 0);
		if (*reads != count)
			why = "a read was not counted: it was a system call";
	}
	read_clock(CLOCK_MONOTONIC, 0);
	if (*reads != 0)
		why = "after 32 reads the kernel was not asked";
	verdict("the-vdso-counts-reads", why);

	child = fork();
	if (!child) {
		uint64_t *page = (uint64_t *)((uintptr_t)reads & ~0x3fffUL); // STUB_DATA_PAGES

		for (int word = 0; word < 4 * 512; word++)
			page[word] = 0x5a5a5a5a5a5a5a5a;
		read_clock(CLOCK_MONOTONIC, 0);
		for (int round = 0; round < 10; round++)
			raw(SYS_getppid, 0, 0);
		raw(SYS_exit_group, 0, 0);
	}
	waitpid(child, &status, 0);
	verdict("a-program-that-writes-to-the-kernels-pages-harms-itself",
		status == 0 || WIFSIGNALED(status) ? NULL : "neither ended nor killed");
}

// Where the kernel enters the program (-e entry): before the C library has used a register.
uint64_t xmm7_at_entry;
uint32_t mxcsr_at_entry;
asm(".globl entry\nentry: movq %xmm7, xmm7_at_entry(%rip)\n\tstmxcsr mxcsr_at_entry(%rip)\n\tjmp _start");

static void a_new_program_starts_clean(void)
{
	int status;

	if (!fork()) {
		uint32_t mxcsr = 0x7f80;

		asm volatile("ldmxcsr %0" : : "m"(mxcsr));
		put(LOW, 4711);
		execl("/init", "init", "fresh", NULL);
		_exit(2);
	}
	wait(&status);
	verdict("a-new-program-starts-clean", status ? "registers are left from the old" : NULL);
}

__attribute__((constructor)) static void early(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "fresh"))
		_exit(xmm7_at_entry != 0 || mxcsr_at_entry != 0x1f80);
}

// Memory that is provided ahead of its use

#define PAGE 4096
#define WINDOW 16 // pages: 64 KiB
#define PAGES (3 * WINDOW)

// New memory that begins where a window does.
static unsigned char *window(int flags)
{
	size_t length = (PAGES + WINDOW) * PAGE;
	char *at = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
	return (unsigned char *)(((uintptr_t)at + WINDOW * PAGE - 1) / (WINDOW * PAGE) * (WINDOW * PAGE));
}

// Whether exactly the pages from first to last are there.
static int there(unsigned char *at, int first, int last)
{
	unsigned char resident[PAGES];

	if (mincore(at, sizeof(resident) * PAGE, resident))
		return 0;
	for (int page = 0; page < PAGES; page++)
		if ((resident[page] & 1) != (page >= first && page <= last))
			return 0;
	return 1;
}

static const char *a_run_provides_the_rest_of_its_window(void)
{
	unsigned char *at = window(MAP_PRIVATE);

	if (!at || !there(at, PAGES, PAGES))
		return "no new memory";
	at[(WINDOW + 2) * PAGE] = 1;
	at[(WINDOW + 3) * PAGE + 5] = 1;
	if (!there(at, WINDOW + 2, 2 * WINDOW - 1))
		return "other pages are there";
	for (int byte = (WINDOW + 3) * PAGE; byte < PAGES * PAGE; byte++)
		if (at[byte] != (byte == (WINDOW + 3) * PAGE + 5))
			return "it is not zero";
	return NULL;
}

static const char *a_write_far_from_others_provides_one_page(void)
{
	unsigned char *at = window(MAP_PRIVATE);

	if (!at)
		return "no memory";
	at[(WINDOW + 2) * PAGE] = 1;
	return there(at, WINDOW + 2, WINDOW + 2) ? NULL : "other pages are there";
}

static const char *the_first_page_is_a_run(void)
{
	char *at = mmap(NULL, (PAGES + WINDOW) * PAGE, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
	unsigned char resident[2];

	// The area behind a hole is one of its own.
	if (at == MAP_FAILED || munmap(at, PAGE))
		return "no memory";
	at += PAGE;
	if (!(((uintptr_t)at / PAGE + 1) % WINDOW))
		at += PAGE, munmap(at - PAGE, PAGE);
	*at = 1;
	if (mincore(at, sizeof(resident) * PAGE, resident))
		return "mincore failed";
	return resident[1] & 1 ? NULL : "the second page is not there";
}

static const char *it_ends_with_its_area(void)
{
	unsigned char *at = window(MAP_PRIVATE);

	if (!at || mprotect(at + 7 * PAGE, 2 * PAGE, PROT_READ))
		return "no memory";
	at[3 * PAGE] = 1;
	at[4 * PAGE] = 1;
	return there(at, 3, 6) ? NULL : "other pages are there";
}

static const char *reads_provide_nothing_ahead(void)
{
	unsigned char *at = window(MAP_PRIVATE);

	if (!at || ((volatile unsigned char *)at)[3 * PAGE] || ((volatile unsigned char *)at)[4 * PAGE])
		return "no memory";
	return there(at, 3, 4) ? NULL : "other pages are there";
}

static const char *shared_memory_is_not_provided(void)
{
	unsigned char *at = window(MAP_SHARED);

	if (!at)
		return "no memory";
	at[3 * PAGE] = 1;
	at[4 * PAGE] = 1;
	return there(at, 3, 4) ? NULL : "other pages are there";
}

static const char *children_have_copies(void)
{
	unsigned char *at = window(MAP_PRIVATE);
	int status = -1;
	pid_t child;

	if (!at)
		return "no memory";
	at[0] = 1;
	at[PAGE] = 1;
	child = fork();
	if (!child) {
		at[2 * PAGE] = 2; // provided, not written to
		at[3 * PAGE] = 3;
		_exit(at[0] != 1 || at[PAGE] != 1);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		return "the child lacks what its parent wrote";
	return at[2 * PAGE] || at[3 * PAGE] ? "the child wrote into its parent" : NULL;
}

static void memory_ahead(void)
{
	verdict("a-run-provides-the-rest-of-its-window", a_run_provides_the_rest_of_its_window());
	verdict("a-write-far-from-others-provides-one-page", a_write_far_from_others_provides_one_page());
	verdict("the-first-page-of-an-area-is-a-run", the_first_page_is_a_run());
	verdict("it-ends-with-its-area", it_ends_with_its_area());
	verdict("reads-provide-nothing-ahead", reads_provide_nothing_ahead());
	verdict("shared-memory-is-not-provided-ahead", shared_memory_is_not_provided());
	verdict("children-have-copies-of-what-was-provided", children_have_copies());
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1 && !strcmp(argv[1], "spin")) {
		puts("spinning");
		for (;;)
			;
	}
	syscall(SYS_mount, "proc", "/proc", "proc", 0, NULL);
	system_calls_keep_registers();
	page_faults_keep_registers();
	memory_ahead();
	threads("threads", LOW);
	child_has_its_parents_registers("fork", LOW);
	faults(LOW);
	if (avx512()) {
		threads("threads-avx512", HIGH);
		child_has_its_parents_registers("fork-avx512", HIGH);
		faults(HIGH);
	}
	which_register = NONE;
	interrupted_call();
	traced();
	a_new_program_starts_clean();
	clocks_agree("monotonic-clock", CLOCK_MONOTONIC);
	clocks_agree("real-clock", CLOCK_REALTIME);
	clocks_agree("raw-clock", CLOCK_MONOTONIC_RAW);
	waiting_for_the_clock_ends();
	time_stamp_counter();
	the_kernels_pages();
	puts("done");
	reboot(RB_POWER_OFF);
}

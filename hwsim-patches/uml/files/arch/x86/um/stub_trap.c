// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stub's side of stub-trap.h. It runs in the host process of a guest's address
 * space, from a page copied out of the kernel: no data, no library, and whatever it
 * calls must be inlined.
 */

#include <stddef.h>
#include <asm/prctl.h>
#include <asm/unistd.h>
#include <linux/futex.h>
#include <sys/ucontext.h>
#include <sysdep/stub.h>
#include <stub-syscalls.h>

#define STUB_TEXT __section(".__syscall_stub")

static __always_inline void wait_for_turn(struct stub_trap *trap)
{
	__atomic_store_n(&trap->turn, STUB_TURN_KERNEL, __ATOMIC_RELEASE);
	stub_syscall3(__NR_futex, (long)&trap->turn, FUTEX_WAKE, 1);
	while (__atomic_load_n(&trap->turn, __ATOMIC_ACQUIRE) == STUB_TURN_KERNEL)
		stub_syscall4(__NR_futex, (long)&trap->turn, FUTEX_WAIT, STUB_TURN_KERNEL, 0);
}

static __always_inline void save_bases(struct stub_trap *trap)
{
	if (!trap->fsgsbase)
		return; /* without the instructions nobody but the kernel changes them */
	asm volatile("rdfsbase %0" : "=r" (trap->fs_base));
	asm volatile("rdgsbase %0" : "=r" (trap->gs_base));
}

static __always_inline void restore_bases(struct stub_trap *trap)
{
	if (trap->fsgsbase) {
		asm volatile("wrfsbase %0" : : "r" (trap->fs_base));
		asm volatile("wrgsbase %0" : : "r" (trap->gs_base));
		return;
	}
	if (trap->host_fs_base != trap->fs_base) {
		stub_syscall2(__NR_arch_prctl, ARCH_SET_FS, trap->fs_base);
		trap->host_fs_base = trap->fs_base;
	}
	if (trap->host_gs_base != trap->gs_base) {
		stub_syscall2(__NR_arch_prctl, ARCH_SET_GS, trap->gs_base);
		trap->host_gs_base = trap->gs_base;
	}
}

/* Takes the place of a return, which would need an address in the stub's memory. */
static __always_inline void return_from_signal(void *ucontext)
{
	asm volatile("mov %0, %%rsp\n\t"
		     "mov %1, %%eax\n\t"
		     "syscall"
		     : : "r" (ucontext), "i" (__NR_rt_sigreturn) : "memory");
	__builtin_unreachable();
}

void STUB_TEXT stub_trap_handler(int sig, void *info, void *ucontext)
{
	struct stub_data *d = get_stub_data();
	struct stub_trap *trap = &d->trap;
	ucontext_t *uc = ucontext;

	trap->signal = sig;
	trap->info_offset = (unsigned long)info - (unsigned long)d;
	trap->mcontext_offset = (unsigned long)&uc->uc_mcontext - (unsigned long)d;
	save_bases(trap);

	do {
		wait_for_turn(trap);
	} while (syscall_handler(d) || !trap->resume);

	restore_bases(trap);
	return_from_signal(uc);
}

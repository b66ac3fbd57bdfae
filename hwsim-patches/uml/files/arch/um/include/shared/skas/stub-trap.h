/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Guest user space that hands over to the kernel by signals, not by ptrace.
 *
 * Each address space of the guest has a host process, its stub. Under ptrace a
 * system call of the guest costs the host seven system calls and two switches
 * between processes, a page fault more than twice that. Here the stub catches its
 * own system calls (a seccomp filter raises SIGSYS) and faults. The signal's frame
 * lies in memory that the kernel shares, so the kernel finds every register there,
 * changes them in place, and gives the turn back: a futex each way. What the kernel
 * wants mapped the stub maps in the same turn, before it returns from the signal.
 *
 * The stub's pages can be written by the guest's program, as they could before:
 * whatever is read from them is checked.
 */
#ifndef __STUB_TRAP_H
#define __STUB_TRAP_H

#ifndef __ASSEMBLY__

/* Whose turn it is: the futex that both sides wait on. */
enum stub_turn {
	STUB_TURN_STUB,
	STUB_TURN_KERNEL,
};

/**
 * struct stub_trap - what kernel and stub tell each other, in the stub's data page
 * @turn: enum stub_turn; whoever has it may touch the rest
 * @resume: kernel to stub: return to the guest's program once everything is mapped;
 *	else report back
 * @fsgsbase: kernel to stub: the host lets user space use WRFSBASE
 * @signal: stub to kernel: the signal that stopped the guest's program
 * @info_offset: stub to kernel: its siginfo_t, in bytes from the stub's data
 * @mcontext_offset: stub to kernel: its mcontext_t, in bytes from the stub's data
 * @fs_base: both ways: segment base of the guest's program, not in a signal frame
 * @gs_base: both ways: likewise
 * @host_fs_base: stub only: what the host has, where it lacks WRFSBASE
 * @host_gs_base: stub only: likewise
 */
struct stub_trap {
	int turn;
	int resume;
	int fsgsbase;
	int signal;
	unsigned int info_offset;
	unsigned int mcontext_offset;
	unsigned long fs_base;
	unsigned long gs_base;
	unsigned long host_fs_base;
	unsigned long host_gs_base;
};

struct mm_id;
struct stub_data;
struct uml_pt_regs;

#ifdef __x86_64__

extern int stub_trap_enabled;
extern char __syscall_stub_start[];

static inline int stub_trap_active(void)
{
	return stub_trap_enabled;
}

/* Early in the boot: use it if the host can and the command line lets us. */
void stub_trap_probe(void);

/*
 * Start the stub of a new address space; stub_stack is the kernel's address of its
 * data pages. Returns its host pid or a negative error.
 */
int stub_trap_start(unsigned long stub_stack);

/* Have the stub map and unmap what is queued. Returns 0 or a negative error. */
int stub_trap_flush(struct mm_id *mm_idp);

/* Run the guest's program for ever; regs are those of the current task. */
void stub_trap_userspace(struct uml_pt_regs *regs);

/*
 * Registers out of and into a signal frame in the stub's data pages. The frame's
 * floating point state lies at fp, fp_bytes of it within the pages.
 */
void stub_trap_get_regs(struct uml_pt_regs *regs, const void *mcontext,
			const void *fp, unsigned long fp_bytes);
void stub_trap_put_regs(const struct uml_pt_regs *regs, void *mcontext,
			void *fp, unsigned long fp_bytes, int singlestep);
unsigned long stub_trap_fp_address(const void *mcontext);

/* In the stub's code page */
void stub_trap_handler(int sig, void *info, void *ucontext);

#else

static inline int stub_trap_active(void)
{
	return 0;
}

static inline void stub_trap_probe(void) {}

static inline int stub_trap_start(unsigned long stub_stack)
{
	return -1;
}

static inline int stub_trap_flush(struct mm_id *mm_idp)
{
	return -1;
}

static inline void stub_trap_userspace(struct uml_pt_regs *regs) {}

#endif /* __x86_64__ */
#endif /* __ASSEMBLY__ */
#endif /* __STUB_TRAP_H */

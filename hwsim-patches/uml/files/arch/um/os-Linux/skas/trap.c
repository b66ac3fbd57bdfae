// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's side of stub-trap.h.
 *
 * Nothing here needs a lock: UML has one processor, and a stub runs only between the
 * kernel's giving it the turn and its giving it back.
 */

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <asm/prctl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <sys/wait.h>
#include <as-layout.h>
#include <init.h>
#include <kern_util.h>
#include <mem.h>
#include <mem_user.h>
#include <os.h>
#include <ptrace_user.h>
#include <registers.h>
#include <skas.h>
#include <stub-data.h>
#include <timetravel.h>
#include <vdso-clock.h>
#include "../internal.h"

#define HOST_HWCAP2_FSGSBASE 2 /* AT_HWCAP2 of the host */
#define STUB_CHECK_SECONDS 1
#define MAX_HOST_ERRNO 4096
#define stub_err(...) _printk(UM_KERN_ERR __VA_ARGS__)

int stub_trap_enabled;
static int stub_trap_wanted = 1;
static int stub_trap_required;

static int __init stub_trap_setup(char *line, int *add)
{
	*add = 0;
	if (!strcmp(line, "off")) {
		stub_trap_wanted = 0;
	} else if (!strcmp(line, "on")) {
		stub_trap_required = 1;
	} else if (strcmp(line, "auto")) {
		os_warn("seccomp=%s is none of on, off, auto\n", line);
		return 1;
	}
	return 0;
}

__uml_setup("seccomp=", stub_trap_setup,
	    "seccomp=<on|off|auto>\n"
	    "    How a guest's programs hand over to the kernel: by a seccomp filter\n"
	    "    and signals (on), by ptrace (off), or by whichever the host allows\n"
	    "    (auto, which is the default). The first is several times faster.\n\n"
	    );

static long futex(int *word, int op, int value, const struct timespec *timeout)
{
	return syscall(__NR_futex, word, op, value, timeout, NULL, 0);
}

static int load_turn(struct stub_trap *trap)
{
	return __atomic_load_n(&trap->turn, __ATOMIC_ACQUIRE);
}

static struct stub_data *data_of(struct mm_id *mm_idp)
{
	return (struct stub_data *)mm_idp->stack;
}

/* Without reaping it: whoever destroys the address space does that. */
static int has_ended(int pid)
{
	siginfo_t info = {};

	if (waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 &&
	    info.si_pid != pid)
		return 0;
	stub_err("stub %d ended (%s %d)\n", pid,
		 info.si_code == CLD_EXITED ? "exit status" : "signal", info.si_status);
	return 1;
}

/* Wait until the stub gives the turn back: 0, or -ESRCH if it died. */
static int wait_for_stub(struct stub_trap *trap, int pid)
{
	const struct timespec check = { .tv_sec = STUB_CHECK_SECONDS };

	while (load_turn(trap) != STUB_TURN_KERNEL) {
		if (futex(&trap->turn, FUTEX_WAIT, STUB_TURN_STUB, &check) == 0)
			continue;
		if (errno == ETIMEDOUT && has_ended(pid))
			return -ESRCH;
	}
	return 0;
}

static int give_turn(struct mm_id *mm_idp, int resume)
{
	struct stub_data *d = data_of(mm_idp);
	struct stub_trap *trap = &d->trap;
	int err;

	d->syscall_data_len = mm_idp->syscall_data_len;
	d->err = 0;
	trap->resume = resume;
	__atomic_store_n(&trap->turn, STUB_TURN_STUB, __ATOMIC_RELEASE);
	futex(&trap->turn, FUTEX_WAKE, 1, NULL);
	err = wait_for_stub(trap, mm_idp->pid);
	if (err || !d->err)
		return err;
	/* The host's errors are small; the guest's program can write others. */
	return d->err < 0 && d->err > -MAX_HOST_ERRNO ? d->err : -EINVAL;
}

int stub_trap_flush(struct mm_id *mm_idp)
{
	return give_turn(mm_idp, 0);
}

/**
 * struct frame - where the host put a signal's frame, in the kernel's addresses
 * @mcontext: general registers
 * @info: siginfo_t
 * @fp: floating point state
 * @fp_bytes: of it, up to the end of the stub's pages; 0 if there is none
 */
struct frame {
	void *mcontext;
	void *info;
	void *fp;
	unsigned long fp_bytes;
};

/* The guest's program can write to the stub's pages: trust no offset. */
static int find_frame(struct stub_data *d, struct frame *frame)
{
	const unsigned long start = offsetof(struct stub_data, sigstack);
	const unsigned long end = sizeof(*d);
	unsigned long mcontext = d->trap.mcontext_offset;
	unsigned long info = d->trap.info_offset;
	unsigned long fp;

	if (mcontext < start || mcontext > end - sizeof(mcontext_t) || mcontext % 8 ||
	    info < start || info > end - sizeof(siginfo_t) || info % 8)
		return -EINVAL;

	frame->mcontext = (char *)d + mcontext;
	frame->info = (char *)d + info;
	fp = stub_trap_fp_address(frame->mcontext);
	if (!fp) {
		frame->fp = NULL;
		frame->fp_bytes = 0;
		return 0;
	}
	if (fp < STUB_DATA + start || fp >= STUB_DATA + end || fp % 8)
		return -EINVAL;
	frame->fp = (char *)d + (fp - STUB_DATA);
	frame->fp_bytes = STUB_DATA + end - fp;
	return 0;
}

/* Run the guest's program until it stops: the signal that stopped it, or an error. */
static int run(struct mm_id *mm_idp, struct uml_pt_regs *regs, siginfo_t *info)
{
	struct stub_data *d = data_of(mm_idp);
	struct frame frame;
	int err, sig;

	/* What failed before has no room for more. */
	if (mm_idp->syscall_data_len < 0) {
		err = mm_idp->syscall_data_len;
		mm_idp->syscall_data_len = 0;
		return err;
	}

	err = find_frame(d, &frame);
	if (err)
		return err;
	stub_trap_put_regs(regs, frame.mcontext, frame.fp, frame.fp_bytes, singlestepping());
	d->trap.fs_base = regs->gp[FS_BASE / sizeof(unsigned long)];
	d->trap.gs_base = regs->gp[GS_BASE / sizeof(unsigned long)];

	err = give_turn(mm_idp, 1);
	mm_idp->syscall_data_len = 0;
	if (err)
		return err;

	err = find_frame(d, &frame);
	if (err)
		return err;
	stub_trap_get_regs(regs, frame.mcontext, frame.fp, frame.fp_bytes);
	regs->gp[FS_BASE / sizeof(unsigned long)] = d->trap.fs_base;
	regs->gp[GS_BASE / sizeof(unsigned long)] = d->trap.gs_base;

	sig = d->trap.signal;
	if (sig != SIGSEGV)
		memcpy(info, frame.info, sizeof(*info));
	regs->gp[HOST_ORIG_AX] = sig == SIGSYS ? (long)info->si_syscall : -1L;
	return sig;
}

void stub_trap_userspace(struct uml_pt_regs *regs)
{
	siginfo_t info;
	int sig;

	while (1) {
		time_travel_print_bc_msg();
		current_mm_sync();

		vdso_clock_leave();
		sig = run(current_mm_id(), regs, &info);
		if (sig < 0) {
			if (sig == -ENOMEM)
				report_enomem();
			stub_err("%s : the stub failed, errno = %d\n",
				 __func__, -sig);
			fatal_sigsegv();
		}

		regs->is_user = 1;
		UPT_SYSCALL_NR(regs) = -1; /* unless it is one */
		vdso_clock_enter();

		switch (sig) {
		case SIGSYS:
			handle_syscall(regs);
			break;
		case SIGSEGV:
			(*sig_info[SIGSEGV])(SIGSEGV, (struct siginfo *)&info, regs);
			break;
		case SIGALRM: /* the timer wants the kernel to have a look */
			break;
		case SIGTRAP:
			relay_signal(SIGTRAP, (struct siginfo *)&info, regs);
			break;
		case SIGILL:
		case SIGBUS:
		case SIGFPE:
			block_signals_trace();
			(*sig_info[sig])(sig, (struct siginfo *)&info, regs);
			unblock_signals_trace();
			break;
		default:
			stub_err("%s : stub stopped with signal %d\n",
				 __func__, sig);
			fatal_sigsegv();
		}
		interrupt_end();

		/* The host shall not restart a system call that was the guest's. */
		PT_SYSCALL_NR(regs->gp) = -1;
	}
}

static int install_filter(void)
{
	const unsigned int high = STUB_CODE >> 32, low = (unsigned int)STUB_CODE;
	const unsigned int ip = offsetof(struct seccomp_data, instruction_pointer);
	const unsigned int nr = offsetof(struct seccomp_data, nr);
	const unsigned int arch = offsetof(struct seccomp_data, arch);
	const unsigned int first = offsetof(struct seccomp_data, args[0]);
	/*
	 * Only the stub's own code makes system calls, and only those that it needs. But
	 * its page can be made writable: the calls of 32-bit programs have other numbers.
	 */
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ip + 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, high, 0, 15),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ip),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, low + UM_KERN_PAGE_SIZE, 13, 0),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, low, 0, 12),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 10),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, nr),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_futex, 9, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_rt_sigreturn, 8, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mmap, 7, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_munmap, 6, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mprotect, 5, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_arch_prctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, first),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH_SET_FS, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH_SET_GS, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
		.len = ARRAY_SIZE(filter),
		.filter = filter,
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	/* The guest's programs run as fast as the host's; hosts before 4.17 know no flag. */
	if (!syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
		     &program))
		return 0;
	if (!syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
		return 0;
	return -errno;
}

static const int stub_signals[] = {
	SIGSYS, SIGSEGV, SIGTRAP, SIGILL, SIGBUS, SIGFPE, SIGALRM,
};

static void *map_stub(unsigned long at, void *kernel_address, unsigned long size,
		      int prot, int flags)
{
	unsigned long long offset;
	int fd = phys_mapping(uml_to_phys(kernel_address), &offset);

	return mmap64((void *)at, size, prot, MAP_FIXED | flags, fd, offset);
}

/* A stub maps the guest's memory and, with iomem=, more: it keeps no other file of the kernel. */
static void close_files(void *stub_stack)
{
	unsigned long long offset;
	int fd = phys_mapping(uml_to_phys(stub_stack), &offset);

	if (iomem_regions)
		return;
	if (fd > 0)
		syscall(__NR_close_range, 0, fd - 1, 0);
	syscall(__NR_close_range, fd + 1, ~0U, 0);
}

/*
 * Runs in the new host process, in a copy of the kernel's memory, until the stub's
 * first signal. From then on it knows only its own pages.
 */
static int become_stub(void *stub_stack)
{
	struct sigaction sa = { .sa_flags = SA_ONSTACK | SA_SIGINFO };
	unsigned long handler = STUB_CODE + (unsigned long)stub_trap_handler -
				(unsigned long)__syscall_stub_start;
	sigset_t none;
	unsigned int i;

	os_set_pdeathsig();
	signal(SIGTERM, SIG_DFL);
	signal(SIGWINCH, SIG_IGN);

	if (map_stub(STUB_CODE, __syscall_stub_start, UM_KERN_PAGE_SIZE,
		     PROT_READ | PROT_EXEC, MAP_PRIVATE) == MAP_FAILED ||
	    map_stub(STUB_DATA, stub_stack, STUB_DATA_PAGES * UM_KERN_PAGE_SIZE,
		     PROT_READ | PROT_WRITE, MAP_SHARED) == MAP_FAILED) {
		os_info("mapping the stub failed, errno = %d\n", errno);
		exit(1);
	}

	set_sigstack((void *)(STUB_DATA + offsetof(struct stub_data, sigstack)),
		     sizeof(((struct stub_data *)0)->sigstack));
	sa.sa_sigaction = (void *)handler;
	sigfillset(&sa.sa_mask); /* the kernel's turn is not interrupted */
	for (i = 0; i < ARRAY_SIZE(stub_signals); i++) {
		if (sigaction(stub_signals[i], &sa, NULL) < 0) {
			os_info("setting a handler of the stub failed, errno = %d\n", errno);
			exit(1);
		}
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	close_files(stub_stack);

	if (install_filter()) {
		os_info("installing the stub's filter failed\n");
		exit(1);
	}
	__asm__ volatile ("int3"); /* into the handler, for good */
	exit(1);
}

int stub_trap_start(unsigned long stub_stack)
{
	struct stub_data *d = (struct stub_data *)stub_stack;
	void *stack;
	int pid, err;

	stack = mmap(NULL, UM_KERN_PAGE_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stack == MAP_FAILED)
		return -errno;

	d->trap.turn = STUB_TURN_STUB;
	d->trap.fsgsbase = !!(getauxval(AT_HWCAP2) & HOST_HWCAP2_FSGSBASE);
	pid = clone(become_stub, (char *)stack + UM_KERN_PAGE_SIZE, SIGCHLD, (void *)stub_stack);
	err = pid < 0 ? -errno : wait_for_stub(&d->trap, pid);
	munmap(stack, UM_KERN_PAGE_SIZE);
	if (err) {
		stub_err("%s : starting a stub failed, errno = %d\n", __func__, -err);
		if (pid > 0)
			os_kill_process(pid, 1);
		return err;
	}
	return pid;
}

static void probe_handler(int sig, siginfo_t *info, void *ucontext)
{
	_exit(info->si_syscall == __NR_getppid ? 0 : 1);
}

/* In a process of its own: does the host raise SIGSYS, with the call's number in it? */
static void probe_child(void)
{
	struct sigaction sa = { .sa_flags = SA_SIGINFO, .sa_sigaction = probe_handler };
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
		.len = ARRAY_SIZE(filter),
		.filter = filter,
	};

	if (sigaction(SIGSYS, &sa, NULL) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
		_exit(1);
	syscall(__NR_getppid);
	_exit(1);
}

void __init stub_trap_probe(void)
{
	int pid, status = -1;

	if (!stub_trap_wanted)
		return;

	os_info("Checking that seccomp can trap system calls...");
	pid = fork();
	if (!pid)
		probe_child();
	if (pid > 0)
		CATCH_EINTR(waitpid(pid, &status, 0));
	stub_trap_enabled = pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
	os_info("%s\n", stub_trap_enabled ? "OK" : "missing, using ptrace");

	if (stub_trap_required && !stub_trap_enabled) {
		os_warn("seccomp=on, but this host has no seccomp filters\n");
		exit(1);
	}
}

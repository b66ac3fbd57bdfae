// SPDX-License-Identifier: GPL-2.0-only
/*
 * RDTSC and RDTSCP of programs, in virtual time.
 *
 * The time-stamp counter is the host's: what a program reads there differs in each run. In virtual
 * time the host is asked to raise #GP for both instructions (PR_SET_TSC), and the kernel does in
 * their place what a processor would do whose counter began at the guest's boot and counts
 * nanoseconds of virtual time. Reading it takes as long as a system call that reads the clock, so
 * loops that wait for the counter end.
 *
 * The number of the processor (TSC_AUX) is 0: a guest has one. RDPID reads that of the host, and
 * the host cannot trap it.
 */
#include <linux/kernel.h>
#include <linux/timekeeping.h>
#include <linux/time-internal.h>
#include <linux/uaccess.h>
#include <linux/wordpart.h>
#include <arch.h>

#define TRAP_GP 13

static const u8 rdtsc[] = { 0x0f, 0x31 };
static const u8 rdtscp[] = { 0x0f, 0x01, 0xf9 };

static bool is_at(const u8 *instruction, size_t bytes, unsigned long ip)
{
	u8 found[sizeof(rdtscp)];

	return !copy_from_user(found, (const void __user *)ip, bytes) &&
	       !memcmp(found, instruction, bytes);
}

/**
 * arch_read_tsc() - do what a program's RDTSC or RDTSCP would have done
 * @regs: registers of the program, which has faulted
 *
 * With a prefix, such as REX, the instructions are not recognized.
 *
 * Return: whether it was one of them; the program continues behind it
 */
int arch_read_tsc(struct uml_pt_regs *regs)
{
	u64 now_ns;

	if (time_travel_mode != TT_MODE_INFCPU || regs->faultinfo.trap_no != TRAP_GP)
		return 0;
	if (is_at(rdtsc, sizeof(rdtsc), UPT_IP(regs))) {
		UPT_IP(regs) += sizeof(rdtsc);
	} else if (is_at(rdtscp, sizeof(rdtscp), UPT_IP(regs))) {
		UPT_IP(regs) += sizeof(rdtscp);
		regs->gp[HOST_CX] = 0;
	} else {
		return 0;
	}
	now_ns = ktime_get_raw_ns();
	regs->gp[HOST_AX] = lower_32_bits(now_ns);
	regs->gp[HOST_DX] = upper_32_bits(now_ns);
	return 1;
}

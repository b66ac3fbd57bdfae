// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's side of the clock in the vDSO (vdso-clock.h).
 *
 * UML has one processor, and no program runs while the kernel writes: no lock.
 */

#include <linux/init.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/time-internal.h>
#include <linux/timekeeper_internal.h>
#include <asm/delay.h>
#include <as-layout.h>
#include <skas.h>
#include <stub-data.h>

#include "clock.h"
#include "um_vvar.h"

static struct um_vvar early_vvar;
static struct um_vvar *vvar = &early_vvar;

static_assert(VDSO_CLOCK_CYCLE_NS == TIMER_MULTIPLIER);

static bool virtual_time(void)
{
	return time_travel_mode == TT_MODE_INFCPU;
}

const struct um_vvar *vdso_clock_vvar(void)
{
	return vvar;
}

/* A page of its own: programs cannot map the kernel's data. */
struct page * __init vdso_clock_init(void)
{
	struct um_vvar *page = (struct um_vvar *)get_zeroed_page(GFP_KERNEL);

	if (!page)
		return NULL;
	*page = early_vvar;
	vvar = page;
	/* Else the clock moves as it likes: the vDSO asks the kernel. */
	if (virtual_time())
		vvar->reads = (unsigned int *)(STUB_DATA + offsetof(struct stub_data, clock_reads));
	return virt_to_page(page);
}

static struct um_vvar_base base_of(const struct tk_read_base *tkr, u64 sec)
{
	return (struct um_vvar_base){
		.cycle_last = tkr->cycle_last,
		.nsec = tkr->xtime_nsec,
		.sec = sec,
		.mult = tkr->mult,
		.shift = tkr->shift,
	};
}

/* Called with the timekeeper's lock, after each of its updates. */
void update_vsyscall(struct timekeeper *tk)
{
	vvar->real = base_of(&tk->tkr_mono, tk->xtime_sec);
	vvar->raw = base_of(&tk->tkr_raw, tk->raw_sec);
	vvar->monotonic_sec = tk->wall_to_monotonic.tv_sec;
	vvar->monotonic_nsec = tk->wall_to_monotonic.tv_nsec;
}

void update_vsyscall_tz(void)
{
	/* Whoever asks for the time zone asks the kernel. */
}

#ifdef CONFIG_UML_TIME_TRAVEL_SUPPORT
void vdso_clock_leave(void)
{
	if (virtual_time())
		vvar->now_ns = time_travel_time;
}

void vdso_clock_enter(void)
{
	struct stub_data *d = (struct stub_data *)current_stub_stack();
	unsigned int reads;

	if (!virtual_time() || !d)
		return;

	/* The program can write there what it likes. */
	reads = min_t(unsigned int, READ_ONCE(d->clock_reads), VDSO_CLOCK_MAX_READS);
	WRITE_ONCE(d->clock_reads, 0);
	if (reads)
		time_travel_ndelay(reads * TIMER_MULTIPLIER);
}
#else
void vdso_clock_leave(void) {}
void vdso_clock_enter(void) {}
#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host's side of arch/um/kernel/cage.c.
 */

#include <errno.h>
#include <unistd.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <init.h>
#include <cage.h>

#ifndef __NR_landlock_restrict_self
#define __NR_landlock_restrict_self 446
#endif

#define FILTER_MAX 512

/* Files of root may be those of other users: whoever started UML means it to use them. */
static int __init drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(__NR_capget, &header, data))
		return -errno;
	data[0].permitted &= 1U << CAP_DAC_OVERRIDE;
	data[0].effective &= data[0].permitted;
	data[0].inheritable = 0;
	data[1] = (struct __user_cap_data_struct) {};
	return syscall(__NR_capset, &header, data) ? -errno : 0;
}

static int __init install_filter(int fd)
{
	static struct sock_filter filter[FILTER_MAX] __initdata;
	struct sock_fprog program = { .filter = filter };
	size_t size = 0;
	ssize_t length;

	while ((length = read(fd, (char *)filter + size, sizeof(filter) - size)) > 0)
		size += length;
	if (length < 0)
		return -errno;
	if (!size || size % sizeof(*filter) || size == sizeof(filter))
		return -EINVAL;
	program.len = size / sizeof(*filter);
	/* The guest's programs run as fast as the host's; hosts before 4.17 know no flag. */
	if (!syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
		     &program) ||
	    !syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
		return 0;
	return -errno;
}

int __init os_enter_cage(int ruleset, int filter)
{
	const struct rlimit none = {};
	int err;

	if (setrlimit(RLIMIT_CORE, &none) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	err = drop_capabilities();
	if (err)
		return err;
	if (ruleset >= 0) {
		if (syscall(__NR_landlock_restrict_self, ruleset, 0))
			return -errno;
		close(ruleset);
	}
	err = install_filter(filter);
	close(filter);
	return err;
}

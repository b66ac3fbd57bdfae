// SPDX-License-Identifier: MIT
/*
 * Process 1 of the guest: mounts the image, starts the lab's agent, writes the pulse, powers off.
 *
 * It is linked statically and lives in the initrd, since nothing else exists before the image is mounted.
 * Parameters on the kernel command line (paths are the host's, absolute, without spaces):
 *
 *   hostrom=FILE     squashfs image; the kernel makes it /dev/hostrom0
 *   lab.bundle=DIR   the lab's Python code, mounted read-only on /lab/code
 *   lab.run=DIR      the run directory, mounted on /lab/run: all that the guest reads and writes
 *   lab.agent=ARG    passed to the agent (run, shell, ...)
 *
 * hostrom and hostfs are synchronous: reading and writing takes no virtual time.
 *
 * The pulse: every 500 ms of virtual time, "<uptime ns> <realtime ns>" is written to /lab/run/pulse, just after full and
 * half seconds of uptime, at which most is done in a timeline. If it stops, the host considers the guest stalled. It also keeps a timer armed, without which a guest that only waits for a
 * signal would end in "going to sleep forever".
 *
 * Not done here: block devices, modules, network; the agent does the rest.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PULSE_NS 500000000L
#define PULSE_AFTER_NS 500000L

static char cmdline[8192];

static void power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	_exit(1);
}

/* Every failure here is one line that the host recognises and shows. */
static void die(const char *what, const char *which)
{
	printf("lab-init: %s %s: %s\n", what, which, strerror(errno));
	fflush(stdout);
	power_off();
}

static void need(int result, const char *what, const char *which)
{
	if (result < 0)
		die(what, which);
}

static void make_directory(const char *path)
{
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		die("mkdir", path);
}

static void mount_on(const char *source, const char *path, const char *type, unsigned long flags, const char *data)
{
	make_directory(path);
	need(mount(source, path, type, flags, data), "mount", path);
}

static void move(const char *from, const char *to)
{
	make_directory(to);
	need(mount(from, to, NULL, MS_MOVE, NULL), "move", from);
}

/* The value of "key=" on the kernel command line, copied; NULL if it is not there. */
static char *option(const char *key)
{
	size_t length = strlen(key);
	const char *word = cmdline;

	while ((word = strstr(word, key))) {
		if ((word == cmdline || word[-1] == ' ') && word[length] == '=') {
			const char *value = word + length + 1;

			return strndup(value, strcspn(value, " \n"));
		}
		word += length;
	}
	return NULL;
}

static char *required(const char *key)
{
	char *value = option(key);

	if (!value) {
		errno = EINVAL;
		die("missing on the command line:", key);
	}
	return value;
}

static void read_cmdline(void)
{
	int fd = open("/proc/cmdline", O_RDONLY);
	ssize_t length;

	need(fd, "open", "/proc/cmdline");
	length = read(fd, cmdline, sizeof(cmdline) - 1);
	need((int)length, "read", "/proc/cmdline");
	cmdline[length] = 0;
	close(fd);
}

static void mount_hostfs(const char *directory, const char *path, unsigned long flags)
{
	make_directory(path);
	/* mount(2) takes the bare directory; "hostfs=DIR" is for fsconfig(2), which mount(8) uses */
	need(mount("none", path, "hostfs", flags, directory), "mount hostfs", directory);
}

/* The initrd is out of reach after enter_root(); the agent's helpers move into its tree. */
static void copy_program(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	static char buffer[65536];
	ssize_t length;

	need(in, "open", from);
	need(out, "create", to);
	while ((length = read(in, buffer, sizeof(buffer))) > 0)
		if (write(out, buffer, length) != length)
			die("write", to);
	need((int)length, "read", from);
	close(in);
	close(out);
}

/* The agent's own root: the image under a tmpfs. Containers get overlays of their own on /lab/base. */
static void mount_root(void)
{
	mount_on("tmpfs", "/over", "tmpfs", 0, "mode=0755");
	make_directory("/over/upper");
	make_directory("/over/work");
	mount_on("overlay", "/root", "overlay", 0, "lowerdir=/base,upperdir=/over/upper,workdir=/over/work");
	mount_on("tmpfs", "/root/lab", "tmpfs", 0, "mode=0755");
	move("/base", "/root/lab/base");
	mount_hostfs(required("lab.bundle"), "/root/lab/code", MS_RDONLY);
	mount_hostfs(required("lab.run"), "/root/lab/run", 0);
	/* Inodes count towards the memory of the node that creates them; they share no limit of their number. */
	mount_on("tmpfs", "/root/lab/nodes", "tmpfs", 0, "mode=0755,nr_inodes=0");
	mount_on("tmpfs", "/root/lab/bin", "tmpfs", 0, "mode=0755");
	copy_program("/bin/container", "/root/lab/bin/container");
	copy_program("/bin/enter", "/root/lab/bin/enter");
	copy_program("/bin/follow", "/root/lab/bin/follow");
	/*
	 * Moved: what stays below the new root is part of every mount namespace, and a whole /proc there would let user
	 * namespaces mount one, too, although nodes see only a part of it (the kernel's mnt_already_visible()).
	 */
	move("/proc", "/root/proc");
	mount_on("sysfs", "/root/sys", "sysfs", 0, NULL);
	/* nsdelegate: root of a cgroup namespace, which any user namespace can have, does not change its own limits */
	mount_on("cgroup2", "/root/sys/fs/cgroup", "cgroup2", 0, "nsdelegate");
	mount_on("debugfs", "/root/sys/kernel/debug", "debugfs", 0, NULL);
	move("/dev", "/root/dev");
	need(chmod("/root/dev/net/tun", 0666), "chmod", "/dev/net/tun"); /* nodes have it, too */
	mount_on("devpts", "/root/dev/pts", "devpts", 0, "ptmxmode=0666");
	mount_on("tmpfs", "/root/dev/shm", "tmpfs", 0, NULL);
	mount_on("tmpfs", "/root/run", "tmpfs", 0, "mode=0755");
	mount_on("tmpfs", "/root/tmp", "tmpfs", 0, "mode=1777");
}

static void enter_root(void)
{
	need(chdir("/root"), "chdir", "/root");
	need(mount(".", "/", NULL, MS_MOVE, NULL), "move", "/root");
	need(chroot("."), "chroot", ".");
	need(chdir("/"), "chdir", "/");
}

/* Keys can interrupt a shell at any time: its agent unblocks these signals when it can handle them. */
static void block_keys(void)
{
	sigset_t keys;

	sigemptyset(&keys);
	sigaddset(&keys, SIGINT);
	sigaddset(&keys, SIGQUIT);
	sigprocmask(SIG_BLOCK, &keys, NULL);
}

#define BIT(capability) (1ULL << (capability))

/*
 * Those of programs in nodes: what Docker gives by default, NET_ADMIN, and NET_BROADCAST for Open vSwitch, which listens
 * to the namespaces at its links; without MKNOD, which Docker combines with a list of devices, for which this kernel
 * lacks eBPF. Programs of root outside of nodes get all, since all are inheritable; "enter" ends that.
 */
static void bound_capabilities(void)
{
	static const unsigned long long of_nodes =
		BIT(CAP_CHOWN) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_FOWNER) | BIT(CAP_FSETID) | BIT(CAP_KILL) |
		BIT(CAP_SETGID) | BIT(CAP_SETUID) | BIT(CAP_SETPCAP) | BIT(CAP_SETFCAP) | BIT(CAP_NET_BIND_SERVICE) |
		BIT(CAP_NET_RAW) | BIT(CAP_NET_ADMIN) | BIT(CAP_NET_BROADCAST) | BIT(CAP_SYS_CHROOT) |
		BIT(CAP_AUDIT_WRITE);
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	int i;

	need(syscall(SYS_capget, &header, data), "read", "capabilities");
	for (i = 0; i < 2; i++)
		data[i].inheritable = data[i].permitted;
	need(syscall(SYS_capset, &header, data), "set", "capabilities");
	for (i = 0; i <= CAP_LAST_CAP; i++)
		if (!(of_nodes & BIT(i)))
			prctl(PR_CAPBSET_DROP, i); /* fails if this kernel has fewer */
}

static pid_t start_agent(char *mode, char *hash_seed)
{
	char seed[64];
	/*
	 * Without site (-S), which looks for what packages want to have done at every start, and without -m, which
	 * imports a module to import a module.
	 */
	char *argv[] = { "python3", "-S", "-P", "-c", "import lab.guest.__main__", mode, NULL };
	char *envp[] = { "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root",
			 "PYTHONPATH=/lab/code:/usr/lib/python3/dist-packages", "PYTHONDONTWRITEBYTECODE=1",
			 "LC_ALL=C.UTF-8", "TZ=UTC", "TERM=xterm", "NO_COLOR=1", seed, NULL };
	pid_t pid;

	snprintf(seed, sizeof(seed), "PYTHONHASHSEED=%s", hash_seed);
	pid = fork();
	need(pid, "fork", "agent");
	if (pid == 0) {
		sigset_t none;

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		if (!strcmp(mode, "shell"))
			block_keys();
		bound_capabilities();
		setsid();
		ioctl(0, TIOCSCTTY, 1); /* fails without a terminal, as in a run */
		execve("/usr/bin/python3", argv, envp);
		die("exec", "/usr/bin/python3");
	}
	return pid;
}

/* Returns the ns until the next one. */
static long pulse(int fd)
{
	struct timespec up, now;
	char text[64];
	long long up_ns;
	int length;

	clock_gettime(CLOCK_BOOTTIME, &up);
	clock_gettime(CLOCK_REALTIME, &now);
	up_ns = up.tv_sec * 1000000000LL + up.tv_nsec;
	length = snprintf(text, sizeof(text), "%20lld %20lld\n", up_ns, now.tv_sec * 1000000000LL + now.tv_nsec);
	if (pwrite(fd, text, length, 0) != length)
		die("write", "/lab/run/pulse");
	return PULSE_NS - (up_ns + PULSE_NS - PULSE_AFTER_NS) % PULSE_NS;
}

/* Reap until the agent is gone; returns its wait status. */
static int watch(pid_t agent)
{
	int fd = open("/lab/run/pulse", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	sigset_t child;

	need(fd, "open", "/lab/run/pulse");
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	for (;;) {
		const struct timespec interval = { .tv_nsec = pulse(fd) };
		int status;
		pid_t pid;

		while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
			if (pid == agent)
				return status;
		sigtimedwait(&child, NULL, &interval);
	}
}

/*
 * Only a kernel that checks itself has the file: have it print the memory that nothing points to. It says nothing about
 * what is younger than 5 s, nor about what has changed since the scan before.
 */
static void find_leaks(void)
{
	const struct timespec until_old = { .tv_sec = 6 };
	int fd = open("/sys/kernel/debug/kmemleak", O_RDWR | O_CLOEXEC);
	static char found[65536];
	ssize_t length;

	if (fd < 0)
		return;
	nanosleep(&until_old, NULL);
	need(write(fd, "scan", 4), "write", "kmemleak");
	need(write(fd, "scan", 4), "write", "kmemleak");
	length = read(fd, found, sizeof(found));
	if (length > 0)
		printf("lab-init: the kernel has lost memory:\n%.*s", (int)length, found);
	close(fd);
}

int main(void)
{
	char *mode, *seed;
	sigset_t child;
	int status;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	mount_on("proc", "/proc", "proc", 0, NULL);
	mount_on("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	read_cmdline();
	mode = option("lab.agent");
	seed = option("lab.hashseed");
	mount_on("/dev/hostrom0", "/base", "squashfs", MS_RDONLY, NULL);
	mount_root();
	enter_root();
	status = watch(start_agent(mode ? mode : "run", seed ? seed : "0"));
	if (WIFSIGNALED(status))
		printf("lab-init: the agent died of signal %d\n", WTERMSIG(status));
	else if (WEXITSTATUS(status))
		printf("lab-init: the agent ended with status %d\n", WEXITSTATUS(status));
	find_leaks();
	fflush(stdout);
	power_off();
	return 0;
}

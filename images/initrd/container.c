// SPDX-License-Identifier: MIT
/*
 * container [-p] NAME ROOT PROCS-FILE [PID] [SOURCE TARGET ro|rw]...: start a container, and print the pid of its first
 * process.
 *
 * The container has mount, network, PID, UTS and IPC namespaces of its own, is called NAME, and is in the cgroup that
 * PROCS-FILE belongs to. ROOT, a mount point, is its root; each SOURCE is bound to TARGET in there. It also has
 * /proc, /sys of its network, and a /dev with the usual devices and TUN. Its first process, "pause", keeps the
 * namespaces alive and reaps orphans. It ignores signals from inside, and the kernel does not kill it when the node
 * runs out of memory.
 *
 * With PID, the first process of another container, only the mounts are its own: a second root of the same node. There,
 * targets may be below symbolic links, or be symbolic links themselves; they are resolved within ROOT.
 *
 * Without -p (privileged), a container is caged: its first process, and what "enter" starts next to it, have only the
 * capabilities in the bounding set (init.c), and what /proc and /sys offer for the whole guest can be read at most.
 * User namespaces work; in there, the kernel refuses a new /proc or /sys, since parts of these are hidden.
 *
 * Why not an OCI runtime: as a dynamically linked program it took three times as long, most of it to be loaded.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHARED (CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWUTS | CLONE_NEWIPC)

static const struct device {
	const char *path;
	unsigned int major, minor;
} devices[] = {
	{ "dev/null", 1, 3 }, { "dev/zero", 1, 5 }, { "dev/full", 1, 7 },
	{ "dev/random", 1, 8 }, { "dev/urandom", 1, 9 }, { "dev/tty", 5, 0 },
};

static const char *const links[][2] = {
	{ "/proc/self/fd", "dev/fd" }, { "/proc/self/fd/0", "dev/stdin" }, { "/proc/self/fd/1", "dev/stdout" },
	{ "/proc/self/fd/2", "dev/stderr" }, { "pts/ptmx", "dev/ptmx" },
};

/* Of the whole guest; those below proc/sys/net and sys/devices/virtual/net belong to the network namespace. */
static const char *const read_only[] = { "proc/sys", "proc/sysrq-trigger", "sys" };
static const char *const of_network[] = { "proc/sys/net", "sys/devices/virtual/net" };
/* In /proc: the way to the host, what the guest ends with, paths of the host, and files that Docker hides. */
static const char *const hidden[] = { "hostask", "exitcode", "cmdline", "kcore", "keys", "latency_stats",
				      "sched_debug", "timer_list" };

static void need(int result, const char *what)
{
	if (result < 0) {
		fprintf(stderr, "container: %s: %s\n", what, strerror(errno));
		exit(1);
	}
}

static void mount_on(const char *type, const char *path, unsigned long flags, const char *data)
{
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		need(-1, path);
	need(mount(type, path, type, flags, data), path);
}

static void bind_with(const char *source, const char *path, unsigned long flags)
{
	need(mount(source, path, NULL, MS_BIND, NULL), path);
	need(mount(NULL, path, NULL, MS_BIND | MS_REMOUNT | MS_NOSUID | MS_NOEXEC | flags, NULL), path);
}

static void cover(const char *path, const char *source, unsigned long flags)
{
	bind_with(source, path, MS_NODEV | flags);
}

static void make_devices(void)
{
	size_t i;

	mount_on("tmpfs", "dev", MS_NOSUID, "mode=755");
	for (i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		need(mknod(devices[i].path, S_IFCHR | 0666, makedev(devices[i].major, devices[i].minor)),
		     devices[i].path);
	for (i = 0; i < sizeof(links) / sizeof(*links); i++)
		need(symlink(links[i][0], links[i][1]), links[i][1]);
	mount_on("devpts", "dev/pts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666");
	mount_on("tmpfs", "dev/shm", MS_NOSUID | MS_NODEV, "mode=1777");
	/* Of the guest; each program that opens it gets devices of its own network. */
	need(mkdir("dev/net", 0755), "dev/net");
	bind_with("/dev/net", "dev/net", MS_RDONLY);
}

/* By names that there are: a call that fails takes virtual time, and not all of them exist in all guests. */
static void hide(void)
{
	DIR *proc = opendir("proc");
	struct dirent *entry;
	char path[512];
	size_t i;

	need(proc ? 0 : -1, "proc");
	while ((entry = readdir(proc)))
		for (i = 0; i < sizeof(hidden) / sizeof(*hidden); i++)
			if (!strcmp(entry->d_name, hidden[i])) {
				snprintf(path, sizeof(path), "proc/%s", entry->d_name);
				cover(path, "dev/null", MS_RDONLY);
			}
	closedir(proc);
}

static void protect_guest(void)
{
	size_t i;

	for (i = 0; i < sizeof(read_only) / sizeof(*read_only); i++)
		cover(read_only[i], read_only[i], MS_RDONLY);
	for (i = 0; i < sizeof(of_network) / sizeof(*of_network); i++)
		cover(of_network[i], of_network[i], 0);
	hide();
}

static void limit_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {};
	int number;

	for (number = 0; number <= CAP_LAST_CAP; number++)
		if (prctl(PR_CAPBSET_READ, number) > 0)
			data[number / 32].permitted |= 1U << number % 32;
	data[0].effective = data[0].permitted;
	data[1].effective = data[1].permitted;
	need(syscall(SYS_capset, &header, data), "capabilities");
}

/* Create what something is bound to, with the directories above it: an empty file, or a directory. */
static void make_target(char *path, int directory)
{
	char *slash = path;
	int fd;

	while ((slash = strchr(slash, '/'))) {
		*slash = 0;
		if (mkdir(path, 0755) < 0 && errno != EEXIST)
			need(-1, path);
		*slash++ = '/';
	}
	if (directory) {
		if (mkdir(path, 0755) < 0 && errno != EEXIST)
			need(-1, path);
		return;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	need(fd, path);
	close(fd);
}

static void bind_on(const char *source, char *target, int read_only)
{
	struct stat found;

	while (*target == '/')
		target++;
	need(stat(source, &found), source);
	make_target(target, S_ISDIR(found.st_mode));
	need(mount(source, target, NULL, MS_BIND, NULL), target);
	if (read_only)
		need(mount(NULL, target, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL), target);
}

/* A tree of open_tree() is bound to TARGET in the root that has been entered. */
static void bind_in_root(int tree, char *target, int directory, int read_only)
{
	struct stat found;

	if (!lstat(target, &found) && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode))
		need(unlink(target), target);
	make_target(target + 1, directory);
	need(move_mount(tree, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH), target);
	close(tree);
	if (read_only)
		need(mount(NULL, target, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL), target);
}

static void enter_root(void)
{
	need(syscall(SYS_pivot_root, ".", "."), "pivot_root");
	need(umount2(".", MNT_DETACH), "umount");
	need(chdir("/"), "/");
}

static void rename_self(char *first, size_t length)
{
	memset(first, 0, length);
	memcpy(first, "pause", length < 6 ? length - 1 : 5);
	prctl(PR_SET_NAME, "pause");
}

/* Whoever started the container may wait for the end of its output. */
static void let_go_of_files(void)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	int fd;

	need(nothing, "/dev/null");
	for (fd = 0; fd < 3; fd++)
		need(dup2(nothing, fd), "/dev/null");
	close(nothing);
}

static int reap(void)
{
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (;;) {
		if (sigwait(&set, &number))
			return 1;
		while (waitpid(-1, NULL, WNOHANG) > 0)
			continue;
	}
}

/* Without its first process a node has no processes at all. */
static void survive_lack_of_memory(void)
{
	static const char file[] = "/proc/self/oom_score_adj";
	int fd = open(file, O_WRONLY | O_CLOEXEC);

	need(fd, file);
	need(write(fd, "-1000", 5), file);
	close(fd);
}

/* Bind to an image's own paths: what is bound comes from outside, so it is taken hold of before. */
static void enter_and_bind(int count, char **mounts)
{
	int trees[count], directories[count], i;
	struct stat found;

	for (i = 0; i < count; i++) {
		trees[i] = open_tree(AT_FDCWD, mounts[3 * i], OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
		need(trees[i], mounts[3 * i]);
		need(fstat(trees[i], &found), mounts[3 * i]);
		directories[i] = S_ISDIR(found.st_mode);
	}
	enter_root();
	for (i = 0; i < count; i++)
		bind_in_root(trees[i], mounts[3 * i + 1], directories[i], !strcmp(mounts[3 * i + 2], "ro"));
}

static void set_up(int argc, char **argv, int second_root, int privileged)
{
	int i;

	need(sethostname(argv[1], strlen(argv[1])), "sethostname");
	need(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "/");
	need(chdir(argv[2]), argv[2]);
	mount_on("proc", "proc", 0, NULL);
	mount_on("sysfs", "sys", MS_NOSUID | MS_NOEXEC | MS_NODEV, NULL);
	make_devices();
	if (!privileged)
		protect_guest();
	if (second_root) {
		enter_and_bind((argc - 5) / 3, argv + 5);
		return;
	}
	for (i = 4; i + 2 < argc; i += 3)
		bind_on(argv[i], argv[i + 1], !strcmp(argv[i + 2], "ro"));
	enter_root();
}

static void join_cgroup(const char *procs)
{
	int fd = open(procs, O_WRONLY | O_CLOEXEC);

	need(fd, procs);
	need(write(fd, "0", 1), procs);
	close(fd);
}

static void share_namespaces(const char *pid)
{
	int pidfd = syscall(SYS_pidfd_open, atoi(pid), 0);

	need(pidfd, pid);
	need(setns(pidfd, SHARED), "setns");
	close(pidfd);
}

int main(int argc, char **argv)
{
	int privileged = argc > 1 && !strcmp(argv[1], "-p");
	int ready[2], second_root, status;
	char *name = argv[0];
	pid_t child;
	char byte;

	argc -= privileged;
	argv += privileged;
	second_root = argc > 4 && (argc - 4) % 3 == 1;
	if (argc < 4 || (argc - 4) % 3 == 2) {
		fprintf(stderr, "container [-p] NAME ROOT PROCS-FILE [PID] [SOURCE TARGET ro|rw]...\n");
		return 2;
	}
	umask(0);
	join_cgroup(argv[3]);
	if (second_root)
		share_namespaces(argv[4]);
	need(unshare(second_root ? CLONE_NEWNS : CLONE_NEWNS | SHARED), "unshare");
	need(pipe2(ready, O_CLOEXEC), "pipe");
	child = fork();
	need(child, "fork");
	if (child == 0) {
		char *end = argv[argc - 1] + strlen(argv[argc - 1]);

		set_up(argc, argv, second_root, privileged);
		survive_lack_of_memory();
		if (!privileged)
			limit_capabilities();
		rename_self(name, end - name);
		setsid();
		close(ready[0]);
		let_go_of_files();
		need(write(ready[1], "", 1), "ready");
		close(ready[1]);
		return reap();
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1) {
		waitpid(child, &status, 0);
		return 1; /* the child has said why */
	}
	printf("%d\n", child);
	return 0;
}

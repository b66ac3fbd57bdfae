// SPDX-License-Identifier: MIT
/*
 * enter PID PROCS-FILE [-d DIRECTORY] [-u UID:GID[,GROUP...]] PROGRAM [ARGUMENT...]: run a program inside the container
 * whose first process is PID.
 *
 * Joins the cgroup by writing to PROCS-FILE (so that the node's limits count; "-": it is in that already) and the
 * container's mount, network, PID, UTS and IPC namespaces, then runs the program there with this process's stdin,
 * stdout, stderr and environment, in a new session; a terminal on stdin becomes its controlling terminal. SIGINT, SIGTERM,
 * SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 are forwarded. Exits with the program's status, or by the same signal.
 * The program is killed when this process dies. It starts in DIRECTORY (/), as that user (root), with the
 * capabilities of the container's first process.
 *
 * Why not nsenter: this program is linked statically. In User Mode Linux, exec of a dynamically linked program
 * costs more than everything else here, and a run starts hundreds of short commands.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAMESPACES (CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWUTS | CLONE_NEWIPC)

static volatile pid_t child;

static void die(const char *what)
{
	fprintf(stderr, "enter: %s: %s\n", what, strerror(errno));
	_exit(125);
}

static void pass_on(int number)
{
	if (child > 0)
		kill(child, number);
}

static int of_capabilities(long call, pid_t pid, struct __user_cap_data_struct *data)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3, .pid = pid };

	return syscall(call, &header, data);
}

/*
 * A program of root gets what is inheritable, or in the bounding set (init.c). One call for all capabilities: to take
 * them out of the bounding set takes one for each, and releases as many credentials, which programs' times show.
 */
static void inherit(const struct __user_cap_data_struct *first)
{
	struct __user_cap_data_struct own[2];
	int i;

	if (of_capabilities(SYS_capget, 0, own) < 0)
		die("capabilities");
	for (i = 0; i < 2; i++)
		own[i].inheritable = first[i].inheritable;
	if (of_capabilities(SYS_capset, 0, own) < 0)
		die("capabilities");
}

/* From inside a node that may not change namespaces, where only the root differs. */
static int change_root(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/root", pid);
	return chroot(path);
}

static void join(pid_t pid, const char *procs)
{
	int pidfd;

	if (strcmp(procs, "-")) {
		int cgroup = open(procs, O_WRONLY | O_CLOEXEC);

		if (cgroup < 0 || write(cgroup, "0", 1) != 1)
			die(procs);
		close(cgroup);
	}
	pidfd = syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0 || (setns(pidfd, NAMESPACES) < 0 && change_root(pid) < 0))
		die("container");
	close(pidfd);
}

/* UID:GID[,GROUP...] */
static void become(char *user)
{
	gid_t groups[64];
	size_t count = 0;
	uid_t uid = strtoul(user, &user, 10);

	while (*user && count < sizeof(groups) / sizeof(*groups))
		groups[count++] = strtoul(user + 1, &user, 10);
	if (!count || setgroups(count, groups) < 0 || setgid(groups[0]) < 0 || setuid(uid) < 0)
		die("user");
}

static void run(char **argv, const struct __user_cap_data_struct *first)
{
	const char *directory = "/";
	char *user = NULL;

	for (; argv[0][0] == '-' && argv[1] && argv[2]; argv += 2) {
		if (argv[0][1] == 'd')
			directory = argv[1];
		else
			user = argv[1];
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setsid();
	if (isatty(0))
		ioctl(0, TIOCSCTTY, 0);
	if (chdir(directory) < 0) {
		fprintf(stderr, "cannot start %s in %s: %s\n", argv[0], directory, strerror(errno));
		_exit(125);
	}
	inherit(first);
	if (user)
		become(user);
	execvp(argv[0], argv);
	fprintf(stderr, "cannot start %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

int main(int argc, char **argv)
{
	static const int passed[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };
	struct sigaction action = { .sa_handler = pass_on };
	struct __user_cap_data_struct first[2];
	sigset_t set, before;
	size_t i;
	int status;

	if (argc < 4) {
		errno = EINVAL;
		die("enter PID PROCS-FILE [-d DIRECTORY] [-u UID:GID[,GROUP...]] PROGRAM [ARGUMENT...]");
	}
	if (of_capabilities(SYS_capget, atoi(argv[1]), first) < 0)
		die("container");
	join(atoi(argv[1]), argv[2]);
	/* A signal that comes before the child exists must wait, not be lost. */
	sigemptyset(&set);
	for (i = 0; i < sizeof(passed) / sizeof(*passed); i++)
		sigaddset(&set, passed[i]);
	sigprocmask(SIG_BLOCK, &set, &before);
	child = fork();
	if (child < 0)
		die("fork");
	if (child == 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		run(argv + 3, first);
	}
	for (i = 0; i < sizeof(passed) / sizeof(*passed); i++)
		sigaction(passed[i], &action, NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			die("wait");
	if (WIFSIGNALED(status)) {
		const struct rlimit no_core = { 0, 0 };

		setrlimit(RLIMIT_CORE, &no_core);
		signal(WTERMSIG(status), SIG_DFL);
		kill(getpid(), WTERMSIG(status));
	}
	return WEXITSTATUS(status);
}

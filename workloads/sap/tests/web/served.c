// SPDX-License-Identifier: MIT
/*
 * Preloaded: a program that has been started once, and then runs its main() as often as it is asked to.
 *
 * valgrind takes a second to start a program with thirty libraries, but forks in milliseconds. So the program waits
 * here, just before main(), for calls to the Unix socket that it inherits as descriptor SERVED. Who calls (called.py)
 * sends the arguments, each with its zero byte, and the descriptors of a directory, standard input, output and error. A
 * child runs main() with them; its wait status is the answer.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int main_function(int, char **, char **);

static main_function *program;

/* Take the arguments and descriptors of one call. Returns argc, or -1 if nobody calls any more. */
static int receive(int from, char *text, size_t size, char **argv, int max, int files[4])
{
	char space[CMSG_SPACE(4 * sizeof(int))];
	struct iovec part = { .iov_base = text, .iov_len = size - 1 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = space,
				  .msg_controllen = sizeof(space) };
	ssize_t length = recvmsg(from, &message, 0);
	struct cmsghdr *header = length > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	int argc = 0;
	char *next;

	if (!header || header->cmsg_len != CMSG_LEN(4 * sizeof(int)))
		return -1;
	memcpy(files, CMSG_DATA(header), 4 * sizeof(int));
	for (next = text; next < text + length && argc < max - 1; next += strlen(next) + 1)
		argv[argc++] = next;
	argv[argc] = NULL;
	return argc;
}

/*
 * valgrind translates code when it runs for the first time, and most of what a call runs is the start of libcurl and
 * its libraries. Calls after the first one only count.
 */
static void warm_up(void)
{
	int (*start)(long);

	*(void **)&start = dlsym(RTLD_DEFAULT, "curl_global_init"); /* ISO C cannot convert this pointer */
	if (start)
		start(3); /* CURL_GLOBAL_ALL */
}

static int serve(int first_argc, char **first_argv, char **environment)
{
	static char text[1 << 16];
	static char *argv[1024];
	int server = atoi(getenv("SERVED"));

	(void)first_argc;
	(void)first_argv;
	warm_up();
	for (;;) {
		int caller = accept4(server, NULL, NULL, SOCK_CLOEXEC);
		int files[4], status, argc, i;
		pid_t child;

		memset(text, 0, sizeof(text));
		argc = receive(caller, text, sizeof(text), argv, sizeof(argv) / sizeof(*argv), files);
		if (argc < 0)
			_exit(125);
		child = fork();
		if (child == 0) {
			if (fchdir(files[0]))
				_exit(125);
			close(files[0]);
			for (i = 0; i < 3; i++) {
				dup2(files[i + 1], i);
				close(files[i + 1]);
			}
			close(caller);
			close(server);
			return program(argc, argv, environment);
		}
		for (i = 0; i < 4; i++)
			close(files[i]);
		if (child < 0 || waitpid(child, &status, 0) != child || write(caller, &status, sizeof(status)) < 0)
			_exit(125);
		close(caller);
	}
}

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
		      void (*rtld_fini)(void), void *stack_end)
{
	int (*real)(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

	*(void **)&real = dlsym(RTLD_NEXT, "__libc_start_main");
	program = main;
	return real(getenv("SERVED") ? serve : main, argc, argv, init, fini, rtld_fini, stack_end);
}

// SPDX-License-Identifier: MIT
/* Init of a guest: makes as many cheap system calls as its argument says, then powers off. */
#include <stdlib.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 0;

	while (calls-- > 0)
		syscall(SYS_getppid);
	return reboot(RB_POWER_OFF);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * hostask=<fd>,<fd>: /proc/hostask, through which a program asks the host.
 *
 * What is written to it goes to the second file descriptor of the host, what is
 * read from it comes from the first. Both are open when UML starts: pipes, or
 * twice the same socket.
 *
 * A read waits in the host's read, with interrupts off, so that the whole guest
 * stands still until the host has answered: no other task runs, no timer
 * expires, and in time travel mode the clock does not move. (Without time
 * travel the clock is the host's, and has moved on afterwards.) Signals of the
 * host that come meanwhile are handled when the read is over. For the same
 * reason the file is always ready for poll(), and has no non-blocking mode.
 *
 * It is a file of /proc, as mconsole's, since to make it takes no (virtual) time and
 * no random number: a guest with it does the same as one without. To make a device
 * file takes both, the time of devtmpfs and the generation of its inode.
 *
 * The host's end of file is one for the reader; if nobody reads what is
 * written, the error is EPIPE. One program at a time may have it open.
 */

#define pr_fmt(fmt) "hostask: " fmt

#include <linux/fs.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <init.h>
#include <os.h>

#define HOSTASK_MAX PAGE_SIZE	/* bytes that are passed on at once */
#define HOSTASK_HELP								\
	"hostask=<fd>,<fd>\n"							\
	"    Offers two file descriptors of the host as /proc/hostask: one to read\n" \
	"    from and one to write to. A read stops the whole guest until there is\n" \
	"    something to read.\n\n"

static char *hostask_argument __initdata;
static int hostask_from, hostask_to;
static unsigned long hostask_in_use;

static int __init hostask_setup(char *argument, int *add)
{
	*add = 0;
	hostask_argument = argument;
	return 0;
}

__uml_setup("hostask=", hostask_setup, HOSTASK_HELP);

static int hostask_open(struct inode *inode, struct file *file)
{
	if (test_and_set_bit(0, &hostask_in_use))
		return -EBUSY;
	return stream_open(inode, file);
}

static int hostask_release(struct inode *inode, struct file *file)
{
	clear_bit(0, &hostask_in_use);
	return 0;
}

static ssize_t hostask_read(struct file *file, char __user *to, size_t size,
			    loff_t *at)
{
	unsigned long flags;
	ssize_t length;
	void *buffer;

	size = min_t(size_t, size, HOSTASK_MAX);
	if (!size)
		return 0;
	/* before the host's bytes are taken, which nobody could put back */
	if (fault_in_writeable(to, size))
		return -EFAULT;
	buffer = kmalloc(size, GFP_KERNEL);
	if (!buffer)
		return -ENOMEM;
	local_irq_save(flags);
	do {
		length = os_read_file(hostask_from, buffer, size);
	} while (length == -EINTR);
	local_irq_restore(flags);
	if (length > 0 && copy_to_user(to, buffer, length))
		length = -EFAULT;
	kfree(buffer);
	return length;
}

static ssize_t hostask_write(struct file *file, const char __user *from,
			     size_t size, loff_t *at)
{
	unsigned long flags;
	ssize_t length;
	void *buffer;

	size = min_t(size_t, size, HOSTASK_MAX);
	if (!size)
		return 0;
	buffer = memdup_user(from, size);
	if (IS_ERR(buffer))
		return PTR_ERR(buffer);
	local_irq_save(flags);
	do {
		length = os_write_file(hostask_to, buffer, size);
	} while (length == -EINTR);
	local_irq_restore(flags);
	kfree(buffer);
	return length;
}

static const struct proc_ops hostask_operations = {
	.proc_flags = PROC_ENTRY_PERMANENT,
	.proc_open = hostask_open,
	.proc_release = hostask_release,
	.proc_read = hostask_read,
	.proc_write = hostask_write,
	.proc_lseek = noop_llseek, /* never called: stream_open() */
};

/*
 * An fs_initcall(): by the time of device_initcall() another task unpacks the
 * initrd, and each call beside it moves the (virtual) time of all that follows.
 */
static int __init hostask_init(void)
{
	char rest;
	int error;

	if (!hostask_argument)
		return 0;
	if (sscanf(hostask_argument, "%d,%d%c", &hostask_from, &hostask_to, &rest) != 2) {
		pr_err("%s: write hostask=<fd>,<fd>\n", hostask_argument);
		return -EINVAL;
	}
	/* processes of the guest must not keep the host's pipes open */
	error = os_set_exec_close(hostask_from);
	if (!error)
		error = os_set_exec_close(hostask_to);
	if (error) {
		pr_err("%s: error %d\n", hostask_argument, error);
		return error;
	}
	return proc_create("hostask", 0600, NULL, &hostask_operations) ? 0 : -ENOMEM;
}
fs_initcall(hostask_init);

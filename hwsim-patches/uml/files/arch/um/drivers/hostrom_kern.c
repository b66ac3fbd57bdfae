// SPDX-License-Identifier: GPL-2.0
/*
 * hostrom=<file>: a file of the host as a block device that can only be read.
 *
 * The file is mapped into this process, so a read is a copy: it takes no system
 * call of the host, and no (virtual) time, since it is over before it returns.
 * The devices are /dev/hostrom0, /dev/hostrom1 and so on, in the order of the
 * command line. A file that shrinks while it is mapped ends the guest.
 */

#define pr_fmt(fmt) "hostrom: " fmt

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/init.h>
#include <linux/module.h>
#include <init.h>
#include <os.h>
#include "hostrom.h"

#define HOSTROM_MAX 16
#define HOSTROM_HELP								\
	"hostrom=<file>\n"							\
	"    Offers a file of the host as a block device that can only be read:\n"	\
	"    /dev/hostrom0, and so on in the order of the command line.\n\n"

static char *hostrom_paths[HOSTROM_MAX] __initdata;
static int hostrom_count __initdata;

static int __init hostrom_setup(char *path, int *add)
{
	*add = 0;
	if (hostrom_count < HOSTROM_MAX)
		hostrom_paths[hostrom_count++] = path;
	else
		os_warn("hostrom=%s: there are %d files already\n", path, HOSTROM_MAX);
	return 0;
}

__uml_setup("hostrom=", hostrom_setup, HOSTROM_HELP);

/* The block layer has checked that @bio does not go beyond the end. */
static void hostrom_submit_bio(struct bio *bio)
{
	const char *from = bio->bi_bdev->bd_disk->private_data;
	struct bvec_iter iter;
	struct bio_vec part;

	if (bio_op(bio) != REQ_OP_READ) {
		bio_io_error(bio);
		return;
	}
	from += bio->bi_iter.bi_sector << SECTOR_SHIFT;
	bio_for_each_segment(part, bio, iter) {
		memcpy_to_bvec(&part, from);
		from += part.bv_len;
	}
	bio_endio(bio);
}

static const struct block_device_operations hostrom_operations = {
	.owner = THIS_MODULE,
	.submit_bio = hostrom_submit_bio,
};

static int __init hostrom_add(int major, int minor)
{
	struct queue_limits limits = { .features = BLK_FEAT_SYNCHRONOUS };
	struct gendisk *disk;
	const void *content;
	long long size;
	int error;

	content = hostrom_map(hostrom_paths[minor], &size);
	if (!content)
		return size;
	disk = blk_alloc_disk(&limits, NUMA_NO_NODE);
	if (IS_ERR(disk))
		return PTR_ERR(disk);
	disk->major = major;
	disk->first_minor = minor;
	disk->minors = 1;
	disk->flags |= GENHD_FL_NO_PART;
	disk->fops = &hostrom_operations;
	disk->private_data = (void *)content;
	snprintf(disk->disk_name, sizeof(disk->disk_name), "hostrom%d", minor);
	set_capacity(disk, size >> SECTOR_SHIFT);
	set_disk_ro(disk, true);
	error = add_disk(disk);
	if (error)
		put_disk(disk);
	return error;
}

static int __init hostrom_init(void)
{
	int major, minor, error;

	if (!hostrom_count)
		return 0;
	major = register_blkdev(0, "hostrom");
	if (major < 0)
		return major;
	for (minor = 0; minor < hostrom_count; minor++) {
		error = hostrom_add(major, minor);
		if (error)
			pr_err("%s: error %d\n", hostrom_paths[minor], error);
	}
	return 0;
}
device_initcall(hostrom_init);

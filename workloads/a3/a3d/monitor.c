/* SPDX-License-Identifier: MIT */
#include "monitor.h"

#include <string.h>

enum {
	HEAD = 5,
	OBJECT_HEAD = 3,
};

/* The length of the object at a place, with its head; 0: it is not a whole one. */
static size_t object_length(const uint8_t *bytes, size_t left)
{
	size_t target;

	if (left < OBJECT_HEAD || bytes[0] > 1)
		return 0;
	target = (size_t)(bytes[1] << 8 | bytes[2]);
	return target && target <= MONITOR_TARGET && target <= left - OBJECT_HEAD ? OBJECT_HEAD + target : 0;
}

bool monitor_read(const uint8_t *bytes, size_t length, monitor_handler handler, void *context)
{
	size_t at = HEAD, step;

	if (length < HEAD || length > MONITOR_LONGEST || memcmp(bytes, "A3s1", 4) || !bytes[4] ||
	    bytes[4] > MONITOR_OBJECTS)
		return false;
	for (unsigned int i = 0; i < bytes[4]; i++, at += step) {
		step = object_length(bytes + at, length - at);
		if (!step)
			return false;
	}
	if (at != length)
		return false;
	for (at = HEAD; at < length; at += step) {
		step = object_length(bytes + at, length - at);
		handler(context, bytes[at], (const char *)bytes + at + OBJECT_HEAD, step - OBJECT_HEAD);
	}
	return true;
}

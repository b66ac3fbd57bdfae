/* SPDX-License-Identifier: MIT */
/* Wire format of the opening. */
#include <string.h>

#include "bytes.h"
#include "carrier.h"

enum { VERSION = 1 };

static const char MAGIC[4] = "SAPt";

void opening_pack(const struct opening *opening, uint8_t to[OPENING_BYTES])
{
	memset(to, 0, OPENING_BYTES);
	memcpy(to, MAGIC, sizeof(MAGIC));
	sap_put_be(to + 4, VERSION, 1);
	sap_put_be(to + 8, opening->points, 4);
	sap_put_be(to + 16, opening->interval_ns, 8);
}

bool opening_unpack(struct opening *opening, const uint8_t *from, size_t length)
{
	if (length != OPENING_BYTES || memcmp(from, MAGIC, sizeof(MAGIC)) || from[4] != VERSION)
		return false;
	opening->points = (uint32_t)sap_get_be(from + 8, 4);
	opening->interval_ns = sap_get_be(from + 16, 8);
	return opening->points && opening->interval_ns;
}

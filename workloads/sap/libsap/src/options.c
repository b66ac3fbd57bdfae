/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <string.h>

#include "sap_core.h"

/* Size of the first version, and an upper bound of all: beyond it the size is not one. */
static const uint32_t SIZE_MIN = offsetof(struct sap_options, linger_ms) + sizeof(uint32_t), SIZE_MAX_BYTES = 4096;

/* Bytes of padding would be indeterminate, and a later version could have a member there. */
_Static_assert(offsetof(struct sap_options, peer) == offsetof(struct sap_options, linger_ms) + sizeof(uint32_t) &&
	       sizeof(struct sap_options) == offsetof(struct sap_options, token) + sizeof(uint64_t), "padding");

void sap_options_init_size(struct sap_options *options, size_t size)
{
	static const uint64_t MS = UINT64_C(1000000);
	struct sap_core_config config;
	struct sap_options defaults;

	sap_core_config_init(&config);
	defaults = (struct sap_options){
		.size = (uint32_t)size,
		.timeout_ms = 10000,
		.control = config.control,
		.payload_bytes = config.payload_bytes,
		.window = config.window,
		.approximate_queue = config.approximate_queue,
		.rto_ms = (uint32_t)(config.rto_ns / MS),
		.rto_min_ms = (uint32_t)(config.rto_min_ns / MS),
		.give_up_ms = (uint32_t)(config.give_up_ns / MS),
		.linger_ms = (uint32_t)(config.linger_ns / MS),
	};
	memset(options, 0, size);
	memcpy(options, &defaults, size < sizeof(defaults) ? size : sizeof(defaults));
}

bool sap_options_read(struct sap_options *options, const struct sap_options *given)
{
	const uint8_t *const bytes = (const uint8_t *)given;

	sap_options_init(options);
	if (!given)
		return true;
	/* every version ends where the next pointer may begin, so no size cuts a member in two */
	if (given->size < SIZE_MIN || given->size > SIZE_MAX_BYTES || given->size % sizeof(void *))
		return false;
	for (size_t i = sizeof(*options); i < given->size; i++) {
		if (bytes[i])
			return false;
	}
	memcpy(options, given, given->size < sizeof(*options) ? given->size : sizeof(*options));
	options->size = sizeof(*options);
	return true;
}

/* SPDX-License-Identifier: MIT */
/*
 * What all fuzz targets share: LLVMFuzzerTestOneInput(), which libFuzzer calls if clang is there, and drive.c otherwise;
 * and a reader that makes decisions out of bytes. When they are used up it reads zeros.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

struct reader {
	const uint8_t *bytes;
	size_t length;
};

static inline uint8_t read_byte(struct reader *reader)
{
	if (!reader->length)
		return 0;
	reader->length--;
	return *reader->bytes++;
}

static inline uint32_t read_number(struct reader *reader, unsigned int bytes)
{
	uint32_t number = 0;

	while (bytes--)
		number = number << 8 | read_byte(reader);
	return number;
}

#endif

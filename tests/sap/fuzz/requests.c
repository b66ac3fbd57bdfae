/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target of the headers that ask for SAP: four texts, cut at newlines. With libFuzzer by
 * `clang -fsanitize=fuzzer,address,undefined -DLIBFUZZER`; else `fuzz COUNT SEED` makes inputs of its own.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "request_headers.h"

enum { TEXTS = 4, LONGEST = 6000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sap_text texts[TEXTS] = { 0 };
	struct sap_request request;
	char *const copy = malloc(size ? size : 1);
	size_t at = 0;

	if (!copy)
		abort();
	memcpy(copy, data, size);
	for (unsigned int i = 0; i < TEXTS && at < size; i++) {
		const char *const end = memchr(copy + at, '\n', size - at);

		texts[i] = (struct sap_text){ copy + at, end ? (size_t)(end - copy) - at : size - at };
		at += texts[i].length + 1;
	}
	if (sap_request_parse(&request, texts[0], texts[1], texts[2]) == SAP_REQUEST_GOOD) {
		if (request.port < SAP_REQUEST_PORT_MIN || request.types > SAP_REQUEST_TYPES_MAX ||
		    (!request.types && !request.force_precise))
			abort();
		for (unsigned int i = 0; i < request.types; i++) { /* within the header */
			const struct sap_text type = request.type[i].type;

			if (type.bytes < texts[0].bytes || type.bytes + type.length > texts[0].bytes + texts[0].length)
				abort();
		}
		sap_request_matches(&request, texts[3]);
	}
	free(copy);
	return 0;
}

#ifndef LIBFUZZER
static uint64_t state;

static unsigned int any(unsigned int below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)(state >> 33) % below;
}

/* Mostly made of pieces that mean something. */
static size_t make(uint8_t *input)
{
	static const char *const pieces[] = { "image/jpeg", "*/*", "image/*", "/", "*", ",", ", ", ";", "\n", "\n", " ",
					      "1", "0", "65535", "1024", "5001", "true", "off", "a", "\xff", "\t" };
	const unsigned int count = any(any(10) ? 20 : 700);
	size_t length = 0;

	for (unsigned int i = 0; i < count; i++) {
		const char *const piece = pieces[any(sizeof(pieces) / sizeof(*pieces))];

		if (length + strlen(piece) > LONGEST)
			break;
		memcpy(input + length, piece, strlen(piece));
		length += strlen(piece);
	}
	if (length && !any(3))
		input[any((unsigned int)length)] = (uint8_t)any(256);
	return length;
}

int main(int argc, char **argv)
{
	static uint8_t input[LONGEST];

	if (argc != 3)
		return 1;
	state = strtoull(argv[2], NULL, 10);
	for (unsigned long i = strtoul(argv[1], NULL, 10); i; i--)
		LLVMFuzzerTestOneInput(input, make(input));
	return 0;
}
#endif

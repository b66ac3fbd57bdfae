/* SPDX-License-Identifier: MIT */
/*
 * Drives a fuzz target without libFuzzer, always in the same way: `drive COUNT FILE...` gives it every file, then COUNT
 * inputs that are pieces of these files, cut, joined and changed by a generator with a fixed seed.
 */
#include <string.h>

#include "../check.h"
#include "../pair.h"
#include "fuzz.h"

enum {
	INPUT_MOST = 6000,
	FILES_MOST = 256,
};

struct input {
	uint8_t bytes[INPUT_MOST];
	size_t length;
};

static struct input files[FILES_MOST];

static void load(const char *name, struct input *into)
{
	FILE *const file = fopen(name, "rb");

	if (!file) {
		perror(name);
		exit(1);
	}
	into->length = fread(into->bytes, 1, sizeof(into->bytes), file);
	fclose(file);
}

/* A piece of one input goes behind another. */
static void join(struct input *to, const struct input *from, uint64_t *random)
{
	const size_t start = from->length ? next_random(random) % from->length : 0;
	size_t length = from->length - start;

	if (length > sizeof(to->bytes) - to->length)
		length = sizeof(to->bytes) - to->length;
	memcpy(to->bytes + to->length, from->bytes + start, length);
	to->length += length;
}

static void change(struct input *input, uint64_t *random)
{
	for (uint64_t i = next_random(random) % 8; i && input->length; i--) {
		const size_t at = next_random(random) % input->length;

		if (next_random(random) % 2)
			input->bytes[at] = (uint8_t)next_random(random);
		else
			input->bytes[at] ^= (uint8_t)(1u << next_random(random) % 8);
	}
}

/* A file that aborts is named; of a made input, the number. */
static void run(const struct input *input)
{
	/* a copy of just that size, so that the sanitizer sees a read beyond it */
	uint8_t *const bytes = malloc(input->length ? input->length : 1);

	CHECK(bytes);
	memcpy(bytes, input->bytes, input->length);
	LLVMFuzzerTestOneInput(bytes, input->length);
	free(bytes);
}

int main(int argc, char **argv)
{
	const long count = argc > 1 ? atol(argv[1]) : 0;
	const int given = argc - 2 < FILES_MOST ? argc - 2 : FILES_MOST;
	uint64_t random = 20;
	static struct input made;

	if (given < 1) {
		fprintf(stderr, "usage: %s COUNT FILE...\n", argv[0]);
		return 2;
	}
	for (int i = 0; i < given; i++) {
		load(argv[i + 2], &files[i]);
		run(&files[i]);
	}
	for (long i = 0; i < count; i++) {
		made.length = 0;
		for (uint64_t pieces = 1 + next_random(&random) % 3; pieces; pieces--)
			join(&made, &files[next_random(&random) % (uint64_t)given], &random);
		change(&made, &random);
		run(&made);
	}
	printf("%d files, %ld made of them\n", given, count);
	return 0;
}

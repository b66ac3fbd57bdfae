/* SPDX-License-Identifier: MIT */
/* The kernel's names for types of this machine, so that files of the kernel that need no more can be tried on it. */
#ifndef HACK_LINUX_TYPES_H
#define HACK_LINUX_TYPES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
#endif

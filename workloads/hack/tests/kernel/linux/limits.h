/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#define S8_MIN INT8_MIN
#define S8_MAX INT8_MAX
#define U8_MAX UINT8_MAX
#define U16_MAX UINT16_MAX

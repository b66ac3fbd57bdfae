/* SPDX-License-Identifier: MIT */
#include <stdint.h>

#define U8_MAX UINT8_MAX
#define U16_MAX UINT16_MAX

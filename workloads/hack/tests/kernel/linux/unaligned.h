/* SPDX-License-Identifier: MIT */
#ifndef HACK_LINUX_UNALIGNED_H
#define HACK_LINUX_UNALIGNED_H
#include <linux/types.h>

static inline u16 get_unaligned_be16(const void *from)
{
	const u8 *const byte = from;

	return (u16)(byte[0] << 8 | byte[1]);
}

static inline u32 get_unaligned_be32(const void *from)
{
	const u8 *const byte = from;

	return (u32)byte[0] << 24 | (u32)byte[1] << 16 | (u32)byte[2] << 8 | byte[3];
}

static inline void put_unaligned_be16(u16 value, void *to)
{
	u8 *const byte = to;

	byte[0] = (u8)(value >> 8);
	byte[1] = (u8)value;
}

static inline void put_unaligned_be32(u32 value, void *to)
{
	put_unaligned_be16((u16)(value >> 16), to);
	put_unaligned_be16((u16)value, (u8 *)to + 2);
}
#endif

/* SPDX-License-Identifier: MIT */
#ifndef HACK_LINUX_GCD_H
#define HACK_LINUX_GCD_H
static inline unsigned long gcd(unsigned long a, unsigned long b)
{
	while (b) {
		const unsigned long rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}
#endif

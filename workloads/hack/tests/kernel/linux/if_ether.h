/* SPDX-License-Identifier: GPL-2.0-only */
#define ETH_ALEN 6

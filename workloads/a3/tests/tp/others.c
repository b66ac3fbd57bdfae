/* SPDX-License-Identifier: MIT */
/* Observers that no test of TP needs. */
#include "observe/observer.h"

const struct observer observe_smtp, observe_http;

/* SPDX-License-Identifier: MIT */
/* Prints results. */
#ifndef SAP_GET_SHOW_H
#define SAP_GET_SHOW_H

#include <stdio.h>

#include "result.h"

/* One object on one line. */
void show_json(FILE *to, const struct result *result);

/* A format with %{name} for the members of that object, \n, \t, \\ and %%. */
void show_format(FILE *to, const char *format, const struct result *result);

#endif

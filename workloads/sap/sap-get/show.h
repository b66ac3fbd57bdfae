/* SPDX-License-Identifier: MIT */
/* Prints results. */
#ifndef SAP_GET_SHOW_H
#define SAP_GET_SHOW_H

#include <stdio.h>

#include "result.h"

/* Prints the result as a JSON object on one line. */
void show_json(FILE *to, const struct result *result);

/* Prints a format with %{name} for the members of that object, and \n, \r, \t, \\ and %%. */
void show_format(FILE *to, const char *format, const struct result *result);

#endif

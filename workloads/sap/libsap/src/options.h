/* SPDX-License-Identifier: MIT */
/* Options of programs that were compiled against another version of the library. */
#ifndef SAP_OPTIONS_H
#define SAP_OPTIONS_H

#include "sap.h"

/* Completes a program's options (NULL: none) with defaults. Returns false if they are not valid for this version. */
bool sap_options_read(struct sap_options *options, const struct sap_options *given);

#endif

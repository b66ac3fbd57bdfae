/* SPDX-License-Identifier: MIT */
/*
 * The rule of mobility-aware fetching: how probable it is that the next piece is the rarest one, and not the next one
 * in the sequence of the file. Valid C and C++, without state, so that it can be tested alone.
 *
 *     rarest                 always: what Transmission does (no rule)
 *     fixed P                P
 *     fraction               the downloaded fraction, as in the runs of the paper (figure 19)
 *     growing P              grows exponentially with the downloaded fraction, from P to 1
 *     connected P SECONDS    grows exponentially with the time since the last disconnection, or since the start: P,
 *                            twice as much every SECONDS, up to 1
 */
#ifndef FETCH_RULE_H
#define FETCH_RULE_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum fetch_kind { FETCH_RAREST, FETCH_FIXED, FETCH_FRACTION, FETCH_GROWING, FETCH_CONNECTED };

struct fetch_rule {
	enum fetch_kind kind;
	double first; /* probability at the beginning */
	double doubles_s;
};

/* Read a rule; return whether it is valid. */
static inline bool fetch_rule_read(const char *text, struct fetch_rule *rule)
{
	char word[16] = "", rest[2] = "";
	double first = 1, doubles_s = 0;
	int found = sscanf(text, "%15s %lf %lf %1s", word, &first, &doubles_s, rest);

	rule->first = first;
	rule->doubles_s = doubles_s;
	if (!strcmp(word, "rarest") && found == 1)
		rule->kind = FETCH_RAREST;
	else if (!strcmp(word, "fixed") && found == 2)
		rule->kind = FETCH_FIXED;
	else if (!strcmp(word, "fraction") && found == 1)
		rule->kind = FETCH_FRACTION;
	else if (!strcmp(word, "growing") && found == 2)
		rule->kind = FETCH_GROWING;
	else if (!strcmp(word, "connected") && found == 3)
		rule->kind = FETCH_CONNECTED;
	else
		return false;
	return first >= 0 && first <= 1 && (found < 3 || doubles_s > 0);
}

/* The probability of the rarest piece, given the downloaded fraction and the time since the last disconnection. */
static inline double fetch_rule_rarest(const struct fetch_rule *rule, double downloaded, double connected_s)
{
	switch (rule->kind) {
	case FETCH_FIXED:
		return rule->first;
	case FETCH_FRACTION:
		return downloaded;
	case FETCH_GROWING:
		return pow(rule->first, 1 - downloaded);
	case FETCH_CONNECTED:
		/* 0 stays 0, whatever it is multiplied by; 0 times infinity would be no number */
		return rule->first > 0 ? fmin(1, rule->first * exp2(connected_s / rule->doubles_s)) : 0;
	case FETCH_RAREST:
		break;
	}
	return 1;
}

#endif

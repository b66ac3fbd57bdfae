/* SPDX-License-Identifier: MIT */
#include "request_headers.h"

#include <string.h>

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

/* tchar of RFC 9110, 5.6.2 */
static bool is_token_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c != '\0' && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is_token(struct sap_text text)
{
	for (size_t i = 0; i < text.length; i++) {
		if (!is_token_char(text.bytes[i]))
			return false;
	}
	return text.length > 0;
}

static bool is_star(struct sap_text text)
{
	return text.length == 1 && text.bytes[0] == '*';
}

static struct sap_text trimmed(struct sap_text text)
{
	while (text.length && is_space(text.bytes[0])) {
		text.bytes++;
		text.length--;
	}
	while (text.length && is_space(text.bytes[text.length - 1]))
		text.length--;
	return text;
}

/* Splits *rest at the first separator and returns the part before it, or all if there is no separator. */
static struct sap_text cut(struct sap_text *rest, char separator)
{
	const char *const found = memchr(rest->bytes, separator, rest->length);
	const size_t length = found ? (size_t)(found - rest->bytes) : rest->length;
	const struct sap_text before = { rest->bytes, length };

	rest->bytes += found ? length + 1 : length;
	rest->length -= found ? length + 1 : length;
	return before;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool equal(struct sap_text a, struct sap_text b)
{
	if (a.length != b.length)
		return false;
	for (size_t i = 0; i < a.length; i++) {
		if (lower(a.bytes[i]) != lower(b.bytes[i]))
			return false;
	}
	return true;
}

static bool equals(struct sap_text text, const char *word)
{
	return equal(text, (struct sap_text){ word, strlen(word) });
}

/* Parses "type/subtype", where the subtype or both may be "*". */
static bool parse_type(struct sap_type *type, struct sap_text text)
{
	if (!memchr(text.bytes, '/', text.length))
		return false;
	type->type = cut(&text, '/');
	type->subtype = text;
	if (!is_token(type->type) || !is_token(type->subtype))
		return false;
	if (is_star(type->subtype))
		type->subtype.length = 0;
	else if (memchr(type->subtype.bytes, '*', type->subtype.length))
		return false;
	if (is_star(type->type) && !type->subtype.length)
		type->type.length = 0;
	else if (memchr(type->type.bytes, '*', type->type.length))
		return false;
	return true;
}

static enum sap_request_verdict parse_types(struct sap_request *request, struct sap_text list)
{
	struct sap_text item;

	if (list.length > SAP_REQUEST_LIST_BYTES_MAX)
		return SAP_REQUEST_TOO_LONG;
	while (list.length) {
		item = trimmed(cut(&list, ','));
		if (!item.length) /* RFC 9110, 5.6.1.2: lists may have empty elements */
			continue;
		if (request->types == SAP_REQUEST_TYPES_MAX)
			return SAP_REQUEST_TOO_LONG;
		if (!parse_type(&request->type[request->types], item))
			return SAP_REQUEST_BAD_TYPES;
		request->types++;
	}
	return SAP_REQUEST_GOOD;
}

static enum sap_request_verdict parse_port(struct sap_request *request, struct sap_text text)
{
	uint32_t port = 0;

	text = trimmed(text);
	if (!text.length)
		return SAP_REQUEST_NO_PORT;
	if (text.length > 5)
		return SAP_REQUEST_BAD_PORT;
	for (size_t i = 0; i < text.length; i++) {
		if (text.bytes[i] < '0' || text.bytes[i] > '9')
			return SAP_REQUEST_BAD_PORT;
		port = port * 10 + (uint32_t)(text.bytes[i] - '0');
	}
	if (port < SAP_REQUEST_PORT_MIN || port > UINT16_MAX)
		return SAP_REQUEST_BAD_PORT;
	request->port = (uint16_t)port;
	return SAP_REQUEST_GOOD;
}

static enum sap_request_verdict parse_force(struct sap_request *request, struct sap_text text)
{
	static const char *const yes[] = { "1", "yes", "true", "on" }, *const no[] = { "", "0", "no", "false", "off" };

	text = trimmed(text);
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++) {
		if (equals(text, yes[i])) {
			request->force_precise = true;
			return SAP_REQUEST_GOOD;
		}
	}
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++) {
		if (equals(text, no[i]))
			return SAP_REQUEST_GOOD;
	}
	return SAP_REQUEST_BAD_FORCE;
}

/* Returns the value of a hexadecimal digit, or -1. */
static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static enum sap_request_verdict parse_token(struct sap_request *request, struct sap_text text)
{
	text = trimmed(text);
	if (text.length != 2 * sizeof(request->token))
		return SAP_REQUEST_BAD_TOKEN;
	for (size_t i = 0; i < text.length; i++) {
		if (digit(text.bytes[i]) < 0)
			return SAP_REQUEST_BAD_TOKEN;
		request->token = request->token << 4 | (uint64_t)digit(text.bytes[i]);
	}
	return request->token ? SAP_REQUEST_GOOD : SAP_REQUEST_BAD_TOKEN;
}

enum sap_request_verdict sap_request_parse(struct sap_request *request, const struct sap_request_headers *headers)
{
	enum sap_request_verdict verdict = SAP_REQUEST_GOOD;

	request->port = 0;
	request->force_precise = false;
	request->token = 0;
	request->types = 0;
	if (headers->force_precise.bytes)
		verdict = parse_force(request, headers->force_precise);
	if (verdict == SAP_REQUEST_GOOD && headers->approx.bytes)
		verdict = parse_types(request, headers->approx);
	if (verdict != SAP_REQUEST_GOOD)
		return verdict;
	if (!request->types && !request->force_precise)
		return SAP_REQUEST_NONE;
	if (headers->token.bytes)
		verdict = parse_token(request, headers->token);
	if (verdict != SAP_REQUEST_GOOD)
		return verdict;
	return headers->port.bytes ? parse_port(request, headers->port) : SAP_REQUEST_NO_PORT;
}

bool sap_request_matches(const struct sap_request *request, struct sap_text content_type)
{
	const struct sap_type *wanted;
	struct sap_type type;

	if (!content_type.bytes || !parse_type(&type, trimmed(cut(&content_type, ';'))))
		return false;
	for (unsigned int i = 0; i < request->types; i++) {
		wanted = &request->type[i];
		if ((!wanted->type.length || equal(wanted->type, type.type)) &&
		    (!wanted->subtype.length || equal(wanted->subtype, type.subtype)))
			return true;
	}
	return false;
}

const char *sap_request_reason(enum sap_request_verdict verdict)
{
	switch (verdict) {
	case SAP_REQUEST_NONE:
		return "SAP was not requested";
	case SAP_REQUEST_GOOD:
		return "the request is valid";
	case SAP_REQUEST_BAD_PORT:
		return "X-SAP-Port is not a number from 1024 to 65535";
	case SAP_REQUEST_NO_PORT:
		return "X-SAP-Port is missing";
	case SAP_REQUEST_BAD_TYPES:
		return "X-SAP-Approx is not a list of types such as image/jpeg or image/*";
	case SAP_REQUEST_TOO_LONG:
		return "X-SAP-Approx is too long: at most 64 types in 4096 bytes";
	case SAP_REQUEST_BAD_FORCE:
		return "X-SAP-Force-Precise is neither 1 nor 0";
	case SAP_REQUEST_BAD_TOKEN:
		return "X-SAP-Token is not a random number of 16 hexadecimal digits";
	}
	return "unknown";
}

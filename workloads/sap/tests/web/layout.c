/* SPDX-License-Identifier: MIT */
/*
 * In the place of mod_sap.c, with its config.h and headers: prints how large the server made its structures (sizes.c),
 * and how large they are for a plugin. "NAME theirs ours" to standard error.
 */
#include "first.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "base.h"
#include "plugin.h"
#include "request.h"

typedef struct {
	PLUGIN_DATA;
} plugin_data;

static void compare(const char *name, const void *made, size_t ours)
{
	size_t (*size_of)(const void *);

	*(void **)&size_of = dlsym(RTLD_DEFAULT, "size_of");
	if (!size_of)
		abort();
	fprintf(stderr, "layout %s %zu %zu\n", name, size_of(made), ours);
}

static void *init(void)
{
	return calloc(1, sizeof(plugin_data));
}

static handler_t set_defaults(server *srv, void *data)
{
	(void)data;
	compare("server", srv, sizeof(*srv));
	return HANDLER_GO_ON;
}

static handler_t response_start(request_st *r, void *data)
{
	(void)data;
	compare("connection", r, sizeof(connection)); /* its first member */
	return HANDLER_GO_ON;
}

__attribute__((visibility("default"))) int mod_sap_plugin_init(plugin *p);
int mod_sap_plugin_init(plugin *p)
{
	compare("plugin", p, sizeof(*p));
	p->version = LIGHTTPD_VERSION_ID;
	p->name = "sap";
	p->init = init;
	p->set_defaults = set_defaults;
	p->handle_response_start = response_start;
	return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * mod_sap: sends static files over SAP to clients that request it, as in section 4.1 of: B. Ransford, L. Ceze, "SAP: an
 * Architecture for Selectively Approximate Wireless Communication". web.md is the manual.
 *
 * The plugin hooks into responses that are ready to be sent (handle_response_start). If the response is a whole file of
 * a type that the client accepts over SAP, the plugin removes the body, sets headers that say so, and sends the file to
 * the client's own address at the port that the client named. By then access control, redirects and 304 have been
 * handled as usual.
 *
 * A transfer ends when the client closes the connection of its request. If the server closes it (keep-alive timeout),
 * the transfer continues.
 */
#include "first.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base.h"
#include "fdevent.h"
#include "http_header.h"
#include "log.h"
#include "plugin.h"
#include "request.h"
#include "response.h"

#include "clock.h"
#include "engine.h"
#include "request_headers.h"

enum {
	TRANSFERS_DEFAULT = 64,
	TRANSFERS_MAX = 1000,
	TRANSFERS_PER_ADDRESS_DEFAULT = 16,
	TIMEOUT_DEFAULT_S = 10,
	TIMEOUT_MAX_S = 3600,
	STALL_TIMEOUT_DEFAULT_S = 60,
	/*
	 * Data queued in the kernel. Small, because approximate datagrams dropped by the queue of an interface are not
	 * retransmitted; yet enough for about 14 datagrams, several times what a radio holds at once.
	 */
	SEND_BUFFER_DEFAULT_BYTES = 16384,
	SEND_BUFFER_MIN_BYTES = 4096,
	FDS_PER_TRANSFER = 2, /* socket, file */
};

/* Clients such as sap-get do not accept larger files. */
static const off_t FILE_BYTES_MAX = (off_t)1 << 32;

/* Keys of lighttpd.conf, in the order of keys[] below. */
enum {
	KEY_ACTIVATE,
	KEY_MAX_TRANSFERS,
	KEY_MAX_TRANSFERS_PER_ADDRESS,
	KEY_TIMEOUT,
	KEY_STALL_TIMEOUT,
	KEY_CONTROL,
	KEY_SEND_BUFFER,
};

typedef struct {
	PLUGIN_DATA;
	unsigned int activate; /* outside of conditions */
	struct engine_options options;
	struct engine *engine;
	server *srv;
	fdnode *node;
} plugin_data;

static void *sap_init(void)
{
	plugin_data *const p = calloc(1, sizeof(*p));

	if (!p)
		abort();
	p->options = (struct engine_options){
		.transfer = {
			.control = SAP_STOP_AND_WAIT,
			.give_up_ms = TIMEOUT_DEFAULT_S * 1000,
			.send_buffer_bytes = SEND_BUFFER_DEFAULT_BYTES,
		},
		.transfers_max = TRANSFERS_DEFAULT,
		.transfers_per_address_max = TRANSFERS_PER_ADDRESS_DEFAULT,
		.stall_ns = STALL_TIMEOUT_DEFAULT_S * SAP_NS_PER_S,
	};
	return p;
}

static bool in_bounds(server *srv, const char *key, unsigned int value, unsigned int least, unsigned int most)
{
	if (value >= least && value <= most)
		return true;
	log_error(srv->errh, __FILE__, __LINE__, "%s is %u; must be from %u to %u", key, value, least, most);
	return false;
}

/* Applies one key of the configuration. global: it stands outside of conditions. */
static bool configure(plugin_data *p, server *srv, const config_plugin_value_t *cpv, bool global)
{
	switch (cpv->k_id) {
	case KEY_ACTIVATE:
		if (global)
			p->activate = cpv->v.u;
		return true;
	case KEY_MAX_TRANSFERS:
		p->options.transfers_max = cpv->v.u;
		return in_bounds(srv, "sap.max-transfers", cpv->v.u, 1, TRANSFERS_MAX);
	case KEY_MAX_TRANSFERS_PER_ADDRESS:
		p->options.transfers_per_address_max = cpv->v.u;
		return in_bounds(srv, "sap.max-transfers-per-address", cpv->v.u, 1, TRANSFERS_MAX);
	case KEY_STALL_TIMEOUT:
		p->options.stall_ns = cpv->v.u * SAP_NS_PER_S;
		return in_bounds(srv, "sap.stall-timeout", cpv->v.u, 1, TIMEOUT_MAX_S);
	case KEY_TIMEOUT:
		p->options.transfer.give_up_ms = cpv->v.u * 1000;
		return in_bounds(srv, "sap.timeout", cpv->v.u, 1, TIMEOUT_MAX_S);
	case KEY_SEND_BUFFER:
		p->options.transfer.send_buffer_bytes = (int)cpv->v.u;
		return in_bounds(srv, "sap.send-buffer", cpv->v.u, SEND_BUFFER_MIN_BYTES, 16 << 20);
	case KEY_CONTROL:
		if (buffer_eq_slen(cpv->v.b, CONST_STR_LEN("window")))
			p->options.transfer.control = SAP_WINDOW;
		else if (buffer_eq_slen(cpv->v.b, CONST_STR_LEN("stop-and-wait")))
			p->options.transfer.control = SAP_STOP_AND_WAIT;
		else {
			log_error(srv->errh, __FILE__, __LINE__,
				  "sap.control is \"%s\"; must be \"stop-and-wait\" or \"window\"", cpv->v.b->ptr);
			return false;
		}
		return true;
	}
	return true;
}

static handler_t sap_set_defaults(server *srv, void *data)
{
	static const config_plugin_keys_t keys[] = {
		{ CONST_STR_LEN("sap.activate"), T_CONFIG_BOOL, T_CONFIG_SCOPE_CONNECTION },
		{ CONST_STR_LEN("sap.max-transfers"), T_CONFIG_INT, T_CONFIG_SCOPE_SERVER },
		{ CONST_STR_LEN("sap.max-transfers-per-address"), T_CONFIG_INT, T_CONFIG_SCOPE_SERVER },
		{ CONST_STR_LEN("sap.timeout"), T_CONFIG_INT, T_CONFIG_SCOPE_SERVER },
		{ CONST_STR_LEN("sap.stall-timeout"), T_CONFIG_INT, T_CONFIG_SCOPE_SERVER },
		{ CONST_STR_LEN("sap.control"), T_CONFIG_STRING, T_CONFIG_SCOPE_SERVER },
		{ CONST_STR_LEN("sap.send-buffer"), T_CONFIG_INT, T_CONFIG_SCOPE_SERVER },
		{ NULL, 0, T_CONFIG_UNSET, T_CONFIG_SCOPE_UNSET },
	};
	plugin_data *const p = data;

	if (!config_plugin_values_init(srv, p, keys, "mod_sap"))
		return HANDLER_ERROR;
	/* the first block holds the keys outside of conditions; it may be missing */
	for (int i = !p->cvlist[0].v.u2[1]; i < p->nconfig; i++) {
		const config_plugin_value_t *cpv = p->cvlist + p->cvlist[i].v.u2[0];

		for (; cpv->k_id != -1; cpv++) {
			if (!configure(p, srv, cpv, i == 0))
				return HANDLER_ERROR;
		}
	}
	return HANDLER_GO_ON;
}

static void log_end(void *context, const struct engine_end *end)
{
	plugin_data *const p = context;
	buffer *const to = buffer_init();

	p->srv->cur_fds -= FDS_PER_TRANSFER;
	sock_addr_inet_ntop_copy_buffer(to, (const sock_addr *)end->to);
	if (end->state == TRANSFER_FAILED)
		log_error(p->srv->errh, __FILE__, __LINE__,
			  "SAP to %s port %u: %s (%lld of %lld bytes sent, %llu datagrams retransmitted)", to->ptr,
			  sock_addr_get_port((const sock_addr *)end->to), end->why, (long long)end->sent,
			  (long long)end->length, (unsigned long long)end->stats.retransmitted);
	buffer_free(to);
}

static handler_t sap_event(void *data, int revents)
{
	(void)revents;
	engine_work(((plugin_data *)data)->engine);
	return HANDLER_FINISHED;
}

/* Called after fork(): workers must not share an epoll descriptor. */
static handler_t sap_worker_init(server *srv, void *data)
{
	plugin_data *const p = data;

	p->srv = srv;
	p->options.ended = log_end;
	p->options.context = p;
	p->engine = engine_open(&p->options);
	if (!p->engine) {
		log_perror(srv->errh, __FILE__, __LINE__, "SAP: cannot create the epoll descriptor or timer");
		return HANDLER_ERROR;
	}
	srv->cur_fds += 2;
	p->node = fdevent_register(srv->ev, engine_fd(p->engine), sap_event, p);
	fdevent_fdnode_event_set(srv->ev, p->node, FDEVENT_IN);
	return HANDLER_GO_ON;
}

static void sap_free(void *data)
{
	plugin_data *const p = data;

	if (!p->engine)
		return;
	if (p->node) {
		fdevent_fdnode_event_del(p->srv->ev, p->node);
		fdevent_unregister(p->srv->ev, p->node);
	}
	engine_close(p->engine);
	p->engine = NULL;
}

static bool is_active(request_st *r, const plugin_data *p)
{
	unsigned int active = p->activate;

	for (int i = 1; i < p->nconfig; i++) {
		if (!config_check_cond(r, (uint32_t)p->cvlist[i].k_id))
			continue;
		for (const config_plugin_value_t *cpv = p->cvlist + p->cvlist[i].v.u2[0]; cpv->k_id != -1; cpv++) {
			if (cpv->k_id == KEY_ACTIVATE)
				active = cpv->v.u;
		}
	}
	return active != 0;
}

static struct sap_text text_of(const buffer *header)
{
	return header ? (struct sap_text){ header->ptr, buffer_clen(header) } : (struct sap_text){ NULL, 0 };
}

#define REQUEST_HEADER(r, name) text_of(http_header_request_get(r, HTTP_HEADER_OTHER, CONST_STR_LEN(name)))
#define RESPONSE_HEADER(r, name, text) \
	http_header_response_set(r, HTTP_HEADER_OTHER, CONST_STR_LEN(name), text, (uint32_t)strlen(text))

/* Sends the file over TCP, with a header that says why. */
static handler_t refuse(request_st *r, const char *why)
{
	RESPONSE_HEADER(r, "X-SAP-Refused", why);
	if (r->conf.log_request_handling)
		log_debug(r->conf.errh, __FILE__, __LINE__, "no SAP for %s: %s", r->uri.path.ptr, why);
	return HANDLER_GO_ON;
}

/* Returns the file that makes up the whole body of the response; NULL if the body is anything else. */
static const chunk *whole_file(const request_st *r)
{
	const chunk *const c = r->write_queue.first;

	if (r->handler_module || !r->resp_body_finished || r->error_handler_saved_status || r->resp_send_chunked)
		return NULL;
	if (!c || c->next || c->type != FILE_CHUNK || c->file.is_temp || c->file.fd < 0 || c->offset)
		return NULL;
	return c;
}

/*
 * Gets the client's address from the socket. Addresses in proxy headers are ignored: they would let anyone have files
 * sent to anyone else. Returns NULL, or the reason for a refusal.
 */
static const char *find_client(const request_st *r, uint16_t port, struct transfer_job *job)
{
	struct sockaddr_in *const in = (struct sockaddr_in *)&job->to;
	struct sockaddr_in6 *const in6 = (struct sockaddr_in6 *)&job->to;
	struct in_addr inner;

	job->to_length = sizeof(job->to);
	memset(&job->to, 0, sizeof(job->to));
	if (getpeername(r->con->fd, (struct sockaddr *)&job->to, &job->to_length) != 0)
		return "the address of the client is unknown";
	if (job->to.ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr)) {
		memcpy(&inner, in6->sin6_addr.s6_addr + 12, sizeof(inner));
		*in = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr = inner };
		job->to_length = sizeof(*in);
	}
	switch (job->to.ss_family) {
	case AF_INET:
		in->sin_port = htons(port);
		return NULL;
	case AF_INET6:
		in6->sin6_port = htons(port);
		in6->sin6_flowinfo = 0;
		return NULL;
	}
	return "the client does not use IPv4 or IPv6";
}

/* Replaces the body of the response with the headers that announce the SAP transfer. */
static void announce(request_st *r, off_t length, enum sap_mode mode)
{
	const buffer *const type =
		http_header_response_get(r, HTTP_HEADER_CONTENT_TYPE, CONST_STR_LEN("Content-Type"));

	RESPONSE_HEADER(r, "X-SAP-Mode", mode == SAP_PRECISE ? "precise" : "approximate");
	if (type)
		http_header_response_set(r, HTTP_HEADER_OTHER, CONST_STR_LEN("X-SAP-Content-Type"), BUF_PTR_LEN(type));
	buffer_append_int(http_header_response_set_ptr(r, HTTP_HEADER_OTHER, CONST_STR_LEN("X-SAP-Length")), length);
	/* caches must not store the empty body */
	http_header_response_set(r, HTTP_HEADER_CACHE_CONTROL, CONST_STR_LEN("Cache-Control"),
				 CONST_STR_LEN("no-store"));
	http_response_body_clear(r, 0);
	r->resp_body_finished = 1;
	http_header_response_set(r, HTTP_HEADER_CONTENT_LENGTH, CONST_STR_LEN("Content-Length"), CONST_STR_LEN("0"));
}

/* Starts the transfer. Returns NULL, or the reason for a refusal. */
static const char *start(plugin_data *p, const request_st *r, const chunk *file, struct transfer_job *job)
{
	enum engine_verdict verdict;
	int error;

	job->file = fdevent_dup_cloexec(file->file.fd);
	if (job->file < 0) {
		log_perror(r->conf.errh, __FILE__, __LINE__, "SAP: %s", r->physical.path.ptr);
		return "the server is out of file descriptors";
	}
	verdict = engine_start(p->engine, job, r->con, &error);
	if (verdict == ENGINE_STARTED) {
		p->srv->cur_fds += FDS_PER_TRANSFER;
		return NULL;
	}
	if (verdict == ENGINE_ERROR)
		log_error(r->conf.errh, __FILE__, __LINE__, "SAP to %s: %s", r->con->dst_addr_buf.ptr,
			  error == SAP_ERR_SYSTEM ? strerror(errno) : sap_strerror(error));
	close(job->file);
	switch (verdict) {
	case ENGINE_FULL:
		return "the server has reached its limit of transfers (sap.max-transfers)";
	case ENGINE_ADDRESS_FULL:
		return "this client has reached its limit of transfers (sap.max-transfers-per-address)";
	case ENGINE_PORT_TAKEN:
		return "another transfer to this port is running";
	default:
		return "the server cannot send";
	}
}

static handler_t sap_response_start(request_st *r, void *data)
{
	plugin_data *const p = data;
	struct transfer_job job = { .mode = SAP_APPROXIMATE };
	struct sap_request request;
	enum sap_request_verdict verdict;
	const chunk *file;
	const char *why;

	if (r->http_status != 200 || !http_method_get_or_head(r->http_method) || !is_active(r, p))
		return HANDLER_GO_ON;
	verdict = sap_request_parse(&request, &(struct sap_request_headers){
		.approx = REQUEST_HEADER(r, "X-SAP-Approx"),
		.port = REQUEST_HEADER(r, "X-SAP-Port"),
		.force_precise = REQUEST_HEADER(r, "X-SAP-Force-Precise"),
		.token = REQUEST_HEADER(r, "X-SAP-Token"),
	});
	if (verdict == SAP_REQUEST_NONE)
		return HANDLER_GO_ON;
	if (verdict != SAP_REQUEST_GOOD)
		return refuse(r, sap_request_reason(verdict));
	if (request.force_precise)
		job.mode = SAP_PRECISE;
	else if (!sap_request_matches(&request, text_of(http_header_response_get(r, HTTP_HEADER_CONTENT_TYPE,
										 CONST_STR_LEN("Content-Type")))))
		return HANDLER_GO_ON;
	file = whole_file(r);
	if (!file && r->resp_body_finished && !r->handler_module && !r->write_queue.first)
		return refuse(r, "the file is empty");
	if (!file)
		return refuse(r, "SAP is for whole files only");
	if (file->file.length > FILE_BYTES_MAX)
		return refuse(r, "the file is longer than 4 GiB");
	if (light_btst(r->resp_htags, HTTP_HEADER_CONTENT_ENCODING))
		return refuse(r, "the response is compressed");
	if (light_btst(r->rqst_htags, HTTP_HEADER_RANGE))
		return refuse(r, "ranges of files (Range) are sent over TCP");
	if (r->con->is_ssl_sock || buffer_eq_slen(&r->uri.scheme, CONST_STR_LEN("https")))
		return refuse(r, "SAP is not encrypted, so it is not used with https");
	why = find_client(r, request.port, &job);
	if (why)
		return refuse(r, why);
	job.length = file->file.length;
	job.token = request.token;
	if (r->http_method == HTTP_METHOD_GET) {
		why = start(p, r, file, &job);
		if (why)
			return refuse(r, why);
	}
	announce(r, job.length, job.mode);
	return HANDLER_GO_ON;
}

/* Keeps connections alive while their clients wait for a transfer. */
static handler_t sap_trigger(server *srv, void *data)
{
	const plugin_data *const p = data;

	if (!p->engine || !engine_transfers(p->engine))
		return HANDLER_GO_ON;
	for (connection *con = srv->conns; con; con = con->next) {
		if (engine_has(p->engine, con))
			con->read_idle_ts = log_monotonic_secs;
	}
	return HANDLER_GO_ON;
}

/* Whether the client has closed its side or the connection is broken: not so in the three states below. */
static bool client_is_gone(int fd)
{
	struct tcp_info info;
	socklen_t length = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0)
		return true;
	return info.tcpi_state != TCP_ESTABLISHED && info.tcpi_state != TCP_FIN_WAIT1 &&
	       info.tcpi_state != TCP_FIN_WAIT2;
}

static handler_t sap_connection_close(connection *con, void *data)
{
	const plugin_data *const p = data;

	if (p->engine && engine_has(p->engine, con))
		engine_leave(p->engine, con, client_is_gone(con->fd));
	return HANDLER_GO_ON;
}

__attribute__((visibility("default"))) int mod_sap_plugin_init(plugin *p);
int mod_sap_plugin_init(plugin *p)
{
	p->version = LIGHTTPD_VERSION_ID;
	p->name = "sap";
	p->init = sap_init;
	p->set_defaults = sap_set_defaults;
	p->worker_init = sap_worker_init;
	p->handle_response_start = sap_response_start;
	p->handle_trigger = sap_trigger;
	p->handle_connection_close = sap_connection_close;
	p->cleanup = sap_free;
	return 0;
}

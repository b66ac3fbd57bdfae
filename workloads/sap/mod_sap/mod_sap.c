/* SPDX-License-Identifier: MIT */
/*
 * mod_sap: lighttpd sends static files by SAP to clients that ask for it, as in section 4.1 of: B. Ransford, L. Ceze,
 * "SAP: an Architecture for Selectively Approximate Wireless Communication". web.md tells how to use it.
 *
 * It looks at answers that are ready to be sent (handle_response_start). If one is a whole file of a type that the client
 * takes by SAP, its body is taken away, headers say so, and the file goes to the client's own address, at the port that
 * it named. So whatever decides about a request (access, redirects, 304) has decided as always.
 *
 * A transfer ends when the client closes the connection on which it asked. If the server closes it (keep-alive is over),
 * the transfer goes on.
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

#include "engine.h"
#include "request_headers.h"

enum {
	TRANSFERS_DEFAULT = 64,
	TRANSFERS_MAX = 1000,
	TIMEOUT_DEFAULT_S = 10,
	TIMEOUT_MAX_S = 3600,
	/*
	 * What approximate data may wait in the kernel. Little, since nobody repeats what the queue of an interface
	 * drops; enough for about 14 datagrams, several times what a radio holds at once.
	 */
	SEND_BUFFER_DEFAULT_BYTES = 16384,
	SEND_BUFFER_MIN_BYTES = 4096,
	FDS_OF_A_TRANSFER = 2, /* socket, file */
};

/* Clients take no longer one: sap-get, for instance. */
static const off_t FILE_BYTES_MAX = (off_t)1 << 32;

/* Of the server: read when it starts. */
enum { KEY_ACTIVATE, KEY_MAX_TRANSFERS, KEY_TIMEOUT, KEY_CONTROL, KEY_SEND_BUFFER };

typedef struct {
	PLUGIN_DATA;
	unsigned int activate; /* where no condition says otherwise */
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
	};
	return p;
}

static bool in_bounds(server *srv, const char *key, unsigned int value, unsigned int least, unsigned int most)
{
	if (value >= least && value <= most)
		return true;
	log_error(srv->errh, __FILE__, __LINE__, "%s is %u; it takes %u to %u", key, value, least, most);
	return false;
}

/* Takes one key of the configuration. */
static bool configure(plugin_data *p, server *srv, const config_plugin_value_t *cpv, bool everywhere)
{
	switch (cpv->k_id) {
	case KEY_ACTIVATE:
		if (everywhere)
			p->activate = cpv->v.u;
		return true;
	case KEY_MAX_TRANSFERS:
		p->options.transfers_max = cpv->v.u;
		return in_bounds(srv, "sap.max-transfers", cpv->v.u, 1, TRANSFERS_MAX);
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
				  "sap.control is \"%s\"; it takes \"stop-and-wait\" or \"window\"", cpv->v.b->ptr);
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
		{ CONST_STR_LEN("sap.timeout"), T_CONFIG_INT, T_CONFIG_SCOPE_SERVER },
		{ CONST_STR_LEN("sap.control"), T_CONFIG_STRING, T_CONFIG_SCOPE_SERVER },
		{ CONST_STR_LEN("sap.send-buffer"), T_CONFIG_INT, T_CONFIG_SCOPE_SERVER },
		{ NULL, 0, T_CONFIG_UNSET, T_CONFIG_SCOPE_UNSET },
	};
	plugin_data *const p = data;

	if (!config_plugin_values_init(srv, p, keys, "mod_sap"))
		return HANDLER_ERROR;
	/* the first block is that outside of all conditions, and may be missing */
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

	p->srv->cur_fds -= FDS_OF_A_TRANSFER;
	sock_addr_inet_ntop_copy_buffer(to, (const sock_addr *)end->to);
	if (end->state == TRANSFER_FAILED)
		log_error(p->srv->errh, __FILE__, __LINE__,
			  "SAP to %s port %u: %s (%lld of %lld bytes sent, %llu datagrams sent again)", to->ptr,
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

/* After fork(): epoll descriptors must not be shared. */
static handler_t sap_worker_init(server *srv, void *data)
{
	plugin_data *const p = data;

	p->srv = srv;
	p->options.ended = log_end;
	p->options.context = p;
	p->engine = engine_open(&p->options);
	if (!p->engine) {
		log_perror(srv->errh, __FILE__, __LINE__, "SAP: no epoll descriptor or timer");
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
#define ANSWER(r, name, text) \
	http_header_response_set(r, HTTP_HEADER_OTHER, CONST_STR_LEN(name), text, (uint32_t)strlen(text))

/* The client gets the file over TCP, and is told why. */
static handler_t refuse(request_st *r, const char *why)
{
	ANSWER(r, "X-SAP-Refused", why);
	if (r->conf.log_request_handling)
		log_debug(r->conf.errh, __FILE__, __LINE__, "no SAP for %s: %s", r->uri.path.ptr, why);
	return HANDLER_GO_ON;
}

/* The file that is the whole body of the answer; NULL: it is something else. */
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
 * Where the client is, from the socket itself: what a proxy says of other addresses would let anybody have files sent to
 * anybody. Returns NULL, or why not.
 */
static const char *find_client(const request_st *r, uint16_t port, struct transfer_job *job)
{
	struct sockaddr_in *const in = (struct sockaddr_in *)&job->to;
	struct sockaddr_in6 *const in6 = (struct sockaddr_in6 *)&job->to;
	struct in_addr inner;

	job->to_length = sizeof(job->to);
	memset(&job->to, 0, sizeof(job->to));
	if (getpeername(r->con->fd, (struct sockaddr *)&job->to, &job->to_length) != 0)
		return "the client has no address";
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
	return "the client is no host";
}

/* Makes the answer one without a body that says where the body is. */
static void announce(request_st *r, off_t length, enum sap_mode mode)
{
	const buffer *const type =
		http_header_response_get(r, HTTP_HEADER_CONTENT_TYPE, CONST_STR_LEN("Content-Type"));

	ANSWER(r, "X-SAP-Mode", mode == SAP_PRECISE ? "precise" : "approximate");
	if (type)
		http_header_response_set(r, HTTP_HEADER_OTHER, CONST_STR_LEN("X-SAP-Content-Type"), BUF_PTR_LEN(type));
	buffer_append_int(http_header_response_set_ptr(r, HTTP_HEADER_OTHER, CONST_STR_LEN("X-SAP-Length")), length);
	/* the empty body is of use to nobody else */
	http_header_response_set(r, HTTP_HEADER_CACHE_CONTROL, CONST_STR_LEN("Cache-Control"),
				 CONST_STR_LEN("no-store"));
	http_response_body_clear(r, 0);
	r->resp_body_finished = 1;
	http_header_response_set(r, HTTP_HEADER_CONTENT_LENGTH, CONST_STR_LEN("Content-Length"), CONST_STR_LEN("0"));
}

/* Returns NULL, or why not. */
static const char *start(plugin_data *p, const request_st *r, const chunk *file, struct transfer_job *job)
{
	enum engine_verdict verdict;
	int error;

	job->file = fdevent_dup_cloexec(file->file.fd);
	if (job->file < 0) {
		log_perror(r->conf.errh, __FILE__, __LINE__, "SAP: %s", r->physical.path.ptr);
		return "the server has no descriptor left";
	}
	verdict = engine_start(p->engine, job, r->con, &error);
	if (verdict == ENGINE_STARTED) {
		p->srv->cur_fds += FDS_OF_A_TRANSFER;
		return NULL;
	}
	if (verdict == ENGINE_ERROR)
		log_error(r->conf.errh, __FILE__, __LINE__, "SAP to %s: %s", r->con->dst_addr_buf.ptr,
			  error == SAP_ERR_SYSTEM ? strerror(errno) : sap_strerror(error));
	close(job->file);
	switch (verdict) {
	case ENGINE_FULL:
		return "the server has as many transfers as it may (sap.max-transfers)";
	case ENGINE_PORT_TAKEN:
		return "another transfer to this port runs";
	default:
		return "the server cannot send";
	}
}

static handler_t sap_answer(request_st *r, void *data)
{
	plugin_data *const p = data;
	struct transfer_job job = { .mode = SAP_APPROXIMATE };
	struct sap_request request;
	enum sap_request_verdict verdict;
	const chunk *file;
	const char *why;

	if (r->http_status != 200 || !http_method_get_or_head(r->http_method) || !is_active(r, p))
		return HANDLER_GO_ON;
	verdict = sap_request_parse(&request, REQUEST_HEADER(r, "X-SAP-Approx"), REQUEST_HEADER(r, "X-SAP-Port"),
				    REQUEST_HEADER(r, "X-SAP-Force-Precise"));
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
		return refuse(r, "only whole files go by SAP");
	if (file->file.length > FILE_BYTES_MAX)
		return refuse(r, "the file is longer than 4 GiB");
	if (light_btst(r->resp_htags, HTTP_HEADER_CONTENT_ENCODING))
		return refuse(r, "the answer is compressed");
	if (light_btst(r->rqst_htags, HTTP_HEADER_RANGE))
		return refuse(r, "parts of files (Range) go over TCP");
	if (r->con->is_ssl_sock || buffer_eq_slen(&r->uri.scheme, CONST_STR_LEN("https")))
		return refuse(r, "SAP does not encrypt, and https would be told in the clear");
	why = find_client(r, request.port, &job);
	if (why)
		return refuse(r, why);
	job.length = file->file.length;
	if (r->http_method == HTTP_METHOD_GET) {
		why = start(p, r, file, &job);
		if (why)
			return refuse(r, why);
	}
	announce(r, job.length, job.mode);
	return HANDLER_GO_ON;
}

/* A connection on which a client waits for a transfer is not idle. */
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

/* Whether the client has closed its side, or the connection broke: the other states begin with a FIN of ours. */
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
	p->handle_response_start = sap_answer;
	p->handle_trigger = sap_trigger;
	p->handle_connection_close = sap_connection_close;
	p->cleanup = sap_free;
	return 0;
}

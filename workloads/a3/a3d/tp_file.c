/* SPDX-License-Identifier: MIT */
/* TP's file: its oplock, the breaks of it, and what has been read. */
#include "tp_parts.h"

#include <string.h>

enum {
	LEAST_BLOCK = 16 << 10, /* smaller reads are asked for several at a time */
	OWN_FIRST = 0xe000, /* SMB1: numbers of requests from here */
	OWN_LAST = 0xefff,
	SMB1_LOGOFF = 0x74,
	SMB1_PROCESS_EXIT = 0x11,
	SMB2_LOGOFF = 0x02,
};

static bool has_id(const struct tp *tp, const struct observe_smb_message *smb)
{
	return (tp->file.state == TP_IS_OPEN || tp->file.state == TP_CLOSES) &&
	       !memcmp(tp->file.id, smb->file, tp_protocol(smb)->id_length);
}

bool tp_is_about(const struct tp *tp, const struct observe_smb_message *smb)
{
	if (smb->related)
		return tp->file.named;
	return smb->has_file && has_id(tp, smb) && smb->session == tp->file.session && smb->tree == tp->file.tree;
}

void tp_give_up(struct tp *tp)
{
	tp->file.ask = tp->file.serve = false;
	tp_forget(tp);
}

/* Whether the client has asked for something that may change a file, and was not answered. */
static bool changes(const struct tp *tp)
{
	for (size_t i = 0; i < tp->requests; i++)
		if (tp->request[i].kind == TP_CHANGES)
			return true;
	return false;
}

bool tp_may_open(const struct tp *tp, const struct tp_message *own)
{
	const struct observe_smb_message *smb = &own->event.smb;

	return tp->settings.predict && own->alone && !tp->channels && !tp->large && !changes(tp) &&
	       (smb->version == 1 || tp_credits(tp) > TP_SPARE) && tp_protocol(smb)->askable(own);
}

bool tp_opens(struct tp *tp, struct tp_message *own)
{
	const struct observe_smb_message *smb = &own->event.smb;
	struct tp_file *file = &tp->file;

	if (tp->state != TP_ACTS || file->state != TP_NO_FILE || !tp_may_open(tp, own))
		return false;
	*file = (struct tp_file){
		.state = TP_OPENS, .ask = true, .serve = true, .session = smb->session, .tree = smb->tree,
		.opener = smb->message >> 16
	};
	memcpy(file->opened, own->head, sizeof(file->opened));
	tp_protocol(smb)->ask(own->head);
	tp->changed = true;
	return true;
}

void tp_opened(struct tp *tp, const struct observe_smb_message *smb, uint8_t *header, bool asked)
{
	struct tp_file *file = &tp->file;

	if (!asked) {
		if (has_id(tp, smb)) { /* then the file of this number is gone */
			tp_forget(tp);
			file->state = TP_NO_FILE;
		}
		return;
	}
	if (smb->status || !smb->has_file || !smb->oplock) {
		file->state = TP_NO_FILE;
		return;
	}
	tp_protocol(smb)->hide(header);
	file->state = TP_IS_OPEN;
	file->size = smb->size;
	memcpy(file->id, smb->file, sizeof(file->id));
	file->exclusive = tp_protocol(smb)->exclusive(smb->oplock);
	tp->counts.oplocks += file->exclusive;
	if (!file->exclusive) {
		tp_give_up(tp);
		file->agree = false;
	}
}

bool tp_spoils(const struct tp *tp, const struct tp_message *own, enum tp_kind kind)
{
	const struct observe_smb_message *smb = &own->event.smb;

	if (smb->breaks && has_id(tp, smb)) /* the client knows of no oplock, but the server will take it as given back */
		return true;
	if (kind == TP_ENDS && own->alone)
		return !smb->has_file || has_id(tp, smb); /* also if it is of another session or tree, which is odd */
	return kind == TP_CHANGES || !own->alone;
}

bool tp_closes(struct tp *tp, const struct observe_smb_message *smb)
{
	struct tp_file *file = &tp->file;
	bool all = smb->command == (smb->version == 1 ? SMB1_LOGOFF : SMB2_LOGOFF), ends;

	if (smb->has_file)
		ends = tp_is_about(tp, smb);
	else if (smb->version == 1 && smb->command == SMB1_PROCESS_EXIT)
		ends = smb->message >> 16 == file->opener;
	else
		ends = smb->session == file->session && (all || smb->tree == file->tree);
	if (!ends || file->state != TP_IS_OPEN)
		return false;
	file->state = TP_CLOSES;
	return true;
}

/* Whether the answer to a close says that the file is no longer open. */
static bool is_gone(uint32_t status)
{
	switch (status) {
	case 0:
	case 0xc0000008: /* its number is invalid */
	case 0xc00000c9: /* the share is gone */
	case 0xc0000128: /* it was closed */
	case 0xc0000203: /* the session is gone */
		return true;
	default:
		return false;
	}
}

void tp_closed(struct tp *tp, const struct observe_smb_message *smb)
{
	if (tp->file.state == TP_CLOSES)
		tp->file.state = is_gone(smb->status) ? TP_NO_FILE : TP_IS_OPEN;
}

/* The first read: what is predicted from it. */
static void begin(struct tp *tp, const struct tp_message *own)
{
	const struct observe_smb_message *smb = &own->event.smb;
	struct tp_file *file = &tp->file;

	file->begun = true;
	if (!smb->length || smb->length > TP_BLOCK || !own->alone || own->event.end - own->event.start != own->kept ||
	    !tp_protocol(smb)->plain(own)) {
		file->ask = false;
		return;
	}
	file->block = smb->length;
	while (file->block < LEAST_BLOCK)
		file->block += smb->length;
	file->process = smb->message >> 16;
	file->asked_length = own->kept;
	memcpy(file->asked, own->head, own->kept);
}

void tp_read_passes(struct tp *tp, const struct tp_message *own)
{
	const struct observe_smb_message *smb = &own->event.smb;

	if (!tp_is_about(tp, smb))
		return;
	if (!tp->file.begun)
		begin(tp, own);
	tp_reads_at(tp, smb->offset, smb->length);
}

bool tp_broken(struct tp *tp, const struct observe_smb_message *smb)
{
	struct tp_file *file = &tp->file;
	bool mine;

	if (smb->breaks != OBSERVE_BREAK)
		return false;
	mine = has_id(tp, smb) && (!tp_protocol(smb)->breaks_name_tree || smb->tree == file->tree);
	if (mine) {
		tp_give_up(tp);
		file->agree = file->exclusive;
		tp->counts.breaks++;
	} else if (file->state == TP_OPENS) { /* it may be of this file; to agree to none does no harm */
		tp_give_up(tp);
		file->agree = true;
	}
	return mine;
}

uint64_t tp_own_number(struct tp *tp)
{
	const struct tp_file *file = &tp->file;
	uint64_t id;
	bool taken;

	if (!tp_is_smb1(file)) {
		tp->more_credits--;
		return tp->next++;
	}
	do {
		tp->multiplex = (uint16_t)(tp->multiplex < OWN_FIRST || tp->multiplex == OWN_LAST ? OWN_FIRST : tp->multiplex + 1);
		id = file->process << 16 | tp->multiplex;
		taken = tp_block_of(tp, id);
		for (size_t i = 0; i < tp->requests; i++)
			taken |= tp->request[i].client == id;
		for (size_t i = 0; i < tp->reads; i++)
			taken |= tp->read[i].smb.message == id;
	} while (taken);
	return id;
}

/* The client may have spent all credits, since it knows nothing of this; then one comes with an answer. */
bool tp_agrees(struct tp *tp)
{
	struct tp_file *file = &tp->file;
	const struct tp_protocol *protocol = tp_is_smb1(file) ? &tp_smb1 : &tp_smb2;
	uint8_t made[TP_ASKED];
	uint64_t id;

	if (!file->agree || file->state != TP_IS_OPEN || tp->agreeing || (!tp_is_smb1(file) && tp_credits(tp) < 1) || tp->passing[OBSERVE_TO_SERVER] ||
	    tp->finished[OBSERVE_TO_SERVER])
		return false;
	file->agree = false;
	id = tp_own_number(tp);
	tp->agreeing = protocol->agreed_is_answered;
	tp->agreement = id;
	tp_out(tp, OBSERVE_TO_SERVER, made, protocol->agree(file, id, made));
	return true;
}

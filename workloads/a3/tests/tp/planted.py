# SPDX-License-Identifier: MIT
"""Mistakes that a test of TP must notice."""

from __future__ import annotations

from typing import Any, NamedTuple

from .smb import Smb1, Smb2


class Mistake(NamedTuple):
    """A change of a file, and the test that fails with it."""

    file: str
    right: str
    wrong: str
    found_by: str
    values: tuple[Any, ...] = ()


class Modelled(NamedTuple):
    """A change of a file, and of how many of the first eight seeds of the model it is noticed by, at least."""

    file: str
    right: str
    wrong: str
    least: int


MODELLED = {
    "a break does not empty the cache": Modelled(
        "tp_file.c",
        "	if (mine) {\n		tp_give_up(tp);\n",
        "	if (mine) {\n		tp->file.ask = false;\n",
        5,
    ),
    "what is kept is served after a break or a write": Modelled(
        "tp_file.c",
        "	tp->file.ask = tp->file.serve = false;\n	tp_forget(tp);\n",
        "	tp->file.ask = false;\n",
        7,
    ),
    "a write of the client empties nothing": Modelled(
        "tp_file.c",
        "	return kind == TP_CHANGES || !own->alone;",
        "	return !own->alone;",
        5,
    ),
    "what is under way at a break is served": Modelled(
        "tp_file.c",
        "	if (mine) {\n		tp_give_up(tp);\n",
        "	if (mine) {\n		file->ask = false;\n		for (size_t i = 0; i < TP_BLOCKS; i++)\n"
        "			if (tp->block[i].state == TP_KEPT)\n				tp->block[i].state = TP_FREE;\n",
        2,
    ),
    "what is kept gets old": Modelled(
        "tp_blocks.c",
        "	if (found == IS_THERE && tp_now_ns(tp) - tp->fresh_ns >= TP_FRESH_NS)\n		return IS_STALE;\n",
        "",
        2,
    ),
}

PLANTED = {
    "the client hears of an oplock that it has not asked for": Mistake(
        "tp_file.c",
        "	return mine;\n",
        "	return false;\n",
        "test_a_break_of_its_own_oplock_stays_here",
        (Smb1(),),
    ),
    "nobody agrees to a break": Mistake(
        "tp_file.c",
        "		file->agree = file->exclusive;\n",
        "",
        "test_a_break_of_its_own_oplock_stays_here",
        (Smb2(),),
    ),
    "an oplock that others share is given back": Mistake(
        "tp_file.c",
        "		file->agree = file->exclusive;\n",
        "		file->agree = true;\n",
        "test_nothing_is_predicted_without_an_oplock",
        (Smb2(),),
    ),
    "an early break is nobody's": Mistake(
        "tp_file.c",
        "} else if (file->state == TP_OPENS) {",
        "} else if (file->state == TP_OPENS && mine) {",
        "test_a_break_before_the_open_is_answered",
        (Smb2(),),
    ),
    "the oplock that it asks for is not hidden": Mistake(
        "tp_file.c",
        "	tp_protocol(smb)->hide(header);\n",
        "	(void)header;\n",
        "test_the_client_hears_nothing_of_an_oplock_that_is_asked_for_here",
        (Smb2(),),
    ),
    "an oplock is hidden in the first message of a frame": Mistake(
        "tp.c",
        "		tp_opened(tp, smb, header_of(own), request->file);",
        "		tp_opened(tp, smb, own->head + TP_PREFIX, request->file);",
        "test_an_open_is_answered_in_the_middle_of_a_frame",
    ),
    "an oplock that others share is enough": Mistake(
        "tp_file.c",
        "	file->exclusive = tp_protocol(smb)->exclusive(smb->oplock);",
        "	file->exclusive = smb->oplock;",
        "test_nothing_is_predicted_without_an_oplock",
        (Smb2(),),
    ),
    "a session that others may join is enough": Mistake(
        "tp.c",
        "tp->channels = tp->channels && smb_get32(own->head + TP_PREFIX + SMB2_FLAGS) & FLAG_SIGNED;",
        "tp->channels = false;",
        "test_a_session_that_another_connection_may_join",
        (True, True, 1),
    ),
    "one asks for an oplock to write": Mistake(
        "tp_smb2.c",
        " && access & read_data && !(access & write_or_any) &&",
        " && access & read_data && (!(access & write_or_any) || access) &&",
        "test_an_oplock_is_asked_for_only_to_read",
        (Smb2(),),
    ),
    "one asks for an oplock while something changes": Mistake(
        "tp_file.c",
        "!tp->large && !changes(tp) &&",
        "!tp->large && (!changes(tp) || own->alone) &&",
        "test_an_oplock_is_asked_for_only_to_read",
        (Smb2(),),
    ),
    "one asks for an oplock of a client with few credits": Mistake(
        "tp_file.c",
        "tp_credits(tp) > TP_SPARE)",
        "tp_credits(tp) >= TP_SPARE)",
        "test_an_oplock_is_asked_for_only_if_the_client_has_credits_to_spare",
        (64, 0),
    ),
    "an agreement is sent without a credit": Mistake(
        "tp_file.c",
        "tp_credits(tp) < 1) || tp",
        "tp_credits(tp) < 0) || tp",
        "test_an_agreement_needs_a_credit",
    ),
    "the client's last 64 credits are spent": Mistake(
        "tp_blocks.c",
        ": tp_credits(tp) > TP_SPARE +",
        ": tp_credits(tp) > 1 +",
        "test_what_the_client_has_beyond_64_credits_is_spent",
    ),
    "the client spends what was spent": Mistake(
        "tp.c",
        "tp_credits(tp) < cost(&own->event.smb) + (int64_t)others &&",
        "tp_credits(tp) < (int64_t)others &&",
        "test_what_the_client_has_beyond_64_credits_is_spent",
    ),
    "a compound spends what was spent": Mistake(
        "tp.c",
        "tp_credits(tp) < cost(&own->event.smb) + (int64_t)others &&",
        "tp_credits(tp) < cost(&own->event.smb) + 0 * (int64_t)others &&",
        "test_a_compound_waits_for_credits_as_well",
    ),
    "what a block has cost is lost": Mistake(
        "tp.c",
        "granted + tp->more_credits + (int64_t)tp_asked(tp);",
        "granted + 0 * tp->more_credits;",
        "test_what_a_block_has_cost_comes_back",
    ),
    "long frames are not noticed": Mistake(
        "tp.c",
        "event.start > LARGE;",
        "event.start > LARGE * 1000;",
        "test_an_oplock_is_not_asked_for_once_long_frames_have_passed",
        (Smb2(),),
    ),
    "a block is served to another session": Mistake(
        "tp_file.c",
        " && smb->session == tp->file.session &&",
        " &&",
        "test_a_block_is_of_its_session_and_tree",
    ),
    "what is under way for a file is served to the next one": Mistake(
        "tp_blocks.c",
        "		else if (tp->block[i].state == TP_ASKED_FOR)\n			tp->block[i].state = TP_DROPPED;\n",
        "",
        "test_a_block_is_not_served_to_the_next_file",
        (Smb2(),),
    ),
    "a number is a file's for ever": Mistake(
        "tp_file.c",
        "		if (has_id(tp, smb)) { /* then",
        "		if (smb->has_file && smb->status) { /* then",
        "test_a_break_of_a_file_of_the_same_number",
        (Smb2(),),
    ),
    "the end of a tree is not noticed": Mistake(
        "tp_smb2.c",
        "	case TREE_DISCONNECT:\n	case LOGOFF:\n		return TP_ENDS;",
        "	case TREE_DISCONNECT:\n	case LOGOFF:\n		return TP_HARMLESS;",
        "test_reads_that_wait_go_before_a_change",
        (Smb2(),),
    ),
    "a close that has failed ends the file": Mistake(
        "tp_file.c",
        "is_gone(smb->status) ? TP_NO_FILE",
        "is_gone(0 * smb->status) ? TP_NO_FILE",
        "test_a_break_after_a_close_that_has_failed",
        (Smb2(),),
    ),
    "a close in a compound is not noticed": Mistake(
        "tp_file.c",
        "	if (smb->related)\n		return tp->file.named;\n",
        "",
        "test_a_close_in_a_compound",
        (True,),
    ),
    "a lock is harmless": Mistake(
        "tp_smb1.c",
        "head[WORDS + 6] == OPLOCK_RELEASE && !smb_get32(head + WORDS + 12) &&",
        "",
        "test_what_may_change_a_file_empties_what_is_kept",
        (Smb1(), "lock"),
    ),
    "a change overtakes the reads before it": Mistake(
        "tp.c",
        "		if (tp->reads && !tp->passing[OBSERVE_TO_SERVER]) /* these",
        "		if (tp->reads && tp->passing[OBSERVE_TO_SERVER]) /* these",
        "test_reads_that_wait_go_before_a_change",
        (Smb2(),),
    ),
    "another log-in goes on": Mistake(
        "tp.c",
        " || (kind == TP_LOGS_IN && tp->logged_in)",
        "",
        "test_another_log_in_ends_the_connection",
        (Smb2(), "setup"),
    ),
    "the client gets more credits than a number holds": Mistake(
        "tp.c",
        "	if (given > UINT16_MAX)\n		given = UINT16_MAX;\n",
        "",
        "test_what_a_block_has_cost_comes_back",
    ),
    "a message has one number, however large": Mistake(
        "tp.c",
        "	tp->next += (uint64_t)cost(smb);",
        "	tp->next += 1;",
        "test_compounds_and_long_requests_do_not_wait_for_credits",
    ),
    "an answer is as new as it is late": Mistake(
        "tp.c",
        "	is_answer_of(tp, request->asked_ns);",
        "	is_answer_of(tp, tp_now_ns(tp));",
        "test_an_answer_says_nothing_of_the_time_after_its_request",
        (Smb2(),),
    ),
    "credits of an answer for the time being are lost": Mistake(
        "tp.c",
        "	tp->more_credits += own->event.smb.credits;",
        "	tp->more_credits += !own->event.smb.interim * own->event.smb.credits;",
        "test_credits_of_an_answer_for_the_time_being",
    ),
    "a read that waits here costs nothing": Mistake(
        "tp.c",
        "		tp->client_credits -= cost(smb);\n		drop(",
        "		drop(",
        "test_what_is_answered_here_costs_nothing_in_the_end",
    ),
    "two requests have the same number": Mistake(
        "tp.c",
        "	return tp_block_of(tp, smb->message) || (asked",
        "	return (asked",
        "test_a_number_of_the_client_that_is_used_here",
    ),
    "a client with few credits loses some": Mistake(
        "tp.c",
        "tp->client_credits + given < TP_SPARE",
        "tp->client_credits + given < 0",
        "test_a_client_with_few_credits_keeps_them",
    ),
    "the client gets too many credits with a block": Mistake(
        "tp_blocks.c",
        "uint16_t credits = read->smb.version == 2;",
        "uint16_t credits = 2 * (read->smb.version == 2);",
        "test_credits_of_a_read_that_is_answered_here",
    ),
    "more requests are asked than SMB1 allows": Mistake(
        "tp.c",
        "(asked && tp->requests + asked >= tp->most)",
        "(asked && tp->requests + asked >= 2u * tp->most)",
        "test_the_limit_of_requests_in_smb1_is_kept",
    ),
    "more requests than an observer remembers": Mistake(
        "tp.c",
        "&& tp->requests + own >= TP_IN_FLIGHT;",
        "&& tp->requests + own >= 2 * TP_IN_FLIGHT;",
        "test_more_requests_than_are_remembered_wait",
    ),
    "answers keep the server's numbers": Mistake(
        "tp.c",
        "		tp_put64(header_of(own) + SMB2_MESSAGE, request->client);\n",
        "		(void)header_of(own);\n",
        "test_several_messages_in_a_frame_pass",
    ),
    "a cancellation keeps its number": Mistake(
        "tp.c",
        "		tp_put64(header + SMB2_MESSAGE, request->server);\n",
        "		(void)header;\n",
        "test_a_cancelled_read_that_waits_here",
    ),
    "a cancellation of what waits here passes": Mistake(
        "tp.c",
        " && !renumber_cancel(tp, own) && own->alone)",
        " && !renumber_cancel(tp, own) && own->kept == 0)",
        "test_a_cancelled_read_that_waits_here",
    ),
    "an agreement has the charge of the open": Mistake(
        "tp_smb2.c",
        "	tp_put16(made + CHARGE, smb_get16(made + CHARGE) ? 1 : 0); /* none in SMB2.0.2 */\n",
        "",
        "test_an_agreement_is_a_message_of_its_own",
    ),
    "the client gives its oplock back and nobody notices": Mistake(
        "tp_file.c",
        "	if (smb->breaks && has_id(tp, smb))",
        "	if (smb->breaks && !has_id(tp, smb) && own->kept == 0)",
        "test_an_oplock_that_the_client_gives_back_unasked_is_gone",
        (Smb1(),),
    ),
    "the end of a process is not noticed": Mistake(
        "tp_smb1.c",
        "	case PROCESS_EXIT:\n",
        "",
        "test_the_end_of_a_process_closes_what_it_has_opened",
        (Smb1.PROCESS,),
    ),
    "any process may end": Mistake(
        "tp_file.c",
        "ends = smb->message >> 16 == file->opener;",
        "ends = true;",
        "test_the_end_of_a_process_closes_what_it_has_opened",
        (Smb1.PROCESS + 1,),
    ),
    "a close in a chain is not noticed": Mistake(
        "tp_smb1.c",
        "	case WRITE_ANDX:\n		return",
        "		return",
        "test_a_chain_that_closes_the_file",
        ("write",),
    ),
    "a close fails though the file is gone": Mistake(
        "tp_file.c",
        "	case 0xc0000128: /* it was closed */\n",
        "",
        "test_a_close_that_fails_since_all_is_over",
        (Smb2(),),
    ),
    "after the prediction requests are forgotten": Mistake(
        "tp.c",
        "(own || tp->changed) &&",
        "own &&",
        "test_more_requests_than_are_remembered_wait_also_after_the_prediction",
    ),
    "reads that are let go are too many": Mistake(
        "tp_blocks.c",
        "tp->requests + tp_asked(tp) >= tp->most : tp_credits",
        "tp->requests > 100 : tp_credits",
        "test_reads_that_are_let_go_keep_the_limit_of_smb1",
    ),
    "what the disk returns is not checked": Mistake(
        "tp_blocks.c",
        "	return sum == block->sum;",
        "	return sum == block->sum || sum;",
        "test_what_cannot_be_read_back_as_it_came_is_asked_of_the_server",
        ("damage",),
    ),
    "blocks are asked for without room": Mistake(
        "tp_blocks.c",
        "if (!tp->calls.reserve(tp->context, place(tp, block), length)) {",
        "if (!length) {",
        "test_a_block_that_there_is_no_room_for_is_not_asked_for",
    ),
    "too much is under way": Mistake(
        "tp_blocks.c",
        "coming + length <= ahead(tp)",
        "coming + length <= ahead(tp) + (1 << 30)",
        "test_only_so_much_is_under_way",
    ),
    "what came long ago counts": Mistake(
        "tp_blocks.c",
        "(since_ns < TP_RECENT_NS ? tp->came[1] : 0)",
        "tp->came[1]",
        "test_only_so_much_is_under_way",
    ),
    "there is always room": Mistake(
        "tp_blocks.c",
        "tp->calls.room(tp->context, OBSERVE_TO_CLIENT) < bytes + sizeof(tp->block[0].answered)",
        "!bytes",
        "test_no_more_is_sent_than_there_is_room_for",
    ),
    "frames are sent into each other": Mistake(
        "tp_blocks.c",
        "		if (tp->passing[OBSERVE_TO_CLIENT] ||\n		    tp->calls",
        "		if (tp->calls",
        "test_an_answer_from_here_waits_for_the_end_of_a_frame",
    ),
    "several requests at a time": Mistake(
        "tp.c",
        "return (smb->command != SMB2_OPLOCK_BREAK && tp_is_busy(tp)) ||",
        "return",
        "test_one_request_at_a_time",
    ),
    "a break does not end the serialisation": Mistake(
        "tp.c",
        "		tp->settings.serialise = false; /* the server",
        "		tp->settings.serialise &= true; /* the server",
        "test_agreeing_to_a_break_does_not_wait",
    ),
    "numbers out of order are not noticed": Mistake(
        "tp.c",
        "kind == TP_CANCEL || smb->message == tp->next;",
        "kind == TP_CANCEL || smb->message != UINT64_MAX;",
        "test_numbers_that_are_not_in_order_are_left_alone",
    ),
    "what is held back when it is left is lost": Mistake(
        "tp.c",
        "			tp->calls.send(tp->context, way, tp->message[way].head, tp->message[way].kept);\n}",
        "			tp->calls.send(tp->context, way, tp->message[way].head, 0);\n}",
        "test_numbers_that_are_not_in_order_are_left_alone",
    ),
    "a connection that was changed is left, not broken": Mistake(
        "tp.c",
        "tp->state = tp->changed ? TP_BROKEN : TP_LEFT;",
        "tp->state = TP_LEFT;",
        "test_another_log_in_ends_the_connection",
        (Smb2(), "setup"),
    ),
    "a direction ends before the reads that wait": Mistake(
        "tp.c",
        ": tp->reads || (own->said",
        ": (own->said",
        "test_the_end_of_a_direction_waits_for_what_is_held_back",
        (Smb2(),),
    ),
    "a direction goes on after its end": Mistake(
        "tp.c",
        "	tp->finished[way] = true;\n",
        "",
        "test_the_end_of_a_direction_waits_for_what_is_held_back",
        (Smb2(),),
    ),
}

LINKED = {
    "a stream is written behind its room": Mistake(
        "tp_link.c",
        "	whole = before_end(part, there, length);\n	if (!put(",
        "	whole = length;\n	if (!put(",
        "test_a_stream_goes_round_in_its_room",
        (20_000,),
    ),
    "a stream is read behind its room": Mistake(
        "tp_link.c",
        "	whole = before_end(part, there, length);\n	return",
        "	whole = length;\n	return",
        "test_a_stream_goes_round_in_its_room",
        (33_333,),
    ),
    "what is kept is written over": Mistake(
        "tp_link.c",
        "	if (at + length - from > part->room || !open_file(link))",
        "	if (!part->room || !open_file(link))",
        "test_a_stream_goes_round_in_its_room",
        (20_000,),
    ),
    "an empty stream does not begin again": Mistake(
        "tp_link.c",
        "		part->first = part->next = at;",
        "		(void)0;",
        "test_a_stream_goes_round_in_its_room",
        (20_000,),
    ),
    "a stream that has gone round moves": Mistake(
        "tp_link.c",
        "part->next - part->first > part->room ?",
        "part->next < part->first ?",
        "test_a_stream_goes_round_in_its_room",
        (20_000,),
    ),
    "a full disk is asked for more": Mistake(
        "tp_link.c",
        "	part->room = part->most = used;",
        "	part->room = used;",
        "test_a_disk_that_becomes_full_keeps_what_it_has",
    ),
    "a device may have all of the quota": Mistake(
        "tp_link.c",
        "all - least(all, links->stored), device - least(device, has))",
        "all - least(all, links->stored), all - least(device, has) * 0)",
        "test_a_device_has_a_part_of_the_quota",
    ),
    "the quota is not looked at": Mistake(
        "tp_link.c",
        "	left = least(all - least(all, links->stored), device - least(device, has));",
        "	left = device - least(device, has);",
        "test_windows_that_were_told_count_against_the_quota",
    ),
    "a window is told without room for it": Mistake(
        "tp_link.c",
        "	links->stored += bytes;\n	part->room += bytes;\n	return part->room;",
        "	links->stored += bytes / 2;\n	part->room += bytes / 2;\n	return part->room * 2;",
        "test_windows_that_were_told_count_against_the_quota",
    ),
    "windows leave no room for blocks": Mistake(
        "tp_link.c",
        "(which == BLOCKS ? 1 : 2)",
        "(which == BLOCKS ? 2 : 2)",
        "test_windows_leave_room_for_blocks",
    ),
    "what is held has no limit": Mistake(
        "tp_link.c",
        "before + length > TP_LINK_HELD + RELAY_ROOM",
        "before + length > SIZE_MAX / 2",
        "test_a_client_whose_bytes_are_held_is_made_to_wait",
    ),
    "what is held takes more room than there is": Mistake(
        "tp_link.c",
        "taken = taken < most ? taken : most;",
        "(void)most;",
        "test_what_is_held_waits_for_room",
    ),
    "a direction ends before what is held": Mistake(
        "tp_link.c",
        " || link->held_length[way] || !tp_ended(tp_of(link), way))",
        ")",
        "test_the_end_of_a_direction_waits_for_what_is_held_back",
    ),
    "nobody asks for room": Mistake(
        "tp_link.c",
        "!posix_fallocate(link->file, place(BLOCKS, at), (off_t)length);",
        "(off_t)length;",
        "test_no_block_is_asked_for_that_the_disk_has_no_room_for",
    ),
    "an old file keeps its name": Mistake(
        "tp_link.c",
        "	unlinkat(link->links->settings.folder, name, 0); /* if",
        "	(void)0; /* if",
        "test_what_a_killed_a3d_has_left_is_removed",
        ("folder",),
    ),
    "who has opened a share loses its place": Mistake(
        "tp_link.c",
        "link->seen_ns < other->seen_ns : !ready;",
        "link->seen_ns < other->seen_ns : ready;",
        "test_others_that_only_connect_take_no_place_from_one_that_has_opened_a_share",
    ),
    "places are kept": Mistake(
        "tp_link.c",
        "	if (!first)\n		return false;\n",
        "	if (first)\n		return false;\n",
        "test_others_that_only_connect_take_no_place_from_one_that_has_opened_a_share",
    ),
    "a file keeps its name": Mistake(
        "tp_link.c",
        "	unlinkat(link->links->settings.folder, name, 0);\n",
        "	(void)unlinkat;\n",
        "test_a_file_has_no_name_and_what_it_has_lost_is_not_served",
        ("folder",),
    ),
    "a broken session is not remembered": Mistake(
        "tp_link.c",
        "tp_state(tp_of(link)) == TP_BROKEN || link->failed)",
        "tp_counts(tp_of(link))->why == TP_LOG_IN)",
        "test_hosts_of_which_a_session_was_broken_are_left_alone",
        ("frame",),
    ),
}

WHOLE = {
    "what cannot be taken over keeps its place": Mistake(
        "chain.c",
        "transformer, own->tp, now_ns))\n		tp_link_end(own->tp);",
        "transformer, own->tp, now_ns))\n		(void)0;",
        "test_a_connection_that_cannot_be_taken_over_is_forgotten",
    ),
    "its end says nothing to hosts": Mistake(
        "relay.c",
        "		if (!relay || !relay->transformer)\n",
        "		if (!relay || relay->transformer)\n",
        "test_at_the_end_of_a3d_its_connections_are_reset_and_their_marks_taken_back",
    ),
    "at its end it asks when nobody listens any more": Mistake(
        "relay.c",
        "ask_ns = now_ns; /* at once */",
        "ask_ns = now_ns + 2000000000; /* at once */",
        "test_at_the_end_of_a3d_its_connections_are_reset_and_their_marks_taken_back",
    ),
    "what TP has is kept for a minute after the end": Mistake(
        "relay.c",
        "	leave_transformer(relay); /* so",
        "	(void)0; /* so",
        "test_what_tp_has_of_a_connection_is_free_at_its_end",
    ),
    "a server waits for a slow client": Mistake(
        "relay.c",
        "	room += relay->transformer->keeps(",
        "	(void)relay->transformer->keeps(",
        "test_a_server_does_not_wait_for_a_slow_client",
    ),
    "a window is never taken back": Mistake(
        "relay.c",
        "	return from->received + least(room > under_way ? room - under_way : 0, largest);",
        "	return most(from->edge, from->received + least(room > under_way ? room - under_way : 0, largest));",
        "test_a_server_waits_for_a_client_that_pauses_while_the_disk_is_full",
    ),
    "what is kept is somewhere else": Mistake(
        "tp_link.c",
        "	there = (at - part->first) % part->room;\n	whole = before_end(part, there, length);\n	return",
        "	there = (at + 1 - part->first) % part->room;\n	whole = before_end(part, there, length);\n	return",
        "test_a_server_does_not_wait_for_a_slow_client",
    ),
    "a reset of the server comes first": Mistake(
        "relay.c",
        "	return delivered(relay, stream->direction) < stream->end ||",
        "	return (!relay->transformer && delivered(relay, stream->direction) < stream->end) ||",
        "test_what_a_server_was_told_to_have_come_is_delivered_before_its_reset",
    ),
    "one direction waits for the other": Mistake(
        "relay.c",
        "		    make_room(&relay->stream[!stream->direction], RELAY_SLACK) < RELAY_SLACK)",
        "		    relay->stream[!stream->direction].end - relay->stream[!stream->direction].start > RELAY_ROOM / 2)",
        "test_a_client_that_sends_much_before_it_reads_does_not_stand_still",
    ),
}

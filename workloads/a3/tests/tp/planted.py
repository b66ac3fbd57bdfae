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


PLANTED = {
    "a break does not empty the cache": Mistake(
        "tp_files.c",
        "		known = true;\n		tp_forget(tp, handle);\n",
        "		known = true;\n",
        "test_a_break_of_the_clients_oplock_empties_what_is_kept",
        (Smb2(),),
    ),
    "what comes after a break is served": Mistake(
        "tp_blocks.c",
        "			block->state = TP_DROPPED;\n	}\n	tp->counts.emptied",
        "			block->wanted += 0;\n	}\n	tp->counts.emptied",
        "test_a_break_of_its_own_oplock_stays_here",
        (Smb2(),),
    ),
    "the client hears of an oplock that it has not asked for": Mistake(
        "tp_files.c",
        "		stays |= handle->own != 0;\n",
        "",
        "test_a_break_of_its_own_oplock_stays_here",
        (Smb1(),),
    ),
    "nobody agrees to a break": Mistake(
        "tp_files.c",
        "!handle->told && !handle->closing;",
        "false;",
        "test_a_break_of_its_own_oplock_stays_here",
        (Smb2(),),
    ),
    "the oplock that it asks for is not hidden": Mistake(
        "tp_files.c",
        "		protocol->hide(own->head);\n",
        "",
        "test_the_client_hears_nothing_of_an_oplock_that_is_asked_for_here",
        (Smb2(),),
    ),
    "an oplock that others share is enough": Mistake(
        "tp_files.c",
        "handle->guarded = protocol->exclusive(smb->oplock);",
        "handle->guarded = smb->oplock;",
        "test_nothing_is_predicted_without_an_oplock",
        (Smb2(),),
    ),
    "a lease without the right to read is enough": Mistake(
        "tp_smb2.c",
        "return opened->lease_state & LEASE_READ && ",
        "return ",
        "test_a_lease_to_read_is_enough",
        (2, False, False),
    ),
    "a lease is enough though there may be another channel": Mistake(
        "tp_smb2.c",
        " && !tp->channels;",
        " && (!tp->channels || opened);",
        "test_a_lease_to_read_is_enough",
        (1, True, False),
    ),
    "one asks for an oplock to write": Mistake(
        "tp_smb2.c",
        " && access & read_data && !(access & write_or_any) &&",
        " && access & read_data && (!(access & write_or_any) || access) &&",
        "test_an_oplock_is_asked_for_only_to_read",
        (Smb2(),),
    ),
    "a block is served to another handle": Mistake(
        "tp_blocks.c",
        " && one->handle == handle &&",
        " && handle < TP_HANDLES &&",
        "test_a_block_is_served_to_its_own_handle_only",
        (Smb2(),),
    ),
    "a block is served to another session": Mistake(
        "tp_files.c",
        " && one->session == smb->session &&",
        " &&",
        "test_a_block_is_of_its_session_and_tree",
    ),
    "a block is served twice": Mistake(
        "tp_blocks.c",
        "		if (block->used == block->length)\n			free_block(tp, block);\n",
        "		block->used = 0;\n",
        "test_a_block_is_served_once",
        (Smb2(),),
    ),
    "a write of the client empties nothing": Mistake(
        "tp.c",
        "	if (kind == TP_CHANGES)\n		tp_forget_all(tp);\n",
        "",
        "test_what_may_change_a_file_empties_what_is_kept",
        (Smb2(), "write"),
    ),
    "a lock is harmless": Mistake(
        "tp_smb1.c",
        "head[WORDS + 6] == OPLOCK_RELEASE && !smb_get32(head + WORDS + 12) &&",
        "",
        "test_what_may_change_a_file_empties_what_is_kept",
        (Smb1(), "lock"),
    ),
    "a write overtakes the reads before it": Mistake(
        "tp.c",
        "kind == TP_CHANGES || kind == TP_CLOSE || ",
        "kind == TP_CLOSE || ",
        "test_a_change_waits_for_the_reads_before_it",
        (Smb2(),),
    ),
    "a close overtakes the reads before it": Mistake(
        "tp.c",
        "kind == TP_CHANGES || kind == TP_CLOSE || ",
        "kind == TP_CHANGES || ",
        "test_a_change_waits_for_the_reads_before_it",
        (Smb2(),),
    ),
    "too many credits are spent": Mistake(
        "tp_predict.c",
        "return tp->credits > (tp->client_credits + 1) / 2;",
        "return true;",
        "test_half_of_the_credits_are_left_to_the_client",
    ),
    "none are left to the client": Mistake(
        "tp_predict.c",
        "return tp->credits > (tp->client_credits + 1) / 2;",
        "return tp->credits > 0;",
        "test_half_of_the_credits_are_left_to_the_client",
    ),
    "a request waits for no credits": Mistake(
        "tp.c",
        "(smb->version == 1 || cost(smb) <= tp->credits)",
        "(smb->version == 1 || cost(smb) <= tp->credits + 1000)",
        "test_half_of_the_credits_are_left_to_the_client",
    ),
    "it waits for ever for credits": Mistake(
        "tp.c",
        "	if (!tp->outstanding)\n		tp_leave(tp, TP_CREDITS, OBSERVE_NOT_ALONE); /* nothing",
        "	if (tp->outstanding > 1000)\n		tp_leave(tp, TP_CREDITS, OBSERVE_NOT_ALONE); /* nothing",
        "test_a_server_that_grants_nothing_any_more_ends_the_connection",
    ),
    "the client gets no credits with a block": Mistake(
        "tp_blocks.c",
        "	more = more < 0 ? 1 : more + 1;\n",
        "	more = 0;\n",
        "test_credits_are_granted_from_what_is_left",
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
    "a short block is taken for a whole one": Mistake(
        "tp_blocks.c",
        "	if (block->length < block->wanted) {",
        "	if (block->length > block->wanted) {",
        "test_reads_of_other_lengths_are_put_together",
        (Smb2(),),
    ),
    "what the server refuses is waited for": Mistake(
        "tp_blocks.c",
        "if (smb->status || !smb->length || smb->length > block->wanted ||",
        "if (!smb->length ||",
        "test_a_block_that_the_server_refuses_is_asked_for_again_by_the_client",
        (Smb2(),),
    ),
    "a disk that is full is not noticed": Mistake(
        "tp_blocks.c",
        "	    !tp->calls.store(tp->context, place(tp, block) + block->came, bytes, length))\n		drop(tp, block);",
        "	    !tp->calls.store(tp->context, place(tp, block) + block->came, bytes, length))\n		block->came += 0;",
        "test_a_disk_that_is_full_only_costs_time",
        (Smb2(),),
    ),
    "the quota is not kept": Mistake(
        "tp_predict.c",
        "used + length <= tp->settings.quota &&",
        "used + length <= tp->settings.quota + (1 << 30) &&",
        "test_what_was_not_asked_for_ahead_goes_on_from_there",
        (Smb2(),),
    ),
    "too much is under way": Mistake(
        "tp_predict.c",
        "coming + length <= tp->settings.ahead",
        "coming + length <= tp->settings.ahead + (1 << 30)",
        "test_only_so_much_is_under_way",
    ),
    "there is always room": Mistake(
        "tp_blocks.c",
        "tp->calls.room(tp->context, OBSERVE_TO_CLIENT) >= bytes + sizeof(tp->block[0].answered)",
        "bytes",
        "test_no_more_is_sent_than_there_is_room_for",
    ),
    "frames are sent into each other": Mistake(
        "tp_blocks.c",
        "if (found == IS_THERE && !tp->passing[OBSERVE_TO_CLIENT] &&",
        "if (found == IS_THERE &&",
        "test_an_answer_from_here_waits_for_the_end_of_a_frame",
    ),
    "several requests at a time": Mistake(
        "tp.c",
        "return tp->settings.serialise && tp->outstanding && !agrees && !tp->breaking;",
        "return false;",
        "test_one_request_at_a_time",
        (Smb2(),),
    ),
    "agreeing to a break waits": Mistake(
        "tp.c",
        "tp->outstanding && !agrees && !tp->breaking;",
        "tp->outstanding;",
        "test_agreeing_to_a_break_does_not_wait",
        (Smb2(),),
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
        "test_a_break_before_the_open_is_answered_ends_the_connection",
        (Smb2(),),
    ),
    "a direction ends before what is held back": Mistake(
        "tp.c",
        "own->said && !own->decided)\n		return false;",
        "false)\n		return false;",
        "test_the_end_of_a_direction_waits_for_what_is_held_back",
        (Smb2(),),
    ),
}

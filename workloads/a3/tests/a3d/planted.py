# SPDX-License-Identifier: MIT
"""Mistakes that a test of a3d must notice."""

from __future__ import annotations

from typing import Any, NamedTuple

from .packets import ACK, RST, URG


class Mistake(NamedTuple):
    """A change of a file, and the test that fails with it."""

    file: str
    right: str
    wrong: str
    found_by: str
    values: tuple[Any, ...] = ()
    sanitized: bool = False  # only a sanitizer notices it


PLANTED = {
    "a copy is not filtered": Mistake(
        "chain.c",
        "return !rar_copy(&chain->rar, &own->memory, segment) || seen->kind == TRACK_NEW;",
        "return true;",
        "test_the_far_end_drops_copies_and_not_what_tcp_repeats",
    ),
    "an acknowledgement is filtered": Mistake(
        "rar.c",
        "segment_next(segment) == segment->seq || ",
        "",
        "test_acknowledgements_are_never_dropped",
    ),
    "what TCP repeats is filtered": Mistake(
        "segment.c",
        "if (!segment->whole || !(segment->has_timestamps || segment->id))",
        "if (!segment->whole)",
        "test_without_timestamps_the_identification_of_ipv4_tells_them_apart",
    ),
    "a message of two segments is copied": Mistake(
        "chain.c", " || event->start < own->from; /*", "; /*", "test_a_message_in_two_segments_is_not_thin"
    ),
    "text is copied": Mistake(
        "chain.c",
        "thin = observe_thin(event->label)",
        "thin = true",
        "test_commands_that_are_sent_at_once_are_one_segment",
    ),
    "a copy has the checksum of the message": Mistake(
        "segment.c",
        "put_checksum(tcp + TCP_CHECKSUM, sum(pseudo(segment, tcp_length), tcp, tcp_length));",
        "memcpy(tcp + TCP_CHECKSUM, segment->packet + segment->tcp + TCP_CHECKSUM, tcp_length ? 2 : 0);",
        "test_copies_have_checksums_that_the_kernel_has_left_to_a_card",
    ),
    "an alarm goes off after a message was acknowledged": Mistake(
        "chain.c",
        "	rar_acknowledged(&chain->rar, seen->connection, now_ns);\n",
        "",
        "test_a_thin_message_leaves_three_times_a_tenth_of_a_round_trip_apart",
    ),
    "it never gives up": Mistake(
        "rar.c",
        "message->rounds == RAR_ROUNDS",
        "message->rounds == RAR_ROUNDS + 1",
        "test_without_an_answer_it_leaves_again_after_a_round_trip_and_alpha",
    ),
    "a damaged message is looked at": Mistake(
        "chain.c",
        "if (segment->whole && !segment_sound(segment)) /*",
        "if (segment->whole && segment->length == 0) /*",
        "test_a_damaged_message_is_not_copied",
    ),
    "a gap is not noticed": Mistake(
        "track.c",
        "!flow->begun || segment_after(ack, flow->next)",
        "!flow->begun",
        "test_an_acknowledgement_of_what_was_not_seen_is_a_gap",
    ),
    "what is ahead is never passed on": Mistake(
        "track.c",
        "	deliver_ahead(track, connection, direction);\n",
        "	(void)deliver_ahead;\n",
        "test_what_is_ahead_of_a_gap_waits",
    ),
    "a piece that is there is kept again": Mistake(
        "track.c",
        "			return; /* it is there */",
        "			break;",
        "test_pieces_that_are_there_are_not_kept_again",
    ),
    "any number counts": Mistake(
        "track.c",
        "is_established(connection) && !in_window(flow, segment)",
        "is_established(connection) && !in_window(flow, segment) && !segment",
        "test_what_is_outside_the_window_counts_for_nothing",
        (70_000, {"flags": ACK | URG}),
    ),
    "any reset ends it": Mistake(
        "track.c",
        "return !segment_after(its->acked, segment->seq) && !segment_after(segment->seq, its->next);",
        "return true;",
        "test_what_is_outside_the_window_counts_for_nothing",
        (70_000, {"flags": RST}),
    ),
    "any refusal ends it": Mistake(
        "track.c",
        " && other->begun && segment->ack == other->next;",
        " && other->begun;",
        "test_a_reset_that_answers_a_syn_ends_it",
    ),
    "a SYN is believed": Mistake(
        "track.c",
        "segment->flags & SEGMENT_SYN && segment->seq != flow->first",
        "false",
        "test_a_syn_with_another_number_is_not_believed",
    ),
    "what is kept has no limit": Mistake(
        "track.c",
        "connection->stored + sizeof(*chunk) + length > TRACK_STORED ||",
        "",
        "test_what_is_kept_has_a_limit",
    ),
    "a signature is not noticed": Mistake(
        "track.c",
        "segment->foreign || segment->flags & SEGMENT_URG",
        "segment->flags & SEGMENT_URG",
        "test_what_it_does_not_know_is_left",
        ({"options": bytes([19, 18]) + bytes(16)},),
    ),
    "a message's round trip contains the timeout of its SYN": Mistake(
        "rar.c",
        "is_syn ? flow->handshake_ns : now_ns",
        "is_syn && !flow ? 0 : now_ns",
        "test_a_syn_that_was_repeated_counts_as_a_round_trip_without_the_timeout",
    ),
    "a repeated SYN's timeout is in the round trip": Mistake(
        "track.c",
        "flow->syn_ns = now_ns; /* of",
        "flow->syn_ns = flow->syn_ns; /* of",
        "test_the_round_trip_of_the_handshake_is_measured_in_both_directions",
    ),
    "round trips are not averaged": Mistake(
        "rar.c",
        "one->memory->rtt_sum_ns += is_syn",
        "one->memory->rtt_sum_ns = is_syn",
        "test_without_an_answer_it_leaves_again_after_a_round_trip_and_alpha",
    ),
    "an open connection makes room": Mistake(
        "track.c",
        "return now_ns - one->seen_ns > TRACK_IDLE_NS;",
        "return now_ns >= one->seen_ns;",
        "test_many_connections_do_not_push_out_those_that_are_followed",
    ),
    "an option is longer than its packet": Mistake(
        "segment.c",
        " || options[at + 1] > bytes - at",
        "",
        "test_an_option_that_is_longer_than_its_packet_is_not_tcp",
    ),
    "a header is longer than its packet": Mistake(
        "segment.c",
        " || segment->payload > bytes || segment->payload > segment->length",
        "",
        "test_malformed_packets_do_no_harm",
        sanitized=True,
    ),
}

PLANTED_AE = {
    "a wrong check is good enough": Mistake(
        "ae.c",
        "!equal(check, head + AT_CHECK) || ",
        "",
        "test_only_what_is_as_it_says_is_restored",
    ),
    "any table is good enough": Mistake(
        "ae.c",
        "if (!memcmp(mail->mark[*version], mark, AE_MARK))",
        "if (memcmp(mail->mark[*version], mark, AE_MARK) || true)",
        "test_only_what_is_as_it_says_is_restored",
    ),
    "strangers are answered": Mistake(
        "ae.c",
        " && equal(option + 1, right + 1);",
        ";",
        "test_a_stranger_cannot_find_out_words_of_a_pair_by_guesses",
        ("guesses a signature",),
    ),
    "a check needs no key": Mistake(
        "ae.c",
        "		block[i] ^= ae->settings.key[i];\n",
        "		(void)ae;\n",
        "test_a_stranger_cannot_find_out_words_of_a_pair_by_guesses",
        ("has another key",),
    ),
    "devices share tables": Mistake(
        "chain.c",
        "	ae_open(&own->ae, connection->version, &connection->client);\n",
        "",
        "test_a_device_has_tables_of_its_own",
    ),
    "each address has its own limit": Mistake(
        "ae.c",
        "device, AE_NEIGHBOURS);\n\n		owns",
        "device, AE_ADDRESS);\n\n		owns",
        "test_idle_sessions_do_not_turn_it_off_for_others",
        (50, "2001:db8::{:x}", 42),
    ),
    "a SYN with another number counts": Mistake(
        "ae.c",
        "	if (seen->kind != TRACK_NEW && seen->kind != TRACK_REPEATED)\n		return;",
        "	if (seen->kind == TRACK_NOT_FOLLOWED)\n		return;",
        "test_who_does_not_see_a_session_does_not_end_it",
        ("SYN",),
    ),
    "marks without new bytes count": Mistake(
        "ae.c",
        "option[0] == OPTION_TABLES && seen->kind == TRACK_NEW",
        "option[0] == OPTION_TABLES && seen->kind != TRACK_REPEATED",
        "test_who_does_not_see_a_session_cannot_say_which_tables_there_are",
    ),
    "a few wrong packets end it": Mistake(
        "ae.c",
        "	ae->counts.refused += !length;\n",
        "	ae->counts.refused += !length;\n"
        "	if (memory && ae->counts.refused > 16)\n"
        "		memory->asked = false;\n",
        "test_who_does_not_see_a_session_does_not_end_it",
        ("packets",),
    ),
    "each answer to DATA has the option": Mistake(
        "ae.c",
        "memory->offered == AE_OFFERS",
        "memory->offered == 99",
        "test_a_network_that_drops_options_in_data_lets_mails_pass",
    ),
    "what was dropped is tried with each mail": Mistake(
        "ae.c",
        " && !memory->mute;",
        ";",
        "test_a_network_that_drops_options_in_data_lets_mails_pass",
    ),
    "one that was lost is not tried again": Mistake(
        "ae.c",
        "memory->offered == AE_OFFERS",
        "memory->offered == 1",
        "test_an_answer_that_was_lost_is_offered_again",
    ),
    "a long answer has the option": Mistake(
        "ae.c",
        "SEGMENT_OPTION_HEAD + AE_OPTION > AE_SHORT",
        "1 > AE_SHORT",
        "test_a_long_answer_has_no_option",
        (440,),
    ),
    "a device may have all mails": Mistake(
        "ae.c",
        "if (owns == AE_DEVICE_MAILS)",
        "if (owns == AE_MAILS + 1)",
        "test_idle_sessions_do_not_turn_it_off_for_others",
        (1, "10.0.0.{}", 42),
    ),
    "when there is no room, others keep theirs": Mistake(
        "ae.c",
        "	mail = calloc(1, sizeof(*mail));\n",
        "	mail = ae->mails < AE_MAILS - 1 ? calloc(1, sizeof(*mail)) : NULL;\n",
        "test_idle_sessions_do_not_turn_it_off_for_others",
        (50, "10.0.0.{}", 51 - 32),
    ),
    "words lie where all know": Mistake(
        "table.c",
        "		hash += seed[i] * bytes[i];\n	return (uint32_t)(hash >> 32);",
        "		hash = (uint32_t)((i ? hash : 2166136261) ^ bytes[i]) * 16777619;\n"
        "	return (uint32_t)hash ^ (uint32_t)hash >> 16;",
        "test_nobody_can_choose_words_that_lie_at_one_place",
    ),
    "a full disk costs a table": Mistake(
        "store.c",
        "	unlinkat(folder, unfinished, 0);\n	file",
        "	unlinkat(folder, unfinished, 0);\n	make_room(folder, name);\n	file",
        "test_a_full_disk_costs_no_table",
    ),
    "the oldest table is removed, whose it may be": Mistake(
        "store.c",
        "		found += !memcmp(tables[i].name, tables[of].name, DEVICE);",
        "		found += !memcmp(tables[i].name, tables[of].name, NAME);",
        "test_who_has_the_most_tables_loses_one",
    ),
    "folders are tables": Mistake(
        "store.c",
        " ||\n		    !S_ISREG(about.st_mode))",
        ")",
        "test_a_folder_that_is_named_as_a_table_is_none",
    ),
    "a link is followed": Mistake(
        "private.c",
        "O_RDONLY | O_DIRECTORY | O_NOFOLLOW",
        "O_RDONLY | O_DIRECTORY",
        "test_what_others_can_use_is_refused",
        ("link",),
    ),
    "a group may read": Mistake(
        "private.c",
        "(S_IRWXG | S_IRWXO)",
        "S_IRWXO",
        "test_what_others_can_use_is_refused",
        ("key",),
    ),
    "others may write": Mistake(
        "private.c",
        "(S_IRWXG | S_IRWXO)",
        "S_IRWXG",
        "test_what_others_can_use_is_refused",
        ("of others",),
    ),
    "another user's folder is taken": Mistake(
        "private.c",
        " && about.st_uid == geteuid()",
        "",
        "test_what_others_can_use_is_refused",
        ("owner",),
    ),
    "a short secret is good enough": Mistake(
        "private.c",
        "length < PRIVATE_KEY_LEAST",
        "length < 1",
        "test_what_others_can_use_is_refused",
        ("short",),
    ),
    "a length is believed": Mistake(
        "ae.c",
        "length > AE_LONGEST || !find_version",
        "!find_version",
        "test_only_what_is_as_it_says_is_restored",
    ),
    "what was not agreed on is restored": Mistake(
        "ae.c",
        "if (first_digit == 3 && (memory->asked || memory->far))",
        "if (first_digit == 3 && (memory->asked = true))",
        "test_what_nobody_agreed_on_is_not_restored",
    ),
    "what TCP repeats is compressed": Mistake(
        "ae.c",
        "	return seen->kind == TRACK_NEW && segment->seq == edge &&",
        "	return memory->in_text && memory->mail && memory->shared && edge && seen->kind == TRACK_REPEATED ?\n"
        "		       true :\n"
        "		       ",
        "test_what_tcp_repeats_is_not_compressed",
    ),
    "it is never off": Mistake(
        "ae.c",
        "			memory->off = true;\n",
        "",
        "test_a_network_without_protocol_253_ends_it",
    ),
    "every SYN has the option": Mistake(
        "ae.c",
        "memory->syns++ >= AE_SYNS",
        "memory->syns++ >= 99",
        "test_a_network_that_drops_the_option_lets_the_third_syn_pass",
    ),
    "hosts see the option": Mistake(
        "chain.c",
        "if (read_passing(passing) && passing->segment.option)",
        "if (read_passing(passing) && false)",
        "test_the_ends_find_each_other_by_an_option_that_hosts_do_not_see",
    ),
    "somebody else's option is taken out": Mistake(
        "chain.c",
        "opens = own && own->ae.asks;",
        "opens = own;",
        "test_an_option_that_came_from_the_client_is_not_taken_out",
    ),
    "a mail that is refused is learned": Mistake(
        "ae.c",
        "			if (first_digit == 2)\n				learn",
        "			if (first_digit)\n				learn",
        "test_a_mail_that_is_not_accepted_changes_no_table",
    ),
    "pairs share a table": Mistake(
        "ae.c",
        "	SHA256Update(&context, &between, 1);\n",
        "	(void)between;\n",
        "test_pairs_have_tables_of_their_own",
    ),
    "tables are readable by all": Mistake(
        "store.c",
        "S_IRUSR | S_IWUSR);",
        "S_IRUSR | S_IWUSR | S_IROTH);",
        "test_pairs_have_tables_of_their_own",
    ),
    "there is one table too many": Mistake(
        "store.c",
        ">= STORE_FILES",
        "> STORE_FILES",
        "test_there_are_no_more_tables_than_there_may_be",
    ),
    "the table before is not kept": Mistake(
        "ae.c",
        "{ &mail->words, &mail->versions[mail->base] };",
        "{ &mail->words, &mail->words };",
        "test_a_mail_that_one_side_missed_is_made_up_for_by_the_next_one",
    ),
    "words are added to a table that was not used": Mistake(
        "ae.c",
        "	mail->base = version;\n",
        "",
        "test_a_mail_that_one_side_missed_is_made_up_for_by_the_next_one",
    ),
    "tables are not used": Mistake(
        "ae.c",
        "if (mail->dictionary_of != version)",
        "if (false)",
        "test_mails_cross_compressed_and_arrive_to_the_bit",
        (4,),
    ),
    "a file is believed": Mistake(
        "table.c",
        "if (!word->uses || *slot ||",
        "if (*slot ||",
        "test_a_table_that_is_not_one",
        (bytes([0, 0, 0, 1, 0, 0, 0, 0, 3]) + b"one",),
    ),
    "words depend on how a text is cut": Mistake(
        "ae.c",
        "	read_text(memory, memory->at);\n",
        "	read_text(memory, memory->at);\n"
        "	if (memory->mail)\n"
        "		table_end_text(&memory->mail->words, &memory->mail->text);\n",
        "test_words_do_not_depend_on_how_the_text_is_cut",
    ),
}

PLANTED_HALF = {
    "what is not permitted is acknowledged": Mistake(
        "half.c",
        "(uint32_t)half->permitted + half->permitted_end);",
        "(uint32_t)half->received + half->permitted_end);",
        "test_bytes_are_handed_over_in_order_and_acknowledged_when_it_is_permitted",
    ),
    "a FIN is acknowledged too early": Mistake(
        "half.c",
        "(uint32_t)half->permitted + half->permitted_end);",
        "(uint32_t)half->permitted + half->finished);",
        "test_a_fin_is_acknowledged_when_it_is_permitted",
    ),
    "bytes in order are lost while there is a gap": Mistake(
        "half.c",
        "!hand_over(half, begin, bytes, length) || half->ahead;",
        "half->ahead || !hand_over(half, begin, bytes, length);",
        "test_what_goes_in_comes_out_whatever_the_network_does",
    ),
    "it sends into a closed window": Mistake(
        "half.c",
        "fit = least(cwnd, half->window);",
        "fit = cwnd;",
        "test_a_window_is_never_passed",
    ),
    "it waits for the timer": Mistake(
        "half.c",
        "half->dup_acks == DUPLICATES && half->acked",
        "half->dup_acks == DUPLICATES + 9 && half->acked",
        "test_three_duplicates_bring_a_segment_back_at_once",
    ),
    "a partial acknowledgement does nothing": Mistake(
        "half.c",
        "(acked >= mss ? mss : 0);\n		half->again = true;",
        "(acked >= mss ? mss : 0);",
        "test_a_partial_acknowledgement_brings_the_next_one_back",
    ),
    "the timer does not double": Mistake(
        "half.c",
        "		wait_ns *= 2;\n",
        "		wait_ns += 0;\n",
        "test_without_an_answer_the_timer_doubles_and_ends_after_15_times",
    ),
    "old timestamps are taken": Mistake(
        "half.c",
        "if ((half->settings.stamps && segment_after(half->stamp_latest, segment->stamp)) ||\n	    end",
        "if (end",
        "test_old_timestamps_are_refused_and_new_ones_told",
    ),
    "any reset counts": Mistake(
        "half.c",
        "at >= (int64_t)half->told && at <= (int64_t)half->received + half->finished",
        "at >= (int64_t)half->told",
        "test_a_reset_counts_only_with_a_number_that_the_host_can_have",
        (500, 0, 1),
    ),
    "what is beyond the room is taken": Mistake(
        "half.c",
        "half->edge > half->received ? half->edge - half->received : 0;",
        "length;",
        "test_what_does_not_fit_is_not_taken_and_the_new_room_is_told",
    ),
    "what is ahead has no limit": Mistake(
        "half.c",
        "half->stored + sizeof(*piece) + length > HALF_STORED || ",
        "",
        "test_what_is_kept_ahead_of_a_gap_has_a_limit",
    ),
    "a closed window is never asked for": Mistake(
        "half.c",
        "		return half_ask(half, now_ns, packet, room);\n",
        "		return 0;\n",
        "test_a_closed_window_is_asked_for_and_no_byte_sent_into_it",
    ),
    "what is behind the window counts": Mistake(
        "half.c",
        "end < (int64_t)half->told + half->told_end || at > right_edge(half)) {",
        "at > right_edge(half)) {",
        "test_what_has_a_number_outside_the_window_counts_for_nothing",
        (-500_000,),
    ),
    "what is beyond the window counts": Mistake(
        "half.c",
        " || at > right_edge(half)) {",
        " || right_edge(half) < 0) {",
        "test_what_has_a_number_outside_the_window_counts_for_nothing",
        (70_000,),
    ),
    "a timestamp from outside the window is taken": Mistake(
        "half.c",
        "		return;\n	}\n	heard(half, now_ns);",
        "		half->stamp_latest = segment->stamp;\n		return;\n	}\n	heard(half, now_ns);",
        "test_what_has_a_number_outside_the_window_counts_for_nothing",
        (700_000_000,),
    ),
    "answers to answers do not end": Mistake(
        "half.c",
        "	if (!segment_payload(segment) && now_ns < half->outside_ns)\n		return;\n",
        "	if (!segment_payload(segment) && now_ns < half->outside_ns)\n		half->outside_ns = 0;\n",
        "test_what_is_outside_the_window_is_answered_twice_a_second",
    ),
    "an impossible answer is ignored": Mistake(
        "half.c",
        "		half->reset = true; /* a host that knows",
        "		half->reset = false; /* a host that knows",
        "test_a_connection_with_impossible_numbers_is_another_one_and_reset",
    ),
    "it always believes what it has not sent": Mistake(
        "half.c",
        "		half->trusts = false;\n",
        "		half->trusts = true;\n",
        "test_minutes_after_a_restart_nothing_is_believed_that_was_not_sent",
        (90_000, 3000),
    ),
    "each refusal makes segments shorter": Mistake(
        "half.c",
        " || headers(half) + half->settings.mss < length || ",
        " || ",
        "test_what_is_too_long_for_a_link_leaves_at_once_in_shorter_segments",
        (4, 40),
    ),
    "what was sent before the restart is outside the window": Mistake(
        "half.c",
        "half->old_edge = (uint64_t)at + ((uint64_t)UINT16_MAX << half->settings.receive_scale);",
        "half->old_edge = (uint64_t)at;",
        "test_a_host_that_says_old_numbers_first_is_heard_after_a_restart",
    ),
    "a FIN counts anywhere": Mistake(
        "half.c",
        "at + (int64_t)length >= (int64_t)half->received && half->end == HALF_NO_END",
        "at + (int64_t)length >= 0 && half->end == HALF_NO_END",
        "test_a_fin_in_front_of_bytes_that_have_come_is_ignored",
    ),
    "an acknowledgement may be as old as it likes": Mistake(
        "half.c",
        "if (to < (int64_t)half->acked - (int64_t)half->window_most) {",
        "if (false) {",
        "test_an_acknowledgement_that_is_much_too_old_is_answered_and_ignored",
    ),
    "any answer is adopted": Mistake(
        "half.c",
        "at < 0 || at > (int64_t)(half->received + half->slack) || ",
        "",
        "test_after_a_restart_the_host_is_asked_and_its_answer_adopted",
    ),
    "the clock goes on": Mistake(
        "half.c",
        "		half->settings.stamp += echo_ahead + 1;\n",
        "		half->settings.stamp += 0;\n",
        "test_after_a_restart_the_host_is_asked_and_its_answer_adopted",
    ),
    "nobody is asked whether they are there": Mistake(
        "half.c",
        "half->ask_ns = now_ns + HALF_KEEP_NS;",
        "half->ask_ns = NEVER;",
        "test_a_host_that_is_not_heard_for_ten_minutes_is_asked_whether_it_is_there",
    ),
    "a host that answers is given up": Mistake(
        "half.c",
        "half->probing || !half->window ? half->silent",
        "half->probing ? half->silent",
        "test_a_host_that_answers_with_a_closed_window_is_never_given_up",
    ),
    "an open window is not used": Mistake(
        "half.c",
        "(half->probing || !half->window) && window > half->window",
        "half->probing && window > half->window",
        "test_a_window_that_was_closed_for_twenty_minutes_is_used_at_once",
    ),
    "what was under way waits for the timer": Mistake(
        "half.c",
        "		half->again |= !half->probing; /*",
        "		/*",
        "test_a_window_that_was_closed_for_twenty_minutes_is_used_at_once",
    ),
    "a closed window makes segments shorter": Mistake(
        "half.c",
        "if (half->window && half->retries >= SHORTER_AFTER)",
        "if (half->retries >= SHORTER_AFTER)",
        "test_a_window_that_was_closed_for_twenty_minutes_is_used_at_once",
    ),
    "urgent data are dropped": Mistake(
        "half.c",
        "		half_reset(half);\n		return;\n",
        "		return;\n",
        "test_urgent_data_end_a_connection",
    ),
    "a reset is sent once": Mistake(
        "half.c",
        "		if (half->ask_ns == NEVER)\n			half->ask_ns = now_ns + ASK_NS;\n",
        "",
        "test_a_reset_is_repeated_until_the_host_has_forgotten_the_connection",
    ),
    "segments stay large": Mistake(
        "half.c",
        "half->retries >= SHORTER_AFTER)",
        "half->retries >= 99)",
        "test_large_segments_that_do_not_arrive_over_ipv6_become_small",
    ),
    "pieces have no limit": Mistake(
        "half.c",
        " || half->pieces == HALF_PIECES ||",
        " ||",
        "test_pieces_that_are_kept_ahead_of_a_gap_have_a_limit",
    ),
}

PLANTED_RELAY = {
    "what is ahead of a gap is kept twice": Mistake(
        "track.c",
        "	connection->flow[direction].handed = true;",
        "	connection->flow[direction].handed = false;",
        "test_after_a_loss_with_much_under_way_the_other_elements_still_see_it",
    ),
    "the end of what is handed over is not seen": Mistake(
        "track.c",
        "	track->bytes(track->context, connection, direction, bytes, length);\n	finish_handed(flow);",
        "	track->bytes(track->context, connection, direction, bytes, length);",
        "test_the_end_of_what_was_handed_over_is_seen",
    ),
    "any reset takes a mark back": Mistake(
        "chain.c",
        "chain->refused[i].seq == segment->seq &&",
        "segment->whole &&",
        "test_the_mark_of_a_lost_connection_goes_when_a_host_has_forgotten_it",
        (0,),
    ),
    "nobody asks whether a lost connection is forgotten": Mistake(
        "chain.c",
        "		half.ask_ns = now_ns;\n		put_refusal(chain, &half, now_ns);\n",
        "",
        "test_the_mark_of_a_lost_connection_goes_when_a_host_has_forgotten_it",
        (1,),
    ),
    "a missing fsync": Mistake(
        "journal.c",
        "failed = fdatasync(file);",
        "failed = file < 0;",
        "test_after_crashes_all_that_was_acknowledged_is_delivered",
        (3,),
    ),
    "it acknowledges what is not on disk": Mistake(
        "relay.c",
        "half_permit(from, safe(relay, direction),",
        "half_permit(from, from->received,",
        "test_the_window_is_the_largest_and_only_what_is_safe_is_acknowledged",
    ),
    "the mark comes late": Mistake(
        "relay.c",
        " || !note(relay, true)) {",
        ") {",
        "test_a_connection_is_noted_before_the_first_changed_packet_leaves",
    ),
    "the window is the client's": Mistake(
        "relay.c",
        "if (relay_writes(relay) && !relay->full) {",
        "if (!relay) {",
        "test_the_server_is_done_before_a_slow_reader_has_half",
    ),
    "a reset of the server empties the journal": Mistake(
        "relay.c",
        "(far->state != HALF_OPEN && !lacks(relay))",
        "(far->state != HALF_OPEN && (lacks(relay), true))",
        "test_a_server_that_resets_does_not_take_back_what_was_acknowledged",
        (0,),
    ),
    "a full disk goes unnoticed": Mistake(
        "relay_disk.c",
        "good = fits(relay, length) && journal_add(",
        "good = (fits(relay, length), true) && journal_add(",
        "test_with_a_full_disk_it_is_as_fast_as_the_reader",
    ),
    "a torn record is read": Mistake(
        "journal.c",
        "	return sum == record->sum;",
        "	return sum != 0;",
        "test_a_damaged_record_is_not_delivered_and_both_hosts_are_reset",
    ),
    "it takes over in the middle": Mistake(
        "chain.c",
        "other->next == segment->ack && ",
        "",
        "test_while_something_is_under_way_it_is_not_taken_over",
    ),
    "what nobody knows passes": Mistake(
        "chain.c",
        "	} else if (is_changed) {\n		refuse_segment(chain, segment, now_ns);\n		return CHAIN_DROP;\n",
        "	} else if (is_changed) {\n		refuse_segment(chain, segment, now_ns);\n",
        "test_what_an_ended_daemon_has_changed_and_not_written_down_is_reset",
    ),
    "what was sent before is not believed": Mistake(
        "half.c",
        "return to <= (int64_t)half->trusts_to && ",
        "return to < 0 && ",
        "test_what_a_host_had_before_a_restart_beyond_a_gap_is_believed_when_the_gap_is_filled",
    ),
    "bytes whose sync has failed are acknowledged": Mistake(
        "journal.c",
        "	if (!synced(journal->file)) {\n		journal->broken = true;\n		return false;\n	}\n",
        "	synced(journal->file);\n",
        "test_if_no_sync_succeeds_nothing_is_acknowledged_that_the_client_does_not_have",
    ),
    "both hosts have to answer": Mistake(
        "relay.c",
        "if (relay->waits[i] && !sink(relay, i)->learning)",
        "if (relay->waits[i] && !relay->half[0].learning && !relay->half[1].learning)",
        "test_the_answer_of_the_near_host_is_enough_to_deliver",
        ("server-gone",),
    ),
    "a host that is away is given up": Mistake(
        "half.c",
        "RESET_ASKS : HALF_RETRIES;",
        "RESET_ASKS : RESET_ASKS;",
        "test_a_near_host_that_is_away_for_two_minutes_gets_everything",
    ),
    "the end is that of the file": Mistake(
        "relay_disk.c",
        "journal_add_end(&relay->journal, direction, relay->stream[direction].end) ||",
        "journal_add_end(&relay->journal, direction, relay->journal.end) ||",
        "test_a_fin_that_is_stored_alone_is_delivered_after_a_restart",
    ),
    "the end is not noted": Mistake(
        "relay_disk.c",
        "	return !relay->stores || journal_add_end",
        "	return relay->stores || journal_add_end",
        "test_an_end_is_noted_on_a_full_disk_as_well",
    ),
    "numbers are not noted": Mistake(
        "relay_disk.c",
        "	else if (behind >= relay->relays->settings.behind / 2 &&",
        "	else if (behind >= UINT64_MAX / 2 &&",
        "test_what_the_near_host_sends_without_reading_is_noted",
    ),
    "what cannot be noted is passed on": Mistake(
        "relay_disk.c",
        "return relay_keeps(relay) ? relay",
        "return relay_keeps(relay) && !settings ? relay",
        "test_what_cannot_be_noted_is_not_passed_on_while_bytes_are_stored",
    ),
    "a folder is synced at every packet": Mistake(
        "relay_disk.c",
        "	if (relay->journal.broken) /* the folder",
        "	if (relay->journal.broken && !relay) /* the folder",
        "test_a_folder_that_cannot_be_synced_is_not_tried_at_every_packet",
    ),
    "what is too long is sent again": Mistake(
        "half.c",
        "	if (half->state != HALF_OPEN || headers(half) +",
        "	if (half || headers(half) +",
        "test_a_link_that_carries_less_than_the_handshake_said_gets_shorter_segments",
        (3, 300),
    ),
    "a damaged journal is of nobody": Mistake(
        "relay_disk.c",
        "	if (settings->changed)\n		settings->changed(settings->context, version, &client",
        "	if (settings->changed && !version)\n		settings->changed(settings->context, version, &client",
        "test_a_connection_whose_journal_has_a_damaged_head_is_reset",
    ),
    "a damaged journal stays": Mistake(
        "relay_disk.c",
        "	if (relays->settings.ib)\n		unlinkat(relays->settings.folder, name, 0);",
        "	(void)name;",
        "test_a_connection_whose_journal_has_a_damaged_head_is_reset",
    ),
    "a refusal is not heard": Mistake(
        "chain.c",
        "	    (segment->flags & SEGMENT_SYN || answers(chain, segment))) {",
        "	    segment->flags & SEGMENT_SYN) {",
        "test_a_server_that_refuses_a_new_connection_is_heard",
    ),
    "any reset passes": Mistake(
        "chain.c",
        "	    (segment->flags & SEGMENT_SYN || answers(chain, segment))) {",
        "	    (segment->flags & SEGMENT_RST || answers(chain, segment))) {",
        "test_a_server_that_refuses_a_new_connection_is_heard",
    ),
    "a device has all places": Mistake(
        "relay.c",
        "	return its >= RELAY_DEVICE;",
        "	return its >= RELAY_MOST;",
        "test_a_device_has_a_part_of_the_places",
    ),
    "each address is a device": Mistake(
        "relay.c",
        "client->address, SEGMENT_DEVICE);",
        "client->address, 16);",
        "test_a_device_has_a_part_of_the_places",
    ),
    "it takes over while it ends": Mistake(
        "chain.c",
        "	if (chain->ending || !own",
        "	if (!own",
        "test_while_it_ends_it_takes_none_over",
    ),
    "an end that is not written is noted": Mistake(
        "journal.c",
        "return put_numbers(journal, journal->file) && !journal->broken &&",
        "return (put_numbers(journal, journal->file), !journal->broken) &&",
        "test_an_end_that_is_not_written_is_not_noted",
    ),
    "all are taken over at once": Mistake(
        "chain.c",
        " || !relays_ready(&chain->relays, now_ns))",
        ")",
        "test_only_so_many_are_taken_over_at_once",
    ),
    "idle ones keep their places": Mistake(
        "relay.c",
        "now_ns - idle->moved_ns >= RELAY_IDLE_NS",
        "now_ns - idle->moved_ns >= UINT64_MAX",
        "test_one_that_has_been_idle_for_two_hours_leaves_its_place_to_another_one",
    ),
    "damage goes unnoticed": Mistake(
        "journal.c",
        "journal->damaged = journal->size < seal.size;",
        "journal->damaged = false;",
        "test_a_damaged_record_is_not_delivered_and_both_hosts_are_reset",
    ),
    "what is written over has no seal": Mistake(
        "journal.c",
        "		length -= bytes;\n	}\n	put_seal(journal, journal->file, journal->size);\n",
        "		length -= bytes;\n	}\n",
        "test_a_damaged_record_is_not_delivered_and_both_hosts_are_reset",
    ),
    "memory is enough": Mistake(
        "relay.c",
        "stored_here(relay, direction) && journal_read(",
        "stored_here(relay, direction) && !journal_read(",
        "test_more_than_memory_keeps_is_delivered_from_disk",
    ),
    "what is read is not checked": Mistake(
        "journal.c",
        "	return sum == record->sum;",
        "	return sum == record->sum || head;",
        "test_bytes_that_the_disk_has_changed_are_not_delivered",
    ),
    "every segment is synced": Mistake(
        "relay_disk.c",
        "	relay->relays->sync_ns = now_ns + RELAY_SYNC_NS;\n",
        "",
        "test_syncs_have_a_least_interval",
    ),
    "a SYN is enough": Mistake(
        "chain.c",
        "		chain->next_opening = (next + 1) % CHAIN_OPENING;\n",
        "		relays_replaced(&chain->relays, &segment->from, &segment->to, segment->version);\n",
        "test_a_new_connection_with_the_ports_of_a_changed_one_is_any_other_one",
    ),
    "a connection that was reset may pass soon": Mistake(
        "relay.c",
        "	if (is_forgotten(relay))\n",
        "	if (is_forgotten(relay) || relay)\n",
        "test_none_of_a_connection_that_was_reset_passes_before_a_host_has_forgotten_it",
    ),
    "what is over keeps its place": Mistake(
        "relay.c",
        "	if (oldest)\n		forget(*oldest);\n	else if",
        "	oldest = NULL;\n	if",
        "test_connections_that_are_over_make_room_for_others",
    ),
    "a link is followed": Mistake(
        "journal.c",
        "O_RDWR | O_NOFOLLOW | O_CLOEXEC",
        "O_RDWR | O_CLOEXEC",
        "test_a_journal_that_cannot_be_read_now_stays_and_none_of_its_connection_passes",
    ),
    "the other side's journals are taken": Mistake(
        "relay_disk.c",
        'settings.inward == TRACK_TO_CLIENT ? "client" : "server"',
        'settings.inward == TRACK_TO_SERVER ? "client" : "server"',
        "test_a_file_that_was_not_ready_is_removed_and_others_stay",
    ),
}

PLANTED_TOGETHER = {
    "copies do not wait": Mistake(
        "chain.c",
        "		if (!queues(chain) || !read_passing(&passing) ||\n",
        "		if (packet->length || !read_passing(&passing) ||\n",
        "test_a_mail_crosses_whole_with_these_elements",
        (("rar", "pf"), 4),
    ),
    "what IB sends does not wait": Mistake(
        "chain.c",
        "		if (!made.outward || !queues(chain) || ",
        "		if (made.length || ",
        "test_a_mail_crosses_whole_with_these_elements",
        (("pf", "ib"), 6),
    ),
    "what AE has changed does not wait": Mistake(
        "chain.c",
        "		verdict = leave_made(chain, own, &passing, now_ns);\n		return verdict == CHAIN_PASS",
        "		return verdict != CHAIN_PASS",
        "test_a_mail_crosses_whole_with_these_elements",
        (("pf", "ae"), 4),
    ),
    "what IB sends is not compressed": Mistake(
        "chain.c",
        "		if (made.outward && read_passing(&passing))\n",
        "		if (made.outward && read_passing(&passing) && !chain->settings.ae.on)\n",
        "test_a_mail_crosses_whole_with_these_elements",
        (("ib", "ae"), 4),
    ),
    "a connection is taken over while packets wait": Mistake(
        "chain.c",
        "if (!clean(connection, direction, segment) || waits(chain, own))",
        "if (!clean(connection, direction, segment) || (waits(chain, own), false))",
        "test_a_connection_is_not_taken_over_while_its_packets_wait",
    ),
    "a begun checksum is right": Mistake(
        "segment.c",
        "return segment->left_to_card || folded(sum(head, tcp, tcp_length)) == 0xffff;",
        "return folded(head) == get16(tcp + TCP_CHECKSUM) || folded(sum(head, tcp, tcp_length)) == 0xffff;",
        "test_a_checksum_that_is_only_begun_is_right_only_if_the_kernel_says_so",
    ),
}

PLANTED_RULES = {
    "another side goes on": Mistake(
        "rules.c",
        "0, 0, owner->side };",
        "0, 0, 0 };",
        "test_the_next_a3d_has_the_same_side_queue_hook_and_folder",
    ),
    "another queue goes on": Mistake(
        "rules.c",
        "{ owner->queue, owner->hook,",
        "{ 0, owner->hook,",
        "test_the_next_a3d_has_the_same_side_queue_hook_and_folder",
    ),
    "another hook goes on": Mistake(
        "rules.c",
        "{ owner->queue, owner->hook,",
        "{ owner->queue, 0,",
        "test_the_next_a3d_has_the_same_side_queue_hook_and_folder",
    ),
    "another folder goes on": Mistake(
        "rules.c",
        "		words[3] = about.st_ino;",
        "		words[3] = 0;",
        "test_the_next_a3d_has_the_same_side_queue_hook_and_folder",
    ),
    "a node is for many": Mistake(
        "rules.c",
        "	if (flock(held, LOCK_EX | LOCK_NB))",
        "	if (flock(held, LOCK_SH | LOCK_NB))",
        "test_one_node_is_for_one_a3d",
    ),
    "IPv6 is not checked": Mistake(
        "rules.c",
        '		    "ip6 saddr . tcp sport . ip6 daddr . tcp dport @changed6 fib saddr . iif oif missing drop\\n}\\n"',
        '		    "}\\n"',
        "test_who_begins_a_connection_again_is_checked_for_both_versions_of_ip",
    ),
    "nobody is checked after the end": Mistake(
        "rules.c",
        '	    "tcp flags & syn == syn jump begins\\n"\n',
        "",
        "test_when_a3d_has_ended_it_is_still_checked",
    ),
    "no other program has a queue": Mistake(
        "rules.c",
        "		found |= number != queue && number != queue + 1ul;",
        "		found |= number < 2;",
        "test_chains_stay_if_another_program_has_a_queue",
        (9102, False),
    ),
    "its second queue is that of another program": Mistake(
        "rules.c",
        "number != queue && number != queue + 1ul;",
        "number != queue;",
        "test_chains_stay_if_another_program_has_a_queue",
        (9101, True),
    ),
}

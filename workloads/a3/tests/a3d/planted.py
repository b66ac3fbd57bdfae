# SPDX-License-Identifier: MIT
"""Mistakes that a test of a3d must notice."""

from __future__ import annotations

from typing import Any, NamedTuple


class Mistake(NamedTuple):
    """A change of a file, and the test that fails with it."""

    file: str
    right: str
    wrong: str
    found_by: str
    values: tuple[Any, ...] = ()


PLANTED = {
    "a copy is not filtered": Mistake(
        "chain.c",
        "passes = !rar_copy(&chain->rar, &own->memory, &segment) || seen.kind == TRACK_NEW;",
        "passes = true;",
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
        "put_checksum(tcp + TCP_CHECKSUM, sum(pseudo, tcp, tcp_length));",
        "memcpy(tcp + TCP_CHECKSUM, segment->packet + segment->tcp + TCP_CHECKSUM, 2);",
        "test_copies_have_checksums_that_the_kernel_has_left_to_a_card",
    ),
    "an alarm goes off after a message was acknowledged": Mistake(
        "chain.c",
        "	rar_acknowledged(&chain->rar, seen.connection, now_ns);\n",
        "",
        "test_a_thin_message_leaves_three_times_a_tenth_of_a_round_trip_apart",
    ),
    "it never gives up": Mistake(
        "rar.c",
        "message->rounds == RAR_ROUNDS",
        "message->rounds == RAR_ROUNDS + 1",
        "test_without_an_answer_it_leaves_again_after_a_round_trip_and_alpha",
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
    "a repeated SYN times a round trip": Mistake(
        "track.c",
        "flow->timing = false; /* repeated",
        "flow->timing = true; /* repeated",
        "test_the_round_trip_of_the_handshake_is_measured_in_both_directions",
    ),
    "round trips are not averaged": Mistake(
        "rar.c",
        "one->memory->rtt_sum_ns += now_ns - one->first_ns;",
        "one->memory->rtt_sum_ns = now_ns - one->first_ns;",
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
    ),
}

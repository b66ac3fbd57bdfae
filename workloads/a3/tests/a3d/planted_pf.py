# SPDX-License-Identifier: MIT
"""Mistakes in PF and its monitor that a test must notice."""

from __future__ import annotations

from .notices import Notice
from .packets import CLIENT
from .planted import Mistake

PHONE, SERVER = (CLIENT[0], 40001), ("10.0.0.1", 80)
TOO_LONG = Notice(PHONE, SERVER, ((1, 0),) * 33).packet()
NO_CLASS = Notice(PHONE, SERVER, ((2, 0),)).packet()
BACKWARDS = Notice(SERVER, PHONE, ((1, 0),))

PLANTED_PF = {
    "classes do not count": Mistake(
        "pf.c",
        "(!one->memory || one->memory->picked == pf->picks)",
        "true",
        "test_what_is_on_the_screen_overtakes",
    ),
    "a packet overtakes another one of its connection": Mistake(
        "pf.c",
        "(!one->memory || one->memory->picked == pf->picks)",
        "class_of(one->memory, one->exchange) != PF_LATER",
        "test_nothing_overtakes_in_a_connection_so_what_is_before_one_on_the_screen_goes_with_it",
    ),
    "what is later starves": Mistake(
        "pf.c",
        "now_ns >= pf->packets[oldest].in_order_ns + pf->settings.most_ns",
        "now_ns == 1",
        "test_nothing_starves",
    ),
    "the bound counts from when a packet came": Mistake(
        "pf.c",
        "pf->packets[oldest].in_order_ns + pf->settings.most_ns",
        "pf->packets[oldest].came_ns + pf->settings.most_ns",
        "test_nothing_starves",
    ),
    "what waits leaves faster than the line": Mistake(
        "pf.c",
        "pf->free_ns = now_ns + duration_ns(pf, pf->packets[at].bytes, 1);",
        "pf->free_ns = now_ns + 1000;",
        "test_others_wait_until_the_one_before_has_left_the_line",
    ),
    "what passes does not count": Mistake(
        "pf.c",
        "pf->free_ns = from_ns + own_ns;",
        "(void)own_ns;",
        "test_others_wait_until_the_one_before_has_left_the_line",
    ),
    "another segment is taken for a repeated one": Mistake(
        "pf.c",
        "one->end == segment->end && ",
        "",
        "test_what_tcp_repeats_while_the_first_one_waits_is_dropped",
    ),
    "another connection's segment is taken for a repeated one": Mistake(
        "pf.c",
        "if (one->memory == memory && one->seq",
        "if (one->seq",
        "test_what_tcp_repeats_while_the_first_one_waits_is_dropped",
    ),
    "acknowledgements are taken for repeated ones": Mistake(
        "pf.c",
        "!memory || segment->seq == segment->end",
        "!memory",
        "test_what_tcp_repeats_while_the_first_one_waits_is_dropped",
    ),
    "a full queue drops what came first": Mistake(
        "pf.c",
        "	for (unsigned int i = pf->waiting; i-- > 0;) {\n		struct pf_packet *one = &pf->packets[i];\n\n"
        "		if (!one->dropped &&",
        "	for (unsigned int i = 0; i < pf->waiting; i++) {\n		struct pf_packet *one = &pf->packets[i];\n\n"
        "		if (!one->dropped &&",
        "test_a_full_queue_drops_what_is_later_first_and_the_newest_of_it",
    ),
    "what was dropped still counts": Mistake(
        "pf.c",
        "			pf->bytes -= one->bytes;\n",
        "",
        "test_a_full_queue_drops_what_is_later_first_and_the_newest_of_it",
    ),
    "a connection that is over is used": Mistake(
        "pf.c",
        "			pf->packets[i].memory = NULL;",
        "			pf->packets[i].memory = memory;",
        "test_packets_of_a_connection_that_is_over_still_leave_in_order",
    ),
    "an early notice is lost": Mistake(
        "pf.c",
        "		request = new_request(memory, offset); /* the notice has overtaken the request */",
        "		return;",
        "test_a_notice_may_come_before_its_request",
    ),
    "requests wait for nothing": Mistake(
        "pf.c",
        "one->class == PF_LATER && !first_under_way(pf, memory->device)",
        "false && !first_under_way(pf, memory->device)",
        "test_alone_without_anything_first_nothing_waits",
    ),
    "a request waits for the monitor as long as for others": Mistake(
        "pf.c",
        "one->class == PF_LATER ? pf->settings.most_ns : PF_UNSAID_NS",
        "pf->settings.most_ns",
        "test_alone_a_request_that_was_not_spoken_of_waits_for_a_moment",
    ),
    "an acknowledgement overtakes a request that waits": Mistake(
        "pf.c",
        "waits(pf, memory) || (memory",
        "(!memory && waits(pf, memory)) || (memory",
        "test_packets_of_a_connection_wait_behind_its_request",
    ),
    "what has come is told": Mistake(
        "pf.c",
        "!one->used || one->ended ||",
        "!one->used ||",
        "test_what_the_monitor_says_is_told_once_for_each_request_that_changes",
    ),
    "what TCP repeats waits as well": Mistake(
        "pf.c",
        "if (is_there(pf, memory, segment)) {",
        "if (is_there(pf, memory, segment) && !memory) {",
        "test_properties_of_any_traffic",
        (0,),
    ),
    "devices share what was said": Mistake(
        "pf.c",
        "	if (!of->spoke || memcmp(of->address, device, PF_ADDRESS)) {",
        "	of = pf->devices;\n	if (!of->spoke || memcmp(of->address, device, PF_ADDRESS)) {",
        "test_a_device_does_not_make_a_monitor_forget_what_another_one_has_said",
    ),
    "who came first is forgotten first": Mistake(
        "pf.c",
        "	of->spoke = ++pf->said;",
        "	if (!of->spoke)\n		of->spoke = ++pf->said;",
        "test_of_many_devices_those_that_spoke_last_count",
    ),
    "a device pushes out others": Mistake(
        "pf.c",
        "return count >= PF_ALIKE ? alike : oldest;",
        "return count > PF_DEVICES ? alike : oldest;",
        "test_many_addresses_of_a_device_do_not_push_out_others",
    ),
    "all datagrams are taken at once": Mistake(
        "listen.c", "for (; most; most--, room", "for (; most; room", "test_datagrams_are_taken_a_few_at_a_time"
    ),
    "an object is longer than its datagram": Mistake(
        "monitor.c",
        " && target <= left - OBJECT_HEAD",
        "",
        "test_any_bytes_do_no_harm",
        sanitized=True,
    ),
    "what follows the last object does not count": Mistake(
        "monitor.c",
        "at != length",
        "at > length",
        "test_a_datagram_that_is_not_one_says_nothing",
        (b"A3s1\1\1\0\2/ax",),
    ),
    "there may be any number of objects": Mistake(
        "monitor.c",
        "bytes[4] > MONITOR_OBJECTS",
        "false",
        "test_a_datagram_that_is_not_one_says_nothing",
        (b"A3s1\x41" + b"\1\0\2/a" * 65,),
    ),
}

PLANTED_PF_CHAIN = {
    "what waits at the end leaves as if it did not end": Mistake(
        "pf.c",
        "	pf->ending = true;\n",
        "	(void)pf;\n",
        "test_when_a3d_ends_what_waits_leaves_before_what_comes",
        ("server", "100000"),
    ),
    "what comes at the end still waits": Mistake(
        "chain.c",
        "	return !chain->ending && chain->settings.pf.on",
        "	return chain->settings.pf.on",
        "test_when_a3d_ends_what_waits_leaves_before_what_comes",
        ("server", "100000"),
    ),
    "a notice may have any number of entries": Mistake(
        "notice.c",
        " || (length - at) / ENTRY > NOTICE_ENTRIES",
        "",
        "test_a_notice_that_is_malformed_is_dropped_and_changes_nothing",
        (TOO_LONG,),
    ),
    "a notice may have any class": Mistake(
        "notice.c",
        "packet[at] > 1",
        "packet[at] > 2",
        "test_a_notice_that_is_malformed_is_dropped_and_changes_nothing",
        (NO_CLASS,),
    ),
    "a notice counts in both directions": Mistake(
        "chain.c",
        " || memcmp(&connection->client, &notice.client, sizeof(notice.client))",
        "",
        "test_a_notice_of_something_else_changes_nothing",
        (BACKWARDS,),
    ),
    "a monitor may speak for others": Mistake(
        "chain.c",
        "*one = pf_connection(chain->pf.memories, address);",
        "*one = chain->pf.memories;",
        "test_who_has_no_connection_says_nothing",
    ),
    "what is not followed goes the way of who spoke first": Mistake(
        "chain.c",
        "	if (own)\n		return seen->direction;",
        "	if (own || seen->connection)\n		return seen->direction;",
        "test_a_connection_that_is_not_followed_passes_the_queue_too",
    ),
    "a request is named by its number": Mistake(
        "chain.c",
        "tell(chain, own->connection, event->start, PF_LATER)",
        "tell(chain, own->connection, event->exchange, PF_LATER)",
        "test_a_second_request_of_a_connection_is_named_by_its_offset",
    ),
    "words are for all connections": Mistake(
        "pf.c",
        "others >= PF_CONNECTIONS",
        "others >= 999",
        "test_a_device_with_many_connections_is_told_of_some",
    ),
    "copies of a request do not wait": Mistake(
        "chain.c",
        "		if (!queues(chain) || !read_passing(&passing) ||\n",
        "		if (packet->length || !read_passing(&passing) ||\n",
        "test_a_request_that_waits_has_no_copies_that_would_not",
    ),
    "a scroll is not told": Mistake(
        "chain.c",
        "					tell(chain, own->connection, offset, words.of[i].class);",
        "					(void)own;",
        "test_requests_of_a_connection_that_change_at_once_are_in_one_notice",
    ),
}

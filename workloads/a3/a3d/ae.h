/* SPDX-License-Identifier: MIT */
/*
 * Application-aware encoding of mails (SMTP-9): a segment of a mail's text crosses the network compressed, by DEFLATE and
 * the vocabulary of its sender and recipient; the far end restores it, to the bit.
 *
 * TCP stays end to end, and no sequence number moves. A compressed segment is an IP packet of protocol 253, for experiments
 * (RFC 3692): the segment's header of TCP, then
 *
 *	bytes 0-1	0xa3 0x01, the mark that says that it is compressed
 *	bytes 2-3	length of the segment's payload
 *	bytes 4-11	the mark of a table: the words that DEFLATE copies from
 *	bytes 12-19	check: the signature of the segment's header of TCP and payload
 *	from 20		raw DEFLATE
 *
 * Each packet stands alone, so losses and a changed order do not matter. What cannot be restored to what check and TCP's
 * checksum say is dropped, and TCP repeats it; what TCP repeats is never compressed. After AE_LOST compressed segments in a
 * row that TCP had to repeat, nothing of the connection is compressed any more.
 *
 * The two ends find each other by an option of TCP (kind 253, RFC 6994) in SYN and SYN-ACK. With the answer that lets a
 * mail's text begin (354), the server's side says in the same option which tables of the pair it has: the newest, and the
 * one before. The client's side takes the newest of its own that is among them; else the empty one, that everybody has.
 * When a mail is accepted, both add its words to the table that was used. No sockets, no files, no clock.
 *
 * Both ends have a key. Signatures are the first 8 bytes of HMAC-SHA-256 with it: of the option in SYN and SYN-ACK, over the
 * two ends and their numbers, and of each compressed packet. Nobody else is spoken to, since who sends guesses as packets
 * would learn from acknowledgements which words a table has. Marks, and what tables are kept as, are made with the key, too.
 * A table is of one device, by its address: others behind the same a3d cannot mail, and time, guesses in its name.
 *
 * Not modelled: mails in chunks (BDAT) pass as they are; of a mail to several recipients, the first one that was accepted
 * counts.
 */
#ifndef A3D_AE_H
#define A3D_AE_H

#include "observe/observe.h"
#include "table.h"
#include "track.h"

enum {
	AE_LONGEST = 1600, /* bytes of a packet: longer ones are segments that the kernel has joined */
	AE_SHORT = 512, /* the same of one that an option is put into: any link takes it */
	AE_LOST = 4,
	AE_OUTSTANDING = 256, /* compressed segments of a connection without an acknowledgement */
	AE_MAILS = 32, /* that are under way at a time; */
	AE_DEVICE_MAILS = 8, /* of them, of a device. If there are more, the one of which nothing was heard longest is left */
	AE_RECIPIENTS = 8, /* of a mail that are looked at */
	AE_SYNS = 2, /* that have the option; a network that drops it does not see it in the third one */
	AE_OFFERS = 2, /* the same of answers to DATA */
	AE_PATH = 256, /* bytes of a sender's path (RFC 5321 4.5.3.1.3) */
	AE_KEY = 32, /* bytes, */
	AE_SIGNATURE = 8,
	AE_ADDRESS = 17, /* bytes of a device's: the version of IP, and 16; IPv4: the first four, the rest is 0 */
	AE_NEIGHBOURS = 1 + SEGMENT_DEVICE, /* the first of them, by which limits of a device count: it has many of IPv6 */
	AE_DEVICE = 8, /* of the hash of a device, with which names of its tables begin, */
	AE_MARK = 8, /* of the signature of a table's hash */
	AE_VERSIONS = 2, /* of a table that are kept: the newest, and the one before */
	AE_OPTION = 1 + AE_VERSIONS * AE_MARK, /* bytes of an option's value, at most */
};

/* Where tables are kept, by a hash of device and pair. */
struct ae_store {
	/* Load tables; those that are not there are empty. */
	void (*load)(void *context, const uint8_t name[TABLE_HASH], struct table *versions[AE_VERSIONS]);
	void (*save)(void *context, const uint8_t name[TABLE_HASH], struct table *const versions[AE_VERSIONS]);
	void *context;
};

struct ae_settings {
	bool on;
	bool plain; /* DEFLATE without tables */
	uint8_t key[AE_KEY]; /* of both ends; without tables, it may be known to all */
	struct ae_store store;
};

struct ae_counts {
	uint64_t far_ends; /* connections whose far end was found */
	uint64_t no_far_end;
	uint64_t encoded; /* segments, */
	uint64_t bytes, encoded_bytes; /* their packets, with IP headers: as they came, as they left */
	uint64_t incompressible; /* text segments that would not have become shorter */
	uint64_t repeated; /* compressed segments that TCP has repeated */
	uint64_t off; /* connections after AE_LOST of them in a row */
	uint64_t decoded; /* segments that were restored */
	uint64_t refused; /* packets that were not, and dropped */
	uint64_t mails; /* that were added to a table */
	uint64_t behind; /* mails for which not the newest table was used, since the far end does not have it */
	uint64_t no_room; /* mails without tables, since there were too many at a time */
};

struct ae_mail;

/* What is known of a connection. */
struct ae_memory {
	uint8_t device[AE_ADDRESS]; /* the client */
	bool asks; /* client's side: a SYN has left with the option */
	bool asked; /* server's side: the client's newest SYN had the option */
	bool far; /* client's side: so had the SYN-ACK */
	bool off;
	unsigned int syns;
	uint8_t marks[AE_VERSIONS][AE_MARK]; /* client's side: of the tables that the far end has */
	bool offers; /* server's side: text may begin, but has not yet */
	unsigned int offered; /* in how many packets the server's side has said which tables it has */
	bool mute; /* it says so no more: there are networks that drop packets with options */
	bool shared; /* the server's side has said which tables it has, and the client's side has heard it */

	/* the mail that is talked about */
	uint8_t sender[AE_PATH];
	size_t sender_length; /* 0: not known */
	uint32_t sender_exchange; /* an answer to this one is still to come; 0: it has come */
	unsigned int recipients;
	struct {
		uint32_t exchange;
		uint8_t name[TABLE_HASH]; /* of the table */
	} recipient[AE_RECIPIENTS];
	bool has_pair;
	uint8_t pair[TABLE_HASH];
	struct ae_mail *mail; /* its text may come, or comes; NULL: it is not looked at */
	struct ae_mail *ended; /* its text has come, and is not accepted yet */
	uint32_t ended_exchange;

	bool in_text;
	uint64_t text_start;
	/* the piece of the client's bytes that is being read, and how much of it has been read as text */
	const uint8_t *piece;
	uint64_t piece_start, read, at;

	uint32_t edge; /* of what has left for the network: the next number */
	unsigned int first, count; /* a ring */
	struct {
		uint32_t end;
		bool repeated;
	} outstanding[AE_OUTSTANDING];
	unsigned int lost; /* in a row */
};

struct ae_streams;

struct ae {
	struct ae_settings settings;
	struct ae_counts counts;
	struct ae_streams *streams; /* of zlib. NULL: no memory */
	unsigned int mails;
	struct ae_mail *mail[AE_MAILS];
	uint64_t clock; /* counts what was heard of mails */
};

void ae_begin(struct ae *ae, const struct ae_settings *settings);
void ae_end(struct ae *ae);

/* A connection of this device begins; the memory is all zeros. It is over. */
void ae_open(struct ae_memory *memory, uint8_t version, const struct segment_end *device);
void ae_forget(struct ae *ae, struct ae_memory *memory);

/* Bytes of the client are to be observed; have been. */
void ae_bytes(struct ae *ae, struct ae_memory *memory, const uint8_t *bytes, size_t length);
void ae_bytes_end(struct ae_memory *memory);

/* What the observer says. */
void ae_event(struct ae *ae, struct ae_memory *memory, const struct observe_event *event);

/* A segment has come from the network, with this option or none. */
void ae_option(struct ae *ae, struct ae_memory *memory, const struct track_seen *seen, const struct segment *segment,
	       const uint8_t *option, size_t bytes);

/*
 * A segment leaves the client's side for the network: a packet that is to leave instead; 0: it leaves as it is. Server's
 * side: the same.
 */
size_t ae_to_server(struct ae *ae, struct ae_memory *memory, const struct track_seen *seen, const struct segment *segment,
		    uint8_t packet[AE_LONGEST]);
size_t ae_to_client(struct ae *ae, struct ae_memory *memory, const struct segment *segment, uint8_t packet[AE_LONGEST]);

/* Whether a packet of protocol 253, read as a segment, says that it is compressed. */
bool ae_marked(const struct segment *segment);

/* Restore one. 0: it cannot be. */
size_t ae_decode(struct ae *ae, struct ae_memory *memory, const struct segment *segment, uint8_t packet[AE_LONGEST]);

#endif

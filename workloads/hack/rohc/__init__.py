# SPDX-License-Identifier: MIT
"""ROHC-TCP (RFC 6846, profile 0x0006) for TCP ACKs without data, as a reference for the lab's own codec. Off line.

    lab run downloads hack/download-captured --set nodes.ap1.hack=more-data --set nodes.sta1.hack=more-data
    python -m workloads.hack.rohc runs/latest

Numbers in brackets are sections of RFC 6846.

Implemented, by a compressor and by a decompressor that does not use its code:

* IR packets (7.1) with CRC-8, the static and the dynamic chain of one IPv4 and one TCP header (8.2);
* CO packets (7.3): co_common, rnd_1, rnd_3 to rnd_5, rnd_7, rnd_8, seq_1, seq_3 to seq_5, seq_7, seq_8, with CRC-3 or
  CRC-7 of the whole header;
* the irregular chain, with the TCP checksum, the bits of ECN, and an IP-ID without a pattern;
* lists of TCP options (6.3) of NOP, timestamps and SACK, with XI of 4 bits: items in lists and in the irregular chain;
* the master sequence number (6.1.1), scaled ACK numbers (6.4.8.2), IP-IDs that are sequential, random or zero (6.1.2),
  and ECN (6.1.3);
* LSB encoding against a window of references, which is also the optimistic approach (5.2.1.1): see ``compress``;
* small CIDs (RFC 5795, 5.1.3): CID 0 takes no byte, 1 to 15 one.

Not implemented:

* packets with data, SYN, FIN or RST, so neither rnd_2, rnd_6, seq_2, seq_6, nor scaled sequence numbers (6.4.8.1);
* IR-DYN: co_common carries all that changes; IR-CR, context replication and its chain (RFC 4164);
* other TCP options, XI of 8 bits, a type of option twice in a list;
* IPv6, extension headers, tunnels, options and fragments of IPv4, byte-swapped IP-IDs;
* feedback and its formats (8.3), periodic refreshes (5.2.1.2), the decompressor's states SC and FC (5.3.1): after a CRC
  that fails, the context is as before, and the next packet is tried;
* large CIDs, segmentation, padding.

Where the text of 8.2 is open, two choices, both in favour of short headers: the discriminator of an irregular SACK
item says how many blocks it has, though ``length`` is static by default; and the third block of ``sack3_irregular``
refers to the second, as in all other formats, not to the first.
"""

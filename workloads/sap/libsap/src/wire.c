/* SPDX-License-Identifier: MIT */
#include "wire.h"

#include <string.h>

#include "bytes.h"
#include "crc32c.h"

enum {
	MAGIC = 0x5341,
	VERSION = 1,
	AT_CRC = SAP_HEADER_BYTES - 4,
};

static uint32_t checksum(const uint8_t *datagram, size_t head)
{
	return sap_crc32c(sap_crc32c(0, datagram, AT_CRC), datagram + SAP_HEADER_BYTES, head);
}

size_t sap_wire_write(uint8_t *datagram, const struct sap_header *header, const uint8_t *payload)
{
	sap_put_be(datagram, MAGIC, 2);
	datagram[2] = VERSION;
	datagram[3] = (uint8_t)header->type;
	sap_put_be(datagram + 4, header->head, 2);
	sap_put_be(datagram + 6, header->payload, 2);
	sap_put_be(datagram + 8, header->number, 4);
	sap_put_be(datagram + 12, header->count, 4);
	sap_put_be(datagram + 16, header->connection, 8);
	sap_put_be(datagram + 24, header->token, 8);
	if (header->payload)
		memcpy(datagram + SAP_HEADER_BYTES, payload, header->payload);
	sap_put_be(datagram + AT_CRC, checksum(datagram, header->head), 4);
	return SAP_HEADER_BYTES + (size_t)header->payload;
}

/* Whether the lengths are valid for the type. */
static bool lengths_are_valid(const struct sap_header *header)
{
	switch (header->type) {
	case SAP_TYPE_PING:
	case SAP_TYPE_PING_ACK:
	case SAP_TYPE_FIN:
		return header->payload == 0;
	case SAP_TYPE_ACK:
	case SAP_TYPE_FIN_ACK:
		return header->payload <= SAP_BITMAP_BYTES_MAX && header->head == header->payload;
	case SAP_TYPE_DATA:
		return header->payload <= SAP_PAYLOAD_BYTES_MAX && (header->head || !header->payload);
	case SAP_TYPE_APPROXIMATE:
		return header->payload <= SAP_PAYLOAD_BYTES_MAX;
	}
	return false;
}

bool sap_wire_read(struct sap_header *header, const uint8_t *datagram, size_t length)
{
	if (length < SAP_HEADER_BYTES || sap_get_be(datagram, 2) != MAGIC || datagram[2] != VERSION)
		return false;
	header->type = (enum sap_type)datagram[3];
	header->head = (uint16_t)sap_get_be(datagram + 4, 2);
	header->payload = (uint16_t)sap_get_be(datagram + 6, 2);
	header->number = (uint32_t)sap_get_be(datagram + 8, 4);
	header->count = (uint32_t)sap_get_be(datagram + 12, 4);
	header->connection = sap_get_be(datagram + 16, 8);
	header->token = sap_get_be(datagram + 24, 8);
	if (header->payload != length - SAP_HEADER_BYTES || header->head > header->payload ||
	    !lengths_are_valid(header))
		return false;
	return sap_get_be(datagram + AT_CRC, 4) == checksum(datagram, header->head);
}

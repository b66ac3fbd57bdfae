/* SPDX-License-Identifier: MIT */
/* Any bytes as a datagram: what is taken for a header is what would be written for it, byte by byte. */
#include <string.h>

#include "../check.h"
#include "fuzz.h"
#include "sap_core.h"
#include "wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	uint8_t again[SAP_DATAGRAM_BYTES_MAX], sealed[SAP_DATAGRAM_BYTES_MAX];
	struct sap_header header;

	if (sap_wire_read(&header, bytes, length)) {
		CHECK_EQUAL(sap_wire_write(again, &header, bytes + SAP_HEADER_BYTES), length);
		CHECK(memcmp(again, bytes, length) == 0);
	}
	/* and with lengths made right, so that a CRC can be put on it */
	if (length < SAP_HEADER_BYTES || length > sizeof(sealed))
		return 0;
	header = (struct sap_header){
		.type = (enum sap_type)bytes[3],
		.head = (uint16_t)(bytes[4] % (length - SAP_HEADER_BYTES + 1)),
		.payload = (uint16_t)(length - SAP_HEADER_BYTES),
		.number = bytes[8],
	};
	sap_wire_write(sealed, &header, bytes + SAP_HEADER_BYTES);
	if (sap_wire_read(&header, sealed, length))
		CHECK(header.head <= header.payload && header.payload <= SAP_PAYLOAD_BYTES_MAX);
	return 0;
}

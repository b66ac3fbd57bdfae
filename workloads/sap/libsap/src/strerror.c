/* SPDX-License-Identifier: MIT */
#include "sap_types.h"

const char *sap_strerror(int error)
{
	switch ((enum sap_error)error) {
	case SAP_OK:
		return "no error";
	case SAP_ERR_AGAIN:
		return "the operation would block";
	case SAP_ERR_TIMEDOUT:
		return "the operation timed out";
	case SAP_ERR_UNREACHED:
		return "the peer does not answer";
	case SAP_ERR_END:
		return "end of stream: the peer has sent FIN";
	case SAP_ERR_CLOSED:
		return "cannot send after FIN";
	case SAP_ERR_UNCONNECTED:
		return "no peer has connected yet";
	case SAP_ERR_TOO_LONG:
		return "the data does not fit in one datagram";
	case SAP_ERR_TOO_SHORT:
		return "the buffer is too small for the datagram";
	case SAP_ERR_ARGUMENT:
		return "an argument or option is out of range";
	case SAP_ERR_MEMORY:
		return "out of memory";
	case SAP_ERR_SYSTEM:
		return "a system call failed";
	}
	return "unknown error";
}

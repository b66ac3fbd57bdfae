/* SPDX-License-Identifier: MIT */
#include "sap_types.h"


const char *sap_strerror(int error)
{
	switch ((enum sap_error)error) {
	case SAP_OK:
		return "no error";
	case SAP_ERR_AGAIN:
		return "it would have to wait";
	case SAP_ERR_TIMEDOUT:
		return "the timeout of the socket is over";
	case SAP_ERR_UNREACHED:
		return "the peer does not answer";
	case SAP_ERR_END:
		return "the peer has sent its last datagram";
	case SAP_ERR_CLOSED:
		return "nothing can be sent after FIN";
	case SAP_ERR_UNCONNECTED:
		return "nobody has connected yet";
	case SAP_ERR_TOO_LONG:
		return "more than the payload of one datagram";
	case SAP_ERR_TOO_SHORT:
		return "the buffer is shorter than the datagram";
	case SAP_ERR_ARGUMENT:
		return "an argument or option is out of its range";
	case SAP_ERR_MEMORY:
		return "out of memory";
	case SAP_ERR_SYSTEM:
		return "a system call failed";
	}
	return "not an error of libsap";
}

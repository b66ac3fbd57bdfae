// SPDX-License-Identifier: GPL-2.0-only
/*
 * BlockAck agreements of the hwsim medium: finding them, and their queues of
 * frames to be sent again.
 *
 * An agreement is between an interface and a peer, for a TID.
 */
#include <linux/kernel.h>
#include "hwsim_medium_mac.h"

/**
 * hwsim_session_hash - hash of an agreement
 * @addr: address of the peer
 * @tid: the TID
 */
u32 hwsim_session_hash(const u8 *addr, u8 tid)
{
	return addr[4] << 16 | addr[5] << 8 | tid;
}

/**
 * hwsim_session_of - the BlockAck agreement with a recipient
 * @radio: the originator
 * @own: address of its interface
 * @addr: address of the recipient
 * @tid: the TID
 *
 * Return: the agreement, or NULL
 */
struct hwsim_session *hwsim_session_of(struct hwsim_radio *radio, const u8 *own,
				       const u8 *addr, u8 tid)
{
	struct hwsim_session *session;

	hash_for_each_possible(radio->mac->sessions, session, node,
			       hwsim_session_hash(addr, tid))
		if (session->tid == tid &&
		    ether_addr_equal(session->addr, addr) &&
		    ether_addr_equal(session->own, own))
			return session;
	return NULL;
}

/**
 * hwsim_recipient_of - the BlockAck agreement with an originator
 * @radio: the recipient
 * @own: address of its interface
 * @addr: address of the originator
 * @tid: the TID
 *
 * Return: the agreement, or NULL
 */
struct hwsim_recipient *hwsim_recipient_of(struct hwsim_radio *radio,
					   const u8 *own, const u8 *addr, u8 tid)
{
	struct hwsim_recipient *recipient;

	hash_for_each_possible(radio->mac->recipients, recipient, node,
			       hwsim_session_hash(addr, tid))
		if (recipient->tid == tid &&
		    ether_addr_equal(recipient->addr, addr) &&
		    ether_addr_equal(recipient->own, own))
			return recipient;
	return NULL;
}

/**
 * hwsim_ac_of_tid - the access category that a TID belongs to
 * @radio: the radio
 * @tid: the TID
 */
struct hwsim_ac *hwsim_ac_of_tid(struct hwsim_radio *radio, u8 tid)
{
	/* user priority to access category, Table 10-1 */
	static const u8 acs[] = {
		IEEE80211_AC_BE, IEEE80211_AC_BK, IEEE80211_AC_BK, IEEE80211_AC_BE,
		IEEE80211_AC_VI, IEEE80211_AC_VI, IEEE80211_AC_VO, IEEE80211_AC_VO,
	};

	return &radio->mac->acs[acs[tid % ARRAY_SIZE(acs)]];
}

/**
 * hwsim_session_put_back - keep a frame that is to be sent again
 * @session: its session
 * @mpdu: the frame
 *
 * In the order of sequence numbers, of which the first begins the window: an
 * older A-MPDU may have come back while this one was on the air.
 */
void hwsim_session_put_back(struct hwsim_session *session,
			    struct hwsim_mpdu *mpdu)
{
	struct hwsim_mpdu *after;

	list_for_each_entry(after, &session->retry_queue, list)
		if (ieee80211_sn_less(mpdu->seq, after->seq))
			break;
	list_add_tail(&mpdu->list, &after->list);
}

/**
 * hwsim_session_take - the first frame that is to be sent again
 * @session: the session
 *
 * Return: the frame, which has left the session, or NULL
 */
struct hwsim_mpdu *hwsim_session_take(struct hwsim_session *session)
{
	struct hwsim_mpdu *mpdu;

	mpdu = list_first_entry_or_null(&session->retry_queue, struct hwsim_mpdu, list);
	if (mpdu)
		list_del_init(&mpdu->list);
	return mpdu;
}

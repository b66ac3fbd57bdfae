// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames of mac80211 that the hwsim medium takes over.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include "hwsim_medium_mac.h"

static enum hwsim_medium_frame kind_of(__le16 fc)
{
	if (ieee80211_is_data(fc))
		return HWSIM_MEDIUM_FRAME_DATA;
	if (ieee80211_is_beacon(fc))
		return HWSIM_MEDIUM_FRAME_BEACON;
	if (ieee80211_is_back_req(fc))
		return HWSIM_MEDIUM_FRAME_BAR;
	return HWSIM_MEDIUM_FRAME_MGMT;
}

/*
 * Whether the receiver of a frame answers it by ACK or BlockAck. Most control
 * frames that a monitor injects are not answered: they are sent once.
 */
static bool is_answered(__le16 fc)
{
	return !ieee80211_is_ctl(fc) || ieee80211_is_pspoll(fc) ||
	       ieee80211_is_back_req(fc);
}

/*
 * Only QoS data frames say that their receiver is not to acknowledge them. It
 * acknowledges others for which the host wants no acknowledgment, such as
 * hostapd's answer to a broadcast probe request; they are sent once.
 */
static bool says_no_ack(const struct ieee80211_hdr *hdr)
{
	return ieee80211_is_data_qos(hdr->frame_control) &&
	       (*ieee80211_get_qos_ctl((struct ieee80211_hdr *)hdr) &
		IEEE80211_QOS_CTL_ACK_POLICY_MASK) ==
	       IEEE80211_QOS_CTL_ACK_POLICY_NOACK;
}

/**
 * hwsim_mpdu_new - take over a frame
 * @radio: the sender
 * @sta: the receiver, or NULL
 * @skb: the frame, as mac80211 hands it over
 *
 * Return: the medium's state of it, or NULL if memory ran out
 */
struct hwsim_mpdu *hwsim_mpdu_new(struct hwsim_radio *radio,
				  struct ieee80211_sta *sta,
				  struct sk_buff *skb)
{
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(skb);
	struct ieee80211_hdr *hdr = (void *)skb->data;
	struct hwsim_mpdu *mpdu = kzalloc(sizeof(*mpdu), GFP_ATOMIC);
	struct hwsim_network *network;

	if (!mpdu)
		return NULL;
	INIT_LIST_HEAD(&mpdu->list);
	mpdu->skb = skb;
	network = hwsim_network_of(radio, hwsim_mpdu_sender(mpdu));
	mpdu->hw = radio->hw;
	mpdu->kind = kind_of(hdr->frame_control);
	mpdu->bytes = skb->len + HWSIM_FCS_BYTES;
	mpdu->wants_ack = !is_multicast_ether_addr(hdr->addr1) &&
			  !says_no_ack(hdr) && is_answered(hdr->frame_control);
	mpdu->timestamp = ieee80211_is_beacon(hdr->frame_control) ||
			  ieee80211_is_probe_resp(hdr->frame_control);
	mpdu->tid = IEEE80211_NUM_TIDS;	/* none */
	if (info->flags & IEEE80211_TX_CTL_ASSIGN_SEQ) {
		if (info->flags & IEEE80211_TX_CTL_FIRST_FRAGMENT)
			network->seq_ctrl += 0x10;
		hdr->seq_ctrl &= cpu_to_le16(IEEE80211_SCTL_FRAG);
		hdr->seq_ctrl |= cpu_to_le16(network->seq_ctrl);
	}
	mpdu->no_retry = mpdu->wants_ack &&
			 (info->flags & IEEE80211_TX_CTL_NO_ACK ||
			  (radio->mac->no_retry_mark &&
			   skb->mark == radio->mac->no_retry_mark));
	mpdu->to_sta = sta;
	mpdu->naps = network->naps;
	mpdu->since_ns = hwsim_now_ns(radio);
	hwsim_rates_select(radio, sta, mpdu);
	if (ieee80211_is_data_qos(hdr->frame_control)) {
		mpdu->tid = ieee80211_get_tid(hdr);
		mpdu->seq = IEEE80211_SEQ_TO_SN(le16_to_cpu(hdr->seq_ctrl));
		if (info->flags & IEEE80211_TX_CTL_AMPDU)
			hwsim_session_join(radio, mpdu);
	}
	if (mpdu->wants_ack && !radio->mac->retry_approx &&
	    hwsim_frame_is_approximate(skb)) {
		mpdu->no_retry = true;
		hwsim_approx_sent(radio, mpdu);
	}
	radio->mac->held++;
	return mpdu;
}

static struct hwsim_mpdu *from_txq(struct hwsim_radio *radio,
				   struct ieee80211_txq *txq,
				   struct sk_buff *skb)
{
	struct hwsim_mpdu *mpdu;

	if (!skb)
		return NULL;
	mpdu = hwsim_mpdu_new(radio, txq->sta, skb);
	if (!mpdu) {
		/* no memory to keep it until the lock is dropped, either */
		ieee80211_free_txskb(radio->hw, skb);
		return NULL;
	}
	mpdu->txq = txq;
	if (mpdu->session)
		hwsim_session_took(mpdu->session, mpdu->seq);
	return mpdu;
}

/**
 * hwsim_tx_dequeue - take a frame from one of mac80211's queues
 * @radio: the radio
 * @txq: the queue
 *
 * Return: the frame, or NULL
 */
struct hwsim_mpdu *hwsim_tx_dequeue(struct hwsim_radio *radio,
				    struct ieee80211_txq *txq)
{
	return from_txq(radio, txq, ieee80211_tx_dequeue(radio->hw, txq));
}

/**
 * hwsim_tx_dequeue_control - the same for EAPOL and TDLS only
 * @radio: the radio
 * @txq: the queue
 *
 * Return: the frame, or NULL
 */
struct hwsim_mpdu *hwsim_tx_dequeue_control(struct hwsim_radio *radio,
					    struct ieee80211_txq *txq)
{
	return from_txq(radio, txq,
			ieee80211_tx_dequeue_control(radio->hw, txq));
}

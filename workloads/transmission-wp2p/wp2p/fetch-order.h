// SPDX-License-Identifier: MIT
// Mobility-aware fetching: in which order a client takes pieces from a peer.
//
// Before a piece is started, it is drawn whether this is the next one in the sequence of the file, or the one that
// Transmission would start, the rarest. The draw counts until a piece is started. Pieces that are started already come
// before one in sequence; otherwise Transmission's own order holds. So with a probability of 1 for the rarest, nothing
// differs from Transmission's order, and nothing is drawn.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "wp2p/connection-clock.h"
#include "wp2p/fetch-rule.h"

// The rule of this process, from the variable WP2P_FETCH; one for each torrent.
class FetchDraw
{
public:
    FetchDraw()
    {
        auto const* const text = std::getenv("WP2P_FETCH");
        if (text != nullptr && !fetch_rule_read(text, &rule_))
        {
            std::fprintf(stderr, "WP2P_FETCH=\"%s\" is not a valid rule\n", text);
            std::exit(EXIT_FAILURE);
        }
        if (rule_.kind == FETCH_CONNECTED)
        {
            clock_ = std::make_unique<ConnectionClock>();
        }
    }

    [[nodiscard]] bool has_rule() const noexcept
    {
        return rule_.kind != FETCH_RAREST;
    }

    // Whether the next piece to be started is the next one in sequence. fetched: returns the fraction of the file that is
    // here or requested; random: 32 random bits.
    template<typename Fetched, typename Random>
    [[nodiscard]] bool in_sequence(Fetched const& fetched, Random&& random)
    {
        if (!in_sequence_)
        {
            auto const rarest = fetch_rule_rarest(&rule_, fetched(), clock_ ? clock_->seconds() : 0);
            // 0 and 1 draw nothing
            in_sequence_ = rarest < 1 && (rarest <= 0 || random() / (std::numeric_limits<uint32_t>::max() + 1.0) >= rarest);
        }
        return *in_sequence_;
    }

    // A piece was started: the next one is drawn anew.
    void started() noexcept
    {
        in_sequence_.reset();
    }

private:
    fetch_rule rule_{ FETCH_RAREST, 1, 0 };
    std::unique_ptr<ConnectionClock> clock_;
    std::optional<bool> in_sequence_;
};

// The turns of pieces while blocks are gathered for one peer. Candidate: as in peer-mgr-wishlist.cc, in its order.
template<typename Candidate>
class FetchTurns
{
public:
    template<typename Usable>
    FetchTurns(std::vector<Candidate> const& candidates, FetchDraw& draw, Usable const& usable)
        : draw_{ draw }
    {
        left_.reserve(std::size(candidates));
        for (auto const& candidate : candidates)
        {
            if (usable(candidate))
            {
                left_.push_back(&candidate);
            }
        }
    }

    // The next piece, or nullptr.
    template<typename Fetched, typename Random>
    [[nodiscard]] Candidate const* next(Fetched const& fetched, Random&& random)
    {
        if (std::empty(left_))
        {
            return nullptr;
        }
        auto const turn = draw_.has_rule() && draw_.in_sequence(fetched, random) ? sequential() : std::begin(left_);
        auto const* const candidate = *turn;
        left_.erase(turn);
        starts_ = !is_started(candidate);
        return candidate;
    }

    // Blocks of that piece are requested.
    void took() noexcept
    {
        if (starts_)
        {
            draw_.started();
        }
    }

private:
    using Left = std::vector<Candidate const*>;

    [[nodiscard]] static bool is_started(Candidate const* candidate)
    {
        auto const& missing = candidate->n_reqs;
        return std::size(missing) < candidate->block_span.end - candidate->block_span.begin ||
            std::any_of(std::begin(missing), std::end(missing), [](auto const& block) { return block.second > 0U; });
    }

    [[nodiscard]] typename Left::iterator sequential()
    {
        auto const started = std::find_if(std::begin(left_), std::end(left_), is_started);
        if (started != std::end(left_))
        {
            return started;
        }
        // not by priority: Transmission gives a high one to the last piece
        return std::min_element(
            std::begin(left_),
            std::end(left_),
            [](auto const* a, auto const* b) { return a->piece < b->piece; });
    }

    FetchDraw& draw_;
    Left left_;
    bool starts_ = false;
};

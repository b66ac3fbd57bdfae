// SPDX-License-Identifier: MIT
// Identity retention: the peer-id that this host had in a swarm is kept, so that peers know it again after a restart.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

// Return the peer-id of a swarm: that of the file, or the new one, which is written there. Without the variable
// WP2P_KEEP_PEER_ID, the new one. If it cannot be saved, the next start has another one, so that is said.
//
// read(path, contents) and save(path, contents) return whether they could.
template<typename PeerId, typename Read, typename Save>
[[nodiscard]] PeerId kept_peer_id(PeerId const& made, std::string const& path, Read const& read, Save const& save)
{
    if (std::getenv("WP2P_KEEP_PEER_ID") == nullptr)
    {
        return made;
    }
    auto contents = std::vector<char>{};
    auto kept = made;
    if (read(path, contents) && std::size(contents) == std::size(kept))
    {
        std::copy(std::begin(contents), std::end(contents), std::begin(kept));
    }
    else if (!save(path, std::string_view{ std::data(kept), std::size(kept) }))
    {
        std::fprintf(stderr, "the peer-id cannot be saved in %s: it will not be kept\n", path.c_str());
    }
    return kept;
}

// SPDX-License-Identifier: MIT
// How long this host has been connected: the time since an interface by which it reaches its peers last lost an address
// or its carrier, as the kernel reports it by rtnetlink, or since the start.
//
// Reports are read when somebody asks. A client asks whenever it wants something from a peer, so after a disconnection
// the time counts from the first request that follows. Which interfaces matter is known from the request before.
#pragma once

#include <chrono>
#include <cstddef>
#include <set>

#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wp2p/uplinks.h"

// Whether the kernel says that one of these interfaces lost its carrier, or an address that other hosts can use.
[[nodiscard]] inline bool is_disconnection(nlmsghdr const* message, std::set<unsigned> const& interfaces)
{
    if (message->nlmsg_type == RTM_DELADDR)
    {
        auto const* const address = static_cast<ifaddrmsg const*>(NLMSG_DATA(message));
        return address->ifa_scope < RT_SCOPE_LINK && interfaces.count(address->ifa_index) != 0U;
    }
    if (message->nlmsg_type != RTM_NEWLINK && message->nlmsg_type != RTM_DELLINK)
    {
        return false;
    }
    auto const* const link = static_cast<ifinfomsg const*>(NLMSG_DATA(message));
    return interfaces.count(static_cast<unsigned>(link->ifi_index)) != 0U &&
        (message->nlmsg_type == RTM_DELLINK || (link->ifi_flags & IFF_RUNNING) == 0U);
}

class ConnectionClock
{
public:
    ConnectionClock()
    {
        auto groups = sockaddr_nl{};
        groups.nl_family = AF_NETLINK;
        groups.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR;
        socket_ = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
        if (socket_ >= 0 && bind(socket_, reinterpret_cast<sockaddr*>(&groups), sizeof(groups)) != 0)
        {
            close(socket_);
            socket_ = -1;
        }
    }

    ~ConnectionClock()
    {
        if (socket_ >= 0)
        {
            close(socket_);
        }
    }

    ConnectionClock(ConnectionClock const&) = delete;
    ConnectionClock& operator=(ConnectionClock const&) = delete;

    [[nodiscard]] double seconds()
    {
        auto const now = std::chrono::steady_clock::now();
        if (was_disconnected())
        {
            since_ = now;
        }
        interfaces_ = indexes(Uplinks::of_this_host());
        return std::chrono::duration<double>(now - since_).count();
    }

private:
    [[nodiscard]] bool was_disconnected() const
    {
        alignas(nlmsghdr) std::byte buffer[16384];
        auto found = false;
        for (;;)
        {
            auto const size = recv(socket_, buffer, sizeof(buffer), 0);
            if (size <= 0)
            {
                return found;
            }
            auto left = static_cast<unsigned>(size);
            for (auto const* one = reinterpret_cast<nlmsghdr const*>(buffer); NLMSG_OK(one, left);
                 one = NLMSG_NEXT(one, left))
            {
                found = found || is_disconnection(one, interfaces_);
            }
        }
    }

    [[nodiscard]] static std::set<unsigned> indexes(std::set<std::string> const& names)
    {
        auto found = std::set<unsigned>{};
        for (auto const& name : names)
        {
            found.insert(if_nametoindex(name.c_str()));
        }
        return found;
    }

    std::set<unsigned> interfaces_ = indexes(Uplinks::of_this_host());
    int socket_ = -1;
    std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

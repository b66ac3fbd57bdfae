// SPDX-License-Identifier: MIT
// How long this host has been connected: the time since an interface last lost an address or its carrier, as the kernel
// reports it by rtnetlink, or since the start.
//
// Reports are read when somebody asks. A client asks whenever it wants something from a peer, so after a disconnection
// the time counts from the first request that follows.
#pragma once

#include <chrono>
#include <cstddef>

#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

class ConnectionClock
{
public:
    ConnectionClock()
    {
        auto groups = sockaddr_nl{};
        groups.nl_family = AF_NETLINK;
        groups.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR;
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
                found = found || is_loss(one);
            }
        }
    }

    [[nodiscard]] static bool is_loss(nlmsghdr const* message)
    {
        if (message->nlmsg_type == RTM_NEWLINK || message->nlmsg_type == RTM_DELLINK)
        {
            auto const* const link = static_cast<ifinfomsg const*>(NLMSG_DATA(message));
            return (link->ifi_flags & IFF_LOOPBACK) == 0U &&
                (message->nlmsg_type == RTM_DELLINK || (link->ifi_flags & IFF_RUNNING) == 0U);
        }
        return message->nlmsg_type == RTM_DELADDR;
    }

    int socket_ = -1;
    std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

// SPDX-License-Identifier: MIT
// By which interfaces this host reaches its peers, from the kernel's tables of routes: those of the best default route of
// IPv4 and of IPv6; without a default route, all that lead to another host. A route to the link only, such as that of
// fe80::/64, leads to none.
#pragma once

#include <fstream>
#include <istream>
#include <limits>
#include <set>
#include <sstream>
#include <string>

class Uplinks
{
public:
    // The text of /proc/net/route.
    void read_ipv4(std::istream& table)
    {
        auto line = std::string{};
        std::getline(table, line); // the heading
        while (std::getline(table, line))
        {
            auto interface = std::string{}, destination = std::string{}, word = std::string{}, mask = std::string{};
            auto metric = 0UL;
            if (std::istringstream{ line } >> interface >> destination >> word >> word >> word >> word >> metric >> mask)
            {
                add(interface, destination == "00000000" && mask == "00000000", metric);
            }
        }
        take_best();
    }

    // The text of /proc/net/ipv6_route.
    void read_ipv6(std::istream& table)
    {
        auto line = std::string{};
        while (std::getline(table, line))
        {
            auto destination = std::string{}, length = std::string{}, word = std::string{}, interface = std::string{};
            auto metric = 0UL;
            if (!(std::istringstream{ line } >> destination >> length >> word >> word >> word >> std::hex >> metric >> word >>
                  word >> word >> interface))
            {
                continue;
            }
            if (destination.substr(0, 3) != "fe8" && destination.substr(0, 2) != "ff")
            {
                add(interface, length == "00", metric);
            }
        }
        take_best();
    }

    [[nodiscard]] std::set<std::string> const& names() const
    {
        return std::empty(default_) ? any_ : default_;
    }

    [[nodiscard]] static std::set<std::string> of_this_host()
    {
        auto found = Uplinks{};
        auto ipv4 = std::ifstream{ "/proc/net/route" };
        auto ipv6 = std::ifstream{ "/proc/net/ipv6_route" };
        found.read_ipv4(ipv4);
        found.read_ipv6(ipv6);
        return found.names();
    }

private:
    void add(std::string const& interface, bool const is_default, unsigned long const metric)
    {
        if (interface == "lo")
        {
            return;
        }
        any_.insert(interface);
        if (!is_default || metric > least_)
        {
            return;
        }
        if (metric < least_)
        {
            best_.clear();
            least_ = metric;
        }
        best_.insert(interface);
    }

    // The metrics of another table are not comparable.
    void take_best()
    {
        default_.insert(std::begin(best_), std::end(best_));
        best_.clear();
        least_ = std::numeric_limits<unsigned long>::max();
    }

    std::set<std::string> any_, default_, best_;
    unsigned long least_ = std::numeric_limits<unsigned long>::max();
};

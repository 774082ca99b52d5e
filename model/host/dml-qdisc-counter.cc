/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-qdisc-counter.h"

#include "dml-link-shaping.h"

#include "ns3/dml-error.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <optional>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace ns3::dml
{

namespace
{

/// A question for all queueing disciplines of a namespace.
struct QdiscRequest
{
    nlmsghdr head; //!< what is asked
    tcmsg body;    //!< of which device
};

/// @param message about a queueing discipline @param device index
/// @return bytes that it has sent; nothing: it is another device's, or not at the top
std::optional<uint64_t>
ParseQdisc(nlmsghdr* message, int device)
{
    auto* body = static_cast<tcmsg*>(NLMSG_DATA(message));
    if (body->tcm_ifindex != device || body->tcm_parent != TC_H_ROOT)
    {
        return std::nullopt;
    }
    auto left = static_cast<int>(message->nlmsg_len - NLMSG_LENGTH(sizeof(tcmsg)));
    for (rtattr* part = TCA_RTA(body); RTA_OK(part, left); part = RTA_NEXT(part, left))
    {
        tc_stats stats{};
        if (part->rta_type == TCA_STATS && RTA_PAYLOAD(part) >= sizeof(stats))
        {
            std::memcpy(&stats, RTA_DATA(part), sizeof(stats));
            return GetLinkBytes(stats.bytes, stats.packets);
        }
    }
    return std::nullopt;
}

} // namespace

QdiscCounter::QdiscCounter(const NetworkNamespace& place, const std::string& device)
{
    const NetworkVisit visit(place);
    m_device = static_cast<int>(if_nametoindex(device.c_str()));
    m_file = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (m_device == 0 || m_file < 0)
    {
        throw RunError("cannot count what " + device + " sends: " + std::strerror(errno));
    }
}

QdiscCounter::~QdiscCounter()
{
    if (m_file >= 0)
    {
        close(m_file);
    }
}

QdiscCounter::QdiscCounter(QdiscCounter&& other) noexcept
    : m_file(std::exchange(other.m_file, -1)),
      m_device(other.m_device)
{
}

uint64_t
QdiscCounter::Read() const
{
    QdiscRequest request{};
    request.head.nlmsg_len = sizeof(request);
    request.head.nlmsg_type = RTM_GETQDISC;
    request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    request.body.tcm_family = AF_UNSPEC;
    request.body.tcm_ifindex = m_device;
    send(m_file, &request, sizeof(request), 0);
    alignas(nlmsghdr) std::array<char, 32768> buffer{};
    uint64_t bytes = 0;
    for (;;)
    {
        const auto size = recv(m_file, buffer.data(), buffer.size(), 0);
        if (size < 0 && errno == EINTR)
        {
            continue;
        }
        auto left = static_cast<unsigned int>(size < 0 ? 0 : size);
        auto* message = reinterpret_cast<nlmsghdr*>(buffer.data());
        if (!NLMSG_OK(message, left))
        {
            return bytes;
        }
        for (; NLMSG_OK(message, left); message = NLMSG_NEXT(message, left))
        {
            if (message->nlmsg_type == NLMSG_DONE || message->nlmsg_type == NLMSG_ERROR)
            {
                return bytes;
            }
            bytes = ParseQdisc(message, m_device).value_or(bytes);
        }
    }
}

} // namespace ns3::dml

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-places.h"

#include "dml-host-checks.h"
#include "dml-link-self-test.h"
#include "dml-link-shaping.h"

#include "ns3/dml-error.h"
#include "ns3/dml-open-file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <map>
#include <net/if.h>
#include <optional>
#include <sys/socket.h>

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

/// Reads what a device has sent, often and at little cost: rtnetlink, without a process.
class QdiscCounter
{
  public:
    /// @param place where the device is @param device its name @throws RunError if there is no such
    /// device, or the system forbids it
    QdiscCounter(const NetworkNamespace& place, const std::string& device)
    {
        const NetworkVisit visit(place);
        m_device = static_cast<int>(if_nametoindex(device.c_str()));
        m_file = OpenFile(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
        if (m_device == 0 || m_file.Get() < 0)
        {
            throw RunError("cannot count what " + device + " sends: " + std::strerror(errno));
        }
    }

    /// @return bytes that its queueing discipline has sent, as GetLinkBytes() counts them
    uint64_t Read() const
    {
        QdiscRequest request{};
        request.head.nlmsg_len = sizeof(request);
        request.head.nlmsg_type = RTM_GETQDISC;
        request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
        request.body.tcm_family = AF_UNSPEC;
        request.body.tcm_ifindex = m_device;
        send(m_file.Get(), &request, sizeof(request), 0);
        alignas(nlmsghdr) std::array<char, 32768> buffer{};
        uint64_t bytes = 0;
        for (;;)
        {
            const auto size = recv(m_file.Get(), buffer.data(), buffer.size(), 0);
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

  private:
    OpenFile m_file; //!< netlink socket of the namespace
    int m_device{0}; //!< index
};

/// The nodes of a scenario's network as network namespaces.
struct NetworkPlaces : HostPlaces
{
    NetworkPlaces(const ClusterNetwork& cluster,
                  const NetworkSpec& spec,
                  const CongestionChoice& choice,
                  const HostAbilities& abilities)
        : network(cluster, spec, abilities)
    {
        notes = network.GetNotes();
        ChooseCongestion(choice, abilities);
        const LinkTestVerdict verdict = JudgeLinks(TestLinks(network, spec));
        if (!verdict.error.empty())
        {
            throw RunError(verdict.error);
        }
        notes.insert(notes.end(), verdict.warnings.begin(), verdict.warnings.end());
    }

    /// What the kernel has of what the jobs want.
    void ChooseCongestion(const CongestionChoice& choice, const HostAbilities& abilities)
    {
        std::map<uint32_t, std::string> names; // by control
        for (uint32_t job = 0; job < network.GetLayout().GetNetwork().GetJobs().size(); ++job)
        {
            const uint32_t control = choice.OfJob(job);
            const std::string key = control == 0 ? "network.tcp"
                                    : job == 0   ? "job.tcp"
                                               : "other_jobs[" + std::to_string(job - 1) + "].tcp";
            if (names.count(control) == 0)
            {
                const std::string& variant = choice.controls[control].name;
                names[control] = ChooseCongestionControl(key, variant, abilities, notes);
            }
            congestion.push_back(names[control]);
        }
    }

    void Enter(uint32_t node) const override
    {
        network.GetNamespace(node).Enter();
    }

    Ipv4Address GetAddress(uint32_t node) const override
    {
        return network.GetAddress(node);
    }

    std::vector<HostLinkCount> ReadLinks() const override
    {
        auto counts = network.ReadCounters();
        for (auto& count : counts)
        {
            count.bytes = GetLinkBytes(count.bytes, count.packets);
        }
        return counts;
    }

    KernelTcpCounts CountTcp() const override
    {
        return network.CountTcp();
    }

    uint64_t CountBytes(DirectedLink link) override
    {
        const HostLayout& layout = network.GetLayout();
        const uint32_t sender = layout.GetNetwork().GetSender(link);
        auto& counter = counters[link];
        if (!counter)
        {
            counter.emplace(network.GetNamespace(sender), layout.GetDevice(link));
        }
        return counter->Read();
    }

    HostNetwork network;                                          //!< made of the spec
    std::map<DirectedLink, std::optional<QdiscCounter>> counters; //!< of links that were asked for
};

} // namespace

std::unique_ptr<HostPlaces>
MakeNetworkPlaces(const ClusterNetwork& network,
                  const NetworkSpec& spec,
                  const CongestionChoice& choice)
{
    EnterUserNamespace();
    return std::make_unique<NetworkPlaces>(network, spec, choice, ProbeHostAbilities());
}

} // namespace ns3::dml

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-ordered-policy.h"

#include "dml-fifo-policy.h"

#include "ns3/boolean.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(OrderedPolicy);

TypeId
OrderedPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::OrderedPolicy")
            .SetParent<TransferPolicy>()
            .SetGroupName("Dml")
            .AddConstructor<OrderedPolicy>()
            .AddAttribute("Inner",
                          "Makes the policy that serves the transfers in the given order.",
                          ObjectFactoryValue(ObjectFactory(FifoPolicy::GetTypeId().GetName())),
                          MakeObjectFactoryAccessor(&OrderedPolicy::m_innerFactory),
                          MakeObjectFactoryChecker())
            .AddAttribute("Shuffle",
                          "Whether the transfers that have a rank come in a fresh random order in "
                          "each step, instead of by their ranks.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&OrderedPolicy::m_shuffle),
                          MakeBooleanChecker())
            .AddAttribute("Seed",
                          "Seed of the run, for Shuffle.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&OrderedPolicy::m_seed),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Replication",
                          "Number of the replication, for Shuffle.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&OrderedPolicy::m_replication),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Stream",
                          "First of the random streams of a job's connections, for Shuffle.",
                          UintegerValue(STREAM_BASE),
                          MakeUintegerAccessor(&OrderedPolicy::m_stream),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

void
OrderedPolicy::NotifyConstructionCompleted()
{
    TransferPolicy::NotifyConstructionCompleted();
    m_inner = m_innerFactory.Create<TransferPolicy>();
}

void
OrderedPolicy::Prepare(const std::vector<TransferInfo>& transfers,
                       uint32_t connection,
                       PolicyClock& clock)
{
    std::vector<std::pair<uint32_t, OpIndex>> ranked;
    OpIndex end = 0;
    for (const auto& info : transfers)
    {
        end = std::max(end, info.transfer + 1);
        if (info.rank != NO_INDEX)
        {
            ranked.emplace_back(info.rank, info.transfer);
        }
    }
    std::sort(ranked.begin(), ranked.end());
    m_held.assign(end, {});
    m_order.clear();
    for (const auto& [rank, transfer] : ranked)
    {
        m_order.push_back(transfer);
        m_held[transfer].ranked = true;
    }
    if (m_shuffle)
    {
        m_random =
            std::make_unique<RngStream>(m_seed, m_stream + connection, uint64_t{m_replication});
        ShuffleOrder();
    }
    m_inner->Prepare(transfers, connection, clock);
}

void
OrderedPolicy::Add(OpIndex transfer, uint64_t bytes)
{
    if (transfer >= m_held.size() || !m_held[transfer].ranked)
    {
        m_inner->Add(transfer, bytes);
        return;
    }
    m_held[transfer] = {true, true, bytes};
    ++m_holding;
    HandOn();
}

void
OrderedPolicy::HandOn()
{
    while (m_holding > 0 && m_held[m_order[m_counter]].ready)
    {
        const OpIndex transfer = m_order[m_counter];
        m_held[transfer].ready = false;
        --m_holding;
        m_inner->Add(transfer, m_held[transfer].bytes);
        if (++m_counter == m_order.size())
        {
            m_counter = 0;
            if (m_shuffle)
            {
                ShuffleOrder();
            }
        }
    }
}

void
OrderedPolicy::ShuffleOrder()
{
    // Fisher-Yates; std::shuffle draws differently from library to library
    for (std::size_t left = m_order.size(); left > 1; --left)
    {
        const auto pick = static_cast<std::size_t>(m_random->RandU01() * left);
        std::swap(m_order[left - 1], m_order[pick]);
    }
}

} // namespace ns3::dml

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-rank-boundary.h"

#include "dml-lineage-scheduler.h"

#include "ns3/simulator.h"
#include "ns3/tag.h"

#ifdef DML_MPI
#include "ns3/mpi-receiver.h"
#endif

#include <ostream>
#include <type_traits>

namespace ns3::dml
{

namespace
{

/// Where a packet comes from. The ranks run the same program, so its bytes go as they are.
class RankTag : public Tag
{
  public:
    /// What it carries.
    struct Origin
    {
        EventStamp sent;    //!< the event that sends it
        uint64_t number{0}; //!< of its rank
    };

    static_assert(std::is_trivially_copyable_v<Origin>);

    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dml::RankTag")
                                .SetParent<Tag>()
                                .SetGroupName("Dml")
                                .AddConstructor<RankTag>();
        return tid;
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override
    {
        return sizeof(Origin);
    }

    void Serialize(TagBuffer buffer) const override
    {
        buffer.Write(reinterpret_cast<const uint8_t*>(&origin), sizeof origin);
    }

    void Deserialize(TagBuffer buffer) override
    {
        buffer.Read(reinterpret_cast<uint8_t*>(&origin), sizeof origin);
    }

    void Print(std::ostream& os) const override
    {
        os << "rank=" << origin.sent.rank << " number=" << origin.number;
    }

    Origin origin; //!< carried
};

NS_OBJECT_ENSURE_REGISTERED(RankTag);

} // namespace

RankBoundary::RankBoundary(LineageScheduler& scheduler)
    : m_scheduler(scheduler)
{
}

void
RankBoundary::Add([[maybe_unused]] Ptr<PointToPointNetDevice> device)
{
#ifdef DML_MPI
    device->TraceConnectWithoutContext("PhyTxBegin",
                                       MakeBoundCallback(&RankBoundary::Sending, this));
    device->GetObject<MpiReceiver>()->SetReceiveCallback(
        MakeBoundCallback(&RankBoundary::Arrived, this, device));
#endif
}

int64_t
RankBoundary::GetBalance() const
{
    return static_cast<int64_t>(m_sent - m_received);
}

void
RankBoundary::Sending(RankBoundary* boundary, Ptr<const Packet> packet)
{
    RankTag tag;
    tag.origin = {boundary->m_scheduler.GetStamp(), ++boundary->m_sent};
    packet->AddPacketTag(tag);
}

void
RankBoundary::Arrived(RankBoundary* boundary, Ptr<PointToPointNetDevice> device, Ptr<Packet> packet)
{
    ++boundary->m_received;
    boundary->m_scheduler.DoNotCount();
    RankTag tag;
    packet->RemovePacketTag(tag);
    const EventStamp& sent = tag.origin.sent;
    const int64_t due = Simulator::Now().GetTimeStep() + EARLY;
    boundary->m_scheduler.PlaceNext(sent.lineage.MakeChild(due - sent.time),
                                    sent.rank,
                                    tag.origin.number);
    Simulator::Schedule(TimeStep(EARLY), &PointToPointNetDevice::Receive, device, packet);
}

} // namespace ns3::dml

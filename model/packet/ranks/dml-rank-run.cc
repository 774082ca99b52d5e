/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-rank-run.h"

#include "ns3/dml-cluster.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/tag.h"

#ifdef DML_MPI
#include "ns3/mpi-receiver.h"
#endif

#include <algorithm>
#include <cstring>
#include <limits>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

namespace ns3::dml
{

namespace
{

/// Shortest time between ticks: a sum takes about as long as a few packets.
const Time SHORTEST_PERIOD = MicroSeconds(100);

/// What the ranks sum up.
enum Sum : std::size_t
{
    FINISHED, //!< workers
    FAILED,   //!< ranks
    BUSY,     //!< ranks that have something to do
    BALANCE,  //!< packets on the way between ranks
    STEPS,    //!< done
    SUMS      //!< number of sums
};

/// Make ns-3 use a new scheduler. @return it
LineageScheduler&
UseLineageScheduler()
{
    ObjectFactory factory;
    factory.SetTypeId(LineageScheduler::GetTypeId());
    Simulator::SetScheduler(factory);
    return *LineageScheduler::GetCurrent();
}

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

RankRun::RankRun(RankWorld& world, const RankAssignment& assignment, uint32_t nodes)
    : m_world(world),
      m_assignment(assignment),
      m_scheduler(UseLineageScheduler()),
      m_effects(m_scheduler),
      m_records([this]() -> const EventStamp& { return m_effects.GetStamp(); }),
      // a rank is at most the longest delay ahead of another, so a tick finds the sum of the one
      // before under way everywhere
      m_period(Max(SHORTEST_PERIOD, assignment.GetLongestDelay() * 2).GetTimeStep())
{
    std::vector<bool> own(nodes);
    for (uint32_t node = 0; node < nodes; ++node)
    {
        own[node] = assignment.GetRank(node) == world.GetRank();
    }
    m_scheduler.SetRank(world.GetRank(), own);
}

void
RankRun::AddBoundary([[maybe_unused]] const Cluster& cluster)
{
#ifdef DML_MPI
    const ClusterNetwork& network = cluster.GetNetwork();
    for (DirectedLink link = 0; link < network.GetDirectedLinks(); ++link)
    {
        if (m_assignment.IsCrossed(network.GetLinks()[link / 2]) &&
            m_assignment.GetRank(network.GetSender(link)) == m_world.GetRank())
        {
            const auto device = cluster.GetDevice(link);
            device->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&RankRun::Sending, this));
            device->GetObject<MpiReceiver>()->SetReceiveCallback(
                MakeBoundCallback(&RankRun::Arrived, this, device));
        }
    }
#endif
}

void
RankRun::Sending(Ptr<const Packet> packet)
{
    RankTag tag;
    tag.origin = {m_scheduler.GetStamp(), ++m_sent};
    packet->AddPacketTag(tag);
}

void
RankRun::Arrived(RankRun* run, Ptr<PointToPointNetDevice> device, Ptr<Packet> packet)
{
    ++run->m_received;
    run->m_scheduler.DoNotCount();
    RankTag tag;
    packet->RemovePacketTag(tag);
    const EventStamp& sent = tag.origin.sent;
    const int64_t due = Simulator::Now().GetTimeStep() + RankAssignment::EARLY;
    run->m_scheduler.PlaceNext(sent.lineage.MakeChild(due - sent.time),
                               sent.rank,
                               tag.origin.number);
    Simulator::Schedule(TimeStep(RankAssignment::EARLY),
                        &PointToPointNetDevice::Receive,
                        device,
                        packet);
}

void
RankRun::WorkerFinished()
{
    ++m_finished;
    m_lastFinish = m_scheduler.GetStamp();
}

void
RankRun::Run(uint32_t workers, const std::function<void(int64_t)>& progress)
{
    m_workers = workers;
    m_progress = progress;
    BeginStage();
    Simulator::Schedule(TimeStep(m_period), &RankRun::Tick, this);
    Simulator::Run();
    AgreeOnEnd();
    m_effects.Finish(m_end);
}

void
RankRun::Tick()
{
    m_scheduler.DoNotCount();
    const int64_t now = m_scheduler.GetStamp().time;
    int64_t next = now + m_period;
    if (m_lastTick >= 0)
    {
        // of the last tick
        const auto [sums, least] = m_world.FinishCombining();
        const bool idle = sums[BUSY] == 0 && sums[BALANCE] == 0;
        if (sums[FINISHED] >= m_workers || sums[FAILED] > 0 || idle)
        {
            Simulator::Stop();
            return;
        }
        m_effects.Settle(m_lastTick - 1);
        m_scheduler.Settle(m_lastTick - 1);
        if (m_progress && sums[STEPS] != m_stepsTold)
        {
            m_stepsTold = sums[STEPS];
            m_progress(m_stepsTold);
        }
        if (sums[BALANCE] == 0)
        {
            next = std::max(next, least); // nothing happens before
        }
    }
    m_lastTick = now;
    std::vector<int64_t> values(SUMS);
    values[FINISHED] = m_finished;
    values[FAILED] = m_failed ? 1 : 0;
    values[BUSY] = m_scheduler.IsEmpty() ? 0 : 1;
    values[BALANCE] = static_cast<int64_t>(m_sent - m_received);
    values[STEPS] = m_steps;
    m_world.StartCombining(values,
                           m_scheduler.IsEmpty()
                               ? std::numeric_limits<int64_t>::max()
                               : static_cast<int64_t>(m_scheduler.PeekNext().key.m_ts));
    Simulator::Schedule(TimeStep(next - now), &RankRun::Tick, this);
}

void
RankRun::AgreeOnEnd()
{
    /// What a rank knows.
    struct End
    {
        uint32_t finished; //!< workers
        EventStamp finish; //!< of the last one
        int64_t last;      //!< when an event ran last
    };

    const End mine{m_finished, m_lastFinish, m_scheduler.GetLastTime()};
    int64_t last = 0;
    const auto all =
        m_world.Exchange(std::string(reinterpret_cast<const char*>(&mine), sizeof mine));
    for (const auto& bytes : all)
    {
        End end;
        std::memcpy(static_cast<void*>(&end), bytes.data(), sizeof end);
        last = std::max(last, end.last);
        if (end.finished > 0 && (m_allFinished == 0 || m_end.IsBefore(end.finish)))
        {
            m_end = end.finish;
        }
        m_allFinished += end.finished;
    }
    if (!IsFinished())
    {
        m_end = EventStamp();
        m_end.time = last;
        m_end.sequence = std::numeric_limits<uint64_t>::max();
        m_end.rank = std::numeric_limits<uint32_t>::max();
    }
}

} // namespace ns3::dml

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RANK_RUN_H
#define DML_RANK_RUN_H

#include "dml-deferred-effects.h"
#include "dml-lineage-scheduler.h"
#include "dml-rank-assignment.h"
#include "dml-rank-records.h"
#include "dml-rank-world.h"

#include "ns3/packet.h"
#include "ns3/point-to-point-net-device.h"

#include <cstdint>
#include <functional>

namespace ns3::dml
{

class Cluster;

/**
 * @ingroup dml-packet
 * @brief This rank's part of a run of the packet engine: order of events, records, and an end that
 * all ranks agree on.
 *
 * Each rank builds all nodes, and runs the applications of its own. At the same simulated times
 * (ticks) the ranks combine how far they are; each looks at the outcome at the next tick, so all of
 * them stop at the same one. What happened after the end of the run, when the last worker finished,
 * is left out.
 */
class RankRun
{
  public:
    /**
     * @brief Make ns-3 use this rank's scheduler; before there are nodes.
     * @param world the ranks; must outlive this
     * @param assignment of nodes to ranks; must outlive this
     * @param nodes number of nodes
     */
    RankRun(RankWorld& world, const RankAssignment& assignment, uint32_t nodes);
    RankRun(const RankRun&) = delete;
    RankRun& operator=(const RankRun&) = delete;

    /// @return the ranks
    RankWorld& GetWorld() const
    {
        return m_world;
    }

    /// @return which rank has which node
    const RankAssignment& GetAssignment() const
    {
        return m_assignment;
    }

    /// @return told of everything on this rank
    RankRecords& GetRecords()
    {
        return m_records;
    }

    /// @return for what counts on this rank
    DeferredEffects& GetEffects()
    {
        return m_effects;
    }

    /// What is scheduled next belongs to another step of the construction, which all ranks take.
    void BeginStage()
    {
        m_scheduler.SetRoot(++m_stage);
    }

    /// @brief Give each packet to another rank its lineage on the way, and its place in the order
    /// of events where it arrives. @param cluster with nodes and links
    void AddBoundary(const Cluster& cluster);

    /// A worker of the first job that is on this rank ended a step.
    void StepDone()
    {
        ++m_steps;
    }

    /// A worker of the first job that is on this rank has done all it will.
    void WorkerFinished();

    /// The run failed on this rank.
    void Failed()
    {
        m_failed = true;
    }

    /**
     * @brief Simulate until all workers have finished, a rank has failed or nothing is left to do.
     * @param workers of the first job, on all ranks
     * @param progress on rank 0, told how many steps all workers have done; may be empty
     */
    void Run(uint32_t workers, const std::function<void(int64_t)>& progress);

    /// @return whether all workers of the first job finished; after Run()
    bool IsFinished() const
    {
        return m_allFinished >= m_workers;
    }

    /// @return when the last worker finished, or else when the last event ran; after Run()
    const EventStamp& GetEnd() const
    {
        return m_end;
    }

    /// @return events of this rank until the end; after Run()
    uint64_t CountEvents() const
    {
        return m_scheduler.CountEvents(m_end);
    }

  private:
    void Sending(Ptr<const Packet> packet);
    static void Arrived(RankRun* run, Ptr<PointToPointNetDevice> device, Ptr<Packet> packet);
    void Tick();
    void AgreeOnEnd();

    RankWorld& m_world;                      //!< the ranks
    const RankAssignment& m_assignment;      //!< nodes to ranks
    LineageScheduler& m_scheduler;           //!< of ns-3's simulator
    DeferredEffects m_effects;               //!< what counts
    RankRecords m_records;                   //!< what happened
    uint64_t m_sent{0};                      //!< packets to other ranks
    uint64_t m_received{0};                  //!< packets from them
    uint32_t m_stage{0};                     //!< of the construction
    uint32_t m_workers{0};                   //!< of all ranks
    uint32_t m_finished{0};                  //!< workers of this rank
    uint32_t m_allFinished{0};               //!< workers of all ranks
    int64_t m_steps{0};                      //!< of this rank's workers
    bool m_failed{false};                    //!< on this rank
    int64_t m_stepsTold{0};                  //!< of all ranks, when progress was last told
    int64_t m_lastTick{-1};                  //!< time steps; none yet: -1
    int64_t m_period;                        //!< between ticks, time steps
    EventStamp m_lastFinish;                 //!< of this rank's workers
    EventStamp m_end;                        //!< of the run
    std::function<void(int64_t)> m_progress; //!< may be empty
};

} // namespace ns3::dml

#endif /* DML_RANK_RUN_H */

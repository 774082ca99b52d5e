/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STEP_WORK_H
#define DML_STEP_WORK_H

#include "dml-interval-union.h"

#include "ns3/dml-profile.h"
#include "ns3/dml-run-observer.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-metrics
 * @brief What a worker's step kept busy. Times in seconds from the start of the run.
 */
struct StepWork
{
    /// Seconds in which the step used each of its links: downlinks by server, then uplinks. A link
    /// is used from the first byte of a transfer to its last, however many are under way.
    std::vector<double> links;
    std::vector<double> servers; //!< busy seconds by server
    std::vector<double> devices; //!< busy seconds by device, of all its slots together
    std::vector<double> parsers; //!< busy seconds of the worker's, then of each server's
    double firstForward{
        std::numeric_limits<double>::infinity()}; //!< start of the first; infinite: none
    double lastBackward{
        -std::numeric_limits<double>::infinity()}; //!< end of the last; infinite: none
    /// What the step took, s: its duration, or, where it overlaps the worker's step before, from
    /// the end of that one to its own end.
    double time{0};
    /// When the worker had computed everything, and its gradients were all at the servers.
    double lastOwn{-std::numeric_limits<double>::infinity()};
};

/// Receives the work of steps.
class StepWorkListener
{
  public:
    virtual ~StepWorkListener() = default;
    /// @param step that has ended; each worker's in order @param work what it kept busy
    virtual void StepWorked(const StepRecord& step, const StepWork& work) = 0;
};

/**
 * @ingroup dml-metrics
 * @brief Sums up the records of each step of each worker until it ends.
 *
 * Steps of a worker may overlap, but must end in order. Memory: the steps that are open.
 */
class StepWorkCollector : public RunListener<StepWorkCollector>
{
  public:
    /**
     * @param profile kinds of ops, number of devices; copied
     * @param workers number of workers; records of others are ignored
     * @param servers number of parameter servers
     * @param listeners told of every step in turn; must outlive this
     */
    StepWorkCollector(const Profile& profile,
                      uint32_t workers,
                      uint32_t servers,
                      std::vector<StepWorkListener*> listeners);

    void On(const StepRecord& record);
    void On(const TransferRecord& record);
    void On(const ChunkRecord& record);
    void On(const CrashRecord& record);
    void On(const RejoinRecord& record);

  private:
    /// A step that has not ended.
    struct Open
    {
        uint32_t step;                   //!< from 0
        StepWork work;                   //!< but its links
        std::vector<IntervalUnion> used; //!< by link
    };

    /// Forget the open steps of a worker.
    void Forget(uint32_t worker);
    /// @return the step's entry, or null if it has ended or is none of these workers'
    Open* Find(uint32_t worker, uint32_t step);

    std::vector<OpKind> m_kinds;                //!< by op
    uint32_t m_servers;                         //!< parameter servers
    uint32_t m_devices;                         //!< of a worker
    std::vector<StepWorkListener*> m_listeners; //!< not owned
    std::vector<std::vector<Open>> m_open;      //!< by worker, in the order of steps
    std::vector<uint32_t> m_ended;              //!< by worker: steps that have ended
    std::vector<double> m_lastEnd;              //!< by worker: of its last one, s
};

} // namespace ns3::dml

#endif /* DML_STEP_WORK_H */

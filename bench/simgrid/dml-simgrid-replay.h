/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SIMGRID_REPLAY_H
#define DML_SIMGRID_REPLAY_H

#include "ns3/dml-fair-share-network.h"
#include "ns3/dml-training-run.h"

#include <deque>
#include <memory>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @brief A training job on SimGrid, to be compared with the fair-share engine.
 *
 * It shares with that engine the plan of a step, the durations, the start offsets, and the links
 * with their rates. What decides the order of ops is written here once more, for the simplest case:
 * asynchronous workers, and whole transfers first come first served on each connection. All else is
 * SimGrid's: each transfer is a Comm, each other op an Exec, started by the signal that tells of
 * the end of what it waited for. That is the quickest way to use SimGrid, without actors that wait.
 *
 * SimGrid's model of networks is the same as max-min sharing with model CM02, factors and latencies
 * of 1 and 0, and no cross-traffic. With rule `equal` only the links of servers are made, on which
 * max-min sharing is equal sharing.
 *
 * SimGrid allows one in a process.
 */
class SimGridReplay
{
  public:
    /**
     * @param run the job
     * @param network its links; a prepared one
     * @throws InputError if the job or the network has something that is not expressed here
     */
    SimGridReplay(TrainingRun run, const FairShareNetwork& network);
    SimGridReplay(const SimGridReplay&) = delete;
    SimGridReplay& operator=(const SimGridReplay&) = delete;

    /// @brief Run until every worker has done all its steps. @throws RunError if it cannot
    void Run();

    /// @return all steps in the order in which they ended; known are worker, step, start and end
    const std::vector<StepRecord>& GetSteps() const
    {
        return m_steps;
    }

    /// @return length of the run in seconds
    double GetNow() const;

  private:
    struct Worker;

    /// What takes one op at a time, first come first served.
    struct Queue
    {
        Worker* worker;                       //!< whose it is
        simgrid::s4u::Host* from;             //!< where ops run, or who sends
        simgrid::s4u::Host* to;               //!< who receives; null: ops run
        std::deque<OpIndex> ready{};          //!< what waits
        simgrid::s4u::ActivityPtr activity{}; //!< the last one
        OpIndex op{NO_INDEX};                 //!< under way; NO_INDEX: nothing
    };

    /// Progress of one worker.
    struct Worker
    {
        uint32_t index{0};             //!< which one
        std::deque<Queue> queues{};    //!< by resource of the plan
        std::vector<uint32_t> waits{}; //!< by op: dependencies that are not done
        uint32_t left{0};              //!< ops of the step that are not done
        uint32_t step{0};              //!< number of the step
        uint32_t sample{0};            //!< that it replays
        double start{0};               //!< seconds: when the step began
    };

    void CheckRun(const FairShareNetwork& network) const;
    void MakePlatform(const FairShareNetwork& network);
    void MakeQueues(Worker& worker,
                    const std::vector<simgrid::s4u::Host*>& servers,
                    simgrid::s4u::Host* host,
                    simgrid::s4u::NetZone* zone);
    void BeginStep(Worker& worker);
    void Push(Worker& worker, OpIndex op);
    void StartNext(Queue& queue);
    void Ended(Queue& queue);
    void EndOp(Worker& worker, OpIndex op);

    TrainingRun m_run;                              //!< as given
    std::unique_ptr<simgrid::s4u::Engine> m_engine; //!< SimGrid
    std::vector<Worker> m_workers;                  //!< by index
    std::vector<StepRecord> m_steps;                //!< ended
    simgrid::s4u::ActivityPtr m_last;               //!< the one that ended last
};

} // namespace ns3::dml

#endif /* DML_SIMGRID_REPLAY_H */

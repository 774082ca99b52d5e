/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FAIR_SHARE_ENGINE_H
#define DML_FAIR_SHARE_ENGINE_H

#include "dml-bandwidth-sharing.h"

#include "ns3/dml-step-executor.h"
#include "ns3/dml-training-run.h"

#include <functional>
#include <memory>
#include <vector>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-fairshare
 * @brief The network as the analytical engine sees it.
 */
struct FairShareNetwork
{
    /// How bandwidth is shared.
    enum class Rule
    {
        EQUAL,   //!< 1/n of a server's link to each of its n active workers
        MAX_MIN, //!< max-min fair over the links of servers and workers
    };

    Rule rule{Rule::EQUAL};   //!< sharing rule
    double serverRate{125e6}; //!< payload rate of a server's link, each direction, in bytes/s
    double workerRate{125e6}; //!< payload rate of a worker's link, each direction, in bytes/s
    double oneWayDelay{0};    //!< seconds between the last byte served and arrived
};

/**
 * @ingroup dml-fairshare
 * @brief The analytical engine: discrete events at the level of ops and chunks.
 *
 * Source: Li et al., ICPE 2020, Algorithm 3.1, as settled by DESIGN section 3. Deterministic:
 * simultaneous completions are handled one at a time in the order in which the chunks started.
 */
class FairShareEngine : private StepHost
{
  public:
    /**
     * @param run what to run
     * @param network links and sharing rule
     * @param observer told of everything; may be null, which is faster
     */
    FairShareEngine(TrainingRun run, const FairShareNetwork& network, RunObserver* observer);
    ~FairShareEngine() override;

    /**
     * @brief Run until every worker has done all its steps.
     * @param progress called now and then with the fraction of steps that are done; may be empty
     * @throws RunError with the blocked ops if nothing can happen any more
     */
    void Run(const std::function<void(double)>& progress = {});

    /// @return number of chunks and compute ops completed
    uint64_t GetCompletedChunks() const;

    /// @return number of payload bytes served
    uint64_t GetServedBytes() const;

    /// @return the current time in seconds from the start of the run
    double GetNow() const override;

  private:
    class WorkerWindows;

    /// Something that happens at a known time: a compute task ends, a tensor arrives, a worker
    /// starts.
    struct Event
    {
        int64_t instant;  //!< of its time
        uint64_t order;   //!< rank among simultaneous events
        double time;      //!< seconds
        uint32_t payload; //!< slot in m_pending

        /// For a heap with the first event on top.
        bool operator<(const Event& other) const
        {
            return instant != other.instant ? instant > other.instant : order > other.order;
        }
    };

    /// What an event is about.
    struct Pending
    {
        /// Kind of event.
        enum class Kind : uint8_t
        {
            TASK,    //!< task ends on queue
            ARRIVAL, //!< task.op of worker task.owner arrives
            START,   //!< worker task.owner starts
        };

        Kind kind;          //!< kind
        DeviceQueue* queue; //!< for TASK
        ComputeTask task;   //!< what
        double start;       //!< seconds: when the task started
    };

    /// Progress of one worker.
    struct Worker
    {
        std::unique_ptr<StepExecutor> executor; //!< runs its steps
        uint32_t done{0};                       //!< steps completed
        double stepStart{0};                    //!< seconds
    };

    void StartTask(DeviceQueue& queue, const ComputeTask& task) override;
    void StartTurn(StepExecutor& executor, uint32_t resource, const Turn& turn) override;
    void RequestTransfer(StepExecutor& executor, OpIndex op) override;
    void StepCompleted(StepExecutor& executor) override;

    void MakeDevices();
    void MakeWorker(uint32_t worker);
    void BeginStep(uint32_t worker);
    void Schedule(double time, const Pending& pending);
    void HandleEvent();
    void HandleFlowEnd(const FlowEnd& end);
    [[noreturn]] void ThrowStalled() const;

    TrainingRun m_run;           //!< what to run
    FairShareNetwork m_network;  //!< links
    RunObserver* m_observer;     //!< may be null
    StreamWindowModel m_windows; //!< flow control where all connections are alike
    std::vector<std::unique_ptr<WorkerWindows>> m_workerWindows; //!< by worker if they are not
    std::unique_ptr<BandwidthSharing> m_sharing;              //!< links at work
    std::vector<std::unique_ptr<DeviceQueue>> m_devices;      //!< all compute queues
    std::vector<DeviceQueue*> m_sharedDevices; //!< by resource: queues shared by all workers
    std::vector<Worker> m_workers;             //!< by index
    std::vector<Event> m_events;               //!< heap
    std::vector<Pending> m_pending;            //!< payloads of events
    std::vector<uint32_t> m_freePending;       //!< unused slots of m_pending
    double m_now{0};                           //!< seconds
    uint64_t m_order{0};                       //!< chunks and tasks started
    uint64_t m_chunks{0};                      //!< chunks and tasks completed
    uint64_t m_bytes{0};                       //!< payload served
    uint64_t m_stepsDone{0};                   //!< of all workers
};

} // namespace dml
} // namespace ns3

#endif /* DML_FAIR_SHARE_ENGINE_H */

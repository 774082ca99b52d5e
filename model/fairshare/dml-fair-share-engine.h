/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FAIR_SHARE_ENGINE_H
#define DML_FAIR_SHARE_ENGINE_H

#include "dml-event-heap.h"
#include "dml-fair-share-network.h"

#include "ns3/dml-job-observer.h"
#include "ns3/dml-step-executor.h"
#include "ns3/dml-training-run.h"

#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-fairshare
 * @brief The analytical engine: discrete events at the level of ops and chunks.
 *
 * Source: Li et al., ICPE 2020, Algorithm 3.1, as settled by DESIGN section 3. Deterministic:
 * simultaneous completions are handled one at a time in the order in which the chunks started.
 *
 * Several jobs may share the network. Their workers and servers are numbered on from job to job,
 * and so they are in records. The first job is the one that is run; the others repeat steps until
 * it ends.
 */
class FairShareEngine : private StepHost
{
  public:
    /**
     * @param run what to run
     * @param network links, routes and sharing rule
     * @param observer told of everything; may be null, which is faster
     * @throws InputError if the network does not fit
     */
    FairShareEngine(TrainingRun run, FairShareNetwork network, RunObserver* observer);

    /**
     * @param jobs what to run, at least one; it ends when the first has done its steps
     * @param network links, routes and sharing rule
     * @param observer told of everything; may be null, which is faster
     * @throws InputError if the network does not fit
     */
    FairShareEngine(std::vector<TrainingRun> jobs, FairShareNetwork network, RunObserver* observer);
    ~FairShareEngine() override;

    /**
     * @brief Run until every worker of the first job has done all its steps.
     * @param progress called now and then with the fraction of steps that are done; may be empty
     * @throws RunError with the blocked ops if nothing can happen any more in the first job
     */
    void Run(const std::function<void(double)>& progress = {});

    /// @return number of chunks and compute ops completed
    uint64_t GetCompletedChunks() const;

    /// @return number of payload bytes served, those of background flows apart
    uint64_t GetServedBytes() const;

    /// @return the current time in seconds from the start of the run
    double GetNow() const override;

  private:
    class WorkerWindows;

    /// What happens at a known time.
    struct Pending
    {
        /// Kind of event.
        enum class Kind : uint8_t
        {
            TASK,       //!< task ends on queue
            NO_TIME,    //!< turn of flow task.op ends that crosses no link or has no bytes
            ARRIVAL,    //!< task.op of worker task.owner arrives
            ACKNOWLEDGED, //!< its sender knows that task.op of worker task.owner has arrived
            WAKE_UP,    //!< the policy of flow task.op is to be asked again
            START,      //!< worker task.owner starts
            BACKGROUND, //!< background flow task.owner goes on or off
            CAPACITY,   //!< change task.owner of a link
        };

        Kind kind;          //!< kind
        DeviceQueue* queue; //!< for TASK
        ComputeTask task;   //!< what
        double start;       //!< seconds: when the task started
    };

    /// One training job.
    struct Job
    {
        TrainingRun run;                           //!< what to run
        StreamWindowModel windows;                 //!< flow control
        JobObserver observer;                      //!< renumbers workers and servers
        uint32_t firstWorker;                      //!< number of its first worker
        std::vector<DeviceQueue*> sharedDevices{}; //!< by resource: queues of all its workers
        std::unique_ptr<UpdateBarrier> barrier{};  //!< of joint updates
    };

    /// Progress of one worker.
    struct Worker
    {
        Job* job{nullptr};                        //!< whose it is
        FlowId firstFlow{0};                      //!< its flows lie together
        std::unique_ptr<StepExecutor> executor{}; //!< runs its steps
        uint32_t begun{0};                        //!< steps begun
        uint32_t done{0};                         //!< steps completed
        double stepStart[2]{};                    //!< seconds; of step s at s % 2
        uint32_t hollow{0};                       //!< last steps that took no time
    };

    /// A flow of training.
    struct FlowState
    {
        uint32_t worker;    //!< whose it is
        uint32_t resource;  //!< its link in the plan
        bool local;         //!< crosses no link
        bool active{false}; //!< has a turn in service
        bool dead{false};   //!< across a link that stays down
    };

    /// A background flow at work.
    struct Background
    {
        OnOffTimes times; //!< of ON_OFF
        bool on{false};   //!< whether it is active
        bool over{false}; //!< whether it has stopped or sent all
    };

    void StartTask(DeviceQueue& queue, const ComputeTask& task) override;
    void StartTurn(StepExecutor& executor, uint32_t resource, const Turn& turn) override;
    void WakeUp(StepExecutor& executor, uint32_t resource, double delay) override;
    void RequestTransfer(StepExecutor& executor, OpIndex op) override;
    void StepCompleted(StepExecutor& executor, uint32_t step) override;
    void NextStepAllowed(StepExecutor& executor, uint32_t step) override;

    void MakeJobs(std::vector<TrainingRun> jobs, RunObserver* observer);
    void MakeFlows();
    void MakeDevices(Job& job);
    void MakeExecutor(uint32_t worker);
    void BeginStep(uint32_t worker);
    void ScheduleStarts();
    void Schedule(double time, const Pending& pending);
    bool IsOfFirstJob(const Pending& pending) const;
    void HandleEvent();
    void HandleFlowEnd(const FlowEnd& end);
    void EndTurn(FlowId flow);
    FlowId GetFlow(const StepExecutor& executor, uint32_t resource) const;
    void TurnBackground(uint32_t index);
    void ChangeCapacity(const CapacityChange& change);
    void FindDeadFlows();
    [[noreturn]] void ThrowStalled() const;

    FairShareNetwork m_network;                          //!< links, routes, background
    RunObserver* m_observer;                             //!< may be null
    std::deque<Job> m_jobs;                              //!< the first is the one that is run
    std::vector<std::unique_ptr<WorkerWindows>> m_workerWindows; //!< by number, where connections differ
    std::unique_ptr<BandwidthSharing> m_sharing;         //!< links at work
    std::vector<std::unique_ptr<DeviceQueue>> m_devices; //!< all compute queues
    std::vector<Worker> m_workers;                       //!< by number
    std::vector<FlowState> m_flows;                      //!< flows of training, by id
    std::vector<Background> m_background;                //!< by index
    EventHeap<Pending> m_events;                         //!< what is to come
    double m_now{0};                                     //!< seconds
    uint64_t m_order{0};                                 //!< chunks and tasks started
    uint64_t m_chunks{0};                                //!< chunks and tasks completed
    uint64_t m_bytes{0};                                 //!< payload served
    uint64_t m_stepsDone{0};                             //!< of the first job's workers
    uint64_t m_liveEvents{0};                            //!< events to come of the first job
    uint64_t m_liveFlows{0};                             //!< its active flows that may end some day
    uint64_t m_changesLeft{0};                           //!< of links
};

} // namespace dml
} // namespace ns3

#endif /* DML_FAIR_SHARE_ENGINE_H */

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STEP_EXECUTOR_H
#define DML_STEP_EXECUTOR_H

#include "dml-collective-runner.h"
#include "dml-step-host.h"
#include "dml-sync-server.h"

#include "ns3/dml-device-queue.h"
#include "ns3/dml-step-plan.h"
#include "ns3/dml-transfer-policy.h"
#include "ns3/object-factory.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3::dml
{

class WorkerLoop;

/**
 * @ingroup dml-execution
 * @brief Runs the steps of one worker, or one server's part of them: counts dependencies, queues
 * what is ready, and asks the transfer policies what goes next. Both engines use it; it knows
 * neither time nor bytes.
 *
 * The order of things is DESIGN section 3: a finished op first releases its dependents in listing
 * order, then its resource picks the next chunk or is free, and only then is the step over if it
 * was the last op (Li et al., ICPE 2020, Algorithm 3.1, lines 18 to 38).
 *
 * Where steps overlap (StepPlan::overlaps), at most two have begun and not ended, and of each op
 * one is under way: it has ended in a step before it can start in the next.
 */
class StepExecutor final : private CollectiveHost
{
  public:
    /**
     * @param number the executor's number with its host, which ComputeTask::owner carries
     * @param worker index of the worker whose steps it runs
     * @param workers number of workers
     * @param plan what to run; it must outlive the executor
     * @param devices queue of each resource of the plan; null for channels and for resources of
     *        others; queues may be shared between executors
     * @param policy makes that of a channel on which it sends listed transfers. What collectives
     *        send goes first in, first out; they themselves start in the order of StepPlan::ranks,
     * or as they were agreed on
     * @param windows flow control for the policies
     * @param host the engine
     * @param recorder told of every chunk and transfer
     */
    StepExecutor(uint32_t number,
                 uint32_t worker,
                 uint32_t workers,
                 const StepPlan& plan,
                 std::vector<DeviceQueue*> devices,
                 const ObjectFactory& policy,
                 const WindowView& windows,
                 StepHost& host,
                 JobRecorder recorder);
    ~StepExecutor() override;

    /**
     * @brief Where steps overlap, ops of the next step start before it has begun: say which one is
     * the last.
     * @param steps number of steps; default: endless
     */
    void SetSteps(uint32_t steps)
    {
        m_steps = steps;
    }

    /// @param sync where joint ops are done; it must outlive the executor
    void SetSync(SyncServer& sync)
    {
        m_sync = &sync;
    }

    /// @param loop of the worker, told what its steps have come to; must outlive the executor.
    /// Servers have none
    void SetLoop(WorkerLoop& loop)
    {
        m_loop = &loop;
    }

    /**
     * @brief Start a step: what waits for nothing else becomes ready, in listing order.
     * @param step number of the step: that of the last one and one more
     * @param sample profiled step that it replays
     * @param scale multiplies the durations of the ops that the worker computes
     */
    void BeginStep(uint32_t step, uint32_t sample, double scale = 1);

    /// @param scale from now on, of the ops of the step begun last that have not been submitted
    void SetWorkScale(double scale)
    {
        m_progress[(m_begun - 1) % UNDER_WAY].scale = scale;
    }

    /// @param seconds by which the next op that the worker computes takes longer
    void AddWork(double seconds)
    {
        m_addedWork += seconds;
    }

    /// @return of the step begun last: seconds in the profile of the worker's compute ops that have
    /// been submitted to its devices
    double GetSubmittedWork() const
    {
        return m_progress[(m_begun - 1) % UNDER_WAY].submittedWork;
    }

    /// @return likewise, of those that have ended
    double GetEndedWork() const
    {
        return m_progress[(m_begun - 1) % UNDER_WAY].endedWork;
    }

    /// @param step any number; @return whether SkipTo() is possible and leaves out a step
    bool CanSkipTo(int64_t step) const
    {
        return step > m_begun && step < m_steps && m_begun == m_ended && !m_plan.overlaps;
    }

    /**
     * @brief Leave out steps; not where steps overlap, and not while one is under way.
     * @param step number of the step that comes next
     */
    void SkipTo(uint32_t step);

    /// @brief Its first step is not known yet, and may be asked for before it is.
    void AwaitFirstStep()
    {
        m_awaits = true;
    }

    /// @brief The worker is gone: from now on nothing becomes ready, and what ends has no effect.
    void Abandon()
    {
        m_abandoned = true;
    }

    /// @return whether the worker is gone
    bool IsAbandoned() const
    {
        return m_abandoned;
    }

    /// @param step any number; @return whether BeginStep() is possible for this step
    bool CanBegin(int64_t step) const;

    /**
     * @brief A compute task's time is over: its device starts the next one.
     * @param task the task
     * @param start when it started, in seconds
     */
    void TaskEnded(const ComputeTask& task, double start);

    /**
     * @brief The open turn on a channel has been served.
     * @param resource index of the channel in the plan
     * @param arrived whether the receiver has the bytes at this instant too; if not, the host
     *        calls TransferArrived() later, of the executor whose op receives
     * @return whether it was the transfer's last turn
     */
    bool TurnEnded(uint32_t resource, bool arrived = true);

    /// @param resource index of a channel in the plan; @return the transfer in its turn, or
    /// NO_INDEX
    OpIndex GetOpenTransfer(uint32_t resource) const
    {
        return m_channels[resource].turn.transfer;
    }

    /// @param collective that StepHost::RunCollective() has taken on, and that is done
    void CollectiveEnded(uint32_t collective);

    /// @param buckets that all workers start now, in this order
    void StartBuckets(const std::vector<Bucket>& buckets);

    /// @param collective place @return bytes of the buffer of which it is, or was last
    uint64_t GetBufferBytes(uint32_t collective) const
    {
        return m_collectives.GetBytes(collective);
    }

    /// @param op a transfer of which every byte has arrived
    void TransferArrived(OpIndex op);

    /// @param op a transfer to another executor that has asked for it
    void TransferRequested(OpIndex op);

    /// @param op a transfer of which StepHost::IsRequested() has said that it was not known to be
    /// wanted, and is now
    void SendRequested(OpIndex op);

    /// @param op a transfer @param step any number
    /// @return whether its receiver may ask for it now, as one of that step
    bool CanBeRequested(OpIndex op, int64_t step) const;

    /// @brief Called by the SyncServer: a joint op takes this worker's gradient. @param op the op
    void RecordTaken(OpIndex op) const;

    /// @brief Queue an op on its device; also called by the SyncServer, when a joint op can be
    /// done.
    /// @param op the op
    void Submit(OpIndex op);

    /**
     * @brief An op has been done; also called by the SyncServer, when a joint op has been for all.
     * @param op the op
     * @param runner whose device did it and has not been freed; null if there is none
     */
    void Complete(OpIndex op, StepExecutor* runner = nullptr);

    /// @brief A device starts its next task, or is free. @param op that it has done
    void FreeDevice(OpIndex op);

    /// @param resource index of a channel; @return whether TransferAcknowledged() is to be called
    /// there
    bool WantsAcknowledgements(uint32_t resource) const;

    /// @brief The sender has learnt that its receiver has all of a transfer. @param op the transfer
    void TransferAcknowledged(OpIndex op);

    /// @param resource index of a link: flow control may have opened, see whether a turn can start
    void TryNextTurn(uint32_t resource);

    /// @return number given to the constructor
    uint32_t GetNumber() const
    {
        return m_number;
    }

    /// @return index of the worker
    uint32_t GetWorker() const
    {
        return m_worker;
    }

    /// @return number of steps that have ended or were left out
    uint32_t GetEndedSteps() const
    {
        return m_ended;
    }

    /// @return number of the step that begins next
    uint32_t GetNextStep() const
    {
        return m_begun;
    }

    /// @param op or transfer; @return number of the step in which it is under way or comes next
    uint32_t GetStepOf(OpIndex op) const
    {
        return m_ops[GetListedOp(op)].completed;
    }

    /// @param transfer number @return what it is
    PlannedTransfer GetTransfer(OpIndex transfer) const
    {
        return m_plan.IsMove(transfer) ? m_collectives.GetTransfer(transfer)
                                       : m_plan.GetTransfer(transfer, m_worker);
    }

    /// @param op a local op that runs on a device @return its device
    DeviceQueue& GetDevice(OpIndex op) const
    {
        return *m_devices[m_plan.IsMove(op) ? m_plan.reducer : m_plan.ops[op].resource];
    }

    /// @param step one that has begun, and at most one has since; @return profiled step it replays
    uint32_t GetSample(uint32_t step) const
    {
        return m_progress[step % UNDER_WAY].sample;
    }

    /// @param step as for GetSample(); @return when the worker's own ops of it were done: all but
    /// those of servers, and what waits for a collective; seconds
    double GetOwnEnd(uint32_t step) const
    {
        return m_progress[step % UNDER_WAY].ownEnd;
    }

    /// @return the plan
    const StepPlan& GetPlan() const
    {
        return m_plan;
    }

    /// @return names of the ops that have not completed, each with the number of things it waits
    /// for
    std::vector<std::string> GetBlockedOps() const;

    /**
     * @brief Text of the error that ends a run in which an op has no end.
     * @param task one of its tasks, which would end after LAST_INSTANT_SECONDS
     * @param now when it would start, in seconds
     * @return the text
     */
    std::string DescribeEndlessOp(const ComputeTask& task, double now) const;

  private:
    /// A channel on which it sends, or a queue of collectives; other resources have none of this.
    struct Channel
    {
        Turn turn;                  //!< the open one: transfer and bytes; empty: it is free
        double start{0};            //!< of the turn, seconds
        uint32_t collectives{0};    //!< under way, of a queue of these, which has no turns
        Ptr<TransferPolicy> policy; //!< says what goes next
    };

    /// Where an op is.
    struct OpState
    {
        /// Things that it still waits for; below 0: they came for the next step before it ended.
        int32_t waiting;
        uint32_t completed; //!< steps in which it has completed
    };

    /// Life of a transfer at its sender, in seconds.
    struct TransferTimes
    {
        double ready{0};      //!< when it was queued
        double firstTurn{-1}; //!< when its first turn started; below 0: it has had none
    };

    /// What a channel's policy sees of time.
    class LinkClock;

    /// Steps of which ops can be under way where steps overlap: the last pushes of one, the next
    /// one, and early pulls of the one after that, which has not begun.
    static constexpr uint32_t UNDER_WAY = 3;

    /// A step under way; step s is at s % UNDER_WAY.
    struct Progress
    {
        uint32_t sample{0};             //!< profiled step that it replays
        const double* seconds{nullptr}; //!< of each op in that step
        uint32_t remaining{0};          //!< local ops not completed
        uint32_t gating{0};             //!< of these, those that gate the next step
        uint32_t own{0};                //!< of these, those that are no server's
        double ownEnd{0};               //!< seconds: when the last of these was done
        double scale{1};                //!< of the durations of the ops that the worker computes
        double submittedWork{0}; //!< seconds in the profile of those that have been submitted
        double endedWork{0};     //!< likewise, of those that have ended
    };

    void SendMove(OpIndex move, uint32_t resource, uint64_t bytes) override;
    void RequestMove(OpIndex move) override;
    void Reduce(OpIndex move, double seconds) override;
    void CollectiveDone(uint32_t collective) override;

    /// @param op or transfer @return the op of the plan that it is, or is a part of
    OpIndex GetListedOp(OpIndex op) const
    {
        return m_plan.IsMove(op) ? m_plan.collectives[m_plan.GetCollective(op)].op : op;
    }

    void MakePolicies(const ObjectFactory& policy);
    void Ready(OpIndex op);
    void QueueTransfer(OpIndex transfer, uint32_t resource, uint64_t bytes);
    void StartCollectives(uint32_t resource);
    void ReductionEnded(OpIndex move, double start);
    void Release(OpIndex op);
    /// One of the things that each of these ops waits for has come.
    void Count(const OpIndex* first, const OpIndex* last);
    void Done(OpIndex op);
    void EndStep(uint32_t step);
    TransferTimes& GetTimes(OpIndex transfer);
    TransferRecord MakeTransferRecord(OpIndex transfer);
    /// @param op what a resource has done for it or for a part of it @param bytes as in the record
    /// @param start seconds
    void RecordChunk(OpIndex op, uint32_t resource, uint64_t bytes, double start) const;

    // what ends of ops and turns touch lies together: with thousands of workers it is in no cache
    const StepPlan& m_plan;              //!< what a step is
    StepHost& m_host;                    //!< the engine
    std::vector<OpState> m_ops;          //!< by op
    std::vector<Channel> m_channels;     //!< by resource
    std::vector<DeviceQueue*> m_devices; //!< by resource
    WorkerLoop* m_loop{nullptr};         //!< of the worker; null at a server
    SyncServer* m_sync{nullptr};         //!< for joint ops
    const WindowView& m_windows;         //!< flow control
    JobRecorder m_recorder;              //!< told of what happens
    uint32_t m_number;                   //!< with the host
    uint32_t m_worker;                   //!< index of the worker
    uint32_t m_begun{0};                 //!< steps begun
    uint32_t m_ended{0};                 //!< steps completed
    uint32_t m_steps{NO_INDEX};          //!< steps that there are
    bool m_abandoned{false};             //!< the worker is gone
    bool m_awaits{false};                //!< its first step is not known yet
    double m_addedWork{0};               //!< seconds, to the next op that the worker computes
    Progress m_progress[UNDER_WAY];      //!< steps under way
    uint32_t m_localGates{0};            //!< local ops of a step that gate the next one
    uint32_t m_ownOps{0};                //!< local ops of a step that are no server's
    std::vector<Resource> m_resources;   //!< of the plan, as this worker's
    std::vector<std::unique_ptr<LinkClock>> m_clocks;   //!< by resource; null where no policy is
    std::vector<TransferTimes> m_transfers;             //!< by op; empty without an observer
    std::unordered_map<OpIndex, TransferTimes> m_moves; //!< of moves under way, with an observer
    CollectiveRunner m_collectives;                     //!< at work on these
    std::vector<Bucket> m_buckets; //!< by the first one's place, with StepPlan::negotiation
};

/**
 * @brief Text of the error that ends a stalled run.
 * @param now simulated seconds
 * @param blocked one line per blocked op; the first ten are shown
 * @return the text
 */
std::string MakeStallReport(double now, const std::vector<std::string>& blocked);

} // namespace ns3::dml

#endif /* DML_STEP_EXECUTOR_H */

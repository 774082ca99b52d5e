/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SYNC_SERVER_H
#define DML_SYNC_SERVER_H

#include "ns3/dml-step-plan.h"
#include "ns3/dml-sync-policy.h"

#include <utility>
#include <vector>

namespace ns3::dml
{

class StepExecutor;

/**
 * @ingroup dml-execution
 * @brief Told by a SyncServer when workers may go on.
 */
class SyncListener
{
  public:
    virtual ~SyncListener() = default;

    /**
     * @brief A worker may begin a step. It may do so from within.
     * @param worker index
     * @param step number; above that of the step done and one more if others have gone ahead
     * @param dropped gradients of the worker that came too late since the last such call
     */
    virtual void MayProceed(uint32_t worker, uint32_t step, uint32_t dropped) = 0;
};

/**
 * @ingroup dml-execution
 * @brief What one site knows of the workers' progress: counts gradients for joint updates, and
 * holds the tokens with which workers go on. A SyncPolicy decides.
 *
 * A joint update of a tensor takes the gradients of one step, each once. It is done once, on the
 * compute resource, and takes the time in the sample, of the first of the workers whose gradients
 * it takes. Gradients that come while the update of their step is being done, or after it, are
 * dropped, which takes no time.
 *
 * A worker goes on when the updates of the steps before have been done, also if its own gradients
 * came too late for them, and not with a step for which no gradient of it could count any more.
 *
 * A worker that is gone is not waited for; its gradients of updates that have not begun are lost.
 */
class SyncServer
{
  public:
    /**
     * @param plan of the site's executors; must outlive this
     * @param policy that decides; null: bulk-synchronous if the plan has joint updates, else
     *        asynchronous
     * @param workers number of workers of the job
     * @param listener told when workers may go on; must outlive this
     */
    SyncServer(const StepPlan& plan,
               Ptr<const SyncPolicy> policy,
               uint32_t workers,
               SyncListener& listener);

    /**
     * @brief A worker is there, or has come back after Leave().
     * @param worker index
     * @param executor of its steps; must stay while the worker is there
     */
    void Join(uint32_t worker, StepExecutor& executor);

    /// @param worker that is gone; the others may go on from within
    void Leave(uint32_t worker);

    /**
     * @brief The parameters are those of a checkpoint again. All workers must Leave() now.
     *
     * What was being updated, or waited for others, is lost. All tensors are at one step: that with
     * which workers come back.
     */
    void Restore();

    /// @param worker that comes back, before Join() @return first step that it may take part in:
    /// after Restore(), where joint updates are; else also where the policy says
    uint32_t GetJoiningStep(uint32_t worker) const;

    /**
     * @brief A worker that has come back would begin its next step.
     * @param worker index, after Join()
     * @return whether it may begin now; if not, MayProceed() says when, and with which step
     */
    bool Enter(uint32_t worker);

    /**
     * @brief A worker has left out steps (StepExecutor::SkipTo()).
     * @param worker index
     * @param from the step that it would have begun
     */
    void Skipped(uint32_t worker, uint32_t from);

    /// @param executor for which a joint op is ready @param op the op
    void Arrive(StepExecutor& executor, OpIndex op);

    /// @param op a joint op that has been done @param runner who did it, and whose device is still
    /// taken
    void Done(OpIndex op, StepExecutor& runner);

    /// @param worker that has done all ops of a step here @param step number of the step
    void StepDone(uint32_t worker, uint32_t step);

  private:
    /// A worker.
    struct Member
    {
        StepExecutor* executor{nullptr}; //!< null: it is not there
        uint32_t completed{0};           //!< steps completed here
        uint32_t next{0};                //!< step that it asks to begin
        bool waits{false};               //!< for a token
        bool restored{false};            //!< gone since Restore()
        uint32_t dropped{0};             //!< gradients dropped since its last token
    };

    /// A joint op.
    struct Update
    {
        uint32_t server{0};   //!< where it is done
        uint32_t step{0};     //!< step under way
        uint32_t expected{0}; //!< workers there that have not gone beyond that step
        bool running{false};  //!< being done
        bool lost{false};     //!< what is being done counts no more
        std::vector<std::pair<uint32_t, uint32_t>> arrived; //!< step and worker
        std::vector<uint32_t> counted;                      //!< workers of the one being done
        std::vector<uint32_t> late; //!< workers whose gradients came while it was being done
    };

    SyncView MakeView() const;
    uint32_t GetRound() const;
    bool IsUpdatingBefore(uint32_t step) const;
    uint32_t CountExpected(OpIndex op) const;
    void CountAll();
    void TryUpdate(OpIndex op);
    void TryUpdates();
    void FindSlowest();
    void TryRelease(uint32_t worker);
    void ReleaseAll();

    Ptr<const SyncPolicy> m_policy;  //!< decides
    SyncListener& m_listener;        //!< told
    std::vector<Member> m_members;   //!< by worker
    std::vector<Update> m_updates;   //!< by op; of joint ops
    std::vector<OpIndex> m_joint;    //!< the joint ops
    std::vector<uint32_t> m_done;    //!< scratch: workers of an update that is done
    std::vector<OpIndex> m_byServer; //!< the same, one server's after the other's
    uint32_t m_present{0};           //!< workers that are there
    uint32_t m_slowest{0};           //!< least steps completed by one of these; 0 if there is none
    uint32_t m_atSlowest{0};         //!< workers that have completed so many
    uint32_t m_waiting{0};           //!< workers that wait for a token
    uint32_t m_running{0};           //!< joint ops that are being done
};

} // namespace ns3::dml

#endif /* DML_SYNC_SERVER_H */

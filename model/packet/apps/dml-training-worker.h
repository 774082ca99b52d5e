/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRAINING_WORKER_H
#define DML_TRAINING_WORKER_H

#include "dml-step-application.h"

#include "ns3/dml-batch-size-control.h"
#include "ns3/dml-model-clock.h"
#include "ns3/dml-training-run.h"
#include "ns3/dml-worker-loop.h"
#include "ns3/traced-callback.h"

namespace ns3::dml
{

class BatchSizeService;
class BucketNegotiator;
class BucketService;
class ElasticLauncher;
class GradientCoder;
class StepAgreement;
struct Membership;

/**
 * @ingroup dml-apps
 * @brief A worker: pulls parameters, computes, pushes gradients, step after step.
 *
 * A step starts with RunGraph to every server and RecvTensor for every parameter that can be asked
 * for; it ends when its own ops are done and every server has answered its RunGraph. Where steps
 * overlap, the next one begins before that. An answer may say that the others have gone ahead: the
 * worker then leaves out steps.
 *
 * A worker may crash: its connections are closed, its step is lost. When it comes back, it opens
 * new ones, asks all servers with which step to go on, and takes the latest. One that is stopped
 * does the same and does not come back; a script may also call Leave() and Return().
 *
 * Without servers a launcher may start and end its processes. All of a membership then begin with a
 * step, and end after one, on which they agree: each tells the first of them what it knows.
 */
class TrainingWorker : public StepApplication, private WorkerHost
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();
    TrainingWorker();
    ~TrainingWorker() override;

    /**
     * @brief TracedCallback signature of the trace source StepDone.
     * @param worker index of the worker
     * @param step number of the step
     * @param start when it started
     * @param end when it ended
     */
    typedef void (*StepDoneCallback)(uint32_t worker, uint32_t step, Time start, Time end);

    /// @brief Set what it does, before the start. @param settings index and steps apart, which are
    /// attributes
    void SetSettings(WorkerSettings settings);

    /// @brief Choose the batch sizes of all workers here. @param control that does, before the
    /// start
    void SetBatchSizeControl(Ptr<BatchSizeControl> control)
    {
        m_control = control;
    }

    /// @param crash when it dies and comes back, in seconds from the time origin; it may do so
    /// often
    void AddCrash(const WorkerCrash& crash)
    {
        m_crashes.push_back(crash);
    }

    /// @brief Its process ends now, as in a crash; its step is lost. Before its start, or when it
    /// has left or is done: nothing. Not for jobs without parameter servers
    void Leave();

    /// @brief After Leave(): a new process of it comes up, and goes on with the step with which
    /// the servers say to go on.
    void Return();

    /// @param launcher that starts and ends its processes; must outlive the run
    /// @param membership with which it starts
    void SetLauncher(ElasticLauncher& launcher, const Membership& membership);

    /// @brief For the launcher: a new process comes up. @param membership to which it belongs
    void StartProcess(const Membership& membership);

    /// @brief For the launcher: its process ends.
    void EndProcess()
    {
        m_loop->End();
    }

    /// @brief For the launcher: its process is to end after the last step that one of the
    /// membership is in.
    void EndAfterStep();

    /// @brief For the launcher: others have done the last step.
    void LeaveRest()
    {
        m_loop->Restart(m_steps);
    }

    /// @brief For the launcher: the run fails. @param text why
    void GiveUp(const std::string& text);

    /**
     * @brief TracedCallback signature of the trace source Finished.
     * @param worker index of the worker
     */
    typedef void (*FinishedCallback)(uint32_t worker);

    /// @return number of steps completed
    uint32_t GetStepsDone() const
    {
        return m_loop ? m_loop->GetCount() : 0;
    }

    std::vector<std::string> GetBlockedOps() const override;
    double GetNow() const override;

  protected:
    void DoDispose() override;
    void StartApplication() override;
    void StopApplication() override;

  private:
    Endpoint GetEndpoint() const override;
    StepExecutor& GetExecutorOf(uint32_t peer) override;
    StepExecutor& GetExecutor(uint32_t number) const override;
    void MakeExecutors() override;
    void HandleConnected(uint32_t peer) override;
    void HandleAllConnected();
    void HandlePeerLost(uint32_t peer) override;
    bool CanReopen(uint32_t peer) const override;
    void HandleRunGraph(uint32_t peer, int32_t stream, const RunGraphRequest& request) override;
    void HandleRunGraphDone(uint32_t peer,
                            uint32_t step,
                            const std::string& graph,
                            const NamedValues& values) override;
    void OfferCollective(StepExecutor& executor, uint32_t collective) override;
    void BucketReduced(StepExecutor& executor, const Bucket& bucket) override;
    bool WillCrash() const override;
    bool WillCrashBefore(double time) const;

    double GetStepStart(uint32_t worker, uint32_t step) const override;
    void StepBegins(uint32_t worker, uint32_t step, uint32_t sample) override;
    void CallLater(uint32_t worker, double seconds, uint32_t call) override;
    void StepEnded(uint32_t worker, const StepRecord& record) override;
    void AskForBatchSize(uint32_t worker, uint32_t step, const WorkerReport& report) override;
    void ReportProgress(uint32_t worker, const SampleReport& report) override;
    void GiveSamples(uint32_t worker, uint32_t step, uint32_t given) override;
    void StepsSkipped(uint32_t worker, uint32_t from) override;
    void WorkerLeaves(uint32_t worker, bool early) override;
    void WorkerDied(uint32_t worker) override;
    void WorkerFinished(uint32_t worker) override;
    void WorkerStopped(uint32_t worker) override;

    void SetBatchSize(uint32_t worker, int32_t stream, uint32_t batch);
    void MakeNegotiation();
    void TellGradients(uint32_t cycle, const std::vector<uint32_t>& gradients);
    bool TakeGradients(uint32_t worker, int32_t call, const RunGraphRequest& request);
    void AnswerGradients(uint32_t worker,
                         int32_t call,
                         uint32_t cycle,
                         const std::vector<uint32_t>& order);
    void StartAgreed(uint32_t cycle, const std::vector<uint32_t>& order);
    void JoinMembership(const Membership& membership);
    void AskForFirstStep();
    void AskForStep(const char* graph, uint32_t step);
    bool TakeStep(uint32_t worker, int32_t call, const std::string& graph, uint32_t step);
    bool TakeStepRequest(uint32_t worker, int32_t call, const RunGraphRequest& request);
    void AnswerStep(uint32_t worker, int32_t call, uint32_t step, const char* graph);
    bool StepAgreed(const std::string& graph, uint32_t step);
    void Crash(bool forGood);
    void Rejoin();

    uint32_t m_index{0};                //!< attribute
    uint32_t m_steps{1};                //!< attribute
    Time m_firstStep;                   //!< attribute
    WorkerSettings m_settings;          //!< what it does, until the start
    std::unique_ptr<WorkerLoop> m_loop; //!< its life, from the start on
    std::vector<std::unique_ptr<StepExecutor>>
        m_executors;                                //!< of its part of the step; the last works
    Ptr<BatchSizeControl> m_control;                //!< null: batch sizes are not chosen here
    std::unique_ptr<BatchSizeService> m_batches;    //!< likewise, from the start on
    std::unique_ptr<GradientCoder> m_coder;         //!< null: the plan has no negotiation
    std::unique_ptr<BucketService> m_bucketService; //!< null: it is not here, or likewise
    std::unique_ptr<BucketNegotiator> m_negotiator; //!< null likewise
    ElasticLauncher* m_launcher{nullptr};           //!< null: nobody starts it again
    uint32_t m_leader{0}; //!< of its membership: with whom steps are agreed
    std::unique_ptr<StepAgreement> m_firstStepAgreement; //!< of the step to begin with
    std::unique_ptr<StepAgreement> m_lastStepAgreement;  //!< of the step to end after
    bool m_endsEarly{false};                             //!< was to end before it had begun
    bool m_hasLeft{false};                               //!< Leave() was called
    std::vector<WorkerCrash> m_crashes;                  //!< when it dies
    ModelEvent m_start;                                  //!< of its first step
    ModelEvent m_late;                                   //!< of a step that is late
    Time m_stepStart[2];      //!< of the steps under way: step s at s % 2
    uint32_t m_connected{0};  //!< servers reached
    uint32_t m_unanswered{0}; //!< servers that have not said with which step to go on
    uint32_t m_next{0};       //!< step with which the servers say to go on
    TracedCallback<uint32_t, uint32_t, Time, Time> m_stepDone; //!< trace source
    TracedCallback<uint32_t> m_finishedTrace;                  //!< trace source
};

} // namespace ns3::dml

#endif /* DML_TRAINING_WORKER_H */

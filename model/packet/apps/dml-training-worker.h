/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRAINING_WORKER_H
#define DML_TRAINING_WORKER_H

#include "dml-step-application.h"

#include "ns3/dml-step-sampler.h"
#include "ns3/dml-step-samples.h"
#include "ns3/dml-training-run.h"
#include "ns3/event-id.h"
#include "ns3/traced-callback.h"

namespace ns3
{
namespace dml
{

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
 * new ones, asks all servers with which step to go on, and takes the latest.
 */
class TrainingWorker : public StepApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
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

    /// @param sampler says which profiled step each step replays
    void SetSampler(const StepSampler& sampler);

    /// @brief Set what it computes on. @param compute devices, and samples of the first step
    /// @param profiled samples per step of the profile
    void SetCompute(const WorkerCompute& compute, uint32_t profiled);

    /// How the worker gets its batch sizes.
    enum class BatchSizes
    {
        KEPT,        //!< they stay
        ASKED_FIRST, //!< it asks the first server before a step, and waits for the answer
        ASKED_AHEAD, //!< it asks at the start of a step for that of the next one
    };

    /// @param sizes how it gets its batch sizes, before the start
    void SetBatchSizes(BatchSizes sizes);

    /// @brief Report progress, and move samples in the middle of steps. @param rules when it
    /// checks; after SetCompute(), and before the start
    void SetShedding(const WorkShedding& rules);

    /// @param crash when it dies and comes back, in seconds from the time origin; it may do so
    /// often
    void AddCrash(const WorkerCrash& crash);

    /**
     * @brief TracedCallback signature of the trace source Finished.
     * @param worker index of the worker
     */
    typedef void (*FinishedCallback)(uint32_t worker);

    /// @return number of steps completed
    uint32_t GetStepsDone() const;

    std::vector<std::string> GetBlockedOps() const override;

  protected:
    void DoDispose() override;
    void StartApplication() override;

  private:
    Site GetSite() const override;
    std::string GetDeviceName() const override;
    std::string GetPeerDeviceName(uint32_t peer) const override;
    uint32_t GetPeerOf(uint32_t executor, OpIndex op) const override;
    StepExecutor& GetExecutorOf(uint32_t peer) override;
    StepExecutor& GetExecutor(uint32_t number) override;
    uint32_t GetSendLink(uint32_t peer) const override;
    void MakeExecutors() override;
    void HandleConnected(uint32_t peer) override;
    void HandleRunGraphDone(uint32_t peer,
                            uint32_t step,
                            const std::string& graph,
                            const NamedValues& values) override;
    void StepCompleted(StepExecutor& executor, uint32_t step) override;
    void NextStepAllowed(StepExecutor& executor, uint32_t step) override;
    void ComputeOpEnded(StepExecutor& executor) override;
    bool WillCrash() const override;

    /// A step under way.
    struct OpenStep
    {
        Time start;             //!< when it began
        uint32_t unanswered{0}; //!< RunGraph requests of it
        bool completed{false};  //!< own ops of it are done
        uint32_t dropped{0};    //!< gradients of it that came too late
    };

    void BeginStep();
    void BeginAllowed();
    void EndSteps();
    void Crash(bool forGood);
    void Rejoin();
    void GoOn();
    void Finish();
    void Leave();
    void AskForBatchSize();

    uint32_t m_index{0};                    //!< attribute
    uint32_t m_steps{1};                    //!< attribute
    Time m_firstStep;                       //!< attribute
    std::unique_ptr<StepSampler> m_sampler; //!< which profiled steps
    std::vector<std::unique_ptr<StepExecutor>>
        m_executors;                           //!< of its part of the step; the last works
    WorkerCompute m_compute;                   //!< what it computes on
    BatchSizes m_batchSizes{BatchSizes::KEPT}; //!< how it gets them
    std::optional<StepSamples> m_samples;      //!< with shedding
    uint32_t m_nextBatch{0};                   //!< samples of the next step, ASKED_AHEAD
    double m_lastSeconds{0};                   //!< of its last step, without waiting for others
    uint32_t m_profiled{1};                    //!< samples per step of the profile
    std::vector<WorkerCrash> m_crashes;        //!< when it dies
    EventId m_start;                           //!< of its first step
    bool m_down{false};                        //!< has crashed
    bool m_rejoins{false};                     //!< comes back
    bool m_finished{false};                    //!< does nothing any more
    uint32_t m_unanswered{0}; //!< servers that have not said with which step to go on
    uint32_t m_next{0};       //!< step with which the servers say to go on
    uint32_t m_connected{0};  //!< servers reached
    OpenStep m_open[2];       //!< steps under way: step s at s % 2
    uint32_t m_begun{0};      //!< steps begun or left out
    uint32_t m_allowed{1};    //!< steps that may begin
    uint32_t m_done{0};       //!< steps completed or left out
    uint32_t m_count{0};      //!< steps completed
    TracedCallback<uint32_t, uint32_t, Time, Time> m_stepDone; //!< trace source
    TracedCallback<uint32_t> m_finishedTrace;                  //!< trace source
};

} // namespace dml
} // namespace ns3

#endif /* DML_TRAINING_WORKER_H */

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRAINING_WORKER_H
#define DML_TRAINING_WORKER_H

#include "dml-step-application.h"

#include "ns3/dml-step-sampler.h"
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
 * overlap, the next one begins before that.
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

    /// @return number of steps completed
    uint32_t GetStepsDone() const;

    std::vector<std::string> GetBlockedOps() const override;

  protected:
    void DoDispose() override;

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
    void HandleRunGraphDone(uint32_t peer, uint32_t step) override;
    void StepCompleted(StepExecutor& executor, uint32_t step) override;
    void NextStepAllowed(StepExecutor& executor, uint32_t step) override;

    /// A step under way.
    struct OpenStep
    {
        Time start;             //!< when it began
        uint32_t unanswered{0}; //!< RunGraph requests of it
        bool completed{false};  //!< own ops of it are done
    };

    void BeginStep();
    void BeginAllowed();
    void EndSteps();

    uint32_t m_index{0};                      //!< attribute
    uint32_t m_steps{1};                      //!< attribute
    Time m_firstStep;                         //!< attribute
    std::unique_ptr<StepSampler> m_sampler;   //!< which profiled steps
    std::unique_ptr<StepExecutor> m_executor; //!< this worker's part of the step
    uint32_t m_connected{0};                  //!< servers reached
    OpenStep m_open[2];                       //!< steps under way: step s at s % 2
    uint32_t m_begun{0};                      //!< steps begun
    uint32_t m_allowed{1};                    //!< steps that may begin
    uint32_t m_done{0};                       //!< steps completed
    TracedCallback<uint32_t, uint32_t, Time, Time> m_stepDone; //!< trace source
};

} // namespace dml
} // namespace ns3

#endif /* DML_TRAINING_WORKER_H */

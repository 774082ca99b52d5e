/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PARAMETER_SERVER_H
#define DML_PARAMETER_SERVER_H

#include "dml-step-application.h"

#include <array>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-apps
 * @brief A parameter server: sends parameters, asks for gradients, applies them.
 *
 * Workers are independent of each other here but for the network, with Cores > 0 for the cores that
 * parse and update, and for joint updates (MakePushPullPlan()), which wait for all. When a worker's
 * RunGraph comes, the server asks that worker for every gradient that it holds the parameter of, where
 * steps overlap once it has that of the step before; when all updates of the step are done it answers.
 */
class ParameterServer : public StepApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    ParameterServer();
    ~ParameterServer() override;

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
    void HandleRunGraph(uint32_t peer, int32_t stream, const RunGraphRequest& request) override;
    void StepCompleted(StepExecutor& executor, uint32_t step) override;

    uint32_t m_index{0};                                    //!< attribute
    uint32_t m_cores{0};                                    //!< attribute
    std::vector<std::unique_ptr<StepExecutor>> m_executors; //!< one per worker
    std::vector<std::array<int32_t, 2>> m_runGraphs; //!< streams of each worker's open RunGraphs: of
                                                     //!< step s at s % 2
    std::unique_ptr<UpdateBarrier> m_barrier;        //!< where the executors meet
};

} // namespace dml
} // namespace ns3

#endif /* DML_PARAMETER_SERVER_H */

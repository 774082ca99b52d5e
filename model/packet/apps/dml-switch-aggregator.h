/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SWITCH_AGGREGATOR_H
#define DML_SWITCH_AGGREGATOR_H

#include "dml-step-application.h"

#include <memory>

namespace ns3::dml
{

/**
 * @ingroup dml-apps
 * @brief A switch that adds up what comes from below, and hands down the sum: it does its part of
 * the collectives of all steps, one step after the other, and computes nothing.
 *
 * It lives on the node of the switch, with TCP connections of its own, and begins when all of its
 * peers are connected. Adding up takes no time.
 */
class SwitchAggregator : public StepApplication
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    std::vector<std::string> GetBlockedOps() const override;

  protected:
    void DoDispose() override;

  private:
    Endpoint GetEndpoint() const override;
    StepExecutor& GetExecutorOf(uint32_t peer) override;
    StepExecutor& GetExecutor(uint32_t number) const override;
    void MakeExecutors() override;
    void HandleConnected(uint32_t peer) override;
    void StepCompleted(StepExecutor& executor, uint32_t step) override;
    void BeginStep();

    uint32_t m_index{0};                      //!< attribute
    uint32_t m_steps{1};                      //!< attribute
    uint32_t m_connected{0};                  //!< peers reached
    std::unique_ptr<StepExecutor> m_executor; //!< of its steps, from the start on
};

} // namespace ns3::dml

#endif /* DML_SWITCH_AGGREGATOR_H */

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TENSOR_METER_H
#define DML_TENSOR_METER_H

#include "dml-step-window.h"

#include "ns3/dml-run-observer.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-metrics
 * @brief Measures when in a step the transfers of each tensor complete.
 *
 * The completion of a transfer is the time from the start of the worker's step until the receiver
 * has the tensor's last byte; its mean is taken over all workers and all steps after the warm-up.
 */
class TensorMeter : public RunListener<TensorMeter>
{
  public:
    /**
     * @param workers number of workers; records of others are ignored
     * @param tensors number of tensors of the profile
     * @param first steps that count
     */
    TensorMeter(uint32_t workers, uint32_t tensors, const FirstSteps& first);

    void On(const TransferRecord& record);
    void On(const StepRecord& record);
    void On(const CrashRecord& record);

    /// @return mean completion, s, at 2 * tensor, + 1 for the uplink; NaN if there was no transfer
    std::vector<double> GetMeanCompletions() const;
    /// @return mean duration of the steps that count, s; NaN if there are none
    double GetMeanStep() const;

  private:
    /// A transfer of a step whose start is not known yet.
    struct Pending
    {
        uint32_t step;   //!< from 0
        uint32_t index;  //!< 2 * tensor, + 1 for the uplink
        double lastByte; //!< s
    };

    FirstSteps m_first;                          //!< steps that count
    std::vector<std::vector<Pending>> m_pending; //!< by worker
    std::vector<double> m_sums;                  //!< of the completions, s
    std::vector<uint64_t> m_counts;              //!< of the completions
    double m_stepSum{0};                         //!< of the steps, s
    uint64_t m_steps{0};                         //!< steps that count
};

} // namespace ns3::dml

#endif /* DML_TENSOR_METER_H */

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FIRST_STEPS_H
#define DML_FIRST_STEPS_H

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-metrics
 * @brief The first step of each worker that counts: the same of all where the steps of the warm-up
 * were given, and each worker's own where the warm-up ends at a time, which workers of unequal
 * speed reach in different steps.
 */
class FirstSteps
{
  public:
    /// @param all first step of every worker, from 0
    FirstSteps(uint32_t all = 0)
        : m_all(all)
    {
    }

    /// @param own first step by worker, from 0; of further workers it is 0
    explicit FirstSteps(std::vector<uint32_t> own)
        : m_own(std::move(own))
    {
    }

    /// @param worker from 0 @return its first step that counts, from 0
    uint32_t Of(uint32_t worker) const
    {
        return worker < m_own.size() ? m_own[worker] : m_all;
    }

    /// @param worker from 0 @param step of it, from 0 @return whether the step counts
    bool Count(uint32_t worker, uint32_t step) const
    {
        return step >= Of(worker);
    }

  private:
    uint32_t m_all{0};           //!< of workers that are not in m_own
    std::vector<uint32_t> m_own; //!< by worker; empty: all have the same
};

} // namespace ns3::dml

#endif /* DML_FIRST_STEPS_H */

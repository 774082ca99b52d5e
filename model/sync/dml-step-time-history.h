/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STEP_TIME_HISTORY_H
#define DML_STEP_TIME_HISTORY_H

#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-sync
 * @brief Who was faster than whom in earlier steps.
 *
 * Keeps the times of the last few steps, and one bit for each pair of workers.
 */
class StepTimeHistory
{
  public:
    /// @param steps of which the times are kept
    explicit StepTimeHistory(uint32_t steps = 0);

    /// @brief A step has ended. @param seconds by worker; NaN: it has no time, and any history of
    /// it is forgotten
    void Record(std::vector<double> seconds);

    /**
     * @param faster a worker
     * @param slower another
     * @param steps at most as many as are kept
     * @return whether it took less time in each of the last steps; false if there are fewer
     */
    bool WasAlwaysFaster(uint32_t faster, uint32_t slower, uint32_t steps) const;

    /// @param slower a worker @param faster another @return whether it ever took more time
    bool WasEverSlower(uint32_t slower, uint32_t faster) const
    {
        return m_wasSlower[slower][faster];
    }

  private:
    boost::circular_buffer<std::vector<double>> m_seconds; //!< the last steps, by worker
    std::vector<std::vector<bool>> m_wasSlower;            //!< than whom, by worker
};

} // namespace ns3::dml

#endif /* DML_STEP_TIME_HISTORY_H */

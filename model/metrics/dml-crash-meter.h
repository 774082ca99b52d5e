/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CRASH_METER_H
#define DML_CRASH_METER_H

#include "ns3/dml-run-observer.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-metrics
 * @brief What a crash of a worker cost.
 */
struct CrashLoss
{
    uint32_t worker{0};        //!< from 0
    double time{0};            //!< of the crash, s
    uint32_t step{0};          //!< step that it was in, or would have begun next
    double lost{0};            //!< time that it had spent on that step, s: lost
    double back{UNKNOWN_TIME}; //!< when it began its first step after it, s; UNKNOWN_TIME: never
    uint32_t backStep{0};      //!< number of that step
    bool ended{false};         //!< as in CrashRecord: another one had crashed or come back
};

/**
 * @ingroup dml-metrics
 * @brief Collects the crashes of a run's workers, and when they came back.
 */
class CrashMeter : public RunListener<CrashMeter>
{
  public:
    void On(const CrashRecord& record)
    {
        CrashLoss loss;
        loss.worker = record.worker;
        loss.time = record.time;
        loss.step = record.step;
        loss.ended = record.ended;
        loss.lost = record.start == UNKNOWN_TIME ? 0 : record.time - record.start;
        // simultaneous crashes come in any order
        const auto after =
            std::upper_bound(m_losses.begin(),
                             m_losses.end(),
                             loss,
                             [](const CrashLoss& a, const CrashLoss& b) {
                                 return a.time != b.time ? a.time < b.time : a.worker < b.worker;
                             });
        m_losses.insert(after, loss);
    }

    void On(const RejoinRecord& record)
    {
        for (auto loss = m_losses.rbegin(); loss != m_losses.rend(); ++loss)
        {
            if (loss->worker == record.worker)
            {
                loss->back = record.time;
                loss->backStep = record.step;
                return;
            }
        }
    }

    /// @return the crashes in order of time
    const std::vector<CrashLoss>& GetLosses() const
    {
        return m_losses;
    }

  private:
    std::vector<CrashLoss> m_losses; //!< in order of time
};

} // namespace dml
} // namespace ns3

#endif /* DML_CRASH_METER_H */

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCHEDULE_OBSERVER_H
#define DML_SCHEDULE_OBSERVER_H

#include "dml-schedule-summary.h"

#include "ns3/dml-observer-list.h"
#include "ns3/dml-profile.h"
#include "ns3/dml-step-work.h"
#include "ns3/dml-straggler-meter.h"

#include <cstdint>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief All that measures the order of transfers and its effects, as one observer of a run.
 */
class ScheduleObserver : public ObserverList
{
  public:
    /// What to measure.
    struct Options
    {
        uint32_t workers{1}; //!< number of workers; records of others are ignored
        uint32_t servers{1}; //!< number of parameter servers
        FirstSteps first;    //!< steps that count
        bool barrier{false}; //!< workers wait for each other in each step
        bool tensors{false}; //!< tell tensors apart
    };

    /// @param profile of the job; copied @param options what to measure
    ScheduleObserver(const Profile& profile, const Options& options);
    ScheduleObserver(const ScheduleObserver&) = delete;
    ScheduleObserver& operator=(const ScheduleObserver&) = delete;

    /// @return what was measured so far
    ScheduleSummary GetSummary() const;
    /// @return times of transfers, of each tensor if the options say so
    const TransferMeter& GetTransfers() const;
    /// @return who was last, and how often
    const StragglerMeter& GetStragglers() const;

  private:
    ScheduleMeter m_steps;       //!< told by m_work
    StragglerMeter m_stragglers; //!< told by m_work
    StepWorkCollector m_work;    //!< first of the list
    TransferMeter m_transfers;   //!< second of the list
};

} // namespace ns3::dml

#endif /* DML_SCHEDULE_OBSERVER_H */

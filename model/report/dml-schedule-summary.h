/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCHEDULE_SUMMARY_H
#define DML_SCHEDULE_SUMMARY_H

#include "ns3/dml-observer-list.h"
#include "ns3/dml-profile.h"
#include "ns3/dml-schedule-meter.h"
#include "ns3/dml-step-work.h"
#include "ns3/dml-straggler-meter.h"
#include "ns3/dml-transfer-meter.h"

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief What the order of transfers did to the steps of one run, or of several runs.
 */
struct ScheduleSummary
{
    Distribution step;         //!< StepWork::time of each step, s
    Distribution efficiency;   //!< E of each step (ScheduleMeter)
    Distribution speedup;      //!< S of each step
    Distribution straggler;    //!< longest wait / longest step of each iteration (StragglerMeter)
    Distribution forwardStart; //!< since the last backward op of the step before, s
    std::vector<DeviceUse> devices; //!< by device of the profile
    TransferTimes gradients;        //!< of pushes
    TransferTimes parameters;       //!< of pulls

    /// Means of the distributions of steps and iterations, in the order of their members.
    using Means = std::array<double, 5>;

    /// @return means, NaN where there is no value
    Means GetMeans() const;
    /// @param other of runs with the same devices, to be taken together with these
    void Merge(const ScheduleSummary& other);
};

/**
 * @param schedule what was measured
 * @param devices names
 * @return the object "schedule" of summary.json
 */
nlohmann::ordered_json ToJson(const ScheduleSummary& schedule,
                              const std::vector<std::string>& devices);

/// @param means of one run @return them by the names that ToJson() has
nlohmann::ordered_json MeansToJson(const ScheduleSummary::Means& means);

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
    const TransferMeter& GetTransfers() const
    {
        return m_transfers;
    }

    /// @return who was last, and how often
    const StragglerMeter& GetStragglers() const
    {
        return m_stragglers;
    }

  private:
    ScheduleMeter m_steps;       //!< told by m_work
    StragglerMeter m_stragglers; //!< told by m_work
    StepWorkCollector m_work;    //!< first of the list
    TransferMeter m_transfers;   //!< second of the list
};

} // namespace ns3::dml

#endif /* DML_SCHEDULE_SUMMARY_H */

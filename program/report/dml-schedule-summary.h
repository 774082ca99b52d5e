/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCHEDULE_SUMMARY_H
#define DML_SCHEDULE_SUMMARY_H

#include "ns3/dml-schedule-meter.h"
#include "ns3/dml-transfer-meter.h"

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

/// @param schedule of one run @return the means of its steps, by the names that ToJson() has
nlohmann::ordered_json MeansToJson(const ScheduleSummary& schedule);

} // namespace ns3::dml

#endif /* DML_SCHEDULE_SUMMARY_H */

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLOT_DEVICES_H
#define DML_PLOT_DEVICES_H

#include "dml-plot-script.h"

#include "ns3/dml-profile.h"
#include "ns3/dml-run-observer.h"
#include "ns3/dml-time-bins.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief How busy the devices of worker 0 were over some steps.
 */
struct DeviceSeries
{
    std::string engine;                           //!< shown above its panel
    double start{0};                              //!< of the time shown, s
    double binWidth{1};                           //!< s
    std::vector<std::string> devices;             //!< names
    std::vector<std::vector<double>> utilisation; //!< by device and bin, 0 to 1
    std::vector<double> stepEnds;                 //!< of worker 0 in the time shown, s
};

/**
 * @ingroup dml-report
 * @brief Measures DeviceSeries. Memory: a bounded number of bins.
 */
class DeviceCollector : public RunListener<DeviceCollector>
{
  public:
    /**
     * @param engine name
     * @param profile devices of a worker
     * @param firstStep first step of worker 0 that is shown, a steady one
     * @param steps number of steps that are shown, at least 1
     */
    DeviceCollector(const std::string& engine,
                    const Profile& profile,
                    uint32_t firstStep,
                    uint32_t steps = 10);

    void On(const ChunkRecord& record);
    void On(const StepRecord& record);

    /// @return what it has seen
    DeviceSeries GetSeries() const;

  private:
    DeviceSeries m_series;         //!< but the utilisation
    std::vector<uint32_t> m_slots; //!< by device
    uint32_t m_firstStep;          //!< first step that is shown
    uint32_t m_endStep;            //!< first step that is not shown any more
    TimeBins m_busy;               //!< by device, from the start on
};

/**
 * @brief Use of worker 0's devices over time, one panel per run, after Fig. 9 of Prophet; dotted
 * lines are the ends of its steps.
 *
 * @param title of the plot
 * @param series one per run, at least one
 * @param name of the plot's files
 * @return the plot
 */
PlotScript PlotDevices(const std::string& title,
                       const std::vector<DeviceSeries>& series,
                       const std::string& name = "devices");

} // namespace ns3::dml

#endif /* DML_PLOT_DEVICES_H */

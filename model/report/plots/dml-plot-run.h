/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLOT_RUN_H
#define DML_PLOT_RUN_H

#include "dml-plot-script.h"

#include "ns3/dml-link-meter.h"
#include "ns3/dml-profile.h"
#include "ns3/dml-run-observer.h"
#include "ns3/dml-throughput.h"
#include "ns3/dml-time-bins.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief What the links of one run carried over time.
 */
struct UtilisationSeries
{
    std::string engine;                        //!< shown above its panel
    double binWidth{1};                        //!< s
    double t0{0};                              //!< start of the measured window, s, or NaN
    double t1{0};                              //!< end of the measured window, s, or NaN
    std::vector<std::vector<double>> downlink; //!< utilisation by server and bin
    std::vector<std::vector<double>> uplink;   //!< utilisation by server and bin

    /**
     * @param engine shown above the panel
     * @param meter of the run
     * @param throughput of the run, for the measured window
     * @return the series
     */
    static UtilisationSeries From(const std::string& engine,
                                  const LinkMeter& meter,
                                  const Throughput& throughput);
};

/**
 * @ingroup dml-report
 * @brief Utilisation of every server's link over time, one panel per run: downlinks above the
 * axis, uplinks below it.
 *
 * Bins are merged until at most 200 are left, for lines that an eye can follow; the measured
 * window is white on grey.
 *
 * @param title of the plot
 * @param series one per panel, at least one
 * @param name of the plot's files
 * @return the plot
 */
PlotScript PlotUtilisation(const std::string& title,
                           const std::vector<UtilisationSeries>& series,
                           const std::string& name = "utilisation");

/**
 * @ingroup dml-report
 * @brief The timeline of one run.
 */
struct TimelineSeries
{
    std::string engine;              //!< shown above its panels
    uint32_t workers{1};             //!< number of workers
    uint32_t firstStep{0};           //!< first step of worker 0 that is shown
    double start{0};                 //!< start of the time shown, s
    double end{0};                   //!< end of the time shown, s
    std::vector<ChunkRecord> chunks; //!< of worker 0
    std::vector<StepRecord> steps;   //!< of all workers
};

/**
 * @ingroup dml-report
 * @brief Keeps what a timeline shows: every chunk of a few steps of worker 0, and the steps of all
 * workers at that time.
 *
 * REQUIRES: steps are reported in order of their end, as RunObserver promises.
 * Memory: the chunks of the chosen steps, and one record per step of the chosen time.
 */
class TimelineCollector : public RunListener<TimelineCollector>
{
  public:
    /**
     * @param firstStep first step of worker 0 that is shown (a steady one: the number of warm-up
     * steps is a good choice)
     * @param steps number of steps of worker 0 that are shown, at least 1
     */
    explicit TimelineCollector(uint32_t firstStep, uint32_t steps = 3);

    void On(const StepRecord& record);
    void On(const ChunkRecord& record);

    /**
     * @param engine shown above the panels
     * @param workers number of workers
     * @return what it has kept: of worker 0, the chunks in these steps in order of their end, and
     * of all workers the steps that overlap [start, end]; both are 0 if worker 0 never ended one
     */
    TimelineSeries GetSeries(const std::string& engine, uint32_t workers) const;

  private:
    TimelineSeries m_series; //!< so far; start is infinite until worker 0 has ended a step of these
    uint32_t m_count;        //!< number of steps
    bool m_open{false};      //!< worker 0 has reached the first step
    bool m_closed{false};    //!< worker 0 has ended the last step
};

/**
 * @ingroup dml-report
 * @brief What worker 0 does when, one row per resource, and the steps of all workers below; two
 * panels per run, all with the same time scale.
 *
 * @param title of the plot
 * @param profile kinds of the ops and names of the devices
 * @param series one per run, at least one
 * @param name of the plot's files
 * @return the plot
 */
PlotScript PlotTimeline(const std::string& title,
                        const Profile& profile,
                        const std::vector<TimelineSeries>& series,
                        const std::string& name = "timeline");

/**
 * @ingroup dml-report
 * @brief The gradients of one step of worker 0.
 */
struct GradientSeries
{
    std::string engine;                 //!< shown above its panel
    uint32_t step{0};                   //!< from 0
    double start{0};                    //!< of the step, s
    std::vector<TransferRecord> pushes; //!< of the step, in the order of their last bytes
};

/**
 * @ingroup dml-report
 * @brief Keeps the gradients of one step of worker 0 for PlotGradients().
 */
class GradientCollector : public RunListener<GradientCollector>
{
  public:
    /// @param engine name @param step that is shown, a steady one
    GradientCollector(const std::string& engine, uint32_t step);

    void On(const TransferRecord& record);
    void On(const StepRecord& record);

    /// @return what it has seen
    const GradientSeries& GetSeries() const
    {
        return m_series;
    }

  private:
    GradientSeries m_series; //!< so far
};

/**
 * @brief When each gradient of a step was ready, and when it was transferred, after Fig. 11 of
 * Prophet (Zhang et al., ICPP 2021); one panel per run, all with the same time scale.
 *
 * Gradients are numbered in the order of their tensors in the profile, so gradient 0 is the first
 * that forward propagation needs.
 *
 * @param title of the plot
 * @param series one per run, at least one
 * @param name of the plot's files
 * @return the plot
 */
PlotScript PlotGradients(const std::string& title,
                         const std::vector<GradientSeries>& series,
                         const std::string& name = "gradients");

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

/// One step of a worker, as PlotBatches() shows it.
struct BatchPoint
{
    uint32_t step;  //!< from 0
    uint32_t batch; //!< samples
    double seconds; //!< from the step's start until the worker was done
};

/**
 * @ingroup dml-report
 * @brief Batches of a run's workers, step by step.
 */
struct BatchSeries
{
    std::string engine;                           //!< shown above its panels
    std::vector<std::vector<BatchPoint>> workers; //!< by worker, in order of steps
};

/**
 * @ingroup dml-report
 * @brief Keeps batches and their processing times for PlotBatches().
 *
 * Memory: at most 2000 points of each worker. Of longer runs, every second step is kept, or every
 * fourth, and so on.
 */
class BatchCollector : public RunListener<BatchCollector>
{
  public:
    /// @param engine name @param workers number of workers
    BatchCollector(const std::string& engine, uint32_t workers);

    void On(const StepRecord& record);

    /// @return whether two steps had batches of different size
    bool Varies() const
    {
        return m_varies;
    }

    /// @return what it has kept
    const BatchSeries& GetSeries() const
    {
        return m_series;
    }

  private:
    BatchSeries m_series; //!< so far
    uint32_t m_stride{1}; //!< steps whose numbers it divides are kept
    uint32_t m_batch{0};  //!< of the first step that told it
    bool m_varies{false}; //!< another one had another batch
};

/**
 * @brief Batch size and batch processing time of each worker over the steps, two panels per run,
 * after Fig. 8 of LB-BSP (Chen et al., SoCC 2020).
 *
 * At most eight workers are drawn; the title says so.
 *
 * @param title of the plot
 * @param series one per run, at least one
 * @param name of the plot's files
 * @return the plot
 */
PlotScript PlotBatches(const std::string& title,
                       const std::vector<BatchSeries>& series,
                       const std::string& name = "batch-sizes");

} // namespace ns3::dml

#endif /* DML_PLOT_RUN_H */

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLOT_TIMELINE_COLLECTOR_H
#define DML_PLOT_TIMELINE_COLLECTOR_H

#include "ns3/dml-run-observer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

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

} // namespace ns3::dml

#endif /* DML_PLOT_TIMELINE_COLLECTOR_H */

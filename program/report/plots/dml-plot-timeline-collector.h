/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLOT_TIMELINE_COLLECTOR_H
#define DML_PLOT_TIMELINE_COLLECTOR_H

#include "ns3/dml-run-observer.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace ns3::dml
{

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

    /// @return first step of worker 0 that is shown
    uint32_t GetFirstStep() const;
    /// @return number of steps of worker 0 that are shown
    uint32_t GetSteps() const;
    /// @return when worker 0 started the first of them, s; 0 if it never ended one
    double GetStart() const;
    /// @return when worker 0 ended the last of them that it ended, s; 0 if it ended none
    double GetEnd() const;
    /// @return chunks of worker 0 in these steps, in order of their end
    const std::vector<ChunkRecord>& GetChunks() const;
    /// @return steps of all workers that overlap [GetStart(), GetEnd()]
    std::vector<StepRecord> GetStepRecords() const;

  private:
    uint32_t m_firstStep;                                    //!< first step that is shown
    uint32_t m_count;                                        //!< number of steps
    double m_start{std::numeric_limits<double>::infinity()}; //!< of the time shown, s
    double m_end{0};                                         //!< of the time shown, s
    bool m_open{false};                //!< worker 0 has reached the first step
    bool m_closed{false};              //!< worker 0 has ended the last step
    std::vector<ChunkRecord> m_chunks; //!< of worker 0
    std::vector<StepRecord> m_steps;   //!< of all workers
};

} // namespace ns3::dml

#endif /* DML_PLOT_TIMELINE_COLLECTOR_H */

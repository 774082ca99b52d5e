/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_JOB_SPLITTER_H
#define DML_JOB_SPLITTER_H

#include "ns3/dml-host-names.h"
#include "ns3/dml-run-observer.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-study
 * @brief Passes on the records of a run's first job, and counts the steps of the other jobs.
 */
class JobSplitter : public RunObserver
{
  public:
    /// @param jobs how many there are @param next told of the first one; must outlive this
    JobSplitter(std::size_t jobs, RunObserver& next);

    void Observe(const RunRecord& record) override;

    /**
     * @param job index of another job than the first, from 1
     * @param t0 start, s @param t1 end, s
     * @return steps per second that the job's workers completed in (t0, t1] together
     */
    double GetStepRate(uint32_t job, double t0, double t1) const;

  private:
    RunObserver& m_next;                         //!< told of the first job
    std::vector<std::vector<double>> m_stepEnds; //!< seconds, by job
};

} // namespace ns3::dml

#endif /* DML_JOB_SPLITTER_H */

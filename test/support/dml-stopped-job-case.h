/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STOPPED_JOB_CASE_H
#define DML_STOPPED_JOB_CASE_H

#include "dml-packet-fixture.h"

#include "ns3/dml-process-faults.h"
#include "ns3/test.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// A worker dies in the second step of a job that cannot go on without it: no worker ends that
/// step, and the run is over, in both engines.
class StoppedJobCase : public TestCase
{
  public:
    /// @param name of the case @param makeTwin makes the job, of three workers
    /// @param milliseconds after which worker 1 dies, in the second step
    StoppedJobCase(const std::string& name,
                   std::function<TwinRun()> makeTwin,
                   uint32_t milliseconds)
        : TestCase(name),
          m_makeTwin(std::move(makeTwin)),
          m_milliseconds(milliseconds)
    {
    }

  private:
    void DoRun() override
    {
        TwinRun twin = m_makeTwin();
        ProcessFaultSpec fault;
        fault.kind = ProcessFaultSpec::Kind::CRASH;
        fault.host = "worker1";
        fault.start = MilliSeconds(m_milliseconds);
        std::vector<TrainingRun> runs = {twin.run};
        ApplyProcessFaults({fault}, runs);
        twin.run = runs.front();
        for (const auto& recorder : {twin.RunFairShare(), twin.RunPackets()})
        {
            NS_TEST_EXPECT_MSG_EQ(recorder.steps.size(), 3, "the first step of each worker");
            NS_TEST_ASSERT_MSG_EQ(recorder.crashes.size(), 3, "all are gone");
            for (const auto& crash : recorder.crashes)
            {
                NS_TEST_EXPECT_MSG_EQ_TOL(crash.time, m_milliseconds / 1000.0, 1e-9, "at once");
                NS_TEST_EXPECT_MSG_EQ(crash.step, 1, "in the second step");
            }
        }
    }

    std::function<TwinRun()> m_makeTwin; //!< the job
    uint32_t m_milliseconds;             //!< when worker 1 dies
};

} // namespace ns3::dml

#endif /* DML_STOPPED_JOB_CASE_H */

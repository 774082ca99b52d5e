/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-busy-note.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace
{

using namespace ns3::dml;

/// @return a run on a machine of whose cores so many were taken, after so many seconds of waiting
ReplicationSummary
MakeRunOn(double cores, double waited)
{
    ReplicationSummary run;
    run.host = HostConditions{0, 0, 0, {}, {}, cores, waited};
    return run;
}

RunSummary
MakeStudyOf(const std::vector<ReplicationSummary>& runs)
{
    CaseSummary item;
    item.engines[EngineKind::HOST].replications.assign(runs.begin(), runs.end());
    item.engines[EngineKind::PACKET].replications.resize(7); // of no interest
    RunSummary summary;
    summary.cases.push_back(item);
    summary.cases.push_back(item);
    return summary;
}

TEST(BusyNote, TellsOfRunsThatBeganOnABusyMachine)
{
    const RunSummary summary =
        MakeStudyOf({MakeRunOn(0.02, 3), MakeRunOn(1.26, 60.2), MakeRunOn(0.9, 60.4)});
    EXPECT_EQ(MakeBusyNotes(summary),
              std::vector<std::string>{
                  "host: 4 of 6 runs began on a busy machine, where something else took up to 1.3 "
                  "of its cores, after waiting up to 60 s for it (host.wait_for_idle)"});
}

TEST(BusyNote, IsNotThereIfNoneDid)
{
    EXPECT_TRUE(MakeBusyNotes(MakeStudyOf({MakeRunOn(0.25, 59)})).empty());
    EXPECT_TRUE(MakeBusyNotes(MakeStudyOf({})).empty());
}

} // namespace

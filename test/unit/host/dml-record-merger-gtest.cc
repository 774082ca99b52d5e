/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Records of several processes, told in order of time; and the pipes that bring them.

#include "ns3/dml-host-messages.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <vector>

using namespace ns3::dml;

namespace
{

/// Keeps the steps that it is told of.
class StepList : public RunListener<StepList>
{
  public:
    void On(const StepRecord& record)
    {
        steps.push_back(record.step);
    }

    std::vector<uint32_t> steps; //!< in order
};

StampedRecord
MakeStep(double time, uint32_t step)
{
    return {time, {0, StepRecord{0, step, 0, 0, time}}};
}

} // namespace

TEST(RecordMerger, WaitsForWhoeverIsBehind)
{
    StepList list;
    RecordMerger merger(3, list);
    merger.Add(0, {MakeStep(1, 10), MakeStep(3, 30)}, 4);
    merger.Add(1, {MakeStep(2, 20)}, 2.5);
    EXPECT_TRUE(list.steps.empty()); // the third may have earlier ones
    merger.Add(2, {}, 2);
    EXPECT_EQ(list.steps, (std::vector<uint32_t>{10, 20}));
    merger.Add(2, {MakeStep(2.2, 22)}, 3.5); // now the second is behind, at 2.5
    EXPECT_EQ(list.steps, (std::vector<uint32_t>{10, 20, 22}));
    merger.Add(1, {MakeStep(5, 50)}, 6);
    EXPECT_EQ(list.steps, (std::vector<uint32_t>{10, 20, 22, 30}));
    merger.Finish();
    EXPECT_EQ(list.steps, (std::vector<uint32_t>{10, 20, 22, 30, 50}));
}

TEST(RecordMerger, EqualTimesGoBySourceThenAsTheyCame)
{
    StepList list;
    RecordMerger merger(2, list);
    merger.Add(1, {MakeStep(1, 3), MakeStep(1, 4)}, 2);
    merger.Add(0, {MakeStep(1, 1), MakeStep(1, 2)}, 2);
    EXPECT_EQ(list.steps, (std::vector<uint32_t>{1, 2, 3, 4}));
}

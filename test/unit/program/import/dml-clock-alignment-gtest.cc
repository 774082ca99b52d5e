/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../support/dml-recorded-samples.h"
#include "dml-error-of.h"
#include "dml-nanoseconds.h"

#include "ns3/dml-clock-alignment.h"
#include "ns3/dml-clock-search.h"
#include "ns3/dml-error.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

constexpr int64_t UNKNOWN = RecordedTransfer::UNKNOWN;

/// A transfer from one machine to another.
RecordedTransfer
MakeTransfer(const std::string& sender, const std::string& receiver, int64_t ready, int64_t end)
{
    RecordedTransfer transfer;
    transfer.tensor = "t";
    transfer.downlink = sender == "ps";
    transfer.sender = sender;
    transfer.receiver = receiver;
    transfer.ready = ready;
    transfer.start = end;
    transfer.end = end;
    return transfer;
}

/// Move a machine's clock forward.
void
Skew(std::vector<RecordedTransfer>& transfers, const std::string& machine, int64_t skew)
{
    for (RecordedTransfer& transfer : transfers)
    {
        if (transfer.receiver == machine)
        {
            transfer.start += skew;
            transfer.end += skew;
            transfer.used += skew;
        }
        if (transfer.sender == machine && transfer.ready != UNKNOWN)
        {
            transfer.ready += skew;
        }
    }
}

const MachineClock&
Find(const ClockAlignment& alignment, const std::string& machine)
{
    for (const MachineClock& clock : alignment.machines)
    {
        if (clock.machine == machine)
        {
            return clock;
        }
    }
    throw InputError("no machine " + machine);
}

// Machine 1 gets what 0 sent at 100 s at 300 s: its clock is at most 200 s ahead. Machine 0 gets
// what 1 sent at 400 s at 500 s: 1 is at most 100 s behind. Between 1 and 2: -5 to 7 s.
TEST(DmlClockBounds, AreShortestPaths)
{
    const ClockBounds bounds =
        BoundClocks(3,
                    0,
                    {{0, 1, 100, 300, 0}, {1, 0, 400, 500, 1}, {1, 2, 0, 7, 2}, {2, 1, 0, 5, 3}});
    ASSERT_EQ(bounds.machines.size(), 3u);
    EXPECT_TRUE(bounds.conflict.empty());
    EXPECT_EQ(bounds.machines[0].offset, 0);
    EXPECT_DOUBLE_EQ(bounds.machines[1].lower, -100);
    EXPECT_DOUBLE_EQ(bounds.machines[1].upper, 200);
    EXPECT_DOUBLE_EQ(bounds.machines[1].offset, 50);
    EXPECT_DOUBLE_EQ(bounds.machines[2].lower, -105);
    EXPECT_DOUBLE_EQ(bounds.machines[2].upper, 207);
}

// 1 is at least 50 s ahead by the first message, at most 20 s ahead by the second: 15 s for each.
TEST(DmlClockBounds, FindConflicts)
{
    const ClockBounds bounds =
        BoundClocks(2, 0, {{1, 0, 100, 900, 0}, {1, 0, 100, 50, 1}, {0, 1, 400, 420, 2}});
    EXPECT_EQ(bounds.conflict, (std::vector<std::size_t>{1, 2}));
    EXPECT_NEAR(bounds.relaxation, 15, 1e-6);
    EXPECT_NEAR(bounds.machines[1].offset, 35, 1e-6);
}

TEST(DmlClockBounds, AreOpenWithoutMessages)
{
    const ClockBounds bounds = BoundClocks(3, 0, {{0, 1, 0, 5, 0}});
    EXPECT_EQ(bounds.machines[1].offset, 5);
    EXPECT_TRUE(std::isinf(bounds.machines[1].lower));
    EXPECT_EQ(bounds.machines[2].offset, 0);
    EXPECT_TRUE(std::isinf(bounds.machines[2].upper));
}

// ps: ready at 100 us, at the worker by 300 us: the server is at most 200 us behind. The gradient
// is ready at 400 us, at the server by 500 us: it is at most 100 us ahead. A clock that is 1 ms
// ahead of that cannot be right, and is put into the middle.
TEST(DmlClockAlignment, TakesTheMiddleOfTheInterval)
{
    auto transfers = std::vector{MakeTransfer("ps", "w", 100 * US, 300 * US),
                                 MakeTransfer("w", "ps", 400 * US, 500 * US)};
    Skew(transfers, "ps", 1000 * US);
    ClockAlignment alignment = AlignClocks(transfers);
    ASSERT_EQ(alignment.machines.size(), 2u);
    EXPECT_EQ(alignment.machines[0].machine, "w");
    EXPECT_EQ(alignment.machines[0].offset, 0);
    EXPECT_EQ(alignment.machines[1].offset, 950 * US);
    EXPECT_EQ(alignment.machines[1].lower, 800 * US);
    EXPECT_EQ(alignment.machines[1].upper, 1100 * US);
    EXPECT_FALSE(alignment.machines[1].pinned);
    EXPECT_FALSE(alignment.machines[1].kept);
    EXPECT_EQ(alignment.messages, 2u);
    EXPECT_EQ(alignment.families, 0u);
    ASSERT_EQ(alignment.rules.size(), 2u);
    EXPECT_EQ(
        alignment.rules[1],
        "clock of ps: offset 950 us; transfers that cannot end before they are sent leave 950 "
        "us +- 150 us, receive times do not tell where in it: its middle is taken");
    EXPECT_TRUE(alignment.warnings.empty());

    // The last byte bounds more tightly than the end: 250 us instead of 300.
    transfers[0].lastByte = 250 * US;
    EXPECT_EQ(AlignClocks(transfers).machines[1].lower, 850 * US);

    alignment = AlignClocks(transfers, "ps");
    EXPECT_EQ(alignment.machines[0].machine, "ps");
    EXPECT_EQ(alignment.machines[1].upper, -850 * US);
}

// The same without the millisecond: the interval is [-200, 100] us. That its middle is not 0 speaks
// of the paths, not of the clock, which all importers leave as it is.
TEST(DmlClockAlignment, KeepsAClockThatMayBeRight)
{
    const auto transfers = std::vector{MakeTransfer("ps", "w", 100 * US, 300 * US),
                                       MakeTransfer("w", "ps", 400 * US, 500 * US)};
    const ClockAlignment alignment = AlignClocks(transfers);
    EXPECT_EQ(alignment.machines[1].offset, 0);
    EXPECT_TRUE(alignment.machines[1].kept);
    EXPECT_EQ(alignment.machines[1].lower, -200 * US);
    EXPECT_EQ(alignment.machines[1].upper, 100 * US);
    EXPECT_EQ(alignment.rules[1],
              "clock of ps: left as it is, since it may be right; transfers that cannot end before "
              "they are sent leave -50 us +- 150 us, receive times do not tell where in it");
}

// A server that may be right by the first worker, [-200, 100] us, and a second worker who is
// exactly 1 ms ahead of the server: with the server as it is, that is 1 ms, though the interval's
// middle is 0.95 ms.
TEST(DmlClockAlignment, PutsOthersWhereKeptClocksLeaveThem)
{
    auto transfers = std::vector{MakeTransfer("ps", "w", 100 * US, 300 * US),
                                 MakeTransfer("w", "ps", 400 * US, 500 * US),
                                 MakeTransfer("ps", "w1", 100 * US, 1100 * US),
                                 MakeTransfer("w1", "ps", 1200 * US, 200 * US)};
    const ClockAlignment alignment = AlignClocks(transfers);
    EXPECT_TRUE(Find(alignment, "ps").kept);
    EXPECT_FALSE(Find(alignment, "w1").kept);
    EXPECT_NEAR(Find(alignment, "w1").offset, 1000 * US, 1 * US);
    ApplyClocks(transfers, alignment);
    for (const auto& transfer : transfers)
    {
        EXPECT_GE(transfer.end, transfer.ready - 1 * US);
    }
}

// The clocks count from different years, which a double of seconds could not tell to a nanosecond.
TEST(DmlClockAlignment, IsExactWithDistantClocks)
{
    auto transfers = std::vector{MakeTransfer("ps", "w", 100 * US, 300 * US),
                                 MakeTransfer("w", "ps", 400 * US, 500 * US)};
    constexpr int64_t EPOCH = 1600000000000000001;
    Skew(transfers, "ps", EPOCH);
    EXPECT_EQ(AlignClocks(transfers).machines[1].offset, EPOCH - 50 * US);
    ClockAlignment alignment = AlignClocks(transfers);
    ApplyClocks(transfers, alignment);
    EXPECT_EQ(transfers[0].ready, 150 * US);
    EXPECT_EQ(transfers[0].end, 300 * US);
    EXPECT_EQ(transfers[1].ready, 400 * US);
    EXPECT_EQ(transfers[1].end, 550 * US);
    EXPECT_EQ(transfers[1].lastByte, UNKNOWN);
    EXPECT_EQ(AlignClocks(transfers).machines[1].offset, 0);
}

TEST(DmlClockAlignment, SaysWhatNothingTells)
{
    auto transfers = std::vector{MakeTransfer("ps", "w", 100 * US, 300 * US),
                                 MakeTransfer("w", "ps", UNKNOWN, 500 * US),
                                 MakeTransfer("other", "w", UNKNOWN, 600 * US)};
    transfers[2].ready = UNKNOWN;
    const ClockAlignment alignment = AlignClocks(transfers);
    EXPECT_EQ(Find(alignment, "ps").lower, -200 * US);
    EXPECT_EQ(Find(alignment, "ps").upper, UNKNOWN);
    EXPECT_EQ(Find(alignment, "ps").offset, 0);
    EXPECT_EQ(alignment.messages, 1u);
    EXPECT_EQ(alignment.rules.back(),
              "clock of ps: left as it is, since it may be right; transfers bound it on one side "
              "only");
    Skew(transfers, "ps", 500 * US);
    EXPECT_EQ(Find(AlignClocks(transfers), "ps").offset, 300 * US);
    EXPECT_EQ(
        AlignClocks(transfers).rules.back(),
        "clock of ps: offset 300 us; transfers bound it on one side only; the bound is taken");

    transfers = {MakeTransfer("w", "ps", UNKNOWN, 500 * US)};
    transfers.push_back(MakeTransfer("ps", "w", UNKNOWN, 5 * US));
    const ClockAlignment nothing = AlignClocks(transfers);
    EXPECT_EQ(Find(nothing, "ps").offset, 0);
    EXPECT_EQ(nothing.rules.back(),
              "clock of ps: left as it is, since it may be right; no transfer tells anything of "
              "it; it is "
              "taken as equal to the reference");
}

TEST(DmlClockAlignment, ReportsConflicts)
{
    auto transfers = std::vector{MakeTransfer("ps", "w", 100 * US, 50 * US),
                                 MakeTransfer("w", "ps", 400 * US, 420 * US)};
    transfers[1].tensor = "gradient";
    const ClockAlignment alignment = AlignClocks(transfers);
    ASSERT_EQ(alignment.warnings.size(), 1u);
    EXPECT_EQ(alignment.warnings[0],
              "clocks: no offsets let all transfers end after they are sent; they contradict each "
              "other by 15 us each: 't' of step 0 (from ps to w), 'gradient' of step 0 (from w to "
              "ps)");
    EXPECT_NEAR(Find(alignment, "ps").offset, 35 * US, 10);
}

/*
 * Two workers and a server, ten steps of five tensors in both directions. A transfer starts when it
 * has been asked for and is complete, which of both is last is random; it takes the same time in
 * each step but for noise of 5 us.
 */
std::vector<RecordedTransfer>
MakeRendezvous(uint32_t steps)
{
    PortableRandom random(3);
    std::vector<RecordedTransfer> transfers;
    for (uint32_t step = 0; step < steps; ++step)
    {
        for (int i = 0; i < 20; ++i)
        {
            const std::string worker = i % 2 == 0 ? "w0" : "w1";
            const int tensor = i / 4;
            RecordedTransfer transfer;
            transfer.tensor = "t" + std::to_string(tensor);
            transfer.bytes = 100000 * (tensor + 1);
            transfer.downlink = i % 4 < 2;
            transfer.step = step;
            transfer.sender = transfer.downlink ? "ps" : worker;
            transfer.receiver = transfer.downlink ? worker : "ps";
            transfer.start = 200 * MS * step + 10 * MS * i;
            transfer.ready = transfer.start + static_cast<int64_t>((random.Uniform() - 0.5) * 8e6);
            transfer.end = std::max(transfer.start, transfer.ready) + (tensor + 1) * 800 * US +
                           (transfer.downlink ? 0 : 3 * MS) +
                           static_cast<int64_t>(random.Normal() * 5e3);
            transfer.used = transfer.end;
            transfers.push_back(transfer);
        }
    }
    return transfers;
}

TEST(DmlClockAlignment, FindsOffsetsByReceiveTimes)
{
    auto transfers = MakeRendezvous(10);
    Skew(transfers, "ps", 2500 * US);
    Skew(transfers, "w1", -1300 * US);
    const ClockAlignment alignment = AlignClocks(transfers);
    EXPECT_EQ(alignment.machines[0].machine, "w0");
    EXPECT_EQ(alignment.families, 20u);
    EXPECT_TRUE(alignment.warnings.empty());
    for (const auto& [machine, skew] : {std::pair{"ps", 2500 * US}, {"w1", -1300 * US}})
    {
        const MachineClock& clock = Find(alignment, machine);
        EXPECT_NEAR(clock.offset, skew, 10 * US) << machine;
        EXPECT_TRUE(clock.pinned) << machine;
        EXPECT_LT(clock.lower, skew);
        EXPECT_GT(clock.upper, skew);
    }
    EXPECT_LT(alignment.objective, 0.1 * alignment.objectiveAtMiddle);
}

/*
 * Pulls of 'noisy' wait for their request, not for the server, so their receive times vary by
 * seconds whatever the offset. Those of 'exact' are complete 2 ms before the request, with it or 2
 * ms after it, and take 5 ms from then on. The gradients leave an interval whose middle is 1 ms
 * wrong.
 */
TEST(DmlClockAlignment, HearsTheFamilyThatTells)
{
    std::vector<RecordedTransfer> transfers;
    for (uint32_t step = 0; step < 6; ++step)
    {
        const int64_t origin = step * 20000 * MS;
        RecordedTransfer exact = MakeTransfer("ps", "w", 0, 0);
        exact.tensor = "exact";
        exact.step = step;
        exact.start = origin;
        exact.ready = origin + step % 3 * 2 * MS - 2 * MS;
        exact.end = std::max(exact.start, exact.ready) + 5 * MS;
        transfers.push_back(exact);
        RecordedTransfer noisy = exact;
        noisy.tensor = "noisy";
        noisy.start = origin + 100 * MS;
        noisy.ready = origin + 1 * MS;
        noisy.end = noisy.start + (step * step % 5 + 1) * 1000 * MS;
        transfers.push_back(noisy);
        // At the server 7 ms after it was complete: the interval is [-5, 7] ms, its middle 1 ms.
        RecordedTransfer gradient = MakeTransfer("w", "ps", origin + 8000 * MS, origin + 8007 * MS);
        gradient.tensor = "gradient";
        gradient.step = step;
        transfers.push_back(gradient);
    }
    const ClockAlignment alignment = AlignClocks(transfers);
    const MachineClock& clock = Find(alignment, "ps");
    EXPECT_EQ(clock.lower, -5 * MS);
    EXPECT_EQ(clock.upper, 7 * MS);
    EXPECT_TRUE(clock.pinned);
    EXPECT_NEAR(clock.offset, 0, 1 * US);
    EXPECT_NE(alignment.rules.back().find("leave 1000 us +- 6000 us, receive times tell where"),
              std::string::npos);

    // Another worker, of which nothing but bounds is known, may be right within them.
    for (const auto& [sender, receiver] : {std::pair{"ps", "w1"}, {"w1", "ps"}})
    {
        RecordedTransfer transfer = MakeTransfer(sender, receiver, 9000 * MS, 9004 * MS);
        transfer.tensor = "single";
        transfers.push_back(transfer);
    }
    const ClockAlignment both = AlignClocks(transfers);
    EXPECT_TRUE(Find(both, "ps").pinned);
    EXPECT_FALSE(Find(both, "w1").pinned);
    EXPECT_NEAR(Find(both, "w1").offset, 0, 1 * US);
    EXPECT_NEAR(Find(both, "w1").upper, 4 * MS, 1 * US);
}

/*
 * Measured steps whose clocks agree. A step of its own does not tell offsets better than its
 * messages bound them, as every sender was in time: an interval of 2.9 and 1.7 ms, in which they
 * are left as they are. A skew moves the interval exactly, because nothing in it depends on where
 * clocks start, and a skew that cannot be right is corrected to its middle.
 */
TEST(DmlClockAlignment, RecoversASkewOfMeasuredSteps)
{
    for (const auto& [model, interval] :
         {std::pair{"alexnet-b8", 2925 * US}, std::pair{"googlenet-b8", 1650 * US}})
    {
        const auto transfers = ReadRecordedSample(model);
        const MachineClock before = Find(AlignClocks(transfers), "ps");
        EXPECT_NEAR(before.upper - before.lower, interval, 10) << model;
        EXPECT_LE(before.lower, 0) << model; // the truth is within
        EXPECT_GE(before.upper, 0) << model;
        EXPECT_EQ(before.offset, 0) << model;
        for (const int64_t skew : {2500 * US, -2500 * US})
        {
            for (const bool server : {true, false})
            {
                auto skewed = transfers;
                Skew(skewed, server ? "ps" : "w", skew);
                const MachineClock after = Find(AlignClocks(skewed), "ps");
                const int64_t moved = server ? skew : -skew;
                EXPECT_NEAR(after.lower - before.lower, moved, 1 * US) << model;
                EXPECT_NEAR(after.upper - before.upper, moved, 1 * US) << model;
                const bool mayBeRight = after.lower <= 0 && after.upper >= 0;
                EXPECT_NEAR(after.offset,
                            mayBeRight ? 0 : after.lower + (after.upper - after.lower) / 2,
                            1 * US)
                    << model;
                // Clocks that agree would be refuted, or nearly so.
                EXPECT_TRUE(after.lower > -350 * US || after.upper < 350 * US) << model;
            }
        }
    }
}

TEST(DmlClockAlignment, RefusesWrongInput)
{
    EXPECT_EQ(ErrorOf([] { AlignClocks({}); }),
              "clocks: the trace has no recorded transfers; accepted: at least one");
    auto transfers = std::vector{MakeTransfer("ps", "w", 100, 300)};
    EXPECT_EQ(ErrorOf([&] { AlignClocks(transfers, "x"); }),
              "clocks: found reference 'x'; accepted: a machine that recorded a transfer");

    constexpr int64_t LAST = std::numeric_limits<int64_t>::max();
    transfers = {MakeTransfer("ps", "w", -LAST, LAST)};
    EXPECT_EQ(ErrorOf([&] { AlignClocks(transfers); }),
              "clocks: found times -9223372036854775807 ns and 9223372036854775807 ns; accepted: "
              "times less than 292 years apart");
    ClockAlignment alignment;
    alignment.machines.push_back({"w", -LAST, UNKNOWN, UNKNOWN, false});
    EXPECT_NE(ErrorOf([&] { ApplyClocks(transfers, alignment); }), "no error");
}

} // namespace

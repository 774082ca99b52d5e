/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-channel-words.h"

#include "ns3/dml-deferred-effects.h"
#include "ns3/dml-lineage-scheduler.h"
#include "ns3/dml-rank-records.h"
#include "ns3/object.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Writes down the order of what it is told.
class Listener : public RunListener<Listener>
{
  public:
    void On(const StepRecord& record)
    {
        text += "step" + std::to_string(record.worker) + " ";
    }

    void Observe(const RunRecord& record) override
    {
        if (const auto* sent = std::get_if<SentRecord>(&record.event))
        {
            text += "sent" + std::to_string(GetWorker(sent->transfer.channel)) + " ";
        }
        RunListener<Listener>::Observe(record);
    }

    void On(const TransferRecord& record)
    {
        text += "ended" + std::to_string(GetWorker(record.channel)) + " ";
    }

    void On(const LinkRecord& record)
    {
        text += "link" + std::to_string(record.link.endpoint.index) + " ";
    }

    std::string text; //!< in order
};

/// A rank that records at times that the test sets.
struct Rank
{
    explicit Rank(uint32_t number)
        : records([this]() -> const EventStamp& { return now; })
    {
        now.rank = number;
    }

    /// Let the next event run. @param time of it @param gap since it was scheduled
    RankRecords& At(int64_t time, int64_t gap = 0)
    {
        now.time = time;
        ++now.sequence;
        now.lineage = EventLineage().MakeChild(gap);
        return records;
    }

    EventStamp now;      //!< of the event that runs
    RankRecords records; //!< under test
};

StepRecord
StepOf(uint32_t worker)
{
    StepRecord record{};
    record.worker = worker;
    return record;
}

TransferRecord
TransferOf(uint32_t worker)
{
    TransferRecord record{};
    record.channel = MakeChannel(Direction::DOWNLINK, 0, worker);
    return record;
}

LinkRecord
LinkOf(uint32_t server)
{
    LinkRecord record{};
    record.link = MakeServerLink(Direction::DOWNLINK, server);
    return record;
}

std::string
Replay(const std::vector<Rank*>& ranks, const EventStamp& end)
{
    std::vector<std::string> packed;
    for (Rank* rank : ranks)
    {
        packed.push_back(rank->records.Pack());
    }
    Listener listener;
    RankRecords::Replay(packed, end, listener);
    return listener.text;
}

} // namespace

TEST(RankRecords, TellsInTheOrderOfOneProcess)
{
    Rank zero(0);
    Rank one(1);
    zero.At(10).Observe({0, SentRecord{TransferOf(1)}});
    one.At(20).Observe({0, TransferOf(1)});
    // at 30 on both ranks: what was scheduled at 5 comes before what was scheduled at 25
    zero.At(30, 5).Observe({0, StepOf(5)});
    one.At(30, 25).Observe({0, StepOf(6)});
    one.records.Observe({0, StepOf(7)}); // of the same event
    EventStamp end;
    end.time = 100;
    EXPECT_EQ(Replay({&zero, &one}, end), "sent1 ended1 step6 step7 step5 ");
}

TEST(RankRecords, PutsWhatWasHeldBackWhereItBelongs)
{
    Rank zero(0);
    Rank one(1);
    one.At(50);
    const EventStamp held = one.now;
    one.At(150).Observe({0, StepOf(1)});
    one.now = held; // settled later, for an event that ran before
    one.records.Observe({0, LinkOf(5)});
    zero.At(100).Observe({0, LinkOf(6)});
    EventStamp end;
    end.time = 200;
    EXPECT_EQ(Replay({&zero, &one}, end), "link5 link6 step1 ");
}

TEST(RankRecords, LeavesOutWhatIsAfterTheEndButNotRemainders)
{
    Rank zero(0);
    Rank one(1);
    one.At(20).Observe({0, StepOf(1)});
    const EventStamp end = one.now;
    one.At(20).Observe({0, StepOf(2)}); // of the same time, but a later event of that rank
    zero.At(19).Observe({0, StepOf(3)});
    zero.At(21).Observe({0, StepOf(4)});
    // remainders in the order of their places, whatever the rank
    one.records.SetRemainder(0);
    one.records.Observe({0, LinkOf(0)});
    zero.records.SetRemainder(1);
    zero.records.Observe({0, LinkOf(1)});
    one.records.SetRemainder(2);
    one.records.Observe({0, LinkOf(2)});
    EXPECT_EQ(Replay({&zero, &one}, end), "step3 step1 link0 link1 link2 ");
}

TEST(DeferredEffects, DoesOnlyWhatHappenedUntilTheEnd)
{
    const auto scheduler = CreateObject<LineageScheduler>();
    DeferredEffects effects(*scheduler);
    std::string done;
    EventStamp end;
    for (uint32_t i = 0; i < 4; ++i)
    {
        Scheduler::Event event;
        event.impl = nullptr;
        event.key = {10 * (i + 1), 4 + i, 0};
        scheduler->Insert(event);
        scheduler->RemoveNext();
        effects.Add([&done, &effects](int64_t time) {
            // what is done late still has the time at which it happened
            done += std::to_string(time) + "/" + std::to_string(effects.GetStamp().time) + " ";
        });
        if (i == 2)
        {
            end = scheduler->GetStamp();
        }
    }
    EXPECT_EQ(done, "");
    effects.Settle(15);
    EXPECT_EQ(done, "10/10 ");
    effects.Finish(end);
    EXPECT_EQ(done, "10/10 20/20 30/30 ");
}

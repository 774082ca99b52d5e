/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-engine-table.h"
#include "ns3/dml-result-summary.h"

#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

/// Results are sorted by EngineKind, and lines of the table are found by it.
TEST(EngineTable, HasALineForEachEngineInItsOrder)
{
    const auto& engines = GetEngines();
    for (std::size_t i = 0; i < engines.size(); ++i)
    {
        EXPECT_EQ(static_cast<std::size_t>(engines[i].kind), i);
        EXPECT_EQ(&GetEngine(engines[i].kind), &engines[i]);
    }
    EXPECT_EQ(GetEngineName(EngineKind::FAIR_SHARE), "fair-share");
    EXPECT_EQ(GetEngineName(EngineKind::PACKET), "packet");
}

/// A name of --engine, and what is kept of it in questions and commands, lead to each other.
TEST(EngineTable, NamesWhatCanRun)
{
    EXPECT_EQ(ListEngineChoices(),
              (std::vector<std::string>{"fair-share", "burst", "packet", "host", "both", "all"}));
    EXPECT_EQ(ChooseEngines("packet"), EngineSet{EngineKind::PACKET});
    EXPECT_EQ(NameEngines({EngineKind::FAIR_SHARE, EngineKind::PACKET, EngineKind::HOST}), "all");
    EXPECT_EQ(ChooseEngines("both"), (EngineSet{EngineKind::PACKET, EngineKind::FAIR_SHARE}));
    for (const auto& choice : GetEngineChoices())
    {
        EXPECT_EQ(NameEngines(ChooseEngines(choice.name)), choice.name);
    }
    EXPECT_FALSE(FindEngines("neither"));
}

TEST(EngineTable, TakesListsOfEngines)
{
    const EngineSet two{EngineKind::BURST, EngineKind::PACKET};
    EXPECT_EQ(FindEngines("packet,burst"), two);
    EXPECT_EQ(FindEngines("burst,packet,burst"), two);
    EXPECT_EQ(NameEngines(two), "burst,packet");
    EXPECT_EQ(NameEngines(ChooseEngines("packet,fair-share")), "both");
    for (const auto& wrong : {"", ",", "burst,", "burst,,packet", "burst, packet", "both,host"})
    {
        EXPECT_FALSE(FindEngines(wrong)) << wrong;
    }
}

TEST(EngineTable, ComparesMoreThanTwoWithTheOneNearestToReality)
{
    const auto list = [](const std::string& choice) {
        std::string text;
        for (const auto& [what, against] : ListFurtherComparisons(ChooseEngines(choice)))
        {
            text += GetEngineName(what) + "/" + GetEngineName(against) + " ";
        }
        return text;
    };
    EXPECT_EQ(list("both"), "") << "the main table does that";
    EXPECT_EQ(list("fair-share,burst"), "") << "neither is real";
    EXPECT_EQ(list("burst,packet"), "burst/packet ");
    EXPECT_EQ(list("fair-share,burst,packet"), "fair-share/packet burst/packet ");
    EXPECT_EQ(list("all"), "fair-share/host packet/host ");
}

TEST(EngineTable, TellsEnginesApartByWhatTheyDo)
{
    EXPECT_TRUE(AnyHas(ChooseEngines("both"), EngineTrait::SPLITS_OVER_RANKS));
    EXPECT_FALSE(AnyHas(ChooseEngines("fair-share"), EngineTrait::SPLITS_OVER_RANKS));
    EXPECT_FALSE(AnyHas({}, EngineTrait::QUICK));
    CaseSummary item;
    item.engines[EngineKind::FAIR_SHARE];
    EXPECT_EQ(item.FindEngineThat(EngineTrait::LOSES_PACKETS), nullptr);
    item.engines[EngineKind::PACKET];
    EXPECT_EQ(item.FindEngineThat(EngineTrait::LOSES_PACKETS), item.FindEngine(EngineKind::PACKET));
}

/// Of two engines, either can be what is predicted: 12 / 10 - 1 and 10 / 12 - 1.
TEST(EngineTable, ComparesAnyTwoEngines)
{
    const auto engine = [](double samplesPerSecond) {
        EngineSummary summary;
        summary.replications.resize(1);
        summary.replications[0].throughput.samplesPerSecond = samplesPerSecond;
        return summary;
    };
    CaseSummary item;
    item.engines[EngineKind::FAIR_SHARE] = engine(12);
    EXPECT_FALSE(item.GetRelativeError(MAIN_COMPARISON).mean) << "there is nothing to compare with";
    item.engines[EngineKind::PACKET] = engine(10);
    EXPECT_NEAR(*item.GetRelativeError(MAIN_COMPARISON).mean, 0.2, 1e-12);
    const EngineComparison reverse{EngineKind::PACKET, EngineKind::FAIR_SHARE};
    EXPECT_NEAR(*item.GetRelativeError(reverse).mean, -1.0 / 6, 1e-12);
    EXPECT_NEAR(*item.GetDifference(reverse).value, -1.0 / 6, 1e-12);
}

} // namespace

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-connection-loss.h"
#include "ns3/dml-topology-builder.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// What is told of worker1 that has lost ps0 after 30 s, on a star.
std::string
Describe(const std::vector<FaultSpec>& faults,
         PeerTrouble kind = PeerTrouble::LOST,
         const std::vector<LinkTotals>& totals = {})
{
    const NetworkSpec spec;
    return DescribeConnectionLoss({"worker1", "ps0", kind, 30},
                                  BuildNetwork(spec, {{2, 1}}),
                                  faults,
                                  totals);
}

FaultSpec
Fault(const std::string& key, FaultSpec::Kind kind, double start, const std::string& host)
{
    FaultSpec fault;
    fault.key = key;
    fault.kind = kind;
    fault.start = Seconds(start);
    if (!host.empty())
    {
        fault.link = {host};
    }
    return fault;
}

const std::string WAY = "; between them are the links worker1->switch, switch->ps0, ps0->switch, "
                        "switch->worker1";

TEST(DmlConnectionLoss, SaysWhoAndWhenAndWhere)
{
    EXPECT_EQ(Describe({}),
              "worker1 lost its connection with ps0: TCP gave up at 30 s of the run" + WAY +
                  "; no fault of the scenario explains it there");
    EXPECT_EQ(Describe({}, PeerTrouble::UNREACHED),
              "worker1 cannot reach ps0: TCP gave up at 30 s of the run" + WAY +
                  "; no fault of the scenario explains it there");
    EXPECT_EQ(Describe({}, PeerTrouble::LATE),
              "worker1 was connected with ps0 too late, after its first step should have started: "
              "at 30 s of the run" +
                  WAY + "; no fault of the scenario explains it there");
}

// Faults elsewhere, and those that begin later, explain nothing.
TEST(DmlConnectionLoss, NamesTheFaultsOnTheWay)
{
    auto loss = Fault("faults[0]", FaultSpec::Kind::LOSS, 0, "");
    loss.probability = 0.5;
    auto rate = Fault("faults[4]", FaultSpec::Kind::RATE, 2.5, "worker1");
    rate.rate = DataRate("1kbps");
    rate.duration = Seconds(7);
    const auto text = Describe({loss,
                                Fault("faults[1]", FaultSpec::Kind::DOWN, 1, "worker0"),
                                Fault("faults[2]", FaultSpec::Kind::DOWN, 31, "ps0"),
                                Fault("faults[3]", FaultSpec::Kind::DOWN, 29, "ps0"),
                                rate});
    EXPECT_EQ(text.substr(text.find("; what")),
              "; what explains it there: faults[0] (loss: 0.5 from 0 s on links of all hosts and "
              "switches), faults[3] (down from 29 s on link ps0), faults[4] (rate: 1000 bit/s for "
              "7 s from 2.5 s on link worker1)");
}

TEST(DmlConnectionLoss, CountsWhatQueuesDropped)
{
    // links in order: ps0, worker0, worker1 with the switch, two directions each; of worker0's none
    // is on the way
    std::vector<LinkTotals> totals(6);
    for (std::size_t link = 0; link < totals.size(); ++link)
    {
        totals[link].dropped = link == 2 || link == 3 ? 1000 : 1;
    }
    const auto text = Describe({}, PeerTrouble::LOST, totals);
    EXPECT_NE(text.find("; full queues there dropped 4 packets"), std::string::npos) << text;
}

} // namespace

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What a run of the packet engine is expected to take, against what ns-3 counts.

#include "dml-case-suite.h"

#include "ns3/dml-packet-engine.h"
#include "ns3/dml-prepared-case.h"
#include "ns3/dml-run-cost.h"
#include "ns3/dml-scenario-reader.h"
#include "ns3/test.h"

#include <fstream>
#include <string>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Two tensors of 3 MB and 200 KB, both ways in each step.
const std::string PROFILE =
    "schema: dml-profile/1\nmodel: test\nbatch_size: 1\n"
    "tensors: [{name: a, bytes: 3000000}, {name: b, bytes: 200000}]\n"
    "ops:\n"
    "  - {name: pull/a, kind: pull, tensor: a}\n"
    "  - {name: pull/b, kind: pull, tensor: b}\n"
    "  - {name: f, kind: forward, device: cpu, deps: [pull/a, pull/b], seconds: 0.01}\n"
    "  - {name: push/b, kind: push, tensor: b, deps: [f]}\n"
    "  - {name: push/a, kind: push, tensor: a, deps: [f]}\n"
    "  - {name: update/a, kind: update, tensor: a, deps: [push/a], seconds: 0.001}\n"
    "  - {name: update/b, kind: update, tensor: b, deps: [push/b], seconds: 0.001}\n";

/// Packets on links and events are as many as expected, within what the estimate leaves out.
class CostCase : public TestCase
{
  public:
    CostCase(const std::string& name, uint32_t workers, uint32_t servers, const std::string& rest)
        : TestCase("Cost of a run: " + name),
          m_workers(workers),
          m_servers(servers),
          m_rest(rest)
    {
    }

  private:
    void DoRun() override
    {
        std::ofstream(CreateTempDirFilename("p.yaml")) << PROFILE;
        const std::string file = CreateTempDirFilename("s.yaml");
        std::ofstream(file) << "job: {profile: p.yaml, steps: 4, warmup: 1, workers: " << m_workers
                            << ", parameter_servers: " << m_servers << "}\n"
                            << m_rest << "\n";
        const PreparedScenario prepared = PrepareScenario(ReadScenario(file).front(), true);
        const RunCost cost = EstimateCost(prepared, {0, m_workers, EngineKind::PACKET, 0, false});
        const PreparedCase work = PrepareCase(prepared, m_workers, 0);
        PacketEngine engine(work.runs,
                            prepared.scenario.network,
                            work.network,
                            prepared.scenario.transfer,
                            nullptr);
        const PacketRunTotals totals = engine.Run();
        double packets = 0;
        for (const auto& link : totals.links)
        {
            packets += link.packets;
        }
        NS_TEST_ASSERT_MSG_EQ_TOL(cost.linkPackets / packets, 1, 0.25, "packets on links");
        NS_TEST_ASSERT_MSG_EQ_TOL(cost.events / totals.events, 1, 0.25, "events");
    }

    uint32_t m_workers;
    uint32_t m_servers;
    std::string m_rest; //!< of the scenario
};

} // namespace

static std::vector<TestCase*>
MakeCostCases()
{
    return {
        new CostCase("MTU 1500", 1, 1, "network: {mtu: 1500, queue: 0B}"),
        new CostCase("MTU 9000, three workers", 3, 1, "network: {mtu: 9000, queue: 0B}"),
        new CostCase("MTU 65535, two servers", 2, 2, "network: {mtu: 65535, queue: 0B}"),
        new CostCase("dumbbell", 2, 1, "network: {mtu: 1500, queue: 0B, topology: dumbbell}"),
        new CostCase("leaf-spine", 4, 2, "network: {mtu: 1500, queue: 0B, topology: leaf-spine}"),
        new CostCase("small windows",
                     2,
                     1,
                     "network: {mtu: 1500, queue: 0B}\ntransfer: {window: 64KB, grant: capped}"),
        new CostCase("slices",
                     2,
                     1,
                     "network: {mtu: 1500}\ntransfer: {policy: p3, partition: 100KB}"),
        new CostCase("losses", 2, 1, "network: {mtu: 1500}\nfaults: [{loss: 0.001}]"),
        new CostCase("background",
                     2,
                     1,
                     "network:\n  queue: {fair: 0B}\n  extra_hosts: [x]\n"
                     "  background: [{from: x, to: ps0, rate: 400Mbps}]"),
    };
}

static CaseSuite g_costSuite("dml-costs", MakeCostCases()); //!< registers itself

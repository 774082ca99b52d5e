/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Queues of transfer policies: all tensors of a step become ready at once and are served.

#include "dml-bench-workload.h"

#include "ns3/dml-credit-policy.h"
#include "ns3/dml-fifo-policy.h"
#include "ns3/dml-http2-window-policy.h"
#include "ns3/dml-ordered-policy.h"

#include <benchmark/benchmark.h>

namespace
{

using namespace ns3::dml;

/// WIN bytes in the first turn, then as many as there are.
class TwoTurns : public WindowView
{
  public:
    uint64_t GetWindow(OpIndex, uint32_t turns) const override
    {
        return turns == 0 ? WINDOW : UINT64_MAX;
    }

  private:
    static constexpr uint64_t WINDOW = 4000000; // so that the largest tensors take two turns
};

/// Time stands still: these policies do not wait for it.
class NoClock : public PolicyClock
{
  public:
    double GetNow() const override
    {
        return 0;
    }

    void WakeUp(double) override
    {
    }
};

template <typename Policy>
void
ServeStep(benchmark::State& state)
{
    const Profile profile = MakeBenchProfile();
    std::vector<TransferInfo> transfers;
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        if (profile.graph.Get(op).kind == OpKind::PULL)
        {
            TransferInfo info;
            info.transfer = op;
            info.bytes = profile.tensors[profile.graph.Get(op).tensor].bytes;
            info.rank = BENCH_TENSORS - op; // the last one first
            transfers.push_back(info);
        }
    }
    NoClock clock;
    const TwoTurns windows;
    const auto policy = ns3::CreateObject<Policy>();
    policy->Prepare(transfers, 0, clock);
    for (auto _ : state)
    {
        for (const auto& info : transfers)
        {
            policy->Add(info.transfer, info.bytes);
        }
        while (policy->GetSize() > 0)
        {
            const Turn turn = policy->Next(windows);
            benchmark::DoNotOptimize(turn);
            if (policy->TurnEnded() && policy->WantsAcknowledgements())
            {
                policy->Acknowledged(turn.transfer);
            }
        }
    }
    state.SetItemsProcessed(state.iterations() * transfers.size());
}

BENCHMARK_TEMPLATE(ServeStep, FifoPolicy)->Name("ServeStepFifo");
BENCHMARK_TEMPLATE(ServeStep, Http2WindowPolicy)->Name("ServeStepHttp2Window");
BENCHMARK_TEMPLATE(ServeStep, OrderedPolicy)->Name("ServeStepOrdered");
BENCHMARK_TEMPLATE(ServeStep, CreditPolicy)->Name("ServeStepCredit");

} // namespace

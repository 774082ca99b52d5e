/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The engine allocates while its queues grow to their longest lengths, and never again. All
// allocations of this program are counted.

#include "dml-fair-share-fixture.h"

#include "ns3/data-rate.h"
#include "ns3/dml-push-pull-protocol.h"
#include "ns3/dml-run-graph-protocol.h"
#include "ns3/uinteger.h"

#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>
#include <ostream>

namespace
{

std::atomic<uint64_t> g_allocations{0};

} // namespace

// None of these is inlined, or the compiler warns of memory of operator new that free() takes.
__attribute__((noinline)) void*
operator new(std::size_t size)
{
    ++g_allocations;
    if (void* memory = std::malloc(size > 0 ? size : 1))
    {
        return memory;
    }
    throw std::bad_alloc();
}

// The library's own would do, but for AddressSanitizer's, which is not made of the one above.
__attribute__((noinline)) void*
operator new(std::size_t size, const std::nothrow_t&) noexcept
{
    ++g_allocations;
    return std::malloc(size > 0 ? size : 1);
}

__attribute__((noinline)) void
operator delete(void* memory) noexcept
{
    std::free(memory);
}

__attribute__((noinline)) void
operator delete(void* memory, [[maybe_unused]] std::size_t size) noexcept
{
    std::free(memory);
}

namespace ns3::dml
{

namespace
{

constexpr uint32_t TENSORS = 6;
constexpr uint32_t STEPS = 150;

/// A way to run the job.
struct AllocationCase
{
    std::string policy;          //!< of transfers
    std::string sync;            //!< of workers
    SharingRule rule;            //!< of bandwidth
    bool ranked{false};          //!< whether transfers have places in an order
    std::string protocol{"run"}; //!< "run", "aggregating" or "push-pull"
    double delay{0};             //!< seconds, one way
};

void
PrintTo(const AllocationCase& c, std::ostream* out)
{
    *out << c.policy << " " << c.sync << " " << c.protocol << " " << (c.ranked ? "ranked " : "")
         << static_cast<int>(c.rule);
}

/// Six layers with a tensor each: pulled, used, and in reverse order pushed and applied.
FairShareCase
SixLayers()
{
    ProfileBuilder builder;
    std::string last;
    TransferFacts facts;
    for (uint32_t i = 0; i < TENSORS; ++i)
    {
        const std::string tensor = "t" + std::to_string(i);
        builder.Pull(tensor, 20 + 5 * i);
        builder.Compute("f" + tensor,
                        {0.05},
                        last.empty() ? ProfileBuilder::Names{"pull/" + tensor}
                                     : ProfileBuilder::Names{"pull/" + tensor, last});
        last = "f" + tensor;
        facts.ranks["pull/" + tensor] = i;
        facts.ranks["push/" + tensor] = i;
    }
    for (uint32_t i = TENSORS; i-- > 0;)
    {
        const std::string tensor = "t" + std::to_string(i);
        builder.Compute("b" + tensor, {0.1}, {last});
        last = "b" + tensor;
        builder.Push(tensor, 20 + 5 * i, {last}).Update(tensor, 0.02);
        facts.generated["push/" + tensor] = 0.3 + 0.1 * (TENSORS - i);
    }
    FairShareCase run(builder);
    run.facts = facts;
    return run;
}

class AllocationsTest : public testing::TestWithParam<AllocationCase>
{
  protected:
    /// @return allocations of a run, its making apart
    static uint64_t Count(uint32_t steps)
    {
        const AllocationCase& c = GetParam();
        FairShareCase test = SixLayers();
        test.servers = 2;
        test.run.window = 25; // most tensors take two turns
        test.run.policy.SetTypeId("ns3::dml::" + c.policy);
        test.run.sync.SetTypeId("ns3::dml::" + c.sync);
        // workers of different speeds, some of which the others have to wait for or to leave behind
        test.run.compute = {{nullptr, nullptr, 2}, {nullptr, nullptr, 3}, {nullptr, nullptr, 9}};
        test.run.batchSize = 3;
        if (!c.ranked)
        {
            test.facts = {};
        }
        if (c.protocol != "run")
        {
            test.protocol = c.protocol == "push-pull" ? MakePushPullPlan : MakeAggregatingPlan;
        }
        test.Prepare({0, 0.3, 0.7}, steps);
        test.network.rule = c.rule;
        test.network.links = MakeStarFlowNetwork({3, test.servers},
                                                 FairShareCase::RATE,
                                                 FairShareCase::RATE,
                                                 c.delay);
        FairShareEngine engine(test.run, test.network, nullptr);
        const uint64_t before = g_allocations;
        engine.Run();
        return g_allocations - before;
    }
};

} // namespace

TEST_P(AllocationsTest, AreNoMoreInALongerRun)
{
    // One in each further step of one worker would be 150; a queue that doubles late is one.
    constexpr uint64_t LATE = 8;
    const uint64_t first = Count(STEPS);
    EXPECT_GT(first, 0);
    EXPECT_LE(Count(2 * STEPS), first + LATE);
}

TEST(AllocationsTest, AreCounted)
{
    const uint64_t before = g_allocations;
    int* volatile memory = new int(1); // volatile, or the compiler leaves both out
    delete memory;
    EXPECT_EQ(g_allocations, before + 1);
}

INSTANTIATE_TEST_SUITE_P(
    Syncs,
    AllocationsTest,
    testing::Values(AllocationCase{"Http2WindowPolicy", "AsynchronousSync", SharingRule::EQUAL},
                    AllocationCase{"FifoPolicy", "StaleSynchronousSync", SharingRule::EQUAL},
                    AllocationCase{"Http2WindowPolicy",
                                   "BulkSynchronousSync",
                                   SharingRule::EQUAL,
                                   false,
                                   "aggregating"},
                    AllocationCase{"FifoPolicy",
                                   "BackupWorkersSync",
                                   SharingRule::EQUAL,
                                   false,
                                   "aggregating",
                                   0.01}));

INSTANTIATE_TEST_SUITE_P(
    Policies,
    AllocationsTest,
    testing::Values(
        AllocationCase{"RoundRobinPolicy", "AsynchronousSync", SharingRule::EQUAL},
        AllocationCase{"OrderedPolicy", "AsynchronousSync", SharingRule::EQUAL, true},
        AllocationCase{"CreditPolicy", "AsynchronousSync", SharingRule::EQUAL, true, "run", 0.01},
        AllocationCase{"CreditPolicy",
                       "BulkSynchronousSync",
                       SharingRule::EQUAL,
                       true,
                       "push-pull"},
        AllocationCase{"ProphetPolicy",
                       "BulkSynchronousSync",
                       SharingRule::EQUAL,
                       true,
                       "push-pull"}));

INSTANTIATE_TEST_SUITE_P(
    Rules,
    AllocationsTest,
    testing::Values(AllocationCase{"Http2WindowPolicy", "AsynchronousSync", SharingRule::MAX_MIN},
                    AllocationCase{"Http2WindowPolicy", "AsynchronousSync", SharingRule::TWO_PS}));

} // namespace ns3::dml

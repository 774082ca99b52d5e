/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Windows of connections, step by step: from the scenario, in the fair-share engine, in a session.

#include "dml-fair-share-fixture.h"
#include "dml-http2-loopback.h"
#include "dml-scenario-mistake.h"

#include "ns3/dml-connection-windows.h"
#include "ns3/dml-scenario-reader.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3::dml;

TEST(WindowsByStep, TheLastWindowStays)
{
    EXPECT_TRUE(ConnectionWindows().IsEmpty());
    ConnectionWindows windows(2, 3, 1000);
    windows.Set(1, 2, false, {10, 20});
    EXPECT_EQ(windows.Get(1, 2, false, 0), 10U);
    EXPECT_EQ(windows.Get(1, 2, false, 1), 20U);
    EXPECT_EQ(windows.Get(1, 2, false, 7), 20U);
    EXPECT_EQ(windows.Get(1, 2, true, 7), 1000U);
    EXPECT_EQ(windows.Get(0, 2, false, 0), 1000U);
}

TEST(WindowsByStep, EachStepOfAWorkerHasItsOwn)
{
    // Links carry 100 B/s. Step 0, WIN 150: a 150 B 0-1.5, b -2.5, c 150 B -4, a -6.5, c -8. Step 1
    // and 2, WIN 1000: a 8-12, b -13, c -16; a 16-20, b -21, c -24. Worker 1 is alone on its
    // server.
    ProfileBuilder builder;
    builder.Pull("a", 400).Pull("b", 100).Pull("c", 300);
    FairShareCase c(builder);
    c.run.windows = ConnectionWindows(1, 1, 1000000);
    c.run.windows.Set(0, 0, true, {150, 1000});
    c.Run({0}, 3);
    EXPECT_DOUBLE_EQ(c.Arrival("pull/a", 0, 0), 6.5);
    EXPECT_DOUBLE_EQ(c.Arrival("pull/c", 0, 0), 8);
    EXPECT_DOUBLE_EQ(c.Arrival("pull/a", 0, 1), 12);
    EXPECT_DOUBLE_EQ(c.Arrival("pull/b", 0, 2), 21);
}

TEST(WindowsByStep, ASessionAnnouncesThemInSettings)
{
    Http2Loopback link(1000, "none");
    for (const uint32_t window : {1000U, 200U, 5000U})
    {
        link.client.AnnounceWindow(window);
        const int32_t stream = link.client.SendRequest("/p", "a", "");
        link.Run();
        EXPECT_EQ(link.client.GetLocalWindow(), window);
        EXPECT_EQ(link.server.GetRemoteWindow(stream), window);
    }
    EXPECT_TRUE(link.atClient.errors.empty());
    EXPECT_THROW(link.client.AnnounceWindow(0), InputError);
}

TEST(WindowsByStep, ReadFromTheScenario)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", "");
    const auto file = folder.Write(
        "s.yaml",
        ReplaceLine(VALID_SCENARIO,
                    14,
                    "transfer: {window: {default: 8MiB, connections: [{worker: 3, server: 1, "
                    "downlink: [1MB, 2MB], uplink: 3MB}, {worker: 0}]}}"));
    const TransferSpec spec = ReadScenario(file).front().transfer;
    EXPECT_EQ(spec.window, 8388608U);
    ASSERT_EQ(spec.connections.size(), 2U);
    EXPECT_EQ(spec.connections[0].worker, 3U);
    EXPECT_EQ(spec.connections[0].server, 1U);
    EXPECT_EQ(spec.connections[0].downlink, (std::vector<uint64_t>{1000000, 2000000}));
    EXPECT_EQ(spec.connections[0].uplink, (std::vector<uint64_t>{3000000}));
    EXPECT_TRUE(spec.connections[1].downlink.empty());
}

namespace
{

/// @return the error if `transfer.window.connections` is this text, without the file and place
std::string
ErrorOf(const std::string& connections, const std::string& more = "")
{
    const std::string text = ScenarioErrorOf(
        {14, "transfer: {window: {connections: " + connections + "}" + more + "}", ""});
    const std::string key = "transfer.window";
    return text.substr(std::min(text.size(), text.find(key)));
}

} // namespace

TEST(WindowsByStep, MistakesAreRefused)
{
    const std::string item = "transfer.window.connections[0]";
    EXPECT_EQ(ErrorOf("[{worker: 4}]"),
              item + ".worker: found \"4\"; accepted: an integer from 0 to 3");
    EXPECT_EQ(ErrorOf("[{worker: 0, server: 2}]"),
              item + ".server: found \"2\"; accepted: an integer from 0 to 1");
    EXPECT_EQ(
        ErrorOf("[{worker: 0}, {worker: 0, server: 0}]"),
        "transfer.window.connections[1]: found worker 0 and server 0 a second time; accepted: "
        "each connection once");
    EXPECT_EQ(
        ErrorOf("[{worker: 0, uplink: []}]"),
        item + ".uplink: found an empty list; accepted: a size, or a list of sizes: one for each "
               "step, the last one stays");
    EXPECT_EQ(ErrorOf("[{worker: 0, uplink: [0]}]"),
              item + ".uplink[0]: found \"0\"; accepted: a size from 1 to 2147483647" + SIZE_TEXT);
    EXPECT_EQ(ErrorOf("[{server: 0}]"),
              item + ": found no key worker; accepted: a map with worker, and server, downlink, "
                     "uplink if needed");
    EXPECT_EQ(ErrorOf("[{worker: 0}], min: 1MB"),
              "transfer.window: found connections beside min or max; accepted: {default: SIZE, "
              "connections: [...]}");
    EXPECT_EQ(ErrorOf("[{worker: 0}]", ", grant: bdp"),
              "transfer.window.connections: found beside transfer.grant bdp; accepted: another "
              "grant, as bdp makes its own windows");
}

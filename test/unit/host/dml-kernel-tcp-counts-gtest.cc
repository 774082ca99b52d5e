/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-error.h"
#include "ns3/dml-kernel-tcp-counts.h"

#include <gtest/gtest.h>

namespace
{

using namespace ns3::dml;

TEST(KernelTcpCounts, AreFoundByName)
{
    const KernelTcpCounts counts = ParseKernelTcpCounts(
        "TcpExt: SyncookiesSent TCPRenoRecovery TCPSackRecovery TCPLossProbes TCPTimeouts\n"
        "TcpExt: 1 20 300 4000 50000\n"
        "IpExt: InNoRoutes TCPTimeouts\n"
        "IpExt: 7 8\n");
    EXPECT_EQ(counts.timeouts, 50000);
    EXPECT_EQ(counts.recoveries, 320);
}

TEST(KernelTcpCounts, MustBeThere)
{
    for (const char* text : {"",
                             "TcpExt: SyncookiesSent\nTcpExt: 1\n",
                             "TcpExt: TCPTimeouts TCPSackRecovery\n",
                             "TcpExt: TCPTimeouts TCPSackRecovery\nTcpExt: 1\n"})
    {
        EXPECT_THROW(ParseKernelTcpCounts(text), RunError) << text;
    }
}

TEST(KernelTcpCounts, AreToldByThisKernel)
{
    EXPECT_NO_THROW(ReadKernelTcpCounts());
}

} // namespace

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../support/dml-scratch-folder.h"

#include "ns3/dml-error.h"
#include "ns3/dml-wire-times.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

class DmlWireTimes : public testing::Test
{
  protected:
    DmlWireTimes()
    {
        m_transfers.resize(3);
        m_transfers[0].tensor = "conv, 1";
        m_transfers[1].tensor = "fc";
        m_transfers[2].tensor = "fc";
        m_transfers[2].downlink = false;
        for (RecordedTransfer& transfer : m_transfers)
        {
            transfer.step = 2;
            transfer.end = 5000000000;
        }
    }

    /// @return number of records that got a time from @p text
    std::size_t Read(const std::string& text, uint32_t worker = 0)
    {
        return ReadWireTimes(m_folder.Write("wire.csv", text), worker, m_transfers);
    }

    /// @return the error of a file of a header and @p rows
    std::string ErrorOf(const std::string& rows)
    {
        return m_folder.ErrorOf([&] { Read("tensor,direction,step,last_byte\n" + rows); });
    }

    ScratchFolder m_folder;
    std::vector<RecordedTransfer> m_transfers;
};

TEST_F(DmlWireTimes, AreReadIntoRecords)
{
    EXPECT_EQ(Read("step,tensor,last_byte,direction,more\n"
                   "2,\"conv, 1\",4.1234567896,downlink,x\n"
                   "2,fc,,downlink,x\n"
                   "2,fc,3,uplink,x\n"
                   "7,fc,9,uplink,x\n"),
              2u);
    EXPECT_EQ(m_transfers[0].lastByte, 4123456790);
    EXPECT_EQ(m_transfers[1].lastByte, RecordedTransfer::UNKNOWN);
    EXPECT_EQ(m_transfers[2].lastByte, 3000000000);
}

// The columns of transfers.csv.
TEST_F(DmlWireTimes, AreReadFromResults)
{
    const std::string text = "worker,step,tensor,direction,ps,ready,first_byte,last_byte\n"
                             "0,2,fc,downlink,0,0.1,0.2,0.3\n"
                             "1,2,fc,downlink,0,0.1,0.2,0.400000001\n";
    EXPECT_EQ(Read(text, 1), 1u);
    EXPECT_EQ(m_transfers[1].lastByte, 400000001);
    EXPECT_EQ(Read(text, 0), 1u);
    EXPECT_EQ(m_transfers[1].lastByte, 300000000);
}

TEST_F(DmlWireTimes, MayBeOfAnyEpoch)
{
    m_transfers[1].end = 1600000712366431999;
    EXPECT_EQ(Read("tensor,direction,step,last_byte\nfc,downlink,2,1600000712.366431001\n"), 1u);
    EXPECT_EQ(m_transfers[1].lastByte, 1600000712366431001);
    m_transfers[1].start = -2000000000;
    EXPECT_EQ(Read("tensor,direction,step,last_byte\nfc,downlink,2,-1.5\n"), 1u);
    EXPECT_EQ(m_transfers[1].lastByte, -1500000000);
}

TEST_F(DmlWireTimes, AreRefusedWhereTheyAreWrong)
{
    EXPECT_EQ(m_folder.ErrorOf([&] { Read(""); }),
              "wire.csv:1:1: found an empty file; accepted: a header and rows");
    EXPECT_EQ(
        m_folder.ErrorOf([&] { Read("tensor,step,last_byte\n"); }),
        "wire.csv:1:1: found no column 'direction'; accepted: columns tensor, direction, step "
        "and last_byte");
    EXPECT_EQ(ErrorOf("fc,down,2,1\n"),
              "wire.csv:2:4: direction: found 'down'; accepted: downlink, uplink");
    EXPECT_EQ(ErrorOf("fc,uplink,-1,1\n"),
              "wire.csv:2:11: step: found '-1'; accepted: a whole number from 0 to 4294967295");
    EXPECT_EQ(ErrorOf("fc,uplink,2,1e3\n"),
              "wire.csv:2:13: last_byte: found '1e3'; accepted: seconds, as 1.234567890");
    EXPECT_EQ(ErrorOf("fc,uplink,2,99999999999999999999\n"),
              "wire.csv:2:13: last_byte: found '99999999999999999999'; accepted: seconds, as "
              "1.234567890");
    EXPECT_EQ(ErrorOf("fc,uplink,2,5.000000001\n"),
              "wire.csv:2:13: last_byte: found '5.000000001' s, after the record's end at "
              "5000000000 ns; accepted: a time on the receiver's clock not after that");
    EXPECT_EQ(ErrorOf("fc,uplink,2,1\nfc,uplink,2,1\n"),
              "wire.csv:3:1: tensor: found a transfer that an earlier row tells of; accepted: one "
              "row for each");
    EXPECT_EQ(ErrorOf("fc,uplink,3,1\n"),
              "wire.csv:2:1: found no row of a recorded transfer up to here; accepted: tensors and "
              "steps named as in the trace");
    EXPECT_EQ(ErrorOf("fc,uplink\n"),
              "wire.csv:2:1: found a row of 2; accepted: a row of 4, as the header");
    // 4 s on a clock that counts from the start of the capture, records that count from 1970.
    m_transfers[2].start = 1600000712000000000;
    m_transfers[2].end = 1600000713000000000;
    EXPECT_EQ(
        ErrorOf("fc,uplink,2,4\n"),
        "wire.csv:2:13: last_byte: found '4' s, before the first transfer of its step was "
        "ready or started at 1600000712000000000 ns; accepted: a time on the receiver's clock "
        "not before that");
    // Another tensor of the step was ready earlier, so this one may have been sent before its
    // start.
    m_transfers.push_back(m_transfers[2]);
    m_transfers.back().tensor = "other";
    m_transfers.back().ready = 1600000711000000000;
    EXPECT_EQ(Read("tensor,direction,step,last_byte\nfc,uplink,2,1600000711.5\n"), 1u);
    EXPECT_NE(ErrorOf("fc,uplink,2,1600000710.9\n"), "no error");
    m_transfers.pop_back();
    m_transfers[2].downlink = true;
    EXPECT_EQ(
        ErrorOf(""),
        "step 2 has two transfers of 'fc' in one direction; accepted with wire times: records "
        "of one worker");
}

TEST_F(DmlWireTimes, StopAtAFileWithoutEnd)
{
    EXPECT_EQ(m_folder.ErrorOf([&] { ReadWireTimes("/dev/zero", 0, m_transfers); }),
              "/dev/zero: cannot be read: is a device; accepted: a file");
}

} // namespace

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What processes of the host engine tell the one that has started them, through pipes.

#include "ns3/dml-host-messages.h"

#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace ns3::dml;

namespace
{

/// Both ends of a pipe.
class HostMessagesTest : public ::testing::Test
{
  protected:
    HostMessagesTest()
    {
        EXPECT_EQ(pipe2(m_ends, O_NONBLOCK), 0);
    }

    ~HostMessagesTest() override
    {
        close(m_ends[0]);
        close(m_ends[1]);
    }

    int m_ends[2]{-1, -1}; //!< reads, writes
};

StampedRecord
MakeStep(uint32_t step)
{
    return {0.5 * step, {3, StepRecord{0, step, 0, 0, 0.5 * step}}};
}

} // namespace

TEST_F(HostMessagesTest, ComeOverInOrderAndWhole)
{
    const std::string text("no\0 more", 8);
    HostMessageWriter writer(m_ends[1]);
    HostMessageReader reader(m_ends[0]);
    writer.Send({HostMessageKind::RECORDS, 1.5, PackItems(std::vector{MakeStep(7), MakeStep(8)})});
    writer.Send({HostMessageKind::FAILED, 2, text});
    std::vector<HostMessage> messages;
    EXPECT_TRUE(reader.Read(messages));
    ASSERT_EQ(messages.size(), 2U);
    EXPECT_EQ(messages[0].kind, HostMessageKind::RECORDS);
    EXPECT_EQ(messages[0].time, 1.5);
    const auto records = UnpackItems<StampedRecord>(messages[0].body);
    ASSERT_EQ(records.size(), 2U);
    EXPECT_EQ(records[1].time, 4);
    EXPECT_EQ(records[1].record.job, 3U);
    EXPECT_EQ(std::get<StepRecord>(records[1].record.event).step, 8U);
    EXPECT_EQ(messages[1].kind, HostMessageKind::FAILED);
    EXPECT_EQ(messages[1].body, text);
}

TEST_F(HostMessagesTest, WriterDoesNotWaitForItsReader)
{
    // more than a pipe holds: Send() comes back, and what is left goes with later messages
    const std::string body(1000000, 'x');
    HostMessageWriter writer(m_ends[1]);
    HostMessageReader reader(m_ends[0]);
    writer.Send({HostMessageKind::NOTE, 0, body});
    std::vector<HostMessage> messages;
    EXPECT_TRUE(reader.Read(messages));
    EXPECT_TRUE(messages.empty());
    int rounds = 0;
    for (; messages.empty() && rounds < 1000; ++rounds)
    {
        writer.Send({HostMessageKind::RECORDS, 0, {}});
        EXPECT_TRUE(reader.Read(messages));
    }
    EXPECT_GT(rounds, 1);
    ASSERT_FALSE(messages.empty());
    EXPECT_EQ(messages[0].body, body);
}

TEST_F(HostMessagesTest, FinishWaits)
{
    const std::string body(1000000, 'y');
    const pid_t process = fork();
    if (process == 0)
    {
        HostMessageWriter writer(m_ends[1]);
        writer.Send({HostMessageKind::NOTE, 0, body});
        writer.Finish();
        _exit(0);
    }
    close(m_ends[1]);
    m_ends[1] = -1;
    HostMessageReader reader(m_ends[0]);
    std::vector<HostMessage> messages;
    for (int i = 0; i < 10000 && reader.Read(messages); ++i)
    {
        usleep(1000);
    }
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].body, body);
    int status = 1;
    EXPECT_EQ(waitpid(process, &status, 0), process);
    EXPECT_EQ(status, 0);
}

TEST_F(HostMessagesTest, NobodyReads)
{
    const auto before = std::signal(SIGPIPE, SIG_IGN);
    close(m_ends[0]);
    m_ends[0] = -1;
    HostMessageWriter writer(m_ends[1]);
    writer.Send({HostMessageKind::NOTE, 0, "lost"});
    writer.Finish(); // comes back
    std::signal(SIGPIPE, before);
}

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-child-process.h"
#include "ns3/dml-child-program.h"

#include <cerrno>
#include <csignal>
#include <gtest/gtest.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

using namespace ns3::dml;

namespace
{

/// Whether there is a child that has not been waited for.
bool
HasChildren()
{
    return waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD;
}

} // namespace

TEST(ChildProcessTest, EndsAndIsWaitedForWhenAnExceptionPasses)
{
    for (const auto ending : {ChildProcess::Ending::KILL,
                              ChildProcess::Ending::KILL_GROUP,
                              ChildProcess::Ending::TERMINATE})
    {
        try
        {
            ChildProcess child(ending);
            if (child.Fork())
            {
                while (true)
                {
                    pause();
                }
            }
            EXPECT_TRUE(child.IsRunning());
            throw std::runtime_error("while it runs");
        }
        catch (const std::runtime_error&)
        {
        }
        EXPECT_FALSE(HasChildren());
    }
}

TEST(ChildProcessTest, SaysHowItEnded)
{
    ChildProcess child;
    if (child.Fork())
    {
        _exit(7);
    }
    EXPECT_EQ(WEXITSTATUS(child.Wait()), 7);
    EXPECT_EQ(WEXITSTATUS(child.End()), 7) << "it is not running";
    if (child.Fork())
    {
        pause();
    }
    EXPECT_EQ(WTERMSIG(child.End()), SIGKILL);
}

// What writes a program's input may throw, as for want of memory.
TEST(ChildProcessTest, ProgramEndsWhenItsInputCannotBeWritten)
{
    ChildProgramText text;
    text.write = [](std::FILE*) { throw std::bad_alloc(); };
    EXPECT_THROW(RunProgram({"/bin/sleep", "1000"}, "/", {}, std::chrono::seconds(1000), text),
                 std::bad_alloc);
    EXPECT_FALSE(HasChildren());
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, nullptr, &blocked);
    EXPECT_FALSE(sigismember(&blocked, SIGPIPE));
}

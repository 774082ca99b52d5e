/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-folder-fixture.h"

#include "ns3/dml-child-process.h"
#include "ns3/dml-temporary-folder.h"

#include <csignal>
#include <cstdlib>
#include <exception>
#include <sys/wait.h>

using namespace ns3::dml;

namespace
{

/// Files in a folder of TMPDIR, more than one read of it tells, and a link out of it.
class TemporaryFolderTest : public FolderFixture
{
  protected:
    void SetUp() override
    {
        FolderFixture::SetUp();
        setenv("TMPDIR", m_folder.c_str(), 1);
        std::ofstream(m_folder + "/kept") << "kept";
    }

    void TearDown() override
    {
        unsetenv("TMPDIR");
        FolderFixture::TearDown();
    }

    /// Fill a scratch folder.
    void Fill(const std::string& scratch) const
    {
        std::filesystem::create_directories(scratch + "/0/run");
        for (int i = 0; i < 500; ++i)
        {
            std::ofstream(scratch + "/0/run/a file with a long name " + std::to_string(i)) << i;
        }
        std::filesystem::create_directory_symlink(m_folder, scratch + "/link");
    }

    /// Let a process fill a scratch folder, and then do something. @return how it ended
    int RunProcess(void (*act)()) const
    {
        ChildProcess child;
        if (child.Fork())
        {
            // another test of this process may have had it ignored
            std::signal(SIGPIPE, SIG_DFL);
            const TemporaryFolder scratch;
            Fill(scratch.GetPath());
            act();
            _exit(0);
        }
        return child.Wait();
    }

    /// @return entries of TMPDIR
    int Count() const
    {
        return std::distance(std::filesystem::directory_iterator(m_folder), {});
    }
};

} // namespace

TEST_F(TemporaryFolderTest, GoesWithAllThatIsInIt)
{
    {
        const TemporaryFolder scratch;
        Fill(scratch.GetPath());
        EXPECT_EQ(Count(), 2);
    }
    EXPECT_EQ(Count(), 1);
    EXPECT_EQ(Read("kept"), "kept");
}

// The signal still ends the process, so that a shell sees what has happened.
TEST_F(TemporaryFolderTest, GoesWhenASignalEndsTheProcess)
{
    for (const auto act : {+[] { std::raise(SIGTERM); },
                           +[] { std::raise(SIGINT); },
                           +[] { std::raise(SIGHUP); },
                           +[] { std::raise(SIGPIPE); }})
    {
        const int status = RunProcess(act);
        EXPECT_TRUE(WIFSIGNALED(status)) << status;
        EXPECT_EQ(Count(), 1) << strsignal(WTERMSIG(status));
    }
}

TEST_F(TemporaryFolderTest, GoesWhenNoExceptionCanBePassedOn)
{
    const int status = RunProcess([] {
        std::set_terminate([] {
            EmergencyCleanup::RunAll();
            _exit(3);
        });
        std::terminate();
    });
    EXPECT_EQ(WEXITSTATUS(status), 3);
    EXPECT_EQ(Count(), 1);
}

// It is the folder of who made it.
TEST_F(TemporaryFolderTest, StaysWhenASignalEndsAChild)
{
    EXPECT_EQ(RunProcess([] {
                  ChildProcess child;
                  if (child.Fork())
                  {
                      std::raise(SIGTERM);
                  }
                  const bool ended = WTERMSIG(child.Wait()) == SIGTERM;
                  const std::string parent = std::getenv("TMPDIR");
                  _exit(ended && std::distance(std::filesystem::directory_iterator(parent), {}) == 2
                            ? 0
                            : 1);
              }),
              0);
}

// A process that wrote into it has ended, and been waited for, before it goes.
TEST_F(TemporaryFolderTest, GoesAfterTheProcessesThatWriteIntoIt)
{
    const int status = RunProcess([] {
        static TemporaryFolder* const inner = new TemporaryFolder;
        static ChildProcess child;
        if (child.Fork())
        {
            for (int i = 0;; ++i)
            {
                std::ofstream(inner->GetPath() + "/" + std::to_string(i % 100)) << i;
            }
        }
        while (std::filesystem::is_empty(inner->GetPath()))
        {
        }
        std::raise(SIGTERM);
    });
    EXPECT_EQ(WTERMSIG(status), SIGTERM);
    EXPECT_EQ(Count(), 1);
}

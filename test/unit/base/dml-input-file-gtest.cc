/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-folder-fixture.h"

#include "ns3/dml-failure.h"
#include "ns3/dml-file-error.h"
#include "ns3/dml-input-file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ns3::dml;

namespace
{

class InputFileTest : public FolderFixture
{
  protected:
    /// @return why a file is refused; nothing if it is not
    static std::string Refuse(const std::string& path)
    {
        try
        {
            OpenInput(path, "text");
        }
        catch (const FileError& error)
        {
            return error.what();
        }
        return "";
    }

    /// @param error an errno value @return what comes of it
    static Failure Fail(int error)
    {
        try
        {
            ThrowFileError("x: cannot be read", error, "y");
        }
        catch (...)
        {
            return DescribeException();
        }
    }
};

} // namespace

// Nobody writes to these: whoever opened them as files are opened would wait for ever.
TEST_F(InputFileTest, OnlyFilesAreRead)
{
    const std::string pipe = m_folder + "/pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(Refuse(pipe), pipe + ": cannot be read: is a named pipe; accepted: text");
    EXPECT_EQ(Refuse("/dev/null"), "/dev/null: cannot be read: is a device; accepted: text");
    EXPECT_EQ(Refuse(m_folder), m_folder + ": cannot be read: is a folder; accepted: text");
    EXPECT_EQ(Refuse(m_folder + "/none"),
              m_folder + "/none: cannot be read: No such file or directory; accepted: text");
    EXPECT_FALSE(ReadBytes(pipe));
    EXPECT_FALSE(ReadBytes(m_folder + "/none"));
    std::ofstream(m_folder + "/file") << "text";
    std::filesystem::create_symlink("file", m_folder + "/link");
    EXPECT_EQ(ReadBytes(m_folder + "/link"), "text");
}

// What a shell's <(COMMAND) gives.
TEST_F(InputFileTest, PipesThatTheProcessHasAreRead)
{
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    ASSERT_EQ(write(ends[1], "text", 4), 4);
    close(ends[1]);
    EXPECT_EQ(ReadBytes("/dev/fd/" + std::to_string(ends[0])), "text");
    close(ends[0]);
}

// A limit of the machine is neither bad input nor would it be so again.
TEST_F(InputFileTest, LimitsOfTheMachineAreNoBadInput)
{
    for (const int error : {EMFILE, ENFILE, ENOMEM, EIO, ENOSPC})
    {
        const Failure failure = Fail(error);
        EXPECT_EQ(failure.code, 1) << error;
        EXPECT_FALSE(failure.again) << error;
    }
    const Failure missing = Fail(ENOENT);
    EXPECT_EQ(missing.code, 2);
    EXPECT_FALSE(missing.again) << "no scenario is at fault";
    EXPECT_EQ(missing.text, "x: cannot be read: No such file or directory; accepted: y");
}

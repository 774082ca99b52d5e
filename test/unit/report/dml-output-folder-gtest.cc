/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Files in folders of somebody else's: links and pipes that lie where dml writes.

#include "dml-folder-fixture.h"

#include "ns3/dml-child-process.h"
#include "ns3/dml-emergency-cleanup.h"
#include "ns3/dml-error.h"
#include "ns3/dml-file-error.h"
#include "ns3/dml-output-folder.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-result-folder.h"

#include <csignal>
#include <exception>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

using namespace ns3::dml;

namespace
{

namespace fs = std::filesystem;

class OutputFolderTest : public FolderFixture
{
  protected:
    void SetUp() override
    {
        FolderFixture::SetUp();
        std::ofstream(m_folder + "/precious") << "precious\n";
    }

    /// Nothing was written through a link.
    void TearDown() override
    {
        EXPECT_EQ(Read("precious"), "precious\n");
        FolderFixture::TearDown();
    }

    /// @param action that is to throw a FileError @return its text without the folder
    template <class Action>
    std::string ErrorOf(Action action)
    {
        try
        {
            action();
        }
        catch (const FileError& error)
        {
            const std::string text = error.what();
            return text.rfind(m_folder + "/", 0) == 0 ? text.substr(m_folder.size() + 1) : text;
        }
        return "";
    }
};

} // namespace

TEST_F(OutputFolderTest, LinksAreReplacedAndNotFollowed)
{
    const std::string path = m_folder + "/file";
    for (const std::string name : {"/file", "/file.new"})
    {
        for (const bool hard : {false, true})
        {
            SCOPED_TRACE(name + (hard ? " hard" : " symbolic"));
            fs::remove(m_folder + name);
            hard ? fs::create_hard_link(m_folder + "/precious", m_folder + name)
                 : fs::create_symlink("precious", m_folder + name);
            if (name == "/file")
            {
                ResultFile file(path);
                file.GetBuffer() += "rows\n";
                file.Close();
                EXPECT_EQ(Read("file"), "rows\n");
            }
            ResultFile::Replace(path, "content\n");
            EXPECT_EQ(Read("file"), "content\n");
            EXPECT_FALSE(fs::is_symlink(path));
            EXPECT_FALSE(fs::exists(path + ".new"));
            EXPECT_EQ(Read("precious"), "precious\n");
        }
    }
}

TEST_F(OutputFolderTest, WhatIsNoFileIsRefused)
{
    ASSERT_EQ(mkfifo((m_folder + "/pipe").c_str(), 0600), 0);
    fs::create_directory(m_folder + "/folder");
    const std::string end =
        ": cannot be written: found no regular file there; accepted: it removed";
    for (const std::string name : {"pipe", "folder"})
    {
        EXPECT_EQ(ErrorOf([&] { ResultFile file(m_folder + "/" + name); }), name + end);
    }
    ASSERT_EQ(mkfifo((m_folder + "/x.new").c_str(), 0600), 0);
    EXPECT_EQ(ErrorOf([&] { ResultFile::Replace(m_folder + "/x", "y"); }), "x.new" + end);
}

// The file of an unfinished study is cut off and goes on only if it is that file.
TEST_F(OutputFolderTest, OnlyTheFileOfTheStudyGoesOn)
{
    const std::string path = m_folder + "/steps.csv";
    const auto goOn = [&](uint64_t size) {
        return ErrorOf([&] {
            ResultFile file(path, size, "precious\n");
            file.GetBuffer() += "row\n";
            file.Close();
        });
    };
    const std::string accepted =
        "; accepted: the file that the unfinished study wrote; or --restart";
    fs::create_symlink("precious", path);
    EXPECT_EQ(goOn(9), "steps.csv: cannot be written: is a symbolic link" + accepted);
    fs::remove(path);
    fs::create_hard_link(m_folder + "/precious", path);
    EXPECT_EQ(goOn(9),
              "steps.csv: cannot be written: has 2 names (hard links), and what is written would "
              "be in all of them" +
                  accepted);
    fs::remove(path);
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    EXPECT_EQ(goOn(9), "steps.csv: cannot be written: is no regular file" + accepted);
    fs::remove(path);
    const std::string other =
        "steps.csv: is not the file that the unfinished study wrote" + accepted;
    for (const char* text : {"other\nrows\n", "precious\nro\n", "precious\nlong row\n"})
    {
        std::ofstream(path) << text;
        EXPECT_EQ(goOn(13), other) << text;
        EXPECT_EQ(Read("steps.csv"), text);
    }
    std::ofstream(path) << "precious\n1,2\nof a run that was killed\n";
    EXPECT_EQ(goOn(13), "");
    EXPECT_EQ(Read("steps.csv"), "precious\n1,2\nrow\n");
}

TEST_F(OutputFolderTest, InnerFoldersAreNoLinks)
{
    fs::create_directory(m_folder + "/elsewhere");
    fs::create_symlink("elsewhere", m_folder + "/link");
    MakeInnerFolder(m_folder + "/inner");
    MakeInnerFolder(m_folder + "/inner");
    EXPECT_TRUE(fs::is_directory(m_folder + "/inner"));
    EXPECT_EQ(ErrorOf([&] { MakeInnerFolder(m_folder + "/link"); }),
              "link: cannot be written: is a symbolic link; accepted: a folder, or none yet");
    EXPECT_EQ(ErrorOf([&] { MakeInnerFolder(m_folder + "/precious"); }),
              "precious: cannot be written: is no folder; accepted: a folder, or none yet");
}

TEST_F(OutputFolderTest, TheLockIsNoLink)
{
    fs::create_symlink("precious", m_folder + "/.lock");
    for (const auto lock : {ResultFolder::Lock::EXCLUSIVE, ResultFolder::Lock::SHARED})
    {
        EXPECT_EQ(ErrorOf([&] { ResultFolder folder(m_folder, lock); }),
                  ".lock: cannot be written: is a symbolic link; accepted: --out with a folder "
                  "that can be written");
    }
    fs::remove(m_folder + "/.lock");
    const ResultFolder one(m_folder, ResultFolder::Lock::SHARED);
    EXPECT_NO_THROW(ResultFolder(m_folder, ResultFolder::Lock::SHARED));
}

// A file that was there before stays, and nothing else lies beside it.
TEST_F(OutputFolderTest, ADraftGoesHoweverTheProcessEnds)
{
    const std::string path = m_folder + "/precious";
    for (const auto end : {+[] { std::raise(SIGTERM); },
                           +[] { std::raise(SIGINT); },
                           +[] {
                               std::set_terminate([] {
                                   EmergencyCleanup::RunAll();
                                   _exit(3);
                               });
                               std::terminate();
                           }})
    {
        ChildProcess child;
        if (child.Fork())
        {
            ResultFile::ReplaceChecked(path, "new\n", ".draft", [end](const std::string& draft) {
                end();
                _exit(fs::exists(draft) ? 4 : 5);
            });
            _exit(6);
        }
        const int status = child.Wait();
        EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 3) << status;
        EXPECT_EQ(std::distance(fs::directory_iterator(m_folder), {}), 1) << status;
    }
    EXPECT_THROW(ResultFile::ReplaceChecked(path,
                                            "new\n",
                                            ".draft",
                                            [](const std::string& draft) {
                                                EXPECT_TRUE(fs::exists(draft));
                                                throw RunError("");
                                            }),
                 RunError);
    EXPECT_EQ(std::distance(fs::directory_iterator(m_folder), {}), 1);
}

TEST_F(OutputFolderTest, ARowThatIsNotCompleteIsNotWritten)
{
    const auto write = [](ResultFile& file) {
        file.GetBuffer() += "row\n";
        file.Commit();
        file.GetBuffer() += "half of a r";
        throw RunError("");
    };
    const auto add = [&] {
        ResultFile file(m_folder + "/rows.csv");
        write(file);
    };
    EXPECT_THROW(add(), RunError);
    EXPECT_EQ(Read("rows.csv"), "row\n");
    EXPECT_THROW(ResultFile::Replace(m_folder + "/precious", write), RunError);
}

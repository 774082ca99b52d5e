/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FOLDER_FIXTURE_H
#define DML_FOLDER_FIXTURE_H

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

/// A folder of its own for each test, removed afterwards.
class FolderFixture : public testing::Test
{
  protected:
    void SetUp() override
    {
        // A quote and a space in the path: a shell would take them for its own.
        std::string pattern = testing::TempDir() + "dml test's XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        m_folder = pattern;
    }

    void TearDown() override
    {
        std::filesystem::remove_all(m_folder);
    }

    /// @param name of a file in the folder; @return its content
    std::string Read(const std::string& name) const
    {
        std::ifstream file(m_folder + "/" + name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    std::string m_folder; //!< of the test's files
};

#endif /* DML_FOLDER_FIXTURE_H */

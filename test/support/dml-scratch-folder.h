/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCRATCH_FOLDER_H
#define DML_SCRATCH_FOLDER_H

#include "ns3/dml-error.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <string>

/// A folder for a test's files, removed at the end.
class ScratchFolder
{
  public:
    ScratchFolder()
        : m_path(std::filesystem::path(testing::TempDir()) /
                 ("dml-" + std::to_string(std::random_device{}())))
    {
        std::filesystem::create_directories(m_path);
    }

    ~ScratchFolder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }

    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    /// @param name of a file; @return its path
    std::string GetPath(const std::string& name) const
    {
        return (m_path / name).lexically_normal().string();
    }

    /// @param name of a file; @param text new content; @return its path
    std::string Write(const std::string& name, const std::string& text) const
    {
        std::filesystem::create_directories((m_path / name).parent_path());
        std::ofstream(m_path / name, std::ios::binary) << text;
        return GetPath(name);
    }

    /**
     * @param call code that should throw InputError
     * @return the error's text with paths relative to this folder, or "no error"
     */
    template <typename Call>
    std::string ErrorOf(Call call) const
    {
        try
        {
            call();
        }
        catch (const ns3::dml::InputError& error)
        {
            std::string text = error.what();
            const std::string folder = m_path.string() + "/";
            for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder))
            {
                text.erase(at, folder.size());
            }
            return text;
        }
        return "no error";
    }

  private:
    std::filesystem::path m_path; //!< absolute
};

#endif /* DML_SCRATCH_FOLDER_H */

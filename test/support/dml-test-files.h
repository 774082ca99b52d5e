/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TEST_FILES_H
#define DML_TEST_FILES_H

#include <cstdlib>
#include <filesystem>
#include <string>

/// @param name of a file of the repository; @return its path
inline std::string
FindRepositoryFile(const std::string& name)
{
    const char* root = std::getenv("DML_ROOT");
    const std::filesystem::path folder =
        root ? std::filesystem::path(root)
             : std::filesystem::path(__FILE__).parent_path() / ".." / "..";
    return (folder / name).lexically_normal().string();
}

/**
 * @brief A measurement that is no part of the repository: tests skip where it is not.
 * @param name of the file in the folder that the environment variable DML_SHARED_PROFILES names, or
 * else in shared/profiles beside the repository
 * @return its path, or empty if it is not there
 */
inline std::string
FindSharedProfile(const std::string& name)
{
    const char* folder = std::getenv("DML_SHARED_PROFILES");
    const std::filesystem::path file =
        std::filesystem::path(folder ? folder : FindRepositoryFile("../shared/profiles")) / name;
    return std::filesystem::exists(file) ? file.string() : std::string();
}

#endif /* DML_TEST_FILES_H */

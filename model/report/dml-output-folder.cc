/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-output-folder.h"

#include "ns3/dml-file-error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace ns3::dml
{

namespace
{

constexpr mode_t FILE_MODE = 0666; //!< less what the umask takes away
constexpr mode_t FOLDER_MODE = 0777;

const std::string ACCEPTED = "a folder that exists and can be written to";

/// @throws FileError that says what lies where a file is to be
[[noreturn]] void
RefuseFound(const std::string& path, const std::string& found, const std::string& accepted)
{
    throw FileError(path + ": cannot be written: " + found + "; accepted: " + accepted);
}

} // namespace

OutputFolder::OutputFolder(const std::string& file)
    : m_path(file)
{
    const std::size_t slash = file.rfind('/');
    const bool here = slash == std::string::npos;
    m_name = here ? file : file.substr(slash + 1);
    const std::string folder = here ? "." : file.substr(0, slash + 1);
    m_directory = OpenFile(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (m_directory.Get() < 0)
    {
        ThrowFileError(m_path + ": cannot be written", errno, ACCEPTED);
    }
}

OpenFile
OutputFolder::Create(const std::string& ending) const
{
    constexpr int TRIES = 10; // against others that make the same file all the time
    const std::string name = m_name + ending;
    for (int i = 0; i < TRIES; ++i)
    {
        OpenFile file(openat(m_directory.Get(),
                             name.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                             FILE_MODE));
        if (file.Get() >= 0)
        {
            return file;
        }
        struct stat status = {};
        if (errno != EEXIST ||
            fstatat(m_directory.Get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
        {
            ThrowFileError(m_path + ": cannot be written", errno, ACCEPTED);
        }
        if (!S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode))
        {
            RefuseFound(m_path + ending, "found no regular file there", "it removed");
        }
        if (unlinkat(m_directory.Get(), name.c_str(), 0) != 0 && errno != ENOENT)
        {
            ThrowFileError(m_path + ending + ": cannot be replaced", errno, ACCEPTED);
        }
    }
    RefuseFound(m_path + ending, "another process writes it, too", "one process");
}

bool
OutputFolder::TakesNamelessFiles() const
{
    constexpr mode_t OWN = 0600;
    const OpenFile file(openat(m_directory.Get(), ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, OWN));
    return file.Get() >= 0;
}

OpenFile
OutputFolder::Open(int flags, const std::string& accepted) const
{
    OpenFile file(openat(m_directory.Get(),
                         m_name.c_str(),
                         flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                         FILE_MODE));
    struct stat status = {};
    if (file.Get() < 0 && errno == ELOOP)
    {
        RefuseFound(m_path, "is a symbolic link", accepted);
    }
    if (file.Get() < 0 || fstat(file.Get(), &status) != 0)
    {
        ThrowFileError(m_path + ": cannot be written", errno, accepted);
    }
    if (!S_ISREG(status.st_mode))
    {
        RefuseFound(m_path, "is no regular file", accepted);
    }
    if (status.st_nlink > 1)
    {
        RefuseFound(m_path,
                    "has " + std::to_string(status.st_nlink) +
                        " names (hard links), and what is written would be in all of them",
                    accepted);
    }
    return file;
}

void
OutputFolder::Rename(const std::string& name) const
{
    if (renameat(m_directory.Get(), name.c_str(), m_directory.Get(), m_name.c_str()) != 0)
    {
        ThrowFileError(m_path + ": cannot be replaced", errno, "a file there, or none");
    }
}

void
OutputFolder::Sync() const
{
    if (fsync(m_directory.Get()) != 0)
    {
        throw RunError(m_path + ": write failed: " + std::strerror(errno));
    }
}

void
MakeOutputFolder(const std::string& path)
{
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error)
    {
        ThrowFileError(path + ": cannot be made", error.value(), ACCEPTED);
    }
}

void
MakeInnerFolder(const std::string& path)
{
    const std::string accepted = "a folder, or none yet";
    struct stat status = {};
    if (mkdir(path.c_str(), FOLDER_MODE) != 0 && errno != EEXIST)
    {
        ThrowFileError(path + ": cannot be made", errno, ACCEPTED);
    }
    if (lstat(path.c_str(), &status) != 0)
    {
        ThrowFileError(path + ": cannot be made", errno, ACCEPTED);
    }
    if (!S_ISDIR(status.st_mode))
    {
        RefuseFound(path,
                    S_ISLNK(status.st_mode) ? "is a symbolic link" : "is no folder",
                    accepted);
    }
}

} // namespace ns3::dml

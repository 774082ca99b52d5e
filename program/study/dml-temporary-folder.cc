/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-temporary-folder.h"

#include "ns3/dml-error.h"
#include "ns3/dml-open-file.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <sys/syscall.h>
#include <unistd.h>

namespace ns3::dml
{

namespace
{

/// What getdents64(2) writes.
struct DirectoryEntry
{
    uint64_t inode;  //!< its number
    int64_t offset;  //!< of the next entry
    uint16_t length; //!< of this entry, bytes
    uint8_t type;    //!< of the file
    char name[1];    //!< ends with a zero
};

/// Remove what is in a folder, without memory, as a handler of signals has to.
/// @param folder its descriptor @return whether all has gone
bool
Empty(int folder) noexcept
{
    bool all = true;
    alignas(DirectoryEntry) char buffer[4096];
    for (long read = 0; (read = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;)
    {
        for (long at = 0; at < read;)
        {
            const auto& entry = *reinterpret_cast<const DirectoryEntry*>(buffer + at);
            const char* const name = entry.name;
            at += entry.length;
            if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0 ||
                unlinkat(folder, name, 0) == 0)
            {
                continue;
            }
            const OpenFile inner(
                openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
            all = inner.Get() >= 0 && Empty(inner.Get()) &&
                  unlinkat(folder, name, AT_REMOVEDIR) == 0 && all;
        }
    }
    return all;
}

} // namespace

TemporaryFolder::TemporaryFolder()
    : m_cleanup([](void* folder) noexcept { static_cast<TemporaryFolder*>(folder)->Remove(); },
                this)
{
    std::error_code error;
    const auto parent = std::filesystem::temp_directory_path(error);
    if (error)
    {
        throw RunError("TMPDIR names no folder: " + error.message());
    }
    std::string path = (parent / "dml-XXXXXX").string();
    m_path.reserve(path.size());
    if (!mkdtemp(path.data()))
    {
        throw RunError(path + ": cannot be created: " + std::strerror(errno));
    }
    m_path = path;
}

TemporaryFolder::~TemporaryFolder()
{
    Remove();
}

void
TemporaryFolder::Remove() noexcept
{
    // A lack of descriptors may be over when the next attempt is made, and a folder whose entries
    // are removed while it is read may leave some out.
    constexpr int ATTEMPTS = 3;
    for (int attempt = 0; attempt < ATTEMPTS && !m_path.empty(); ++attempt)
    {
        const OpenFile folder(open(m_path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (folder.Get() >= 0)
        {
            Empty(folder.Get());
        }
        if (rmdir(m_path.c_str()) == 0 || errno == ENOENT)
        {
            return;
        }
    }
}

} // namespace ns3::dml

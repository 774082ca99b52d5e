/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-input-file.h"

#include "ns3/dml-file-error.h"

#include <algorithm>
#include <array>
#include <boost/iostreams/device/file_descriptor.hpp>
#include <boost/iostreams/stream.hpp>
#include <cerrno>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace ns3::dml
{

namespace
{

/// @return whether a path names a descriptor that this process was started with
bool
IsInherited(std::string_view path)
{
    constexpr std::array<std::string_view, 4> GIVEN{"/dev/fd/",
                                                    "/dev/stdin",
                                                    "/proc/self/fd/",
                                                    "/proc/thread-self/fd/"};
    return std::any_of(GIVEN.begin(), GIVEN.end(), [path](std::string_view start) {
        return path.substr(0, start.size()) == start;
    });
}

/// @param mode of a file @return what it is if it is not to be read, else null
const char*
NameUnreadable(mode_t mode, bool inherited)
{
    return S_ISREG(mode)    ? nullptr
           : S_ISDIR(mode)  ? "is a folder"
           : S_ISFIFO(mode) ? inherited ? nullptr : "is a named pipe"
           : S_ISSOCK(mode) ? "is a socket"
                            : "is a device";
}

} // namespace

OpenFile
OpenInput(const std::string& path, const std::string& accepted)
{
    const std::string what = path + ": cannot be read";
    const bool inherited = IsInherited(path);
    const auto check = [&](const struct stat& status) {
        if (const char* const unreadable = NameUnreadable(status.st_mode, inherited))
        {
            throw FileError(what + ": " + unreadable + "; accepted: " + accepted);
        }
    };
    struct stat status = {};
    // opening a device may do something already
    if (stat(path.c_str(), &status) != 0)
    {
        ThrowFileError(what, errno, accepted);
    }
    check(status);
    // if it has become a named pipe in between, O_NONBLOCK lets nobody wait for its writer
    OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (file.Get() < 0 || fstat(file.Get(), &status) != 0)
    {
        ThrowFileError(what, errno, accepted);
    }
    check(status);
    fcntl(file.Get(), F_SETFL, fcntl(file.Get(), F_GETFL) & ~O_NONBLOCK);
    return file;
}

std::unique_ptr<std::istream>
OpenInputStream(const std::string& path, const std::string& accepted)
{
    namespace io = boost::iostreams;
    constexpr std::streamsize BUFFER_BYTES = 65536;
    OpenFile file = OpenInput(path, accepted);
    auto stream = std::make_unique<io::stream<io::file_descriptor_source>>();
    stream->open(io::file_descriptor_source(file.Release(), io::close_handle), BUFFER_BYTES);
    return stream;
}

std::optional<std::string>
ReadBytes(const std::string& path)
{
    std::unique_ptr<std::istream> file;
    try
    {
        file = OpenInputStream(path);
    }
    catch (const FileError&)
    {
        return std::nullopt;
    }
    std::string bytes;
    char block[65536];
    while (file->read(block, sizeof(block)) || file->gcount() > 0)
    {
        bytes.append(block, file->gcount());
    }
    if (file->bad())
    {
        throw RunError(path + ": cannot be read to its end");
    }
    return bytes;
}

} // namespace ns3::dml

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-result-file.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace ns3
{
namespace dml
{

namespace
{

constexpr size_t BUFFER_BYTES = 256 * 1024; //!< rows are written when they take so much

/// @param error an errno value; @return its text
std::string
Reason(int error)
{
    return std::strerror(error);
}

} // namespace

ResultFile::ResultFile(const std::string& path)
    : m_path(path),
      m_file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)),
      m_lastWrite(std::chrono::steady_clock::now())
{
    if (m_file < 0)
    {
        throw InputError(path + ": cannot be written: " + Reason(errno) +
                         "; give a folder that exists and can be written to");
    }
    m_buffer.reserve(BUFFER_BYTES + 4096);
}

ResultFile::ResultFile(const std::string& path, uint64_t size)
    : m_path(path),
      m_file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)),
      m_lastWrite(std::chrono::steady_clock::now())
{
    if (m_file < 0 || ::ftruncate(m_file, size) != 0)
    {
        const int error = errno;
        if (m_file >= 0)
        {
            ::close(m_file);
        }
        throw InputError(path + ": cannot be written: " + Reason(error) +
                         "; give the folder of an unfinished study that can be written to");
    }
    m_buffer.reserve(BUFFER_BYTES + 4096);
}

ResultFile::~ResultFile()
{
    try
    {
        Close();
    }
    catch (const RunError&)
    {
        // Close() was not called, so the run has failed for another reason already.
    }
}

std::string&
ResultFile::GetBuffer()
{
    return m_buffer;
}

void
ResultFile::Commit()
{
    if (m_buffer.size() >= BUFFER_BYTES ||
        std::chrono::steady_clock::now() - m_lastWrite >= std::chrono::seconds(1))
    {
        Flush();
    }
}

void
ResultFile::Flush()
{
    size_t done = 0;
    while (done < m_buffer.size())
    {
        const ssize_t n = ::write(m_file, m_buffer.data() + done, m_buffer.size() - done);
        if (n < 0 && errno != EINTR)
        {
            const int error = errno;
            m_buffer.clear(); // or the destructor would try again
            throw RunError(m_path + ": write failed: " + Reason(error));
        }
        done += n > 0 ? n : 0;
    }
    m_buffer.clear();
    m_lastWrite = std::chrono::steady_clock::now();
}

void
ResultFile::Sync()
{
    Flush();
    if (::fsync(m_file) != 0)
    {
        throw RunError(m_path + ": write failed: " + Reason(errno));
    }
}

uint64_t
ResultFile::GetSize() const
{
    struct stat status = {};
    return ::fstat(m_file, &status) == 0 ? status.st_size : 0;
}

bool
ResultFile::CopyInSystem([[maybe_unused]] const std::string& path)
{
#ifdef __linux__
    constexpr off_t WORTH_IT = 1 << 20; // smaller files are better gathered in the buffer
    const int other = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status = {};
    if (other < 0 || ::fstat(other, &status) != 0 || status.st_size < WORTH_IT)
    {
        ::close(other);
        return false;
    }
    Flush();
    off_t left = status.st_size;
    ssize_t n = 1;
    while (left > 0 && n > 0)
    {
        n = ::copy_file_range(other, nullptr, m_file, nullptr, left, 0);
        left -= std::max<ssize_t>(0, n);
    }
    const int error = errno;
    ::close(other);
    if (left > 0 && left < status.st_size)
    {
        throw RunError(m_path + ": write failed: " + (n < 0 ? Reason(error) : path + " is too short"));
    }
    return left == 0; // file systems that cannot do it have done nothing
#else
    return false;
#endif
}

void
ResultFile::AppendFile(const std::string& path)
{
    if (CopyInSystem(path))
    {
        return;
    }
    std::ifstream other(path, std::ios::binary);
    if (!other)
    {
        throw RunError(path + ": cannot be read: " + Reason(errno));
    }
    char block[65536];
    while (other.read(block, sizeof(block)) || other.gcount() > 0)
    {
        m_buffer.append(block, other.gcount());
        Commit();
    }
}

void
ResultFile::Close()
{
    if (m_file < 0)
    {
        return;
    }
    const int file = m_file;
    try
    {
        Flush();
    }
    catch (const RunError&)
    {
        m_file = -1;
        ::close(file);
        throw;
    }
    m_file = -1;
    if (::close(file) != 0)
    {
        throw RunError(m_path + ": write failed: " + Reason(errno));
    }
}

const std::string&
ResultFile::GetPath() const
{
    return m_path;
}

void
ResultFile::Replace(const std::string& path, std::string_view content, bool durable)
{
    const std::string draft = path + ".new";
    ResultFile file(draft);
    file.GetBuffer() = content;
    try
    {
        if (durable)
        {
            file.Sync();
        }
        file.Close();
    }
    catch (const RunError&)
    {
        ::unlink(draft.c_str());
        throw;
    }
    if (::rename(draft.c_str(), path.c_str()) != 0)
    {
        const int error = errno;
        ::unlink(draft.c_str());
        throw RunError(path + ": cannot be replaced: " + Reason(error));
    }
    if (durable)
    {
        const std::size_t slash = path.rfind('/');
        SyncPath(slash == std::string::npos ? "." : path.substr(0, slash + 1));
    }
}

void
ResultFile::SyncPath(const std::string& path)
{
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const bool synced = file >= 0 && ::fsync(file) == 0;
    const int error = errno;
    if (file >= 0)
    {
        ::close(file);
    }
    if (!synced)
    {
        throw RunError(path + ": write failed: " + Reason(error));
    }
}

void
AppendNumber(std::string& out, uint64_t value)
{
    char text[24];
    const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
    out.append(text, end - text);
}

void
AppendFixed(std::string& out, double value, int decimals)
{
    if (!std::isfinite(value))
    {
        return;
    }
    // The largest double has 309 digits before the point.
    char text[400];
    const auto result = std::to_chars(text,
                                      text + sizeof(text),
                                      value == 0 ? 0.0 : value, // no "-0"
                                      std::chars_format::fixed,
                                      decimals);
    out.append(text, result.ptr - text);
}

std::string
QuoteCsv(std::string_view text)
{
    if (text.find_first_of(",\"\r\n") == std::string_view::npos)
    {
        return std::string(text);
    }
    std::string quoted = "\"";
    for (const char c : text)
    {
        quoted += c;
        if (c == '"')
        {
            quoted += c;
        }
    }
    return quoted + '"';
}

} // namespace dml
} // namespace ns3

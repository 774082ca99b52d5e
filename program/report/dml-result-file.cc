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

namespace ns3::dml
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
        throw RunError(m_path +
                       ": write failed: " + (n < 0 ? Reason(error) : path + " is too short"));
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

void
ResultFile::Replace(const std::string& path, std::string_view content, bool durable)
{
    Replace(
        path,
        [content](ResultFile& file) { file.GetBuffer() = content; },
        durable);
}

void
ResultFile::Replace(const std::string& path,
                    const std::function<void(ResultFile&)>& write,
                    bool durable)
{
    const std::string draft = path + ".new";
    ResultFile file(draft);
    try
    {
        write(file);
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

namespace
{

/// Numbers below this times 10^MOST_FAST_DECIMALS fit into 64 bits.
constexpr double MOST_FAST = 1e9;
constexpr int MOST_FAST_DECIMALS = 9;

/**
 * @brief What std::to_chars() gives, in a fraction of the time: the number times 10^decimals as an
 * exact integer of 128 bits, rounded half to even.
 */
void
AppendFast(std::string& out, double value, int decimals)
{
    __extension__ using Wide = unsigned __int128;
    constexpr int MANTISSA = 52; // bits of a double
    constexpr int BIAS = 1023 + MANTISSA;
    constexpr int LOST = 120; // bits behind the point at which 10^9 times the number is 0
    uint64_t power = 1;
    for (int i = 0; i < decimals; ++i)
    {
        power *= 10;
    }
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    const int shift = BIAS - static_cast<int>(bits >> MANTISSA & 0x7ff); // bits behind the point
    uint64_t scaled = 0;
    if (shift < LOST)
    {
        const uint64_t one = uint64_t{1} << MANTISSA;
        const Wide wide = Wide{(bits & (one - 1)) | one} * power;
        const Wide half = Wide{1} << (shift - 1);
        const Wide rest = wide & (2 * half - 1);
        scaled = static_cast<uint64_t>(wide >> shift);
        scaled += rest > half || (rest == half && scaled % 2 == 1) ? 1 : 0;
    }
    char text[24];
    char* point = std::to_chars(text, text + sizeof(text), scaled / power).ptr;
    *point = '.';
    uint64_t digits = scaled % power;
    for (int i = decimals; i > 0; --i, digits /= 10)
    {
        point[i] = static_cast<char>('0' + digits % 10);
    }
    out.append(text, point + 1 + decimals - text);
}

} // namespace

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
    if (value >= 0 && value < MOST_FAST && decimals > 0 && decimals <= MOST_FAST_DECIMALS)
    {
        AppendFast(out, value, decimals);
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

} // namespace ns3::dml

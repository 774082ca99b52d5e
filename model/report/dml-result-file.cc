/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-result-file.h"

#include "dml-draft-file.h"
#include "dml-output-folder.h"

#include "ns3/dml-file-error.h"
#include "ns3/dml-input-file.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

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

/// @return whether a file has these bytes there
bool
HasBytes(const OpenFile& file, std::string_view bytes, off_t offset)
{
    std::string found(bytes.size(), '\0');
    return pread(file.Get(), found.data(), found.size(), offset) ==
               static_cast<ssize_t>(found.size()) &&
           found == bytes;
}

/// @return a file that an earlier process wrote, without what follows @p size bytes; as the
/// constructor of ResultFile
OpenFile
OpenWritten(const std::string& path, uint64_t size, std::string_view head)
{
    const std::string accepted = "the file that the unfinished study wrote; or --restart";
    OpenFile file = OutputFolder(path).Open(O_RDWR | O_APPEND, accepted);
    struct stat status = {};
    if (fstat(file.Get(), &status) != 0 || static_cast<uint64_t>(status.st_size) < size ||
        size < head.size() || !HasBytes(file, head, 0) ||
        (size > 0 && !HasBytes(file, "\n", static_cast<off_t>(size) - 1)))
    {
        throw FileError(path +
                        ": is not the file that the unfinished study wrote; accepted: " + accepted);
    }
    if (ftruncate(file.Get(), static_cast<off_t>(size)) != 0)
    {
        ThrowFileError(path + ": cannot be written", errno, accepted);
    }
    return file;
}

} // namespace

ResultFile::ResultFile(const std::string& path)
    : ResultFile(path, OutputFolder(path).Create())
{
}

ResultFile::ResultFile(const std::string& path, uint64_t size, std::string_view head)
    : ResultFile(path, OpenWritten(path, size, head))
{
}

ResultFile::ResultFile(const std::string& path, OpenFile file)
    : m_path(path),
      m_file(std::move(file)),
      m_lastWrite(std::chrono::steady_clock::now())
{
    m_buffer.reserve(BUFFER_BYTES + 4096);
}

ResultFile::~ResultFile()
{
    // Close() was not called, so the run has failed for another reason already, perhaps in a row.
    try
    {
        m_buffer.resize(m_complete);
        Close();
    }
    catch (const RunError&)
    {
    }
}

void
ResultFile::Commit()
{
    m_complete = m_buffer.size();
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
        const ssize_t n = ::write(m_file.Get(), m_buffer.data() + done, m_buffer.size() - done);
        if (n < 0 && errno != EINTR)
        {
            const int error = errno;
            m_buffer.clear(); // or the destructor would try again
            m_complete = 0;
            throw RunError(m_path + ": write failed: " + Reason(error));
        }
        done += n > 0 ? n : 0;
    }
    m_buffer.clear();
    m_complete = 0;
    m_lastWrite = std::chrono::steady_clock::now();
}

void
ResultFile::Sync()
{
    Flush();
    if (::fsync(m_file.Get()) != 0)
    {
        throw RunError(m_path + ": write failed: " + Reason(errno));
    }
}

uint64_t
ResultFile::GetSize() const
{
    struct stat status = {};
    return ::fstat(m_file.Get(), &status) == 0 ? status.st_size : 0;
}

bool
ResultFile::CopyInSystem([[maybe_unused]] const std::string& path)
{
#ifdef __linux__
    constexpr off_t WORTH_IT = 1 << 20; // smaller files are better gathered in the buffer
    const OpenFile other = OpenInput(path);
    struct stat status = {};
    if (::fstat(other.Get(), &status) != 0 || status.st_size < WORTH_IT)
    {
        return false;
    }
    Flush();
    off_t left = status.st_size;
    ssize_t n = 1;
    while (left > 0 && n > 0)
    {
        n = ::copy_file_range(other.Get(), nullptr, m_file.Get(), nullptr, left, 0);
        left -= std::max<ssize_t>(0, n);
    }
    const int error = errno;
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
    try
    {
        AppendInput(path);
    }
    catch (const FileError& error)
    {
        throw RunError(error.what()); // it is of a run, and no input of the user's
    }
}

void
ResultFile::AppendInput(const std::string& path)
{
    if (CopyInSystem(path))
    {
        return;
    }
    const auto other = OpenInputStream(path);
    char block[65536];
    while (other->read(block, sizeof(block)) || other->gcount() > 0)
    {
        m_buffer.append(block, other->gcount());
        Commit();
    }
    if (other->bad())
    {
        throw RunError(path + ": cannot be read to its end");
    }
}

void
ResultFile::Close()
{
    if (m_file.Get() < 0)
    {
        return;
    }
    try
    {
        Flush();
    }
    catch (const RunError&)
    {
        m_file = OpenFile();
        throw;
    }
    if (::close(m_file.Release()) != 0)
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
    const OutputFolder folder(path);
    DraftFile draft(folder, ".new");
    WriteDraft(path, draft, write, durable);
    draft.Publish();
    if (durable)
    {
        folder.Sync();
    }
}

void
ResultFile::ReplaceChecked(const std::string& path,
                           std::string_view content,
                           const std::string& ending,
                           const std::function<void(const std::string&)>& check)
{
    const OutputFolder folder(path);
    DraftFile draft(folder, ending);
    WriteDraft(
        path,
        draft,
        [content](ResultFile& file) { file.GetBuffer() = content; },
        false);
    check(path + ending);
    draft.Publish();
}

void
ResultFile::WriteDraft(const std::string& path,
                       DraftFile& draft,
                       const std::function<void(ResultFile&)>& write,
                       bool durable)
{
    ResultFile file(path, draft.Take());
    write(file);
    if (durable)
    {
        file.Sync();
    }
    file.Close();
}

void
ResultFile::SyncPath(const std::string& path)
{
    const OpenFile file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.Get() < 0 || ::fsync(file.Get()) != 0)
    {
        throw RunError(path + ": write failed: " + Reason(errno));
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

} // namespace ns3::dml

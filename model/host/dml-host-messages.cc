/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-messages.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace ns3::dml
{

namespace
{

/// What comes before the body of a message in the pipe.
struct MessageHead
{
    HostMessageKind kind; //!< of the message
    double time;          //!< of the message
    uint64_t size;        //!< of the body
};

constexpr std::size_t READ_CHUNK = 65536;

} // namespace

HostMessageWriter::HostMessageWriter(int file)
    : m_file(file)
{
    fcntl(m_file, F_SETFL, fcntl(m_file, F_GETFL) | O_NONBLOCK);
}

void
HostMessageWriter::Send(const HostMessage& message)
{
    MessageHead head{};
    head.kind = message.kind;
    head.time = message.time;
    head.size = message.body.size();
    m_waiting.append(reinterpret_cast<const char*>(&head), sizeof(head));
    m_waiting += message.body;
    Write();
}

bool
HostMessageWriter::Write()
{
    std::size_t written = 0;
    while (written < m_waiting.size())
    {
        const auto size = write(m_file, m_waiting.data() + written, m_waiting.size() - written);
        if (size < 0 && errno == EINTR)
        {
            continue;
        }
        if (size < 0 && errno != EAGAIN)
        {
            m_waiting.clear(); // nobody reads any more
            return true;
        }
        if (size < 0)
        {
            break;
        }
        written += size;
    }
    m_waiting.erase(0, written);
    return m_waiting.empty();
}

void
HostMessageWriter::Finish()
{
    while (!Write())
    {
        pollfd room{m_file, POLLOUT, 0};
        poll(&room, 1, -1);
    }
}

HostMessageReader::HostMessageReader(int file)
    : m_file(file)
{
}

bool
HostMessageReader::Read(std::vector<HostMessage>& messages)
{
    std::array<char, READ_CHUNK> chunk{};
    ssize_t size = 0;
    while ((size = read(m_file, chunk.data(), chunk.size())) > 0)
    {
        m_bytes.append(chunk.data(), size);
    }
    const bool open = size < 0 && (errno == EAGAIN || errno == EINTR);
    std::size_t taken = 0;
    MessageHead head{};
    while (m_bytes.size() - taken >= sizeof(head))
    {
        std::memcpy(&head, m_bytes.data() + taken, sizeof(head));
        if (m_bytes.size() - taken - sizeof(head) < head.size)
        {
            break;
        }
        messages.push_back({head.kind, head.time, m_bytes.substr(taken + sizeof(head), head.size)});
        taken += sizeof(head) + head.size;
    }
    m_bytes.erase(0, taken);
    return open;
}

RecordMerger::RecordMerger(uint32_t sources, RunObserver& observer)
    : m_observer(observer),
      m_known(sources, -std::numeric_limits<double>::infinity())
{
}

void
RecordMerger::Add(uint32_t source, const std::vector<StampedRecord>& records, double time)
{
    for (const auto& [made, record] : records)
    {
        m_waiting.emplace(std::pair(made, source), record);
    }
    const double before = *std::min_element(m_known.begin(), m_known.end());
    m_known[source] = time;
    const double known = *std::min_element(m_known.begin(), m_known.end());
    if (known > before)
    {
        TellUpTo(known);
    }
}

void
RecordMerger::Finish()
{
    TellUpTo(std::numeric_limits<double>::infinity());
}

void
RecordMerger::TellUpTo(double time)
{
    const auto later = m_waiting.upper_bound({time, std::numeric_limits<uint32_t>::max()});
    for (auto entry = m_waiting.begin(); entry != later; ++entry)
    {
        m_observer.Observe(entry->second);
    }
    m_waiting.erase(m_waiting.begin(), later);
}

} // namespace ns3::dml

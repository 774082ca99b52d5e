/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOST_MESSAGES_H
#define DML_HOST_MESSAGES_H

#include "ns3/dml-run-observer.h"

#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// What a process of the host engine tells the one that has started it.
enum class HostMessageKind : uint32_t
{
    RECORDS,  //!< StampedRecords, and that there are no earlier ones
    FINISHED, //!< a worker of the first job has done its steps
    REFUSED,  //!< this machine has not what the scenario asks for; text
    FAILED,   //!< it cannot go on; text
    NOTE,     //!< what the run is not, or has not; text
    TCP,      //!< KernelTcpCounts of all hosts together
    SUMMARY,  //!< what it took; the last message
};

/// A record, and when it was made.
struct StampedRecord
{
    double time{0};   //!< seconds from the start of the run
    RunRecord record; //!< what happened
};

/// What an endpoint's process took.
struct EndpointSummary
{
    double cpuSeconds{0};        //!< of user and system
    uint64_t timers{0};          //!< timers that ran
    double lateSeconds{0};       //!< of all timers together
    double latestSeconds{0};     //!< of the latest one
    uint64_t retransmissions{0}; //!< segments that TCP sent again
};

/// What it says, from a process built alike.
struct HostMessage
{
    HostMessageKind kind{HostMessageKind::RECORDS}; //!< what it is
    double time{0};                                 //!< seconds from the start of the run
    std::string body;                               //!< by kind
};

/// @param items that can be copied byte by byte @return them as bytes
template <typename T>
std::string
PackItems(const std::vector<T>& items)
{
    static_assert(std::is_trivially_copyable_v<T>);
    return {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T)};
}

/// @param bytes of PackItems() @return what it was given
template <typename T>
std::vector<T>
UnpackItems(const std::string& bytes)
{
    std::vector<T> items(bytes.size() / sizeof(T));
    bytes.copy(reinterpret_cast<char*>(items.data()), items.size() * sizeof(T));
    return items;
}

/**
 * @ingroup dml-host
 * @brief Sends messages through a pipe, and never waits for its reader while a run is under way.
 */
class HostMessageWriter
{
  public:
    /// @param file of a pipe, which is not to be used by anyone else
    explicit HostMessageWriter(int file);

    /// @param message to send, as far as the pipe takes it now; the rest with the next one
    void Send(const HostMessage& message);

    /// @brief Wait until the pipe has taken everything, or nobody reads it.
    void Finish();

  private:
    bool Write();

    int m_file;            //!< of the pipe
    std::string m_waiting; //!< bytes that it has not taken
};

/**
 * @ingroup dml-host
 * @brief Takes messages from a pipe.
 */
class HostMessageReader
{
  public:
    /// @param file of a pipe, not blocking
    explicit HostMessageReader(int file = -1);

    /// @brief Take what is there. @param messages added to, in order @return false at the end
    bool Read(std::vector<HostMessage>& messages);

  private:
    int m_file;          //!< of the pipe
    std::string m_bytes; //!< of a message that is not complete
};

/**
 * @ingroup dml-host
 * @brief Tells an observer in order of time what several processes have seen.
 *
 * A record is told once every process has said that it has no earlier ones.
 */
class RecordMerger
{
  public:
    /// @param sources processes, at least one @param observer told; must outlive this
    RecordMerger(uint32_t sources, RunObserver& observer);

    /// @param source of the records, from 0 @param records in order of time
    /// @param time up to which it has none besides, seconds
    void Add(uint32_t source, const std::vector<StampedRecord>& records, double time);

    /// @brief No process has any more: tell what is left.
    void Finish();

  private:
    void TellUpTo(double time);

    RunObserver& m_observer;     //!< told
    std::vector<double> m_known; //!< by source: time up to which everything is known
    /// Not told yet, by time and source, then as they came.
    std::multimap<std::pair<double, uint32_t>, RunRecord> m_waiting;
};

} // namespace ns3::dml

#endif /* DML_HOST_MESSAGES_H */

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRACE_FILE_H
#define DML_TRACE_FILE_H

#include "dml-result-file.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-profile.h"
#include "ns3/dml-run-observer.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief Writes trace.json in Chrome's trace event format, for Perfetto or chrome://tracing.
 *
 * One process per worker and per parameter server of each run. A worker's threads are its steps,
 * its downlink and uplink per server, its parser and its devices; a server's threads are its
 * updates and parsing, one per worker. Chunks that overlap on one resource (slots, HTTP/2 streams
 * side by side) go to further threads of that resource. Times are microseconds with 3 decimals.
 *
 * Only the first steps of each worker are written. A file left by an interrupted run lacks the
 * closing brackets, which both viewers forgive, and so does ImportDmlTrace(). TRACE_SCHEMA says
 * what the file holds for it.
 */
class TraceFile : public RunListener<TraceFile>
{
  public:
    /// How to write.
    struct Options
    {
        uint32_t steps{20};   //!< steps of each worker that are written
        uint32_t firstPid{1}; //!< first process number
        bool part{false};     //!< events of runs only, for AppendPart()
        bool waits{false};    //!< workers of the runs may wait for each other
        bool messages{true};  //!< what collectives consist of is written, too
    };

    /**
     * @param path of the file
     * @param profile of the job; copied
     * @param options how to write
     * @throws InputError if the file cannot be created
     */
    TraceFile(const std::string& path, const Profile& profile, const Options& options);

    /// Close(), ignoring errors.
    ~TraceFile() override;

    /**
     * @brief The following records belong to a new run, whose processes get numbers of their own.
     * @param engine name shown before the processes' names
     * @param workers number of workers
     * @param servers number of parameter servers
     * @param aggregators names of the switches that add up, whose events are for viewers only
     */
    void BeginRun(const std::string& engine,
                  uint32_t workers,
                  uint32_t servers,
                  const std::vector<std::string>& aggregators = {});

    void On(const StepRecord& record);
    void On(const ChunkRecord& record);
    void On(const TransferRecord& record);
    void On(const CrashRecord& record);

    /**
     * @brief Append a file that another process wrote as a part, with process numbers of its own.
     * @param path of the part, of the same job
     * @throws RunError if it cannot be read
     */
    void AppendPart(const std::string& path);

    /// Write the closing brackets and close the file. @throws RunError with the path and the
    /// system's reason
    void Close();

  private:
    /// Process, rank of the resource's kind, and its number: a group of threads.
    using Group = std::tuple<uint32_t, uint32_t, uint32_t>;

    /// A thread of a group, with the end of its last event.
    struct Lane
    {
        uint32_t tid;   //!< thread number, unique in its process
        int64_t freeAt; //!< end of its last event, ns
    };

    /// A group of threads, and the name of its first one.
    struct Row
    {
        Group group;       //!< which
        std::string title; //!< name
    };

    /// @param step number @param label of what did something in it @return whether that is left out
    bool LeavesOut(uint32_t step, ResourceLabel label) const;
    /// @param record a chunk or op; @return where it is shown
    Row FindRow(const ChunkRecord& record) const;
    /// @param direction of a transfer @param worker number @param server number
    /// @return where it is shown
    Row FindChannel(const TransferChannel& channel) const;
    /// @param row where; @param startNs start of an event; @return the first lane that is free then
    Lane& FindLane(const Row& row, int64_t startNs);
    /**
     * @brief Write a complete ("X") event.
     * @param row where it belongs
     * @param name JSON text, in quotes
     * @param start seconds
     * @param end seconds
     * @param args JSON text
     */
    void WriteEvent(const Row& row,
                    const std::string& name,
                    double start,
                    double end,
                    const std::string& args);
    /// Write an instant ("i") event. @param row where; @param scope of the mark, "t"hread or
    /// "p"rocess; @param name JSON text, in quotes; @param time seconds; @param args JSON text
    void WriteInstant(const Row& row,
                      char scope,
                      const std::string& name,
                      double time,
                      const std::string& args);
    /// Write a metadata ("M") event. @param what its name; @param pid process; @param tid thread;
    /// @param args JSON text
    void WriteMetadata(const char* what, uint32_t pid, uint32_t tid, const std::string& args);
    /// Write the separator before an event. @return the buffer
    std::string& NextEvent();

    ResultFile m_file;                          //!< trace.json
    Options m_options;                          //!< how to write
    std::vector<std::string> m_ops;             //!< names as JSON text
    std::vector<std::string> m_parses;          //!< names of their parsing as JSON text
    std::vector<std::string> m_devices;         //!< names
    bool m_open{true};                          //!< until Close()
    bool m_empty{true};                         //!< no event yet
    uint32_t m_nextPid;                         //!< first process of the next run
    uint32_t m_firstWorker{0};                  //!< process of worker 0
    uint32_t m_firstServer{0};                  //!< process of server 0
    uint32_t m_firstAggregator{0};              //!< process of the first aggregator
    std::vector<std::string> m_aggregators;     //!< their names
    std::map<Group, std::vector<Lane>> m_lanes; //!< of the current run
    std::map<uint32_t, uint32_t> m_lastTid;     //!< by process
};

/**
 * @brief Describe a job at the start of a trace in Chrome's format, so that it can be imported.
 * @param profile the job; its durations are left out, as a trace has events for them
 * @param pid process that the events name; viewers show nothing of them
 * @return metadata events as JSON text, see TRACE_SCHEMA
 */
std::vector<std::string> DescribeJobInTrace(const Profile& profile, uint32_t pid);

} // namespace ns3::dml

#endif /* DML_TRACE_FILE_H */

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TIMELINE_WRITER_H
#define DML_TIMELINE_WRITER_H

#include "dml-timeline-graph.h"

#include "ns3/dml-run-observer.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief Writes steps as timelines of TensorFlow 1 (`tensorflow/python/client/timeline.py`), so
 * that tools for these accept them: a file for each step of each worker, as for one `session.run`.
 *
 * The worker is task number w of job "worker", a server task number i of job "ps". Times are whole
 * microseconds since an epoch, as in TensorFlow; here, 10^15 is the start of the run. TimelineGraph
 * says which nodes there are. A RecvTensor lasts from the time when its sender could begin until
 * its receiver has parsed it. TensorFlow does not tell which tensor it is; here `args` have
 * `tensor`, `bytes`, and `label` in TensorFlow's own form. Variables, reads and gradients take no
 * time.
 *
 * Updates that another worker ran for all are in that worker's file; gradients that came too late
 * to count may be missing.
 */
class TimelineWriter : public RunListener<TimelineWriter>
{
  public:
    /// End of the name of every file.
    static constexpr const char* SUFFIX = ".timeline.json";

    /**
     * @param prefix path and first part of the names, "DIR/W4-packet"; "-worker0-step0" follows
     * @param profile of the job; copied
     * @param servers number of parameter servers
     * @param steps of each worker that are written, from the first one
     */
    TimelineWriter(const std::string& prefix,
                   const Profile& profile,
                   uint32_t servers,
                   uint32_t steps);

    void On(const ChunkRecord& record);
    void On(const TransferRecord& record);
    void On(const CrashRecord& record);
    /// @throws InputError or RunError if the step's file cannot be written
    void On(const StepRecord& record);

  private:
    /// What is known of an op in a step. Times in seconds.
    struct OpTimes
    {
        double start{UNKNOWN_TIME};    //!< of its first chunk
        double end{UNKNOWN_TIME};      //!< of its last chunk
        double ready{UNKNOWN_TIME};    //!< of a transfer: its sender could begin
        double received{UNKNOWN_TIME}; //!< of a transfer: it has arrived, or been parsed
        uint32_t server{0};            //!< of a transfer or an update
    };

    /// An event of a timeline.
    struct Event
    {
        uint32_t pid;     //!< process: a device
        int64_t start;    //!< us
        int64_t end;      //!< us
        std::string type; //!< of the op
        std::string args; //!< JSON text
    };

    using Step = std::vector<OpTimes>;

    /// @return what is known of an op, or null if its step is not written
    OpTimes* Find(uint32_t worker, uint32_t step, OpIndex op);
    /// @param worker number; @param step what is known of it; @return its events, without lanes
    std::vector<Event> MakeEvents(uint32_t worker, const Step& step) const;
    void AddPull(uint32_t worker,
                 OpIndex op,
                 const OpTimes& times,
                 std::vector<Event>& events) const;
    void AddPush(uint32_t worker, OpIndex op, const Step& step, std::vector<Event>& events) const;
    Event MakeNode(uint32_t pid, const TimelineNode& node, double start, double end) const;
    Event MakeReceive(uint32_t worker, OpIndex op, const OpTimes& times) const;
    std::string GetWorkerDevice(uint32_t worker, uint32_t device) const;
    uint32_t GetServerPid(uint32_t server) const;

    std::string m_prefix;                                 //!< of the files
    Profile m_profile;                                    //!< the job
    TimelineGraph m_graph;                                //!< in TensorFlow's terms
    uint32_t m_servers;                                   //!< number of servers
    uint32_t m_steps;                                     //!< steps that are written
    std::map<std::pair<uint32_t, uint32_t>, Step> m_open; //!< by worker and step
};

} // namespace ns3::dml

#endif /* DML_TIMELINE_WRITER_H */

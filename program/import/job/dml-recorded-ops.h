/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RECORDED_OPS_H
#define DML_RECORDED_OPS_H

#include "dml-recorded-job.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// Times of a trace are rounded to nanoseconds, and a start and a length are rounded each.
constexpr double TRACE_ROUNDING = 3e-9;

/// A step and its ops, by op of the job.
struct PlacedStep
{
    RecordedStep record;           //!< what is told of it
    std::vector<GlobalOp> first{}; //!< first op of each
    std::vector<GlobalOp> last{};  //!< last one of each; another worker's where that did it for all
    std::vector<GlobalOp> collectives{}; //!< of the step
};

/**
 * @brief The ops of a recorded run with their times, and what of each is where: all of a
 * RecordedJob but the dependencies between ops of the job.
 */
class RecordedOps
{
  public:
    /// @param job that ran @param run of it @param starts of what is received @param detail of
    /// collectives
    RecordedOps(const TraceJob& job,
                const RunTrace& run,
                ReceiveStarts starts,
                CollectiveDetail detail);

    /// @param worker index @param step number @return the step, or null
    PlacedStep* FindStep(uint32_t worker, uint32_t step);

    /// Add a join. @param step it is of @param name op of the job, or one behind those
    /// @param time when @return its number
    GlobalOp AddJoin(const RecordedStep& step, OpIndex name, double time);

    /// @return name of the joins with which steps begin; the next one is of those with which they
    /// end
    OpIndex GetBeginName() const;

    /// @return names of ops, by JobOp::name
    std::vector<std::string> ListNames() const;

    std::vector<PlacedStep> steps;          //!< by worker and number
    std::vector<JobOp> ops;                 //!< by op of the graph
    std::vector<OpTimes> times;             //!< likewise
    std::vector<uint32_t> graphDevices;     //!< likewise
    std::vector<std::string> devices;       //!< names
    GlobalGraph::Dependencies dependencies; //!< chunks of transfers, one after the other
    /// Collectives and their messages, each after what it waited for, as far as times allow.
    GlobalGraph::Dependencies waits;
    uint64_t leftOut{0}; //!< messages of collectives, if there are too many

  private:
    using RecordIterator = std::vector<TracedOp>::const_iterator;

    /// What a row of a trace shows.
    enum class LaneKind : uint8_t
    {
        RESOURCE,   //!< a device, a channel with a server, a parser
        COLLECTIVE, //!< whole collectives
        PART,       //!< what collectives consist of
    };

    static LaneKind GetLaneKind(const std::string& title);
    void AddDevices();
    void AddWires();
    void ListSteps();
    void SortRecords();
    std::pair<RecordIterator, RecordIterator> FindRecords(const RecordedStep& step,
                                                          OpIndex op,
                                                          bool parse) const;
    GlobalOp Add(const JobOp& op, const OpTimes& when, bool own);
    GlobalOp AddRecord(const TracedOp& record, JobOpKind kind);
    void AddStep(PlacedStep& step);
    void AddTransfer(PlacedStep& step, OpIndex op, RecordIterator begin, RecordIterator end);
    void SerialiseWays();
    void JoinUpdates();
    void AddCollectives();
    void ListMoves();
    std::map<uint32_t, std::vector<GlobalOp>> AddMoves(uint32_t step,
                                                       OpIndex op,
                                                       const std::vector<GlobalOp>& entered);

    const TraceJob& m_job;           //!< the job
    const RunTrace& m_run;           //!< of it
    bool m_corrects;                 //!< begins of what is received
    std::vector<LaneKind> m_lanes;   //!< by lane
    std::vector<uint32_t> m_wires;   //!< by lane: the device
    std::vector<GlobalOp> m_ways;    //!< ops on wires
    std::vector<TracedOp> m_records; //!< by worker, step, op, parsing; then by time
    std::map<std::tuple<uint32_t, uint32_t, OpIndex>, double> m_arrivals; //!< by worker, step, op
    std::map<std::pair<uint32_t, OpIndex>, std::vector<TracedOp>> m_collectives; //!< by step and op
    std::map<std::pair<uint32_t, OpIndex>, std::vector<TracedArrival>> m_moves;  //!< likewise
    /// Bytes and number of the messages of a collective, by receiver, step and op.
    std::map<std::tuple<uint32_t, uint32_t, OpIndex>, std::pair<uint64_t, uint32_t>> m_moved;
    std::map<uint32_t, uint32_t> m_senders;   //!< of lanes of messages: a worker
    std::map<uint32_t, double> m_channelFree; //!< by lane of messages: since when
    std::map<std::pair<uint32_t, uint32_t>, std::size_t> m_places; //!< of steps, by worker, number
    uint32_t m_nextDevice{0}; //!< of ops that have one of their own
};

} // namespace ns3::dml

#endif /* DML_RECORDED_OPS_H */

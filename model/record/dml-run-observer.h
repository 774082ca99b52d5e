/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RUN_OBSERVER_H
#define DML_RUN_OBSERVER_H

#include <cstdint>

namespace ns3
{
namespace dml
{

/// Direction of a transfer, seen from the worker.
enum class Direction : uint8_t
{
    DOWNLINK, //!< parameter server to worker
    UPLINK,   //!< worker to parameter server
};

/// A time that the site of the record cannot know.
constexpr double UNKNOWN_TIME = -1;

/// One step of one worker. Times in seconds from the start of the run.
struct StepRecord
{
    uint32_t worker; //!< from 0
    uint32_t step;   //!< from 0
    uint32_t sample; //!< index of the profiled step that it replayed
    double start;    //!< when the worker started it
    double end;      //!< when its last op was done (updates on the servers included)
    /// When the worker had nothing left to do itself: its last op was computed and its last
    /// gradient had arrived (fair-share) or been handed to TCP (packet). Until the end, it waited
    /// for others.
    double done{UNKNOWN_TIME};
    uint32_t batch{0};   //!< samples; 0: the profile's batch size
    uint32_t dropped{0}; //!< gradients that came too late to count
};

/// A worker that died. Times in seconds from the start of the run.
struct CrashRecord
{
    uint32_t worker; //!< from 0
    double time;     //!< when
    uint32_t step;   //!< that it was in, or would have begun next
    double start;    //!< when it began that step, which is lost; UNKNOWN_TIME: it was in none
};

/// A worker that came back.
struct RejoinRecord
{
    uint32_t worker; //!< from 0
    double time;     //!< when its first step began, seconds from the start of the run
    uint32_t step;   //!< which it begins with
};

/// One tensor in one direction. Times in seconds from the start of the run.
struct TransferRecord
{
    uint32_t worker;     //!< from 0
    uint32_t step;       //!< from 0
    uint32_t op;         //!< index of the pull or push op in the profile
    uint32_t tensor;     //!< index of the tensor in the profile
    Direction direction; //!< downlink or uplink
    uint32_t server;     //!< index of the parameter server
    double ready;        //!< when the sender could start sending it
    double firstByte;    //!< when its first turn on the connection started
    double lastByte;     //!< when the receiver had all of it
};

/// Kind of resource that an op occupied.
enum class ResourceKind : uint8_t
{
    DOWNLINK, //!< index: parameter server
    UPLINK,   //!< index: parameter server
    SERVER,   //!< compute of a parameter server; index: parameter server
    DEVICE,   //!< compute device of the worker; index: device
    PARSER,   //!< parallel parsing; index: 0 worker, 1 + i parameter server i
};

/// One chunk of a transfer, or one whole compute op. Times in seconds from the start of the run.
struct ChunkRecord
{
    uint32_t worker; //!< from 0
    uint32_t step;   //!< from 0
    uint32_t op;     //!< index of the op in the profile
    bool parse;      //!< true: the parsing that follows transfer @c op, not the transfer itself
    ResourceKind resource; //!< kind of the resource
    uint32_t index;        //!< which one of that kind
    uint64_t bytes;        //!< bytes served, 0 for compute; of the message in the packet engine
    double start;          //!< start of service
    double end;            //!< end of service
};

/// A stretch of time in which a link carried data at a constant mean rate.
struct LinkRecord
{
    Direction direction;   //!< seen from the worker
    uint32_t server;       //!< whose link it is
    double start;          //!< seconds
    double end;            //!< seconds
    double bytesPerSecond; //!< mean rate over the stretch, in the unit of the link's own capacity
};

/// What one worker's transfers and a server's link had to do with each other for a while.
struct FlowRecord
{
    uint32_t worker;     //!< from 0
    Direction direction; //!< seen from the worker
    uint32_t server;     //!< whose link it is
    double start;        //!< seconds
    double end;          //!< seconds
    uint64_t bytes;      //!< that TCP of the receiver got: all messages, what came twice too
};

/**
 * @ingroup dml-execution
 * @brief Receives what happens during a run, in time order per kind of record.
 *
 * The methods do nothing by default: override what is of interest. They must not call back into
 * the engine.
 */
class RunObserver
{
  public:
    virtual ~RunObserver() = default;

    /// @param record a step that ended
    virtual void StepEnded([[maybe_unused]] const StepRecord& record)
    {
    }

    /// @param record a worker that died: what it was doing has no end
    virtual void WorkerCrashed([[maybe_unused]] const CrashRecord& record)
    {
    }

    /// @param record a worker that came back
    virtual void WorkerRejoined([[maybe_unused]] const RejoinRecord& record)
    {
    }

    /// @param record a transfer whose last byte arrived; a receiver's own record has ready and
    /// firstByte UNKNOWN_TIME
    virtual void TransferEnded([[maybe_unused]] const TransferRecord& record)
    {
    }

    /**
     * @brief Only where sender and receiver are different sites, to be joined with TransferEnded.
     * @param record a transfer whose last byte left the sender, at lastByte
     */
    virtual void TransferSent([[maybe_unused]] const TransferRecord& record)
    {
    }

    /// @param record a chunk or compute op that ended
    virtual void ChunkEnded([[maybe_unused]] const ChunkRecord& record)
    {
    }

    /// @param record how much a server's link carried since the last such record of that link
    virtual void LinkUsed([[maybe_unused]] const LinkRecord& record)
    {
    }

    /// @param record what arrived of one worker's data in an interval (packet engine only)
    virtual void FlowUsed([[maybe_unused]] const FlowRecord& record)
    {
    }
};

} // namespace dml
} // namespace ns3

#endif /* DML_RUN_OBSERVER_H */

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RUN_OBSERVER_H
#define DML_RUN_OBSERVER_H

#include "dml-endpoint.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

namespace ns3::dml
{

/// A time that the endpoint of the record cannot know.
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
    /// gradient had arrived (fair-share) or been handed to TCP (packet). With collectives: its last
    /// op that waits for none of them was computed. Until the end, it waited for others.
    double done{UNKNOWN_TIME};
    uint32_t batch{0};   //!< samples; 0: the profile's batch size
    uint32_t dropped{0}; //!< gradients that came too late to count
};

/// A worker that died. Times in seconds from the start of the run.
struct CrashRecord
{
    uint32_t worker; //!< from 0
    double time;     //!< when
    uint32_t step;   //!< step that it was in, or would have begun next
    double start;    //!< when it began that step, which is lost; UNKNOWN_TIME: it was in none
    /// Whether its process was ended, as another worker had crashed or come back.
    bool ended{false};
};

/// A worker that came back.
struct RejoinRecord
{
    uint32_t worker; //!< from 0
    double time;     //!< when its first step began, seconds from the start of the run
    uint32_t step;   //!< step that it begins with
};

/// A tensor that went over a channel. Times in seconds from the start of the run.
struct TransferRecord
{
    TransferChannel channel; //!< from whom, to whom
    uint32_t step;           //!< from 0
    uint32_t op;             //!< index of the transfer's op in the profile
    uint32_t tensor;         //!< index of the tensor in the profile
    double ready;            //!< when the sender could start sending it
    double firstByte;        //!< when its first turn on the channel started
    double lastByte;         //!< when the receiver had all of it
    /// Of a collective's messages, which one of the sender's: from 1. 0: it is a whole transfer.
    uint32_t part{0};
};

/// One chunk of a transfer, or one whole compute op. Times in seconds from the start of the run.
struct ChunkRecord
{
    uint32_t worker;   //!< worker of the step, from 0
    uint32_t step;     //!< from 0
    uint32_t op;       //!< index of the op in the profile
    bool parse;        //!< true: the parsing that follows transfer @c op, not the transfer itself
    Resource resource; //!< on which it was served
    uint64_t bytes;    //!< bytes served, 0 for compute; of the message in the packet engine
    double start;      //!< start of service
    double end;        //!< end of service
};

/// A stretch of time in which a link carried data at a constant mean rate.
struct LinkRecord
{
    AccessLink link;       //!< of a parameter server
    double start;          //!< seconds
    double end;            //!< seconds
    double bytesPerSecond; //!< mean rate over the stretch, in the unit of the link's own capacity
};

/// What a channel carried for a while.
struct FlowRecord
{
    TransferChannel channel; //!< from whom, to whom
    double start;            //!< seconds
    double end;              //!< seconds
    uint64_t bytes; //!< bytes that the receiver's TCP got: all messages, what came twice too
};

/// A transfer whose last byte left its sender, at lastByte. Only where sender and receiver have
/// executors of their own; to be joined with the receiver's TransferRecord.
struct SentRecord
{
    TransferRecord transfer; //!< sender's half
};

/// How the sender of a channel saw one of its connections (host engine).
struct ConnectionRecord
{
    TransferChannel channel;   //!< from whom, to whom
    uint32_t connection;       //!< number among those of the channel, from 0
    double time;               //!< seconds
    uint64_t congestionWindow; //!< of TCP, bytes
    double roundTrip;          //!< smoothed by TCP, seconds
    uint64_t retransmissions;  //!< segments sent again since it was opened
    uint64_t streamWindow;     //!< bytes that the receiver lets a new stream send; 0: not known
};

/// A gradient that a joint update has taken. Times in seconds from the start of the run.
struct GradientRecord
{
    uint32_t worker; //!< that computed it, from 0
    uint32_t step;   //!< of the worker, from 0
    uint32_t op;     //!< index of the update in the profile
    double time;     //!< when the update began
};

/// A parameter server that died: all of them load a checkpoint, and all workers' sessions end.
struct ServerCrashRecord
{
    double time; //!< planned, seconds from the start of the run
};

/// Any of these. Kinds are numbered as they are listed.
using RunEvent = std::variant<StepRecord,
                              CrashRecord,
                              RejoinRecord,
                              TransferRecord,
                              SentRecord,
                              ChunkRecord,
                              LinkRecord,
                              FlowRecord,
                              ConnectionRecord,
                              GradientRecord,
                              ServerCrashRecord>;

/// What happened in a run, and in which job. Numbers of workers and servers are those of the job.
struct RunRecord
{
    uint32_t job{0}; //!< from 0; the first is the one that is studied
    RunEvent event;  //!< what
};

/**
 * @ingroup dml-record
 * @brief Receives what happens during a run, in time order per kind of record.
 */
class RunObserver
{
  public:
    virtual ~RunObserver() = default;

    /// @param record what happened; must not call back into the engine
    virtual void Observe(const RunRecord& record) = 0;

    /// @param kind index in RunEvent @return whether such records have any effect; it stays so
    virtual bool Hears([[maybe_unused]] std::size_t kind) const
    {
        return true;
    }
};

/**
 * @ingroup dml-record
 * @brief An observer that tells the kinds of records apart: calls On(event) of the class for those
 * that it has such a method for. It does not ask for the job.
 *
 * `class StepPrinter : public RunListener<StepPrinter>` with `void On(const StepRecord& record)`.
 */
template <typename Listener>
class RunListener : public RunObserver
{
  public:
    void Observe(const RunRecord& record) override
    {
        std::visit([this](const auto& event) { this->Tell(event, 0); }, record.event);
    }

    bool Hears(std::size_t kind) const override
    {
        return Hears(kind, std::make_index_sequence<std::variant_size_v<RunEvent>>());
    }

  private:
    /// Chosen where the class has such a method.
    template <typename Event, typename T = Listener>
    auto Tell(const Event& event, int) -> decltype(std::declval<T&>().On(event))
    {
        static_cast<Listener*>(this)->On(event);
    }

    template <typename Event>
    void Tell(const Event&, long)
    {
    }

    /// Likewise.
    template <typename Event, typename T = Listener>
    static constexpr auto HasMethod(int)
        -> decltype(std::declval<T&>().On(std::declval<Event>()), true)
    {
        return true;
    }

    template <typename Event>
    static constexpr bool HasMethod(long)
    {
        return false;
    }

    template <std::size_t... Kinds>
    static bool Hears(std::size_t kind, std::index_sequence<Kinds...>)
    {
        return ((kind == Kinds && HasMethod<std::variant_alternative_t<Kinds, RunEvent>>(0)) ||
                ...);
    }
};

/// An observer that hears nothing.
class DeafObserver final : public RunObserver
{
  public:
    void Observe(const RunRecord&) override
    {
    }

    bool Hears(std::size_t) const override
    {
        return false;
    }
};

/**
 * @ingroup dml-record
 * @brief Where the parts of one job tell what happens.
 */
struct JobRecorder
{
    RunObserver* observer{nullptr}; //!< told; null: nobody is
    uint32_t job{0};                //!< number of the job

    /// @return whether somebody is told
    explicit operator bool() const
    {
        return observer != nullptr;
    }

    /// @param event what happened; only where somebody is told
    template <typename Event>
    void Tell(const Event& event) const
    {
        observer->Observe({job, event});
    }
};

} // namespace ns3::dml

#endif /* DML_RUN_OBSERVER_H */

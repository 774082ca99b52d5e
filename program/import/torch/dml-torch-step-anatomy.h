/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_STEP_ANATOMY_H
#define DML_TORCH_STEP_ANATOMY_H

#include "dml-torch-steps.h"
#include "dml-torch-trace.h"

#include "ns3/dml-op.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ns3::dml
{

/// What a part of a step does.
enum class TorchWork : uint8_t
{
    FORWARD,    //!< an op that created autograd nodes
    BACKWARD,   //!< an autograd node
    ACCUMULATE, //!< the node that completes the gradient of one parameter
    UPDATE,     //!< the optimizer's step
    OTHER,      //!< anything else
};

/// One of the pieces of work that a step consists of, one after another on the host.
struct TorchPart
{
    TorchWork work{TorchWork::OTHER};   //!< what it does
    std::string name;                   //!< unique in its step, the same in every step
    std::string op;                     //!< of FORWARD: `OP_n`, the n-th op of its kind in the step
    uint32_t event{TorchEvent::NONE};   //!< outermost event, or NONE if it is empty in this step
    uint32_t forward{TorchEvent::NONE}; //!< of BACKWARD and ACCUMULATE: part that created the node
    std::string node;  //!< of BACKWARD and ACCUMULATE: autograd node, as it creates
    int64_t start{0};  //!< ns: its end less its length
    int64_t length{0}; //!< ns during which it ran
    OpMemory memory{}; //!< what it holds, if the trace tells
};

/// One step of a trace, taken apart.
struct TorchStep
{
    TorchStepTime time;              //!< place, start and end
    std::vector<TorchPart> parts;    //!< in the order in which the host ran or launched them
    std::vector<uint32_t> outer;     //!< outermost events, by start
    std::vector<uint32_t> outerPart; //!< part that each of them counts to
    uint32_t passes{1};              //!< forward and backward passes that add up its gradients
};

/// Numbers about what was taken apart, summed over steps.
struct TorchAnatomyCounts
{
    uint64_t nodes{0};     //!< autograd nodes that ran, but for accumulations
    uint64_t matched{0};   //!< of these, with the forward op known
    uint64_t absorbed{0};  //!< outermost ops outside autograd that count to the op after them
    bool sequences{false}; //!< nodes were matched by sequence number, not by name
};

/**
 * @ingroup dml-import
 * @brief Takes the steps of a trace apart into forward ops, autograd nodes, accumulations, the
 * optimizer's step and the rest.
 *
 * The outermost events of the threads that train are in one of these classes. An annotation that
 * surrounds some of them, as `DistributedDataParallel.forward`, is looked through.
 * - A forward op created a node that ran in the step: of the events that carry the node's sequence
 *   number, the one that started last did (Kineto's own rule); the forward op is the outermost op
 *   around it. In traces without sequence numbers it is an op whose name, or that of an op within
 *   it, is that of a node; nodes are matched from the last forward op backwards, as the engine runs
 *   them in descending order of creation.
 * - An accumulation belongs to the forward op of the node that ran before it: the engine runs
 *   accumulations first.
 * - Other ops count to the part after them, but for those before `Optimizer.zero_grad`, the first
 *   forward op, the optimizer's step and the end of the step: these are parts of their own, which
 *   every step has.
 *
 * Parts are called `forward/OP_n`, `backward/OP_n/NODE`, `compute/zero_grad`,
 * `compute/before-forward` and so on; those of accumulations and updates are named by the caller.
 */
class TorchStepAnatomy
{
  public:
    /// @param trace a trace, nested, which must live as long as this object
    explicit TorchStepAnatomy(const TorchTrace& trace);

    /**
     * @brief Take one step apart. Times of parts are not set.
     * @param time when it ran
     * @return the step
     */
    TorchStep Dissect(const TorchStepTime& time);

    /// @param event index of an event; @return the outermost event around it, or NONE if it was in
    /// no step or is an annotation that was looked through
    uint32_t GetOuter(uint32_t event) const
    {
        return m_outer[event];
    }

    /// @return counts so far
    const TorchAnatomyCounts& GetCounts() const
    {
        return m_counts;
    }

  private:
    void FindEvents();
    void FindOwners();
    void MarkAround(uint32_t event);
    void FindOuter();
    void AddParts();
    void AddPart(TorchWork work, const std::string& name, uint32_t event);
    void AddGlue(const std::string& name);
    void AddNode(TorchPart& part);
    /// Name a node, whose forward op may be known.
    void NameNode(TorchPart& part);
    void MatchByName();
    /// @return class of an outermost event
    TorchWork Classify(uint32_t event) const;

    const TorchTrace& m_trace;     //!< what to take apart
    std::vector<uint32_t> m_outer; //!< of each event, the outermost around it
    std::vector<uint32_t>
        m_begins;                //!< index of the first event of each thread, and behind the last
    TorchAnatomyCounts m_counts; //!< so far

    TorchStep m_step;               //!< under construction
    std::vector<uint32_t> m_inside; //!< events of the step
    std::vector<bool> m_surrounds;  //!< of each event: something of autograd runs within it
    std::unordered_map<int64_t, uint32_t> m_owners; //!< event that created a node, by number
    std::vector<bool> m_owns;                       //!< of each event: it created a node that ran
    std::vector<uint32_t> m_glue; //!< places in `outer` that wait for the part they count to
    std::unordered_map<uint32_t, uint32_t> m_forwardParts; //!< by outermost event
    std::unordered_map<std::string, uint32_t> m_names;     //!< how often a name was given
};

/// @param name of an op; @return it without what says that it is an operator, as "conv2d"
std::string GetTorchBaseName(std::string_view name);

/**
 * @param name of an op or an autograd node, as `aten::_log_softmax` or `LogSoftmaxBackward0`
 * @return what both have in common, as "logsoftmax"
 */
std::string GetTorchNodeKey(std::string_view name);

} // namespace ns3::dml

#endif /* DML_TORCH_STEP_ANATOMY_H */

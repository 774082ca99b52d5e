/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_RUN_H
#define DML_TORCH_RUN_H

#include "dml-torch-trace.h"

#include "ns3/dml-import-options.h"
#include "ns3/dml-op.h"
#include "ns3/dml-profile.h"
#include "ns3/dml-step-sizes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ns3::dml
{

/// The time of one training step.
struct TorchStepTime
{
    std::string place;    //!< "file: ProfilerStep#3", for messages
    int64_t start{0};     //!< ns, when the device that computes begins to work for it
    int64_t end{0};       //!< ns, at least `start`, when that has done so
    int64_t hostStart{0}; //!< ns, when the host starts it
    int64_t hostEnd{0};   //!< ns, when the host ends it
};

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
    int64_t asked{0};  //!< ns, when the host came to it
    int64_t start{0};  //!< ns: its end less its length
    int64_t length{0}; //!< ns during which it ran
    OpMemory memory{}; //!< what it holds, if the trace tells
};

/// A time during which a GPU ran a kernel of a collective operation.
struct TorchCollective
{
    uint32_t request{TorchEvent::NONE}; //!< outermost event that asked for it, or NONE if unknown
    int64_t start{0};                   //!< ns
    int64_t end{0};                     //!< ns
    int64_t alone{0};                   //!< ns of the step in which nothing else ran meanwhile
};

/// An outermost event of a step.
struct TorchOuter
{
    uint32_t event{0};        //!< the event
    uint32_t part{0};         //!< part that it counts to
    int64_t start{INT64_MIN}; //!< ns, if it counts from then on only
};

/// One step of a trace, taken apart.
struct TorchStep
{
    TorchStepTime time;            //!< place, start and end
    std::vector<TorchPart> parts;  //!< in the order in which the host ran or launched them
    std::vector<TorchOuter> outer; //!< outermost events, by start
    uint32_t passes{1};            //!< forward and backward passes that add up its gradients
    std::vector<TorchCollective> collectives; //!< on a GPU, by start

    /// @return index of the first part that does @p work, or NONE
    uint32_t FindPart(TorchWork work) const;
};

/// Bytes of an element where a trace does not tell its type.
constexpr uint32_t TORCH_UNTYPED_BYTES = 4;

/// Shape of a tensor.
using TorchShape = std::vector<int64_t>;

/// A parameter of the model, as one step shows it.
struct TorchParameter
{
    std::string name;                   //!< unique in its step: `OP_n.weight`, `OP_n.bias`
    std::optional<TorchShape> shape;    //!< if the trace tells
    std::optional<uint64_t> bytes;      //!< if the trace tells
    uint32_t accumulate{0};             //!< part that completes its gradient
    uint32_t forward{TorchEvent::NONE}; //!< part that reads it first, or NONE if unknown
};

/// A tensor that is pulled, pushed and updated, as one step shows it.
struct TorchTensor
{
    Tensor tensor;                   //!< name and size
    std::vector<uint32_t> readers;   //!< parts that read it; empty if unknown
    uint32_t ready{0};               //!< part that completes its gradient
    int64_t pushStart{0};            //!< ns, start of the collective that moved it, or of its push
    int64_t pushLength{0};           //!< ns, of that collective with its waiting, or 0
    int64_t update{0};               //!< ns, its share of the optimizer's step
    uint32_t bucket{0};              //!< collective that moved it, from 0, or NONE
    std::optional<TorchShape> shape; //!< of a parameter, if the trace tells
};

/// A collective that reduced gradients in one step.
struct TorchBucket
{
    TorchMessage message; //!< its size, when it was asked for, and when it ran, with its waiting
    uint32_t part{0};     //!< accumulation during which it was asked for, or the last one before
};

/// What one step moves.
struct TorchStepTensors
{
    std::vector<TorchTensor> tensors; //!< in listing order
    std::vector<TorchBucket> buckets; //!< in the order in which they were asked for
};

/// Numbers about what was found, summed over the steps of a trace.
struct TorchCounts
{
    uint64_t nodes{0};         //!< autograd nodes that ran, but for accumulations
    uint64_t matched{0};       //!< of these, with the forward op known
    uint64_t absorbed{0};      //!< outermost ops outside autograd that count to the op after them
    uint64_t repeated{0};      //!< accumulations that a later pass repeats
    uint64_t kernels{0};       //!< kernels that belong to a step
    uint64_t strays{0};        //!< kernels of unknown origin, outside the steps, or on another GPU
    uint64_t undefined{0};     //!< accumulations that received no gradient
    uint64_t parameters{0};    //!< parameters
    uint64_t owned{0};         //!< of these, with the forward op known
    uint64_t accumulate{0};    //!< with the shape that AccumulateGrad received
    uint64_t forward{0};       //!< with the shape that the forward op received
    uint64_t untyped{0};       //!< with a shape but without an element type: 4 bytes are assumed
    uint64_t tensors{0};       //!< tensors
    uint64_t byHand{0};        //!< of these, with a size that the user gave
    uint64_t buckets{0};       //!< tensors that are buckets of collectives, as sizes are unknown
    uint64_t bucketGrads{0};   //!< gradients in these
    uint64_t updatesByOp{0};   //!< tensors whose update is known from ops of their shape
    uint64_t messages{0};      //!< collectives with known sizes
    uint64_t messageBytes{0};  //!< their bytes
    uint64_t gradientBytes{0}; //!< bytes of the gradients in steps with such collectives
};

/**
 * @ingroup dml-import
 * @brief A trace and what the functions below find in it, each in what those above it found.
 */
struct TorchRun
{
    /// @param recorded a trace, nested, which must live as long as this object
    explicit TorchRun(const TorchTrace& recorded);

    /// @param text index of a text that is a list of shapes; @param input place in that list
    /// @return the shape, or nothing if there is none
    std::optional<TorchShape> GetShape(uint32_t text, std::size_t input);
    /// @param event an outermost event
    /// @return the event of AccumulateGrad within it that has shapes, or NONE
    uint32_t FindAccumulate(uint32_t event) const;
    /// @param event an outermost event of AccumulateGrad
    /// @return false if what it received was no tensor, as for a parameter that the loss does not
    /// reach: the profiler writes an input without shape and type
    bool HasGradient(uint32_t event) const;

    const TorchTrace& trace; //!< what was recorded
    bool sequences{false};   //!< nodes are matched by sequence number, not by name
    /// Of each event, the outermost around it, or NONE if it was in no step or is an annotation
    /// that was looked through.
    std::vector<uint32_t> outer;
    std::vector<bool> owns;             //!< of each event: it created an autograd node that ran
    std::vector<bool> surrounds;        //!< of each event: something of autograd runs within it
    std::vector<TorchStep> steps;       //!< those that train
    std::vector<TorchStepTime> leftOut; //!< steps that the user, or lost kernels, left out
    std::string gpu;    //!< number of the GPU that ran most kernels; empty if the CPU computes
    TorchCounts counts; //!< so far
    TraceFaults faults; //!< those of the trace, and of its steps so far
    /// Shapes by text, as far as they were asked for.
    std::unordered_map<uint32_t, std::vector<std::optional<TorchShape>>> shapes;
};

/**
 * @brief Find the training steps of a trace.
 *
 * They are the annotations `ProfilerStep#N` of torch.profiler's schedule. Without them a step lasts
 * from the end of an `Optimizer.step` to the end of the next one, the first from the first event;
 * without these, from an `Optimizer.zero_grad` to the next one, the last to the last event; and a
 * trace with neither is one step.
 *
 * A step that lasts a little past the start of the next one, as some profilers write it, ends
 * there.
 *
 * @param trace a trace, nested
 * @param rule gets what starts and ends a step, one sentence
 * @param faults gets steps that overlap a little
 * @return at least one step, by start, none overlaps another
 * @throws InputError if the trace has no events, or two steps overlap by more than a tenth of the
 * shorter one
 */
std::vector<TorchStepTime> FindTorchSteps(const TorchTrace& trace,
                                          std::string& rule,
                                          TraceFaults& faults);

/**
 * @brief Take a step apart into forward ops, autograd nodes, accumulations, the optimizer's step
 * and the rest.
 *
 * The outermost events of the threads that train are in one of these classes. An annotation that
 * surrounds some of them, as `DistributedDataParallel.forward`, is looked through. An optimizer's
 * step that surrounds forward and backward ops, as it calls a closure, is what it does after them.
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
 *
 * @param run gets the outermost events of the step's
 * @param time when it ran
 * @return the step, without times of parts
 */
TorchStep DissectTorchStep(TorchRun& run, const TorchStepTime& time);

/**
 * @brief Make one gradient of the accumulations that the passes of a step repeat.
 *
 * A step may run forward and back several times, on one micro-batch each, before the optimizer's
 * step. A pass starts with a forward op after an accumulation; in a trace without sequence numbers,
 * where forward ops are known by name only, also with an op of a kind that takes a weight. If
 * neither an optimizer's step nor its zero_grad is between them and each has as many accumulations
 * of every kind (kind of forward op, autograd node, shape and element type; without sequence
 * numbers: autograd node and shape), those of the last pass complete the gradients, in the same
 * order within a kind, and belong to the forward ops of the first pass. Those of earlier passes
 * become autograd nodes, `backward/OP_n/AccumulateGrad`.
 *
 * @param run of which the step is
 * @param step the step; it stays as it is if it has one pass or they are not recognized
 * @return how many passes are not recognized, as they complete different gradients; else 0
 */
uint32_t MergeTorchPasses(TorchRun& run, TorchStep& step);

/**
 * @brief Find how long each part of the steps ran.
 *
 * On a CPU a part runs while its outermost events do. In a trace with GPU kernels it runs while its
 * kernels, copies and fills do; what the host does meanwhile shows as gaps. Whichever runs, a time
 * during which two run counts to the one that started first, so that parts never add up to more
 * than the step.
 *
 * A kernel belongs to the op that launched it (TorchTrace::FindLaunchers()). Those of collectives
 * are set apart. What runs outside the step's time on the device does not count: it runs beside
 * other steps.
 *
 * The optimizer's step on a GPU lasts, with IdleTime::KEEP, from its start on the host, or the end
 * of the work or the collective before it if that is later, to the end of its last kernel.
 *
 * @param run whose steps, with their times on the device that computes, get those of their parts,
 * and collectives
 * @param idle what becomes of gaps
 */
void TimeTorchSteps(TorchRun& run, IdleTime idle);

/**
 * @brief Find what the parts of a step hold, from the allocator's records that PyTorch's profiler
 * makes with profile_memory=True: of the device that computes.
 *
 * - A block that comes in a forward part and goes in the backward pass is an activation of the
 *   forward op whose node ran last before it went: autograd releases what a node needed when that
 *   has run. One that goes later is one of the op in which it came.
 * - A block that comes in no forward part and stays until the last accumulation has run is no
 *   workspace: a gradient, or the input.
 * - All else that is there while a part runs is its workspace: an activation, too, in the parts
 *   before the one that keeps it.
 *
 * What was there before the step, as inputs, and what an op hands on are not known.
 *
 * @param run what was recorded, and the GPU that computes, if one does
 * @param step one of its steps, of one pass, whose parts get what they hold
 * @return false if the trace has no such records in the step
 */
bool FindTorchMemory(const TorchRun& run, TorchStep& step);

/**
 * @brief Find the parameters of a model in a step of a trace.
 *
 * Every accumulation completes the gradient of one parameter. Its shape is that of the input of
 * `torch::autograd::AccumulateGrad`, else that of the input of the forward op where that kind of op
 * takes its weight or bias; its element type comes with it. Profilers that record no shapes tell
 * neither.
 *
 * PyTorch does not record names. A parameter is called by its forward op, the n-th of its kind in
 * the step, and by its part there: `weight` if it has two dimensions or more, `bias` if it has
 * fewer and the op has a weight of more, or is an addmm; of two that look alike (as those of a
 * batch normalisation) the one that is complete first is called `weight`. A third is called
 * `weight_2` and so on.
 *
 * @param run of which the step is
 * @param step one step
 * @return its parameters in the order in which forward ops read them
 * @throws InputError if a shape or type is not one that PyTorch writes, or above 1 TiB
 */
std::vector<TorchParameter> FindTorchParameters(TorchRun& run, const TorchStep& step);

/**
 * @brief Make the tensors of a step of its parameters.
 *
 * A tensor is a parameter. If sizes of parameters are unknown, but gradients were reduced in
 * buckets of known sizes (DistributedDataParallel), a tensor is a bucket: `bucket_1` has the
 * gradients that were complete when the first all-reduce started, and so on. It is complete with
 * the last of them, and each op that reads one of its parameters needs it.
 *
 * The optimizer's step is shared out over the tensors: if its ops can be told apart by the shape of
 * their first input, and each shape has the same number of ops for each tensor, a tensor gets the
 * time of its ops and of what the optimizer did before them; else in proportion to bytes.
 *
 * @param run of which the step is
 * @param step one step, timed
 * @param options sizes by hand
 * @return its tensors and buckets
 * @throws InputError naming the tensors whose sizes nothing tells
 */
TorchStepTensors FindTorchTensors(TorchRun& run,
                                  const TorchStep& step,
                                  const ImportOptions& options);

/**
 * @param text JSON list of shapes, as "[[8,3],[3]]"
 * @return the shapes; of an input that is a list of tensors, or of text that is none, nothing
 */
std::vector<std::optional<TorchShape>> ParseTorchShapes(const std::string& text);

/**
 * @param op name of a forward op, as "conv2d_1"
 * @return place of the first of its inputs that is no parameter, or nothing if that kind of op is
 * unknown or the input does not have one row for each sample
 */
std::optional<std::size_t> FindTorchSamples(std::string_view op);

/// What the sizes of steps are called, if they are rows of that input and may be no samples.
constexpr StepSizeUnit TORCH_ROWS{"row",
                                  " in the first op that tells them",
                                  "with record_shapes=True it does"};

/// @param name of an op; @return it without what says that it is an operator, as "conv2d"
std::string GetTorchBaseName(std::string_view name);

/**
 * @param name of an op or an autograd node, as `aten::_log_softmax` or `LogSoftmaxBackward0`
 * @return what both have in common, as "logsoftmax"
 */
std::string GetTorchNodeKey(std::string_view name);

} // namespace ns3::dml

#endif /* DML_TORCH_RUN_H */

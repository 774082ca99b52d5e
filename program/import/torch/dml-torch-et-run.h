/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_ET_RUN_H
#define DML_TORCH_ET_RUN_H

#include "dml-torch-et-node.h"
#include "dml-torch-trace.h"

#include "ns3/dml-import-options.h"
#include "ns3/dml-import-result.h"
#include "ns3/dml-measured-job.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// When an operator or an annotation ran on a thread of the host.
struct TorchEtEvent
{
    int64_t start{0};     //!< ns on the trace's clock
    int64_t end{0};       //!< ns, at least `start`
    uint64_t external{0}; //!< "External id", or 0
    uint64_t function{0}; //!< "Record function id", or 0
    uint32_t name{0};     //!< text
    uint32_t thread{0};   //!< text: process and thread
    uint32_t workers{0};  //!< of a collective, size of the group that takes part; 0 if unknown
};

/// Something that ran on a GPU, or the call that launched it.
struct TorchEtLaunch
{
    int64_t start{0};        //!< ns
    int64_t end{0};          //!< ns, at least `start`
    uint64_t correlation{0}; //!< ties call and kernel together, or 0
    uint64_t external{0};    //!< "External id", or 0
    uint32_t place{0};       //!< text: of a kernel the GPU's number, of a call process and thread
    uint32_t stream{0};      //!< text: of a kernel the number of the stream on the GPU
    bool launches{false};    //!< of a call: by its name, it launches something on the GPU
    bool computes{false}; //!< of a kernel: it is no copy, no fill, and of no collective by its name
};

/// The times in the Kineto trace that was recorded together with an Execution Trace.
struct TorchEtTimes
{
    std::vector<TorchEtEvent> events;   //!< of the host, in the file's order
    std::vector<TorchEtLaunch> kernels; //!< what ran on GPUs, in the file's order
    std::vector<std::string> texts;     //!< names, threads, devices, each once
    /// Calls of the GPU's driver, by correlation.
    std::unordered_map<uint64_t, TorchEtLaunch> calls;
    std::unordered_map<std::string, uint32_t> byText; //!< indices of texts
    std::optional<int64_t> first;                     //!< start of the first event, ns
    TraceFaults faults;                               //!< records that were left out or changed

    /**
     * @brief Take an element of `traceEvents`; what is no complete event of an operator, an
     * annotation, a kernel or a call of the GPU's driver is dropped.
     * @param record the element
     * @throws InputError naming line, column and JSON path if a time is missing or out of range
     */
    void Add(const JsonRecord& record);

    /// @param correlation ties call and kernel together; @return the call, or null
    const TorchEtLaunch* FindCall(uint64_t correlation) const;
};

/// The time of one training step.
struct TorchEtStep
{
    std::string place;      //!< "file: ProfilerStep#3", for messages
    int64_t start{0};       //!< ns, on the host
    int64_t end{0};         //!< ns, on the host
    int64_t deviceStart{0}; //!< ns, when the device that computes begins to work for it
    int64_t deviceEnd{0};   //!< ns, at least `deviceStart`, when that has done so
};

/// An outermost operator of an Execution Trace, with all that it called.
struct TorchEtOp
{
    static constexpr uint32_t NONE = UINT32_MAX; //!< no op, no step

    std::vector<uint32_t> nodes; //!< indices of its nodes by id, the outermost first
    int64_t start{0};            //!< ns, on the host
    int64_t end{0};              //!< ns, on the host
    uint32_t thread{0};          //!< text of TorchEtTimes
    uint32_t step{NONE};         //!< index of its step, or NONE if it is in none or has no time
    /// Start and end of what it ran on a GPU, ns, by start.
    std::vector<std::pair<int64_t, int64_t>> kernels;
    /// When collectives ran that operators within it ask for: not its own, if it is one itself,
    /// which has kernels and takes no time.
    std::vector<const TorchEtEvent*> exchanges;
    int64_t inner{0};           //!< ns on the host of ops within it that are ops of their own
    uint32_t gpu{0};            //!< text of TorchEtTimes, if there are kernels
    bool isBackward{false};     //!< an autograd node
    bool isAccumulation{false}; //!< the autograd node that completes a gradient
    bool isOptimizer{false};    //!< within an annotation `Optimizer.step`
    std::set<uint32_t> deps;    //!< indices of ops of the same step that it waits for, all smaller

    /// @return start of its first kernel, or its start on the host if it has none, ns
    int64_t GetStart() const;
    /// @return time during which at least one of its kernels ran, or its length on the host without
    /// that of inner ops, ns
    int64_t GetLength() const;
};

/// Numbers about how a profile was made of the traces.
struct TorchEtCounts
{
    uint64_t joined{0};      //!< nodes that have an event
    uint64_t candidates{0};  //!< nodes that should have one
    uint64_t untimed{0};     //!< outermost operators without an event
    uint64_t outside{0};     //!< outermost operators that are in no step
    uint64_t crossing{0};    //!< dependencies on an op that started later, left out
    uint64_t backward{0};    //!< autograd nodes but for accumulations
    uint64_t paired{0};      //!< of these, tied to a forward op by sequence number
    uint64_t kernels{0};     //!< kernels of an op
    uint64_t strays{0};      //!< kernels of no op
    uint64_t exchanges{0};   //!< kernels of collectives that ops ask for
    uint64_t bySequence{0};  //!< gradients whose parameter the sequence number told
    uint64_t byShape{0};     //!< gradients whose parameter only its shape told
    uint64_t unknown{0};     //!< gradients of no known parameter, which count as one of their own
    uint64_t empty{0};       //!< accumulations without a tensor, which are left out
    uint64_t ops{0};         //!< operators that became ops on a device
    uint64_t gpuOps{0};      //!< of these, on a GPU
    uint64_t collectives{0}; //!< of these, collective operations, whose time is left out
    uint64_t optimizer{0};   //!< operators that became updates
    uint64_t annotated{0};   //!< of these, within an annotation `Optimizer.step`
};

/// A parameter where it lies: storage, offset in it, number of elements.
using TorchEtKey = std::tuple<uint64_t, uint64_t, uint64_t>;

/// @param tensor of a node; @return where it lies
inline TorchEtKey
GetTorchEtKey(const TorchEtTensor& tensor)
{
    return {tensor.storage, tensor.offset, tensor.elements};
}

/**
 * @ingroup dml-import
 * @brief An Execution Trace and the Kineto trace of the same run, and what the functions below
 * make of them, each of what those above it made.
 */
struct TorchEtRun
{
    std::string traceFile;          //!< name of the Execution Trace
    std::string schema;             //!< of the Execution Trace
    std::vector<TorchEtNode> nodes; //!< of the Execution Trace, by id
    std::string timesFile;          //!< name of the Kineto trace
    TorchEtTimes times;             //!< of the Kineto trace
    TorchTrace distribution;        //!< of the Kineto trace, what it tells of other workers
    uint64_t bytesRead{0};          //!< of both

    std::vector<TorchEtStep> steps; //!< by start, none overlaps another
    std::vector<TorchEtOp> ops;     //!< the outermost operators in the order in which they started
    /// Nodes by the sequence number that they carry before an autograd node with it runs.
    std::unordered_map<int64_t, std::vector<uint32_t>> owners;

    std::vector<Tensor> tensors; //!< parameters, in the order in which forward first reads them
    std::map<TorchEtKey, TensorIndex> byKey;   //!< parameters by place
    std::map<uint32_t, TensorIndex> gradients; //!< parameters by op that accumulates
    TorchEtCounts counts;                      //!< how all this was made

    /// @return index of the step that runs at @p time, ns, or TorchEtOp::NONE
    uint32_t FindStep(int64_t time) const;
    /// @param op index of an op; @return sequence number of the autograd node that it is, or -1
    int64_t GetSequence(uint32_t op) const;
};

/**
 * @brief Find the event of each node. Names must agree.
 *
 * Tried are "Record function id" = rf_id (PyTorch 2.3 and later), "External id" = rf_id and
 * "External id" = node id (earlier ones); the one that joins most nodes is taken, the first of
 * these if several do.
 * @param run whose nodes get their events
 * @return what ties them together, as "External id = rf_id"
 */
std::string JoinTorchEtNodes(TorchEtRun& run);

/**
 * @brief Find the training steps of an Execution Trace and its Kineto twin.
 *
 * They are the annotations `ProfilerStep#N` of the Kineto trace; without these a step lasts from
 * the end of an `Optimizer.step` to the end of the next one, the first from the first operator; and
 * without either all of the Execution Trace is one step. Only steps in which operators of the
 * Execution Trace start are kept, as the Kineto trace may have more; those whose kernels were lost
 * are left out. On a GPU a step is as FindDeviceSteps() tells.
 * @param run gets the steps, none if no operator has a time
 * @return what starts and ends a step, one sentence
 * @throws InputError if two annotations overlap by more than a tenth of the shorter one, or no step
 * has the kernels that it launched
 */
std::string FindTorchEtSteps(TorchEtRun& run);

/**
 * @brief Make the data-flow graph of the outermost operators of an Execution Trace.
 *
 * An operator is a node that is no annotation; the outermost ones are those that no other operator
 * called. One waits for whichever made the tensors that it reads: the last operator that returned
 * the tensor, and the last that changed the memory behind it (views share memory). One that changes
 * memory in place also waits for those that read it before. Memory that an operator returns and
 * that none of its inputs is in is newly allocated: what used it before does not matter. An
 * autograd node also waits for the operator that created it: of the nodes with its sequence number
 * that do not run within an autograd node, the one that started last (Kineto's own rule).
 *
 * Kernels belong to the operator during which the call with their `correlation` was made on its
 * thread, or, if there is none, to that with their `External id`. Those of a collective that an
 * operator asks for belong to none: they take place beside it, and the network decides how long.
 * @param run gets the operators; its nodes get TorchEtNode::op, TorchEtTensor::maker and isOutside
 */
void MakeTorchEtGraph(TorchEtRun& run);

/**
 * @brief Find the parameters of a model by the gradients that its steps accumulate.
 *
 * A parameter is a floating-point tensor in memory that no operator of the step allocates and whose
 * gradient an autograd node `AccumulateGrad` completes. Which one: that node reads the gradient,
 * which was made by an autograd node with a sequence number; the operator with that number reads
 * the parameter, which has the gradient's shape. If several of its inputs have (weight and bias of
 * a batch normalisation), inputs and gradients are taken in the same order, those that the
 * optimizer changes first. If none has, it is the tensor of that shape that forward operators read
 * last and that has no gradient yet.
 * @param run gets the parameters of all steps
 */
void FindTorchEtParameters(TorchEtRun& run);

/**
 * @brief Make the ops of the training steps of the outermost operators of an Execution Trace.
 *
 * Ops, in listing order: `pull/TENSOR`; `forward/NAME_n`, `backward/NODE_n`, `accumulate/TENSOR`
 * and `compute/NAME_n` in the order in which the host started them; `push/TENSOR` after the
 * accumulation, in the order of accumulations; `update/TENSOR`. Forward is what starts before the
 * first autograd node. An operator with kernels runs on its GPU for as long as any of them does,
 * another one on the CPU for as long as it did. Collective operations take no time: here the
 * network decides theirs.
 *
 * The optimizer is what runs within `Optimizer.step`; without that annotation it is all that starts
 * after the last autograd node, if part of it changes a parameter. An operator that changes
 * parameters counts to the updates of these by their size; one that changes none, such as that of a
 * momentum, to those of all parameters of the step by their size.
 * @param run the traces
 * @param options the user's choices: device, order
 * @param job gets steps, and devices, the CPU first
 * @throws InputError if the optimizer's operators take more than 1e6 s together
 */
void BuildTorchEtSteps(TorchEtRun& run, const ImportOptions& options, MeasuredJob& job);

/**
 * @brief Add ops of no length that get idle time around updates: an update runs on another machine
 * than the worker, whose time it is.
 *
 * `compute/before-update` ends when the first update starts, `compute/after-update` at the end of
 * the step. Each is added to all steps if there is such idle time in any of them. It follows the
 * worker's op that is listed last, on the same device.
 * @param steps all steps, whose updates run one after another
 * @return one sentence, or empty if nothing was added
 */
std::string AddTorchEtIdleOps(std::vector<MeasuredStep>& steps);

/**
 * @brief Tell how gradients were reduced, and the profile its buckets: of a step, the all-reduces
 * between the first gradient and the optimizer.
 *
 * One all-reduce is up to three nodes, each within the one before: `c10d::allreduce_` (PyTorch 1.13
 * and later), `record_param_comms`, and an annotation `nccl:all_reduce`. The outermost one counts;
 * its size is that of the tensors that any of them reads. Gloo's annotation is on a thread of its
 * own, for as long as the collective takes, in the order of requests. NCCL's kernel is that which
 * was launched within.
 * @param run the traces
 * @param result has a valid profile, and gets the protocol, rules and warnings
 */
void AddTorchEtBuckets(const TorchEtRun& run, ImportResult& result);

} // namespace ns3::dml

#endif /* DML_TORCH_ET_RUN_H */

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_TRACE_H
#define DML_TORCH_TRACE_H

#include "ns3/dml-trace-faults.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3::dml
{

class JsonRecord;
class TraceInput;

/**
 * @ingroup dml-import
 * @brief An op, an autograd node or an annotation that PyTorch's profiler recorded on a thread.
 */
struct TorchEvent
{
    /// "None", of an index.
    static constexpr uint32_t NONE = UINT32_MAX;

    int64_t start{0};      //!< ns on the trace's clock
    int64_t end{0};        //!< ns, at least `start`
    int64_t sequence{-1};  //!< number of an autograd node, or -1
    uint64_t id{0};        //!< "External id", or 0
    uint32_t name{0};      //!< text
    uint32_t thread{0};    //!< index of its thread, in the order in which the file names them
    uint32_t dims{NONE};   //!< text: JSON list of the inputs' shapes
    uint32_t types{NONE};  //!< text: JSON list of the inputs' element types
    uint32_t parent{NONE}; //!< innermost event of the thread that was running when it started
    bool backward{false};  //!< the node runs, as opposed to: an op is about to create it
};

/// Something that ran on a GPU: a kernel, a copy, a fill.
struct TorchKernel
{
    int64_t start{0};                   //!< ns
    int64_t end{0};                     //!< ns, at least `start`
    uint64_t id{0};                     //!< "External id" of the op that launched it, or 0
    uint64_t correlation{0};            //!< of the call that launched it, or 0
    uint32_t device{0};                 //!< text: number of the GPU
    uint32_t stream{0};                 //!< text: number of the stream on it
    uint32_t call{TorchEvent::NONE};    //!< index of the call that launched it, if in the trace
    uint32_t event{TorchEvent::NONE};   //!< innermost event that launched it, if the trace tells
    uint32_t request{TorchEvent::NONE}; //!< outermost event of the collective that launched it
    bool collective{false};             //!< a collective launched it, or it is called so
    bool copies{false};                 //!< it is no kernel but a copy or a fill
};

/// A call of the GPU's driver that launched something.
struct TorchLaunch
{
    int64_t start{0};                 //!< ns
    int64_t end{0};                   //!< ns, at least `start`
    uint64_t correlation{0};          //!< ties it to what it launched
    uint32_t thread{0};               //!< index of its thread
    uint32_t event{TorchEvent::NONE}; //!< innermost event that made it, if the trace tells
};

/// Memory that was allocated or freed.
struct TorchAllocation
{
    /// Whose memory it is, in the profiler's numbers.
    enum Device : uint8_t
    {
        CPU = 0,
        GPU = 1,
    };

    int64_t time{0};     //!< ns
    uint64_t address{0}; //!< of the block
    int64_t bytes{0};    //!< its size; below 0: it is freed
    Device device{CPU};  //!< whose
};

/// An all-reduce, with the size of its message.
struct TorchMessage
{
    int64_t start{0};      //!< ns, when it was asked for, if the trace tells; else when it ran
    uint64_t id{0};        //!< "External id"
    uint64_t bytes{0};     //!< contributed by this process; 0 if unknown
    int64_t runStart{0};   //!< ns, when a thread of the CPU or a GPU began to do it; 0 if unknown
    int64_t runEnd{0};     //!< ns, when that was done with it; 0 as above
    uint32_t thread{0};    //!< index of the thread that asked for it
    uint32_t workers{0};   //!< size of the group of workers that takes part, or 0 if unknown
    std::string backend{}; //!< library that does it, as "nccl", or empty if unknown
    /// It adds whole numbers or truth values, as DistributedDataParallel's map of unused
    /// parameters, and so no gradients.
    bool isWhole{false};

    /// @return ns, how long it ran, waiting for other workers included; 0 if unknown
    int64_t GetLength() const
    {
        return runEnd - runStart;
    }
};

/**
 * @ingroup dml-import
 * @brief What an importer needs of a trace of PyTorch's profiler, in compact form.
 */
struct TorchTrace
{
    std::string file;                   //!< name in messages
    std::vector<std::string> texts;     //!< names and other texts, each once
    std::vector<TorchEvent> events;     //!< by thread, then in the order in which they started
    std::vector<TorchKernel> kernels;   //!< in the file's order
    std::vector<TorchLaunch> launches;  //!< by thread, then by start
    std::vector<TorchMessage> messages; //!< by start
    std::vector<TorchAllocation> allocations; //!< by time; empty without profile_memory=True
    bool requested{false};                    //!< messages tell when they were asked for
    /// Names of other collectives, as "broadcast", and how many of each there are.
    std::vector<std::pair<std::string, uint64_t>> otherCollectives;
    /// Element types of all-reduces that are unknown, and how many of each there are.
    std::vector<std::pair<std::string, uint64_t>> untyped;
    std::string backend;          //!< library of collectives, as "nccl", or empty
    uint32_t workers{0};          //!< of the job, or 0 if the file does not tell
    std::optional<uint32_t> rank; //!< of the worker that wrote the file, if that tells
    std::string model;            //!< name of the neural network if the file tells, or empty
    uint32_t batchSize{0};        //!< if the file tells, or 0
    std::string gpu;              //!< name of the first GPU, or empty
    bool legacy{false};           //!< a bare list of events, as PyTorch wrote before Kineto
    uint64_t gpuRanges{0};        //!< of a legacy trace: ops that have a time on a GPU
    TraceFaults faults;           //!< records that were left out or changed
    uint64_t bytesRead{0};        //!< size of the file, uncompressed

    /// @param event one of `events`; @return its name
    const std::string& GetName(const TorchEvent& event) const
    {
        return texts[event.name];
    }

    /**
     * @brief Sort all lists and find every event's parent.
     *
     * An event is within the one of its thread that has started last and not ended. One without
     * length that starts when another ends is within it, as microseconds hide which came first,
     * unless the autograd engine runs it: its nodes follow one another. A node is within its
     * evaluation even if it seems to start up to 1 us after the end of that.
     *
     * Kernels end when the next one on their stream begins, at the latest.
     */
    void Nest();

    /**
     * @brief Find the event that launched each kernel, and which of them are a collective's.
     *
     * An event launched it if it was the innermost one during the call with the kernel's
     * correlation, else if it has the kernel's External id. PyTorch 2.0 and 2.1 write the
     * correlation there, too, which is then the number of no event. A kernel is a collective's if
     * an event of one launched it, and no op in between, as a copy before it.
     */
    void FindLaunchers();
};

/// Names by which the profiler marks what is not an operator.
namespace torchnames
{
constexpr std::string_view STEP = "ProfilerStep#";
constexpr std::string_view OPTIMIZER_STEP = "Optimizer.step#";
constexpr std::string_view ZERO_GRAD = "Optimizer.zero_grad#";
constexpr std::string_view EVALUATE = "autograd::engine::evaluate_function: ";
constexpr std::string_view ACCUMULATE = "torch::autograd::AccumulateGrad";
constexpr std::string_view OPERATOR = "aten::";
} // namespace torchnames

/// @return true if @p text starts with @p prefix
inline bool
StartsWith(std::string_view text, std::string_view prefix)
{
    return text.substr(0, prefix.size()) == prefix;
}

/// @param text name of an event; @return the name of the autograd node that it evaluates, or @p
/// text
inline std::string_view
GetTorchNode(std::string_view text)
{
    return StartsWith(text, torchnames::EVALUATE) ? text.substr(torchnames::EVALUATE.size()) : text;
}

/// @param name of anything; @return true if a backend of collectives is called so, as "nccl"
bool IsTorchBackend(std::string_view name);

/// @param name of an event; @return true if the event is the request for a collective, or a
/// backend's annotation of one, as `c10d::allreduce_`, `record_param_comms`, `nccl:all_reduce`
bool IsTorchCollective(std::string_view name);

/// @param backend of collectives; @return true if a thread of the CPU does these: its annotations
/// last as long as they do
bool IsTorchCpuBackend(std::string_view backend);

/**
 * @param type name of an element type as the profiler writes it: of C++, as "float" and
 * "c10::BFloat16", or of PyTorch, as "Float"
 * @return its size in bytes, or 0 if it is none that is known
 */
uint32_t GetTorchElementSize(std::string_view type);

/// @param type as above; @return true if it is of whole numbers or truth values
bool IsTorchWhole(std::string_view type);

/// What an event of a Kineto trace is about.
enum class KinetoCategory : uint8_t
{
    HOST,   //!< an op or an annotation
    DEVICE, //!< something that ran on a GPU
    CALL,   //!< a call of the GPU's driver
    OTHER,  //!< nothing that tells times of ops
};

/// @param name of a category, since PyTorch 1.11 or before it @return what its events are about
KinetoCategory GetKinetoCategory(std::string_view name);

/**
 * @param record an event
 * @param faults gets it if it lasts less than 0 s or more than 1e6 s
 * @return its start and its end, ns on the trace's clock; nothing if it is such a fault
 * @throws InputError if a time is missing, no number, or beyond 4e15 us
 */
std::optional<std::pair<int64_t, int64_t>> GetKinetoTimes(const JsonRecord& record,
                                                          TraceFaults& faults);

/**
 * @param record an event
 * @param key of a number
 * @return the number, 0 if there is none
 * @throws InputError if it is none, or below 0
 */
uint64_t GetKinetoId(const JsonRecord& record, std::string_view key);

/// @param record an event @return number of the op that it belongs to, 0: of none
uint64_t GetKinetoExternalId(const JsonRecord& record);

/// @param record an event @return number that a call and what it launched have in common, or 0
uint64_t GetKinetoCorrelation(const JsonRecord& record);

/// @param record what ran on a GPU @return number of the GPU
std::string_view GetKinetoDevice(const JsonRecord& record);

/// @param record what ran on a GPU @return number of the stream on it
std::string_view GetKinetoStream(const JsonRecord& record);

/// @param record an event @param thread gets the name of the thread, of its process and its own
void GetKinetoThread(const JsonRecord& record, std::string& thread);

/// @param category of what ran on a GPU @return false if it is a copy or a fill
bool IsKinetoKernel(std::string_view category);

/// @param name of a call of the GPU's driver @return whether it launches something on the GPU
bool IsKinetoLaunch(std::string_view name);

/// @param header of a trace @param trace gets its rank, workers and backend
void ReadKinetoDistribution(const JsonRecord& header, TorchTrace& trace);

/**
 * @ingroup dml-import
 * @brief Read a Chrome trace that PyTorch's profiler wrote, plain or gzipped.
 *
 * Reads three generations of Kineto's traces (PyTorch 1.8-1.10: category `Operator`; 1.11-2.2:
 * `cpu_op`; 2.3 and later: times with decimals), told apart event by event, and the bare list of
 * the profiler before Kineto. Kept are complete events ("ph": "X") of operators and annotations,
 * what ran on GPUs, and what launched it; Python frames, flows and counters are dropped as they are
 * read, so memory grows with the number of ops only.
 *
 * A record whose values cannot be right is left out and counted among the trace's faults, and so is
 * one that lasts less than 0 s or more than 1e6 s.
 *
 * @param input the file
 * @return its content, nested
 * @throws InputError naming line, column and JSON path if it is no such trace, ends too early, or
 * has more records that are left out than others
 */
TorchTrace ReadTorchTrace(TraceInput& input);

} // namespace ns3::dml

#endif /* DML_TORCH_TRACE_H */

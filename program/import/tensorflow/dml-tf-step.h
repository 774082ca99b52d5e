/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TF_STEP_H
#define DML_TF_STEP_H

#include "ns3/dml-trace-faults.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ns3::dml
{

/// A device of a TensorFlow job, such as "/job:worker/replica:0/task:0/device:GPU:0".
struct TfDevice
{
    std::string machine; //!< "/job:worker/replica:0/task:0"; empty for a tracer's pseudo-device
    std::string local;   //!< "cpu:0", "gpu:0", "gpu:0/stream:all"

    /// @return true if it belongs to a parameter server: its job is called "ps"
    bool IsServer() const
    {
        return machine.rfind("/job:ps/", 0) == 0;
    }
};

/// What an op made.
struct TfOutput
{
    uint32_t port{0};   //!< number of the output
    uint64_t bytes{0};  //!< size
    uint64_t buffer{0}; //!< where it is, which other outputs may be, too; 0 if not known
};

/// One execution of a graph node.
struct TfOp
{
    uint32_t device{0};              //!< index into TfStep::devices
    std::string node;                //!< name of the node
    std::string type;                //!< its type, as "Conv2D"
    std::vector<std::string> inputs; //!< as the graph names them, with port and suffixes
    int64_t launch{0};               //!< the executor started it, ns on the machine's clock
    int64_t start{0};                //!< its work started: launch, later on a GPU; as above
    int64_t end{0};                  //!< its work ended, not before start; as above
    std::vector<TfOutput> outputs{}; //!< those of known size
    uint64_t temporary{0};           //!< bytes that it allocated for itself
};

/// What is known about the size of a received tensor.
enum class TfBytes : uint8_t
{
    UNKNOWN, //!< nothing
    ROUNDED, //!< to 0.1 MiB
    EXACT,   //!< all
};

/// A RecvTensor: one tensor that arrived from another machine, as its receiver recorded it.
struct TfReceive
{
    uint32_t device{0};              //!< receiving device: index into TfStep::devices
    std::string tensor;              //!< the node that made it, or empty if the trace does not say
    bool guessed{false};             //!< whether another tensor could be the one
    std::string sender;              //!< machine that sent it, or empty if the trace does not say
    uint64_t bytes{0};               //!< its size, if known
    TfBytes known{TfBytes::UNKNOWN}; //!< whether it is
    int64_t start{0};                //!< ns on the receiver's clock
    int64_t end{0};                  //!< ns on the receiver's clock, not before start
};

/// Memory that a tensor got, of which a timeline does not tell what it is for.
struct TfAllocation
{
    int64_t time{0};   //!< ns, as those of ops
    uint64_t bytes{0}; //!< size
};

/// A record that is damaged and left out.
struct TfLeftOut
{
    std::string node;  //!< name of the node, or empty if others need it in any case
    std::string error; //!< what is wrong with its record, and where that is
};

/**
 * @ingroup dml-import
 * @brief One session.run of TensorFlow 1 as traced on all its machines.
 */
struct TfStep
{
    /// Latest start accepted, ns (in the year 2096).
    static constexpr int64_t MAX_START = 4'000'000'000'000'000'000;
    /// Longest record, update and step accepted, ns: 1e6 s, as a profile holds.
    static constexpr int64_t MAX_LENGTH = 1'000'000'000'000'000;
    /// Largest tensor accepted, bytes.
    static constexpr int64_t MAX_BYTES = 1'000'000'000'000'000;

    std::string file;                      //!< where it was read, for messages
    std::vector<TfDevice> devices;         //!< devices; two of the same name are one
    std::vector<TfOp> ops;                 //!< in the file's order
    std::vector<TfReceive> receives;       //!< in the file's order
    std::vector<TfAllocation> allocations; //!< likewise; instead of outputs of ops
    TraceFaults faults;                    //!< records of the file that were left out
    std::vector<TfLeftOut> leftOut;        //!< those of these that may be needed
    uint64_t bytesRead{0};                 //!< size of the file, uncompressed
    bool local{false};                     //!< of one process: SplitTfLocalStep() made its server
    std::unordered_map<std::string, uint32_t> deviceNumbers; //!< of devices by full name

    /// Where the records of a device start.
    struct Mark
    {
        std::size_t op;      //!< index into ops
        std::size_t receive; //!< index into receives
    };

    /// @return the mark of records that are added from now on
    Mark GetMark() const
    {
        return {ops.size(), receives.size()};
    }

    /**
     * @brief Say where records ran, which a file may do after them.
     * @param mark where these records start; they end with the last one
     * @param name full name of their device
     */
    void SetDevice(const Mark& mark, std::string_view name);

    /**
     * @brief Add what other machines recorded of the same steps.
     * @param other their records
     * @throws InputError if both have records of a machine
     */
    void Join(const TfStep& other);

    /**
     * @brief Tell what looks wrong.
     * @param[in,out] warnings gets a sentence that begins with the file, unless the number is zero
     * @param count how often
     * @param text what, after that number
     */
    void Warn(std::vector<std::string>& warnings, uint32_t count, const std::string& text) const;

    /// @param name full name; @return index of that device, added if it is new
    uint32_t AddDevice(std::string_view name);

    /// @param worker a machine; @return bytes of all tensors that its ops made, which grow with
    /// the batch size, or of all machines if the trace tells no more, or 0 if it does not tell
    uint64_t GetMadeBytes(const std::string& worker) const;

    /// @param record an op or a receive; @return its machine
    template <typename Record>
    const std::string& GetMachine(const Record& record) const
    {
        return devices[record.device].machine;
    }
};

} // namespace ns3::dml

#endif /* DML_TF_STEP_H */

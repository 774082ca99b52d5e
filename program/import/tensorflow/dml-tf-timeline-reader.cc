/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-left-out.h"
#include "dml-tf-names.h"
#include "dml-tf-step-readers.h"

#include "ns3/dml-error.h"
#include "ns3/dml-json-record-reader.h"
#include "ns3/dml-trace-input.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

namespace ns3::dml
{

namespace
{

/// Puts events together with the devices that other events name.
class TimelineReader
{
  public:
    TfStep Read(TraceInput& input)
    {
        JsonRecordReader({"traceEvents"}).Read(input, [this](const JsonRecord& record) {
            if (record.GetList() != JsonRecord::HEADER)
            {
                AddEvent(record);
            }
            return true;
        });
        m_step.file = input.GetFile();
        m_step.bytesRead = input.GetOffset();
        FindDevices();
        if (m_step.ops.empty())
        {
            throw InputError(input.GetFile() +
                             ": /traceEvents: found no op of TensorFlow; accepted: "
                             "events with \"ph\": \"X\" and \"cat\": \"Op\"" +
                             m_step.faults.GetReason());
        }
        m_step.faults.RefuseIfMost(m_step.file, m_step.ops.size() + m_step.receives.size());
        return std::move(m_step);
    }

  private:
    /// A process of the trace, which stands for a device.
    struct Process
    {
        std::string label; //!< "<device> Compute", or empty if not yet told
        std::string place; //!< first event of it, for messages
    };

    /// Read an event, or leave it out if a value in it cannot be right.
    void AddEvent(const JsonRecord& record)
    {
        try
        {
            ReadEvent(record);
        }
        catch (const InputError& error)
        {
            const bool isOp = record.GetText("ph") == "X";
            const auto process = m_numbers.find(std::string(record.GetText("pid")));
            const bool isKernel =
                process != m_numbers.end() && IsOfGpuTrace(m_processes[process->second].label);
            LeaveOutTfRecord(m_step,
                             isOp ? GetType(record) : std::string_view(),
                             isOp && !isKernel ? record.GetText("args.name") : std::string_view(),
                             error.what());
        }
    }

    void ReadEvent(const JsonRecord& record)
    {
        const std::string_view phase = record.GetText("ph");
        if (phase == "M" && record.GetText("name") == "process_name")
        {
            m_processes[GetProcess(record)].label = record.GetString("args.name");
        }
        else if (phase == "X" && record.GetText("cat") == "Op")
        {
            ReadOp(record);
        }
        else if (phase == "C" && record.GetText("cat") == "Memory")
        {
            ReadMemory(record);
        }
    }

    /// Take what an allocator has handed out, which `show_memory` writes at each change.
    void ReadMemory(const JsonRecord& record)
    {
        const std::string allocator(record.GetText("name"));
        const std::string key = "args." + allocator;
        if (!record.Has(key))
        {
            return;
        }
        // A tensor that is freed in the microsecond in which it is made is freed before it is.
        const int64_t all = record.GetInteger(key, -TfStep::MAX_BYTES, TfStep::MAX_BYTES);
        int64_t& before = m_allocated[allocator];
        if (all > before)
        {
            const auto bytes = static_cast<uint64_t>(all - before);
            m_step.allocations.push_back({GetTime(record, "ts", TfStep::MAX_START), bytes});
        }
        before = all;
    }

    uint32_t GetProcess(const JsonRecord& record)
    {
        if (!record.Has("pid"))
        {
            record.Fail("pid", "the number of a process");
        }
        const std::string pid(record.GetText("pid"));
        const auto [known, isNew] = m_numbers.emplace(pid, m_processes.size());
        if (isNew)
        {
            m_processes.push_back({"",
                                   record.GetPlace() + ": /traceEvents/" +
                                       std::to_string(record.GetIndex()) + "/pid: found " + pid});
        }
        return known->second;
    }

    static int64_t GetTime(const JsonRecord& record, const char* key, int64_t max)
    {
        const int64_t time = record.GetNanoseconds(key);
        if (time < 0 || time > max)
        {
            record.Fail(key, "0 to " + std::to_string(max / 1000) + " microseconds");
        }
        return time;
    }

    void ReadOp(const JsonRecord& record)
    {
        TfOp op;
        op.device = GetProcess(record);
        op.start = GetTime(record, "ts", TfStep::MAX_START);
        op.launch = op.start;
        op.end = op.start + GetTime(record, "dur", TfStep::MAX_LENGTH);
        op.type = record.GetString(record.Has("args.op") ? "args.op" : "name");
        if (op.type == "RecvTensor")
        {
            ReadReceive(record, op);
            return;
        }
        op.node = record.GetString("args.name");
        op.inputs = GetInputs(record);
        m_step.ops.push_back(std::move(op));
    }

    /// @return type of an op's node, as far as a damaged record tells
    static std::string_view GetType(const JsonRecord& record)
    {
        return record.GetText(record.Has("args.op") ? "args.op" : "name");
    }

    /// @return "input0", "input1" and so on, up to the first that is missing
    static std::vector<std::string> GetInputs(const JsonRecord& record)
    {
        static constexpr std::string_view INPUT = "args.input";
        const std::size_t count = record.GetFieldCount();
        std::vector<std::size_t> fields; // by number of the input
        for (std::size_t i = 0; i < count; ++i)
        {
            const std::string_view key = record.GetFieldKey(i);
            std::size_t number = 0;
            if (key.substr(0, INPUT.size()) == INPUT &&
                ReadNumber(key.substr(INPUT.size()), number) && number < count)
            {
                fields.resize(std::max(fields.size(), number + 1), count);
                fields[number] = std::min(fields[number], i);
            }
        }
        std::vector<std::string> inputs;
        for (std::size_t n = 0; n < fields.size() && fields[n] < count; ++n)
        {
            inputs.push_back(record.GetFieldString(fields[n]));
        }
        return inputs;
    }

    /// @return true if @p text is a number as a program writes it, which @p number then is
    static bool ReadNumber(std::string_view text, std::size_t& number)
    {
        const char* const end = text.data() + text.size();
        const auto [last, error] = std::from_chars(text.data(), end, number);
        return error == std::errc() && last == end && (text.size() == 1 || text.front() != '0');
    }

    void ReadReceive(const JsonRecord& record, const TfOp& op)
    {
        TfReceive receive;
        receive.device = op.device;
        receive.start = op.start;
        receive.end = op.end;
        if (record.Has("args.bytes"))
        {
            receive.bytes = record.GetInteger("args.bytes", 0, TfStep::MAX_BYTES);
            receive.known = TfBytes::EXACT;
        }
        if (record.Has("args.label"))
        {
            ParseTfReceiveLabel(record.GetString("args.label"), receive);
        }
        if (record.Has("args.tensor"))
        {
            receive.tensor = record.GetString("args.tensor");
        }
        m_step.receives.push_back(std::move(receive));
    }

    /// @param label of a process @return the name of the device
    static std::string_view GetDevice(std::string_view label)
    {
        static constexpr std::string_view COMPUTE = " Compute";
        if (label.size() > COMPUTE.size() && label.substr(label.size() - COMPUTE.size()) == COMPUTE)
        {
            label.remove_suffix(COMPUTE.size());
        }
        return label;
    }

    /// @param label of a process @return whether its events are kernels and copies
    static bool IsOfGpuTrace(std::string_view label)
    {
        return IsTfGpuTrace(ParseTfDevice(GetDevice(label)).local);
    }

    /// Replace processes by devices, and leave out what ran in a process without a name.
    void FindDevices()
    {
        std::vector<uint32_t> devices(m_processes.size(), UINT32_MAX);
        const auto find = [&](auto& item, std::string_view type, std::string_view node) {
            const Process& process = m_processes[item.device];
            uint32_t& device = devices[item.device];
            if (process.label.empty())
            {
                LeaveOutTfRecord(m_step, type, node, DescribeNameless(process));
            }
            else if (device == UINT32_MAX)
            {
                device = m_step.AddDevice(GetDevice(process.label));
            }
            item.device = device;
        };
        for (TfOp& op : m_step.ops)
        {
            find(op, op.type, op.node);
        }
        for (TfReceive& receive : m_step.receives)
        {
            find(receive, "RecvTensor", "");
        }
        const auto drop = [](auto& records) {
            const auto last =
                std::remove_if(records.begin(), records.end(), [](const auto& record) {
                    return record.device == UINT32_MAX;
                });
            records.erase(last, records.end());
        };
        drop(m_step.ops);
        drop(m_step.receives);
    }

    static std::string DescribeNameless(const Process& process)
    {
        return process.place + "; accepted: a process that an event \"process_name\" names";
    }

    std::unordered_map<std::string, uint32_t> m_numbers;  //!< pid -> index of its process
    std::vector<Process> m_processes;                     //!< in order of first mention
    std::unordered_map<std::string, int64_t> m_allocated; //!< bytes, by allocator, so far
    TfStep m_step; //!< under construction; devices are indices of processes until the end
};

} // namespace

TfStep
ReadTfTimeline(TraceInput& input)
{
    return TimelineReader().Read(input);
}

} // namespace ns3::dml

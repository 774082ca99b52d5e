/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-run-metadata-node.h"
#include "dml-tf-left-out.h"
#include "dml-tf-names.h"
#include "dml-tf-step-readers.h"
#include "dml-trace-proto-stream.h"

#include "ns3/dml-error.h"
#include "ns3/dml-import-limits.h"
#include "ns3/dml-trace-input.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <limits>
#include <string>

namespace ns3::dml
{

namespace
{

using google::protobuf::internal::WireFormatLite;

/// Walks the messages around NodeExecStats.
class WireReader
{
  public:
    explicit WireReader(TraceInput& input)
        : m_input(input),
          m_source(input),
          m_stream(&m_source, TraceProtoStream::BLOCK),
          m_coded(&m_stream)
    {
        m_coded.SetTotalBytesLimit(std::numeric_limits<int>::max());
    }

    TfStep Read()
    {
        ReadFields("RunMetadata", [this](int field) {
            return field == tensorflow::RunMetadata::kStepStatsFieldNumber &&
                   ReadMessage("StepStats", [this](int f) {
                       return f == tensorflow::StepStats::kDevStatsFieldNumber && ReadDevice();
                   });
        });
        return std::move(m_step);
    }

  private:
    [[noreturn]] void Fail(int position, const std::string& message, const std::string& found) const
    {
        m_source.Rethrow();
        throw InputError(Describe(position, message, found));
    }

    /// @return what is wrong, and where
    std::string Describe(int position, const std::string& message, const std::string& found) const
    {
        return m_input.GetFile() + ": byte " + std::to_string(position) + ": found " + found +
               " in " + message + "; accepted: a RunMetadata of TensorFlow, binary or text";
    }

    /// Read fields to the end of a message; @p onField returns false for a field to be skipped.
    template <typename OnField>
    void ReadFields(const char* message, const OnField& onField)
    {
        while (true)
        {
            const int position = m_coded.CurrentPosition();
            const uint32_t tag = m_coded.ReadTag();
            if (tag == 0)
            {
                m_source.Rethrow();
                if (m_coded.BytesUntilLimit() > 0)
                {
                    Fail(m_coded.CurrentPosition(), message, "the end of the file");
                }
                if (!m_coded.ConsumedEntireMessage())
                {
                    Fail(position, message, "a broken field");
                }
                return;
            }
            const bool isMessage =
                WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
            if (isMessage && onField(WireFormatLite::GetTagFieldNumber(tag)))
            {
                continue;
            }
            if (!WireFormatLite::SkipField(&m_coded, tag))
            {
                Fail(position, message, "a broken or incomplete field");
            }
        }
    }

    /// @return the length of the message or string that follows, which fits into the one around it
    int ReadLength(const char* message, uint32_t max)
    {
        const int position = m_coded.CurrentPosition();
        uint32_t length = 0;
        if (!m_coded.ReadVarint32(&length) || length > max)
        {
            Fail(position, message, "a broken length");
        }
        const int room = m_coded.BytesUntilLimit();
        if (room >= 0 && length > static_cast<uint32_t>(room))
        {
            Fail(position, message, "a length beyond the end of the message around it");
        }
        return static_cast<int>(length);
    }

    template <typename OnField>
    bool ReadMessage(const char* message, const OnField& onField)
    {
        const int length = ReadLength(message, std::numeric_limits<int>::max());
        const auto limit = m_coded.PushLimit(length);
        ReadFields(message, onField);
        m_coded.PopLimit(limit);
        return true;
    }

    /// Read a string or a message as bytes.
    void ReadBytes(const char* message, std::string& bytes)
    {
        const int length = ReadLength(message, importlimit::RECORD_BYTES);
        if (!m_coded.ReadString(&bytes, length))
        {
            Fail(m_coded.CurrentPosition(), message, "the end of the file");
        }
    }

    bool ReadDevice()
    {
        const int position = m_coded.CurrentPosition();
        std::string name;
        const TfStep::Mark mark = m_step.GetMark();
        ReadMessage("DeviceStepStats", [&](int field) {
            if (field == tensorflow::DeviceStepStats::kDeviceFieldNumber)
            {
                ReadBytes("DeviceStepStats", name);
                return true;
            }
            return field == tensorflow::DeviceStepStats::kNodeStatsFieldNumber && ReadNode(name);
        });
        try
        {
            CheckRunMetadataText(name,
                                 m_input.GetFile() + ": byte " + std::to_string(position) +
                                     ": DeviceStepStats: /device");
            if (name.empty())
            {
                Fail(position, "DeviceStepStats", "no device");
            }
            m_step.SetDevice(mark, name);
        }
        catch (const InputError& error)
        {
            LeaveOutTfRecords(m_step, mark, error.what());
        }
        return true;
    }

    bool ReadNode(const std::string& device)
    {
        const int position = m_coded.CurrentPosition();
        ReadBytes("NodeExecStats", m_bytes);
        const bool isGpuTrace = IsTfGpuTrace(ParseTfDevice(device).local);
        if (!m_node.ParseFromString(m_bytes))
        {
            LeaveOutRunMetadataNode(m_node,
                                    isGpuTrace,
                                    Describe(position, "NodeExecStats", "a broken field"),
                                    m_step);
            return true;
        }
        AddRunMetadataNode(m_node,
                           isGpuTrace,
                           m_input.GetFile() + ": byte " + std::to_string(position) +
                               ": NodeExecStats",
                           m_step);
        return true;
    }

    TraceInput& m_input;                                      //!< the file
    TraceProtoStream m_source;                                //!< its bytes
    google::protobuf::io::CopyingInputStreamAdaptor m_stream; //!< likewise
    google::protobuf::io::CodedInputStream m_coded;           //!< its fields
    tensorflow::NodeExecStats m_node;                         //!< reused from node to node
    std::string m_bytes;                                      //!< of the node
    TfStep m_step;                                            //!< under construction
};

} // namespace

TfStep
ReadRunMetadata(TraceInput& input)
{
    const bool isText = IsRunMetadataText(input);
    TfStep step = isText ? ReadRunMetadataText(input) : WireReader(input).Read();
    step.file = input.GetFile();
    step.bytesRead = input.GetOffset();
    if (step.ops.empty())
    {
        throw InputError(input.GetFile() +
                         ": found a RunMetadata without any op; accepted: one "
                         "that was written with trace_level FULL_TRACE" +
                         step.faults.GetReason());
    }
    step.faults.RefuseIfMost(step.file, step.ops.size() + step.receives.size());
    return step;
}

} // namespace ns3::dml

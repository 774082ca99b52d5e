/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TF_TRACE_H
#define DML_TF_TRACE_H

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// One record of TensorFlow's executor.
struct TfTraceNode
{
    std::string device; //!< where it ran
    std::string name;   //!< node, or "RecvTensor"
    std::string label;  //!< timeline_label
    int64_t start;      //!< us after TfTrace::EPOCH
    int64_t length;     //!< us
    uint64_t bytes{0};  //!< size of its first output, or 0 to leave it out
};

/// A step as TensorFlow would record it, in all three forms.
struct TfTrace
{
    static constexpr int64_t EPOCH = 1600000000000000; //!< us

    std::vector<TfTraceNode> nodes; //!< those of one device follow each other

    /// @return RunMetadata in text form
    std::string MakeText() const
    {
        std::string text = "# a comment { with \"marks\nstep_stats {\n";
        for (std::size_t i = 0; i < nodes.size(); ++i)
        {
            const TfTraceNode& node = nodes[i];
            if (i == 0 || nodes[i - 1].device != node.device)
            {
                text += "  dev_stats {\n    device: \"" + node.device + "\"\n";
            }
            text += "    node_stats {\n      node_name: \"" + node.name +
                    "\"\n      all_start_micros: " + std::to_string(EPOCH + node.start) +
                    "\n      all_end_rel_micros: " + std::to_string(node.length) +
                    "\n      timeline_label: \"" + node.label + "\"\n";
            if (node.bytes > 0)
            {
                text += "      output { slot: 0 tensor_description { dtype: DT_FLOAT "
                        "allocation_description { requested_bytes: " +
                        std::to_string(node.bytes) + " } } }\n";
            }
            text += "    }\n";
            if (i + 1 == nodes.size() || nodes[i + 1].device != node.device)
            {
                text += "  }\n";
            }
        }
        return text + "}\npartition_graphs { node { name: \"a } b\" } }\n";
    }

    /// @return RunMetadata in binary form
    std::string MakeBinary() const
    {
        std::string devices;
        std::string device;
        for (std::size_t i = 0; i < nodes.size(); ++i)
        {
            const TfTraceNode& node = nodes[i];
            if (i == 0 || nodes[i - 1].device != node.device)
            {
                device = Bytes(1, node.device);
            }
            std::string fields = Bytes(1, node.name) + Number(2, EPOCH + node.start) +
                                 Number(5, node.length) + Bytes(8, node.label);
            if (node.bytes > 0)
            {
                fields += Bytes(7, Bytes(3, Number(1, 1) + Bytes(4, Number(1, node.bytes))));
            }
            device += Bytes(2, fields);
            if (i + 1 == nodes.size() || nodes[i + 1].device != node.device)
            {
                devices += Bytes(1, device);
            }
        }
        return Bytes(1, devices) + Bytes(3, "a graph to be skipped");
    }

    /// @return timeline, as timeline.py writes it
    nlohmann::ordered_json MakeTimeline() const
    {
        nlohmann::ordered_json events = nlohmann::ordered_json::array();
        std::map<std::string, int> pids;
        for (const TfTraceNode& node : nodes)
        {
            const int next = 2 * static_cast<int>(pids.size()) + 1;
            if (pids.emplace(node.device, next).second)
            {
                events.push_back({{"name", "process_name"},
                                  {"ph", "M"},
                                  {"pid", next},
                                  {"args", {{"name", node.device + " Compute"}}}});
                events.push_back({{"name", "process_name"},
                                  {"ph", "M"},
                                  {"pid", next + 1},
                                  {"args", {{"name", node.device + " Tensors"}}}});
            }
        }
        for (const TfTraceNode& node : nodes)
        {
            nlohmann::ordered_json args{{"name", node.name}};
            if (node.name == "RecvTensor")
            {
                args["op"] = "RecvTensor";
            }
            else
            {
                const auto is = node.label.find(" = ");
                const auto open = node.label.find('(');
                args["op"] = node.label.substr(is + 3, open - is - 3);
                std::string rest = node.label.substr(open + 1, node.label.size() - open - 2);
                for (int i = 0; !rest.empty(); ++i)
                {
                    const auto comma = rest.find(", ");
                    args["input" + std::to_string(i)] = rest.substr(0, comma);
                    rest = comma == std::string::npos ? "" : rest.substr(comma + 2);
                }
            }
            events.push_back({{"ph", "X"},
                              {"cat", "Op"},
                              {"name", args["op"]},
                              {"pid", pids.at(node.device)},
                              {"tid", 0},
                              {"ts", EPOCH + node.start},
                              {"dur", node.length},
                              {"args", args}});
        }
        return {{"traceEvents", events}};
    }

    /// @param field number; @param value of it; @return a varint field on the wire
    static std::string Number(int field, uint64_t value)
    {
        return Varint(field << 3) + Varint(value);
    }

    /// @param field number; @param value of it; @return a string or message field on the wire
    static std::string Bytes(int field, const std::string& value)
    {
        return Varint(field << 3 | 2) + Varint(value.size()) + value;
    }

  private:
    static std::string Varint(uint64_t value)
    {
        std::string bytes;
        for (; value >= 128; value >>= 7)
        {
            bytes += static_cast<char>(value | 128);
        }
        return bytes + static_cast<char>(value);
    }
};

#endif /* DML_TF_TRACE_H */

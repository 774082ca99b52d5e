/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-job-file.h"

#include "ns3/dml-error.h"
#include "ns3/dml-own-json.h"
#include "ns3/dml-yaml-field.h"
#include "ns3/dml-yaml-parser.h"
#include "ns3/dml-yaml-text.h"

#include <array>
#include <charconv>
#include <map>

namespace ns3::dml
{

namespace
{

constexpr const char* JOB_SCHEMA = "dml-job/1";
constexpr uint64_t MOST_WORKERS = 100000;
constexpr uint64_t MOST_STEPS = 1000000000;
constexpr uint64_t MOST_BYTES = uint64_t{1} << 50;
constexpr double MOST_SECONDS = 1e8;

/// @return the shortest decimal that reads back as @p value
std::string
Number(double value)
{
    std::array<char, 32> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return std::string(buffer.data(), end.ptr);
}

std::string
Numbers(const std::vector<GlobalOp>& numbers)
{
    std::string text;
    for (const GlobalOp number : numbers)
    {
        text += (text.empty() ? "" : ", ") + std::to_string(number);
    }
    return "[" + text + "]";
}

std::string
WriteOp(const MeanOp& mean,
        const std::string& name,
        const std::vector<GlobalOp>& deps,
        const std::vector<GlobalOp>& before)
{
    std::string text = "  - {name: " + QuoteJson(name) + ", kind: " + ToString(mean.op.kind) +
                       ", worker: " + std::to_string(mean.op.worker);
    const auto add = [&text](const char* key, const std::string& value) {
        text += std::string(", ") + key + ": " + value;
    };
    if (mean.op.device != JobOp::NO_DEVICE)
    {
        add("device", std::to_string(mean.op.device));
    }
    if (mean.op.bytes > 0)
    {
        add("bytes", std::to_string(mean.op.bytes));
    }
    if (mean.seconds > 0)
    {
        add("seconds", Number(mean.seconds));
    }
    if (mean.latency > 0)
    {
        add("latency", Number(mean.latency));
    }
    if (!deps.empty())
    {
        add("deps", Numbers(deps));
    }
    if (!before.empty())
    {
        add("before", Numbers(before));
    }
    return text + "}\n";
}

/// Reads a file.
class JobReader
{
  public:
    JobReader(const std::string& text, const std::string& path)
        : m_root(ParseYaml(text, path))
    {
    }

    JobStep Read()
    {
        const std::string accepted = std::string(JOB_SCHEMA) + " (dml import job writes it)";
        if (!m_root.IsMap())
        {
            m_root.Fail("a job, a map with the key schema: " + accepted);
        }
        const auto schema = m_root.Get("schema");
        if (schema.GetString(accepted) != JOB_SCHEMA)
        {
            schema.Fail(accepted);
        }
        m_root.CheckKeys({"schema",
                          "model",
                          "batch_size",
                          "source",
                          "workers",
                          "servers",
                          "steps",
                          "measured",
                          "devices",
                          "ops",
                          "unmatched"});
        m_job.model = m_root.Get("model").GetText("a text");
        m_job.batch = m_root.Get("batch_size").GetInteger(1, MOST_STEPS);
        m_job.workers = m_root.Get("workers").GetInteger(1, MOST_WORKERS);
        m_job.servers = m_root.Get("servers").GetInteger(0, MOST_WORKERS);
        m_job.steps = m_root.Get("steps").GetInteger(1, MOST_STEPS);
        ReadTexts();
        ReadMeasured();
        ReadOps();
        return std::move(m_job);
    }

  private:
    void ReadTexts()
    {
        if (const auto source = m_root.Get("source"))
        {
            for (const auto& [key, value] : source.GetEntries("a map of texts"))
            {
                m_job.source.emplace_back(key, value.GetText("a text"));
            }
        }
        if (const auto unmatched = m_root.Get("unmatched"))
        {
            for (const auto& item : unmatched.GetItems("a list of texts"))
            {
                m_job.unmatched.push_back(item.GetText("a text"));
            }
        }
        for (const auto& item : m_root.Get("devices").GetItems("a list of names"))
        {
            m_job.devices.push_back(item.GetString("a name"));
        }
    }

    void ReadMeasured()
    {
        const auto measured = m_root.Get("measured");
        for (const auto& item : measured.GetItems("a list of times by worker"))
        {
            item.CheckKeys({"step", "forward", "backward"});
            const auto read = [&item](const char* key) {
                return item.Get(key).GetNumber(MOST_SECONDS, "seconds");
            };
            m_job.measured.push_back({read("step"), read("forward"), read("backward")});
        }
        if (m_job.measured.size() != m_job.workers)
        {
            measured.FailWith("found " + std::to_string(m_job.measured.size()) +
                              " items; accepted: one for each of " + std::to_string(m_job.workers) +
                              " workers");
        }
    }

    void ReadOps()
    {
        const auto ops = m_root.Get("ops");
        const auto items = ops.GetItems("a list of ops");
        if (items.empty())
        {
            ops.Fail("a list of at least one op");
        }
        for (const auto& item : items)
        {
            item.CheckKeys({"name",
                            "kind",
                            "worker",
                            "device",
                            "bytes",
                            "seconds",
                            "latency",
                            "deps",
                            "before"});
            m_job.ops.push_back(ReadOp(item));
        }
        for (GlobalOp op = 0; op < items.size(); ++op)
        {
            ReadDependencies(items[op].Get("deps"), op, m_job.inStep);
            ReadDependencies(items[op].Get("before"), op, m_job.toNext);
        }
        try
        {
            UnrollSteps(m_job, 1);
        }
        catch (const InputError& error)
        {
            ops.FailWith(error.what());
        }
    }

    MeanOp ReadOp(const YamlField& item)
    {
        MeanOp mean;
        const std::string& name = item.Get("name").GetString("a name");
        const auto [place, added] = m_names.emplace(name, m_job.names.size());
        if (added)
        {
            m_job.names.push_back(name);
        }
        mean.op.name = place->second;
        mean.op.kind = JobOpKindFromString(item.Get("kind").GetChoice(ListJobOpKinds()));
        mean.op.worker = item.Get("worker").GetInteger(0, m_job.workers - 1);
        if (const auto device = item.Get("device"))
        {
            if (m_job.devices.empty())
            {
                device.FailWith("found a number; accepted: none, as there are no devices");
            }
            mean.op.device = device.GetInteger(0, m_job.devices.size() - 1);
        }
        if (const auto bytes = item.Get("bytes"))
        {
            mean.op.bytes = bytes.GetInteger(0, MOST_BYTES);
        }
        mean.seconds = ReadSeconds(item.Get("seconds"));
        mean.latency = ReadSeconds(item.Get("latency"));
        return mean;
    }

    static double ReadSeconds(const YamlField& field)
    {
        return field ? field.GetNumber(MOST_SECONDS, "seconds") : 0;
    }

    void ReadDependencies(const YamlField& field,
                          GlobalOp after,
                          GlobalGraph::Dependencies& dependencies) const
    {
        if (!field)
        {
            return;
        }
        for (const auto& item : field.GetItems("a list of numbers of ops"))
        {
            dependencies.emplace_back(item.GetInteger(0, m_job.ops.size() - 1), after);
        }
    }

    YamlField m_root;                        //!< of the file
    JobStep m_job;                           //!< so far
    std::map<std::string, uint32_t> m_names; //!< places of names
};

} // namespace

std::string
WriteJob(const JobStep& job)
{
    std::string text = std::string("schema: ") + JOB_SCHEMA + "\nmodel: " + QuoteJson(job.model) +
                       "\nbatch_size: " + std::to_string(job.batch) + "\n";
    text += job.source.empty() ? "" : "source:\n";
    for (const auto& [key, value] : job.source)
    {
        text += "  " + QuoteJson(key) + ": " + QuoteJson(value) + "\n";
    }
    text += "workers: " + std::to_string(job.workers) +
            "\nservers: " + std::to_string(job.servers) + "\nsteps: " + std::to_string(job.steps) +
            " # of which times are means\nmeasured:\n";
    for (const auto& times : job.measured)
    {
        text += "  - {step: " + Number(times.step) + ", forward: " + Number(times.forward) +
                ", backward: " + Number(times.backward) + "}\n";
    }
    text += job.unmatched.empty() ? "" : "unmatched:\n";
    for (const auto& sentence : job.unmatched)
    {
        text += "  - " + QuoteJson(sentence) + "\n";
    }
    text += job.devices.empty() ? "devices: []\n" : "devices:\n";
    for (std::size_t i = 0; i < job.devices.size(); ++i)
    {
        text += "  - " + QuoteJson(job.devices[i]) + " # " + std::to_string(i) + "\n";
    }
    text += "ops:\n";
    const auto deps = ListByWaiter(job.inStep, job.ops.size());
    const auto before = ListByWaiter(job.toNext, job.ops.size());
    for (std::size_t op = 0; op < job.ops.size(); ++op)
    {
        text += WriteOp(job.ops[op], job.names[job.ops[op].op.name], deps[op], before[op]);
    }
    return text;
}

JobStep
ReadJob(const std::string& path)
{
    return ReadJobText(ReadTextFile(path, "a job (a YAML file)"), path);
}

JobStep
ReadJobText(const std::string& text, const std::string& path)
{
    return JobReader(text, path).Read();
}

} // namespace ns3::dml

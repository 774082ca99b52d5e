/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-left-out.h"
#include "dml-tf-names.h"
#include "dml-tf-passes.h"
#include "dml-tf-step-builder.h"
#include "dml-tf-step-readers.h"

#include "ns3/dml-error.h"
#include "ns3/dml-importers.h"
#include "ns3/dml-step-merger.h"
#include "ns3/dml-step-sizes.h"
#include "ns3/dml-trace-input.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

namespace ns3::dml
{

namespace
{

/// Order of names in which task:2 comes before task:10.
struct TaskOrder
{
    bool operator()(const std::string& a, const std::string& b) const
    {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
    }
};

/// Machines that computed and are no parameter servers.
using Workers = std::set<std::string, TaskOrder>;

Workers
FindWorkers(const TfStep& step)
{
    Workers workers;
    for (const TfOp& op : step.ops)
    {
        const TfDevice& device = step.devices[op.device];
        if (!device.IsServer() && !device.machine.empty() && !IsTfTransparent(op.type))
        {
            workers.insert(device.machine);
        }
    }
    return workers;
}

/// @return true if @p machine is called @p name, in full or as "worker:1"
bool
IsCalled(const std::string& machine, const std::string& name)
{
    const std::size_t colon = name.find(':');
    return machine == name ||
           (colon != std::string::npos &&
            machine.rfind("/job:" + name.substr(0, colon) + "/", 0) == 0 &&
            machine.size() > name.size() - colon &&
            machine.substr(machine.rfind('/') + 1) == "task" + name.substr(colon));
}

/// @param name as the user gave it, if at all; @param rule gets a sentence; @return the worker to
/// import
std::string
ChooseWorker(const TfStep& step, const std::optional<std::string>& name, std::string& rule)
{
    const Workers workers = FindWorkers(step);
    if (workers.empty())
    {
        throw InputError(step.file + ": found no machine but parameter servers that computed; "
                                     "accepted: a trace of a training step; such ones with "
                                     "'import job', beside those of workers");
    }
    const std::string number = std::to_string(workers.size());
    if (!name)
    {
        rule = "worker: " + *workers.begin() +
               (workers.size() == 1 ? ", the only one"
                                    : ", the first of " + number + " (choose with --worker)");
        return *workers.begin();
    }
    const auto chosen = std::find_if(workers.begin(), workers.end(), [&](const auto& machine) {
        return IsCalled(machine, *name);
    });
    if (chosen == workers.end())
    {
        std::string names;
        for (const std::string& machine : workers)
        {
            names += (names.empty() ? "" : ", ") + machine;
        }
        throw InputError(step.file + ": found no worker '" + *name + "'; accepted: " + names);
    }
    rule = "worker: " + *chosen + ", chosen of " + number;
    return *chosen;
}

/// Puts steps together.
class Importer
{
  public:
    explicit Importer(const ImportOptions& options)
        : m_options(options)
    {
    }

    /// @param file that has the step
    void Add(TfStep step, const std::string& file)
    {
        const std::string matched = MatchTfReceives(step, m_warnings);
        const std::string gpu = ApplyTfGpuKernels(step);
        const std::string local = SplitTfLocalStep(step, m_warnings);
        std::string choice;
        const std::string worker =
            ChooseWorker(step, m_steps.empty() ? m_options.worker : m_worker, choice);
        TfBuiltStep built = BuildTfStep(step, worker, m_options, m_steps.size());
        if (m_steps.empty())
        {
            for (const std::string& rule : {choice, matched, gpu, local})
            {
                if (!rule.empty())
                {
                    m_rules.push_back(rule);
                }
            }
            m_rules.insert(m_rules.end(), built.rules.begin(), built.rules.end());
        }
        m_worker = worker;
        m_sizes.push_back({file, built.measured.place, step.GetMadeBytes(worker)});
        Merge(built);
        m_bytesRead += step.bytesRead;
    }

    /**
     * Leave out a file that lacks records which others need, beside files that do not.
     * @param files number of files
     * @return false if @p step, which is a whole file, is left out
     * @throws InputError if more files are left out than not
     */
    bool IsWhole(const TfStep& step, std::size_t files)
    {
        try
        {
            CheckTfLeftOut(step);
            return true;
        }
        catch (const InputError& error)
        {
            if (2 * ++m_leftOut > files)
            {
                throw;
            }
            m_warnings.push_back(step.file + " is left out: " + error.what());
            return false;
        }
    }

    /// Tell of records of @p step, which is a whole file, that were left out.
    void AddFaults(const TfStep& step)
    {
        for (const std::string& fault : step.faults.Tell())
        {
            m_warnings.push_back(step.file + ": " + fault);
        }
    }

    void AddRule(const std::string& rule)
    {
        m_rules.push_back(rule);
    }

    ImportResult Finish(const std::string& format)
    {
        if (m_job.tensors.empty())
        {
            throw InputError(m_steps.front().measured.place +
                             ": found no tensor that a worker and its parameter servers exchange, "
                             "and no op that applies a gradient to a variable (Apply..., as "
                             "ApplyGradientDescent); accepted: a trace of a training step, of a "
                             "worker with its servers or of one process");
        }
        const bool align = m_options.clocks != TraceClocks::RECORDED;
        AlignTfSteps(m_steps, m_transfers, m_worker, align, m_rules, m_warnings);
        PlaceTfLocalIdle(m_steps, m_rules);
        const std::vector<bool> isKept = ChooseSteps();
        RecordedDevice device;
        for (std::size_t s = 0; s < m_steps.size(); ++s)
        {
            MeasuredStep& step = m_steps[s].measured;
            AddComputes(step, s, device);
            if (isKept[s])
            {
                m_job.steps.push_back(std::move(step));
            }
        }
        m_job.source = {{"framework", "TensorFlow 1"}, {"format", format}};
        ImportResult result = MergeSteps(m_job, m_options);
        if (result.replayCaveat.empty() && m_options.order != ComputeOrder::MEASURED)
        {
            result.replayCaveat =
                "ops wait for what they read only, so that those may overlap that "
                "ran one after another (--order=measured keeps their order)";
        }
        result.rules.insert(result.rules.begin(), m_rules.begin(), m_rules.end());
        result.warnings.insert(result.warnings.begin(), m_warnings.begin(), m_warnings.end());
        result.transfers = std::move(m_transfers);
        device.slots = m_job.devices.front().slots;
        result.device = std::move(device);
        result.bytesRead = m_bytesRead;
        return result;
    }

  private:
    /// @return for each step whether it is kept: as large as most that push gradients, or as most
    /// of all if none does
    std::vector<bool> ChooseSteps()
    {
        const auto trains = [](const TfBuiltStep& step) {
            const auto& ops = step.measured.ops;
            return std::any_of(ops.begin(), ops.end(), [](const MeasuredOp& op) {
                return op.kind == OpKind::PUSH;
            });
        };
        const bool isTraining = std::any_of(m_steps.begin(), m_steps.end(), trains);
        std::vector<bool> isKept;
        std::vector<StepSize> sizes;
        for (std::size_t s = 0; s < m_steps.size(); ++s)
        {
            const TfBuiltStep& step = m_steps[s];
            isKept.push_back(!isTraining || trains(step));
            if (isKept.back())
            {
                sizes.push_back(m_sizes[s]);
                m_warnings.insert(m_warnings.end(), step.warnings.begin(), step.warnings.end());
            }
            else
            {
                m_warnings.push_back(step.measured.place +
                                     " is left out: no gradient is applied in it, as in an "
                                     "evaluation");
            }
        }
        constexpr double ROUNDING_OF_ALLOCATORS = 1e-3; // of all bytes of a step
        const std::vector<bool> isUsual =
            FindStepsOfOneSize(sizes,
                               {"byte",
                                " of tensors that its ops make",
                                "RunMetadata does, and a timeline with show_memory=True",
                                ROUNDING_OF_ALLOCATORS},
                               m_rules,
                               m_warnings);
        auto usual = isUsual.begin();
        for (std::size_t s = 0; s < isKept.size(); ++s)
        {
            isKept[s] = isKept[s] && *usual++;
        }
        return isKept;
    }

    void Merge(TfBuiltStep& built)
    {
        std::set<std::string> known;
        for (const Tensor& tensor : m_job.tensors)
        {
            known.insert(tensor.name);
        }
        for (const Tensor& tensor : built.tensors)
        {
            if (known.insert(tensor.name).second)
            {
                m_job.tensors.push_back(tensor);
            }
        }
        for (const auto& [name, slots] : built.slots)
        {
            const auto device = std::find_if(
                m_job.devices.begin(),
                m_job.devices.end(),
                [&name = name](const Device& candidate) { return candidate.name == name; });
            if (device == m_job.devices.end())
            {
                m_job.devices.push_back({name, slots});
            }
            else
            {
                device->slots = std::max(device->slots, slots);
            }
        }
        m_transfers.insert(m_transfers.end(), built.transfers.begin(), built.transfers.end());
        m_steps.push_back(std::move(built));
    }

    /// Add what the first device ran in @p step, which has the number @p number, to @p device.
    void AddComputes(const MeasuredStep& step, uint32_t number, RecordedDevice& device) const
    {
        for (const MeasuredOp& op : step.ops)
        {
            if (RunsOnDevice(op.kind) && op.device == m_job.devices.front().name)
            {
                device.computes.push_back({m_worker, number, op.start, op.start + op.duration});
            }
        }
    }

    std::string m_worker;                      //!< name of the worker
    std::vector<TfBuiltStep> m_steps;          //!< of all files
    std::vector<StepSize> m_sizes;             //!< of these steps
    const ImportOptions& m_options;            //!< the user's choices
    MeasuredJob m_job;                         //!< under construction
    std::vector<RecordedTransfer> m_transfers; //!< of all steps
    std::vector<std::string> m_rules;          //!< of the first step
    std::vector<std::string> m_warnings;       //!< of all steps
    std::size_t m_leftOut{0};                  //!< number of files that are left out
    uint64_t m_bytesRead{0};                   //!< of all files
};

ImportResult
Import(const std::vector<std::string>& files,
       const ImportOptions& options,
       TfStep (*read)(TraceInput&),
       const std::string& format)
{
    Importer importer(options);
    std::vector<TfStep> servers;
    for (const std::string& file : options.servers)
    {
        TraceInput input(file);
        servers.push_back(read(input));
        importer.AddFaults(servers.back());
    }
    for (const std::string& file : files)
    {
        TraceInput input(file);
        TfStep step = read(input);
        for (const TfStep& server : servers)
        {
            step.Join(server);
        }
        if (!importer.IsWhole(step, files.size()))
        {
            continue;
        }
        importer.AddFaults(step);
        std::vector<TfStep> runs = SplitTfRuns(std::move(step));
        if (runs.size() > 1)
        {
            importer.AddRule(file + ": several session.run follow one another, each a step (" +
                             std::to_string(runs.size()) + ")");
        }
        for (TfStep& run : runs)
        {
            importer.Add(std::move(run), file);
        }
    }
    return importer.Finish(format);
}

} // namespace

ImportResult
ImportRunMetadata(const std::vector<std::string>& files, const ImportOptions& options)
{
    return Import(files, options, ReadRunMetadata, "RunMetadata");
}

ImportResult
ImportTfTimeline(const std::vector<std::string>& files, const ImportOptions& options)
{
    return Import(files, options, ReadTfTimeline, "timeline");
}

namespace
{

/// @return whether a file has records of parameter servers only
template <TfStep (*READ)(TraceInput&)>
bool
IsOfServers(const std::string& file)
{
    TraceInput input(file);
    const TfStep step = READ(input);
    return FindWorkers(step).empty() &&
           std::any_of(step.devices.begin(), step.devices.end(), [](const TfDevice& device) {
               return device.IsServer();
           });
}

/// What a user may choose.
const std::vector<std::string> OPTIONS{"order", "idle", "clocks", "worker", "sizes", "rate"};

/// @return true if @p head starts as the binary StepStats of a RunMetadata does: three messages,
/// each the first field of the one around it, and a device's name
bool
IsRunMetadata(std::string_view head)
{
    constexpr char FIRST_FIELD = '\x0a'; // number 1, length-delimited
    for (int level = 0; level < 3; ++level)
    {
        if (head.empty() || head.front() != FIRST_FIELD)
        {
            return false;
        }
        head.remove_prefix(1);
        std::size_t length = 0;
        while (length < head.size() && length < 10 && (head[length] & 0x80) != 0)
        {
            ++length;
        }
        head.remove_prefix(std::min(head.size(), length + 1));
    }
    return !head.empty() && head.front() == '/';
}

/// @param record of a JSON file @return whether TensorFlow's timelines have such events
bool
IsTfTimeline(const JsonRecord& record)
{
    return IsTraceEvent(record) &&
           (record.GetText("cat") == "Op" || record.GetText("args.name") == "Allocators");
}

} // namespace

ImportFormat
RunMetadataFormat()
{
    return {"tf-runmetadata",
            "TensorFlow's RunMetadata (protobuf, binary or text)",
            OPTIONS,
            ImportRunMetadata,
            [](std::string_view head) {
                const bool text = head.find("step_stats") != std::string_view::npos ||
                                  head.find("node_stats") != std::string_view::npos;
                return IsRunMetadata(head) || (text && !StartsAsJson(head));
            },
            nullptr,
            {},
            IsOfServers<ReadRunMetadata>};
}

ImportFormat
TfTimelineFormat()
{
    return {"tf-timeline",
            "a timeline of TensorFlow 1 (JSON)",
            OPTIONS,
            ImportTfTimeline,
            nullptr,
            IsTfTimeline,
            {"traceEvents"},
            IsOfServers<ReadTfTimeline>};
}

} // namespace ns3::dml

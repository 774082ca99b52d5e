/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-worker-trace.h"

#include "ns3/dml-error.h"
#include "ns3/dml-importers.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-step-merger.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Keys of Profile::source that name the format of the last import and of the first one.
constexpr const char* IMPORTED_BY = "imported_by";
constexpr const char* FIRST_IMPORTED_BY = "first_imported_by";

/**
 * Of a job whose profile was imported, the source says how. That key is needed for this import.
 * @param source of the job
 */
void
KeepFirstImport(std::vector<std::pair<std::string, std::string>>& source)
{
    const auto find = [&](const char* key) {
        return std::find_if(source.begin(), source.end(), [&](const auto& pair) {
            return pair.first == key;
        });
    };
    const auto last = find(IMPORTED_BY);
    if (last == source.end())
    {
        return;
    }
    if (find(FIRST_IMPORTED_BY) == source.end())
    {
        last->first = FIRST_IMPORTED_BY;
    }
    else
    {
        source.erase(last);
    }
}

/// Makes the steps of a worker into a profile.
class TraceMerger
{
  public:
    TraceMerger(const TraceJob& job, const ImportOptions& options)
        : m_job(job),
          m_measured(job.GetMeasured()),
          m_options(options)
    {
        m_options.idle = IdleTime::DROP; // what a simulation does not run takes no time
    }

    void Add(const TraceStep& step)
    {
        const auto& ops = m_job.GetOps();
        for (OpIndex op = 0; op < ops.size(); ++op)
        {
            if (!IsTransfer(ops[op].kind) && !step.Find(op))
            {
                m_warnings.push_back(GetPlace(step) + " is left out: it lacks the op '" +
                                     ops[op].name + "'");
                return;
            }
        }
        AddTransfers(step);
        ++m_steps;
        const auto [first, added] = m_samples.emplace(step.sample, step);
        if (!added)
        {
            Compare(first->second, step);
        }
    }

    ImportResult Merge()
    {
        for (const auto& [sample, step] : m_samples)
        {
            m_measured.steps.push_back(MakeMeasured(step));
        }
        KeepFirstImport(m_measured.source);
        ImportResult result = MergeSteps(m_measured, m_options);
        result.transfers = std::move(m_transfers);
        m_device.slots = m_measured.devices.empty() ? 1 : m_measured.devices.front().slots;
        result.device = std::move(m_device);
        result.rules.push_back("samples: " + std::to_string(m_samples.size()) + " of " +
                               std::to_string(m_job.GetSampleCount()) + ", from " +
                               std::to_string(m_steps) +
                               " complete steps; the first step of each sample counts");
        if (m_samples.size() < m_job.GetSampleCount())
        {
            m_warnings.push_back(
                "the steps of the trace replayed " + std::to_string(m_samples.size()) + " of the " +
                Plural(m_job.GetSampleCount(), "sample") +
                " of the profile; `sampling: in-order` replays one after the other");
        }
        if (m_different > 0)
        {
            m_warnings.push_back(Plural(m_different, "step") +
                                 " took other times than the first step of their sample, such "
                                 "as " +
                                 m_difference + ": do devices or batch sizes vary?");
        }
        if (m_parsed > 0)
        {
            result.rules.push_back("parsing: its ops (" + std::to_string(m_parsed) +
                                   ") are no part of the profile, but of the step times");
        }
        result.warnings.insert(result.warnings.begin(), m_warnings.begin(), m_warnings.end());
        return result;
    }

  private:
    static std::string GetPlace(const TraceStep& step)
    {
        return step.file + ": step " + std::to_string(step.step) + " of " + step.worker;
    }

    MeasuredStep MakeMeasured(const TraceStep& step) const
    {
        MeasuredStep measured{GetPlace(step), step.start, step.end, m_job.GetOps()};
        for (OpIndex i = 0; i < measured.ops.size(); ++i)
        {
            MeasuredOp& op = measured.ops[i];
            const TraceOp* const seen = step.Find(i);
            const bool complete = seen && seen->start != TraceOp::UNKNOWN;
            op.start = complete ? seen->start : step.start;
            op.duration = !complete             ? 0
                          : IsTransfer(op.kind) ? seen->GetDone() - seen->start
                                                : seen->length;
        }
        return measured;
    }

    void AddTransfers(const TraceStep& step)
    {
        const auto& ops = m_job.GetOps();
        const std::string worker = "worker" + step.worker.substr(step.worker.rfind(' ') + 1);
        for (const auto& [index, op] : step.ops)
        {
            if (RunsOnDevice(ops[index].kind) &&
                ops[index].device == m_measured.devices.front().name)
            {
                m_device.computes.push_back({worker, m_steps, op.start, op.end});
            }
            if (!IsTransfer(ops[index].kind) || op.lastByte == TraceOp::UNKNOWN)
            {
                continue;
            }
            RecordedTransfer transfer;
            transfer.tensor = m_job.GetTensor(index).name;
            transfer.bytes = m_job.GetTensor(index).bytes;
            transfer.downlink = ops[index].kind == OpKind::PULL;
            transfer.step = m_steps;
            const std::string server = "ps" + std::to_string(op.server);
            transfer.sender = transfer.downlink ? server : worker;
            transfer.receiver = transfer.downlink ? worker : server;
            transfer.ready = op.ready;
            transfer.start = op.ready != TraceOp::UNKNOWN   ? op.ready
                             : op.start != TraceOp::UNKNOWN ? op.start
                                                            : op.lastByte;
            transfer.lastByte = op.lastByte;
            transfer.end = std::max(op.lastByte, op.parsed);
            m_parsed += op.parsed != TraceOp::UNKNOWN ? 1 : 0;
            for (const OpIndex reader : m_job.GetDependents(index))
            {
                const TraceOp* const seen = step.Find(reader);
                if (seen && seen->start != TraceOp::UNKNOWN &&
                    (transfer.used == RecordedTransfer::UNKNOWN || seen->start < transfer.used))
                {
                    transfer.used = seen->start;
                }
            }
            m_transfers.push_back(std::move(transfer));
        }
    }

    /// Count a step that took other times than the first one of its sample.
    void Compare(const TraceStep& first, const TraceStep& step)
    {
        const auto& ops = m_job.GetOps();
        for (OpIndex op = 0; op < ops.size(); ++op)
        {
            // Lengths are exact, but for a last digit that their sum with a start may change.
            if (RunsOnDevice(ops[op].kind) &&
                std::abs(first.Find(op)->length - step.Find(op)->length) > 1)
            {
                if (m_different++ == 0)
                {
                    m_difference = "op '" + ops[op].name + "' in step " +
                                   std::to_string(step.step) + ", " +
                                   std::to_string(step.Find(op)->length) + " ns, not " +
                                   std::to_string(first.Find(op)->length) + " ns";
                }
                return;
            }
        }
    }

    const TraceJob& m_job;                     //!< the job
    MeasuredJob m_measured;                    //!< the same
    ImportOptions m_options;                   //!< the user's choices
    std::map<uint32_t, TraceStep> m_samples;   //!< first step of each sample
    std::vector<RecordedTransfer> m_transfers; //!< of all steps
    RecordedDevice m_device;                   //!< what the first one ran
    std::vector<std::string> m_warnings;       //!< so far
    uint32_t m_steps{0};                       //!< complete steps
    uint32_t m_parsed{0};                      //!< transfers with parsing
    uint32_t m_different{0};                   //!< steps that differ from the first of their sample
    std::string m_difference;                  //!< an example
};

} // namespace

ImportResult
ImportDmlTrace(const std::vector<std::string>& files, const ImportOptions& options)
{
    std::vector<WorkerTrace> traces;
    std::vector<std::string> warnings;
    std::size_t steps = 0;
    for (const auto& file : files)
    {
        traces.push_back(ReadWorkerTrace(file, options.worker.value_or("0")));
        const WorkerTrace& trace = traces.back();
        if (!trace.job.IsSame(traces.front().job))
        {
            throw InputError(file + ": its job is not that of " + files.front() +
                             "; accepted are traces of one job");
        }
        if (trace.truncated)
        {
            warnings.push_back(file + " ends too early: what it has is imported");
        }
        if (trace.incomplete > 0)
        {
            warnings.push_back(file + ": " + Plural(trace.incomplete, "step") +
                               " did not end and are left out");
        }
        steps += trace.steps.size();
    }
    if (steps == 0)
    {
        throw InputError(files.front() + ": has no complete step of worker '" +
                         options.worker.value_or("0") + "'; accepted is at least one");
    }
    TraceMerger merger(traces.front().job, options);
    uint32_t joint = 0;
    uint64_t bytes = 0;
    for (const auto& trace : traces)
    {
        for (const auto& step : trace.steps)
        {
            merger.Add(step);
        }
        joint += trace.joint;
        bytes += trace.bytes;
    }
    ImportResult result = merger.Merge();
    if (joint > 0)
    {
        result.rules.push_back("updates that another worker ran for all: " + std::to_string(joint) +
                               ", with the time that they took there");
    }
    result.warnings.insert(result.warnings.begin(), warnings.begin(), warnings.end());
    if (const uint32_t workers = traces.front().workers; workers > 1)
    {
        result.replayCaveat =
            "the trace is of " + Plural(workers, "worker") + ", which shared the network";
    }
    result.bytesRead = bytes;
    return result;
}

ImportFormat
DmlTraceFormat()
{
    // told by how they start, as any other tool may write the same events
    return {
        "dml-trace",
        "trace.json of a run of dml",
        {"worker"},
        ImportDmlTrace,
        [](std::string_view head) { return head.find("\"dml-trace/") != std::string_view::npos; }};
}

} // namespace ns3::dml

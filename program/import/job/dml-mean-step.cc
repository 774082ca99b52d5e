/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-recorded-job.h"

#include "ns3/dml-error.h"
#include "ns3/dml-plural.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Fewest steps of a worker of which a mean is made, the first one included.
constexpr uint32_t FEWEST_STEPS = 3;

/// Chunks of a transfer that are told apart, less one; the others are one op with the last one.
constexpr uint32_t MOST_CHUNKS = 7;

/// Makes a JobStep.
class MeanStepMaker
{
  public:
    explicit MeanStepMaker(const RecordedJob& recorded)
        : m_recorded(recorded),
          m_places(recorded.graph.ops.size(), NO_GLOBAL_OP)
    {
    }

    JobStep Make()
    {
        m_step.workers = m_recorded.workers;
        m_step.servers = m_recorded.servers;
        m_step.names = m_recorded.graph.names;
        m_step.devices = m_recorded.graph.devices;
        CountSteps();
        PlaceOps();
        AddTimes();
        AddDependencies();
        MeasureSteps();
        return std::move(m_step);
    }

  private:
    /// What tells an op from all others of a step: whose, its kind and name, 1 if it is on a wire
    /// or the channel of a message of a collective, and which chunk of a transfer it is.
    using Key = std::tuple<uint32_t, JobOpKind, uint32_t, uint32_t, uint32_t>;

    /// What is summed up of an op.
    struct Sum
    {
        double seconds{0}; //!< on its device
        double latency{0}; //!< after what it waited for, while its device was free
        uint32_t count{0}; //!< steps with it
        uint32_t last{0};  //!< step of its last chunk, and one more
    };

    bool IsSteady(GlobalOp op) const
    {
        return m_recorded.graph.ops[op].step > 0;
    }

    bool IsOnDevice(GlobalOp op) const
    {
        const JobOp& known = m_recorded.graph.ops[op];
        return known.kind != JobOpKind::JOIN &&
               m_recorded.graph.graph.GetDevice(op) == known.device;
    }

    void CountSteps()
    {
        m_steps.resize(m_recorded.workers);
        m_counts.assign(m_recorded.workers, 0);
        for (const auto& step : m_recorded.steps)
        {
            m_steps[step.worker].push_back(&step);
            m_counts[step.worker] += step.step > 0 ? 1 : 0;
        }
        const auto least =
            std::min_element(m_steps.begin(), m_steps.end(), [](const auto& a, const auto& b) {
                return a.size() < b.size();
            });
        const std::size_t fewest = least == m_steps.end() ? 0 : least->size();
        if (fewest < FEWEST_STEPS)
        {
            throw InputError("worker " + std::to_string(least - m_steps.begin()) + " has " +
                             Plural(fewest, "step") + "; accepted are at least " +
                             std::to_string(FEWEST_STEPS) +
                             " of each worker, of which the first does not count");
        }
        m_step.steps = fewest - 1;
    }

    void PlaceOps()
    {
        std::map<Key, GlobalOp> places;
        std::map<std::pair<Key, uint32_t>, uint32_t> chunks; // by the first one and step: so far
        for (const GlobalOp op : m_recorded.execution.order)
        {
            if (!IsSteady(op))
            {
                continue;
            }
            const JobOp& known = m_recorded.graph.ops[op];
            const bool wire =
                known.device != JobOp::NO_DEVICE && IsWire(m_step.devices[known.device]);
            const bool move = known.kind == JobOpKind::MOVE;
            Key key{known.worker, known.kind, known.name, move ? known.device : wire, 0};
            // messages of a collective wait for each other, and must not become one
            const uint32_t most = move ? UINT32_MAX : MOST_CHUNKS;
            std::get<4>(key) = std::min(most, chunks[{key, known.step}]++);
            const auto [place, added] = places.emplace(key, m_step.ops.size());
            if (added)
            {
                MeanOp mean;
                mean.op = known;
                mean.op.step = 0;
                mean.op.bytes = 0;
                mean.op.device = IsOnDevice(op) ? known.device : JobOp::NO_DEVICE;
                m_step.ops.push_back(mean);
            }
            m_places[op] = place->second;
        }
        m_sums.resize(m_step.ops.size());
    }

    void AddTimes()
    {
        std::vector<uint64_t> bytes(m_step.ops.size(), 0);
        std::vector<double> busy(m_places.size()); // since when the device has been busy
        for (const GlobalOp op : m_recorded.execution.order)
        {
            const auto& ran = m_recorded.execution.ops[op];
            const bool queued = ran.previous != NO_GLOBAL_OP && IsOnDevice(op) &&
                                m_recorded.execution.ops[ran.previous].end > ran.ready;
            busy[op] = queued ? busy[ran.previous] : ran.start;
            if (m_places[op] == NO_GLOBAL_OP)
            {
                continue;
            }
            Sum& sum = m_sums[m_places[op]];
            sum.seconds += ran.end - ran.start;
            bytes[m_places[op]] += m_recorded.graph.ops[op].bytes;
            const uint32_t step = m_recorded.graph.ops[op].step + 1;
            if (std::exchange(sum.last, step) == step)
            {
                continue; // a later chunk
            }
            ++sum.count;
            if (ran.released != NO_GLOBAL_OP)
            {
                // so that it stays behind what it queues behind
                sum.latency += std::max(0.0, busy[op] - ran.ready);
            }
        }
        for (std::size_t i = 0; i < m_sums.size(); ++i)
        {
            MeanOp& op = m_step.ops[i];
            // not every step has as many chunks
            op.seconds = m_sums[i].seconds / m_counts[op.op.worker];
            op.op.bytes = bytes[i] / m_counts[op.op.worker];
            op.latency = m_sums[i].latency / m_counts[op.op.worker];
        }
    }

    void AddDependencies()
    {
        std::map<std::tuple<GlobalOp, GlobalOp, bool>, std::set<uint32_t>> seen; // in which steps
        for (GlobalOp before = 0; before < m_places.size(); ++before)
        {
            for (const GlobalOp after : m_recorded.graph.graph.GetDependents(before))
            {
                const uint32_t from = m_recorded.graph.ops[before].step;
                const uint32_t to = m_recorded.graph.ops[after].step;
                const GlobalOp target = m_places[after];
                if (m_places[before] != NO_GLOBAL_OP && target != NO_GLOBAL_OP &&
                    (from == to ? m_places[before] != target : from + 1 == to))
                {
                    seen[{m_places[before], target, from != to}].insert(to);
                }
            }
        }
        for (const auto& [edge, steps] : seen)
        {
            const auto& [before, after, next] = edge;
            // from the first step that counts, nothing can be seen of the one before
            const uint32_t possible = m_sums[after].count - (next ? 1 : 0);
            if (2 * steps.size() >= possible)
            {
                (next ? m_step.toNext : m_step.inStep).emplace_back(before, after);
            }
            else
            {
                ++m_rare;
            }
        }
        if (m_rare > 0)
        {
            m_step.unmatched.push_back(std::to_string(m_rare) +
                                       " dependencies that only some steps have");
        }
        if (m_recorded.movesLeftOut > 0)
        {
            m_step.unmatched.push_back(std::to_string(m_recorded.movesLeftOut) +
                                       " messages of collectives, too many to be ops: collectives "
                                       "are whole");
        }
        if (m_recorded.contradicted > 0)
        {
            m_step.unmatched.push_back(
                std::to_string(m_recorded.contradicted) +
                " dependencies that times contradict, such as: " + m_recorded.example);
        }
    }

    void MeasureSteps()
    {
        std::map<std::pair<uint32_t, uint32_t>, std::pair<double, double>> ends;
        for (GlobalOp op = 0; op < m_places.size(); ++op)
        {
            const JobOp& known = m_recorded.graph.ops[op];
            auto& [forward, backward] = ends[{known.worker, known.step}];
            const double end = m_recorded.execution.ops[op].end;
            forward = known.kind == JobOpKind::FORWARD ? std::max(forward, end) : forward;
            backward = known.kind == JobOpKind::BACKWARD ? std::max(backward, end) : backward;
        }
        for (uint32_t worker = 0; worker < m_recorded.workers; ++worker)
        {
            const auto& steps = m_steps[worker];
            const uint32_t count = steps.size() - 1; // all but the first
            WorkerTimes times;
            for (uint32_t i = 1; i <= count; ++i)
            {
                const auto [forward, backward] = ends[{worker, steps[i]->step}];
                // of a step that was begun again after a crash, ops lie before its beginning
                times.forward += std::max(0.0, forward - steps[i]->start);
                times.backward += backward > forward && forward > 0 ? backward - forward : 0;
            }
            times.step = (steps.back()->end - steps.front()->end) / count;
            times.forward /= count;
            times.backward /= count;
            m_step.measured.push_back(times);
        }
    }

    const RecordedJob& m_recorded;  //!< what ran
    std::vector<GlobalOp> m_places; //!< by op that ran: its op of the mean step
    std::vector<Sum> m_sums;        //!< by op of the mean step
    std::vector<std::vector<const RecordedStep*>> m_steps; //!< by worker: its steps
    std::vector<uint32_t> m_counts;                        //!< steps of each worker that count
    std::size_t m_rare{0};                                 //!< dependencies that are left out
    JobStep m_step;                                        //!< under construction
};

} // namespace

JobStep
MakeMeanStep(const RecordedJob& recorded, const TraceJob& job)
{
    JobStep step = MeanStepMaker(recorded).Make();
    step.model = job.GetMeasured().model;
    step.batch = job.GetMeasured().batchSize;
    step.source = job.GetMeasured().source;
    step.source.emplace_back("engine", recorded.engine);
    return step;
}

} // namespace ns3::dml

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-memory-model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ns3::dml
{

namespace
{

/// "In no phase", "in no segment".
constexpr std::size_t NOWHERE = std::numeric_limits<std::size_t>::max();

/// What the graph says of a forward op.
struct ForwardOp
{
    OpIndex op{NO_INDEX};               //!< of the profile
    std::size_t segment{0};             //!< segment of the op
    std::vector<std::size_t> readers;   //!< places of the forward ops that depend on it, ascending
    std::size_t phase{NOWHERE};         //!< when it runs
    std::size_t kept{NOWHERE};          //!< when it runs and keeps what its backward ops need
    std::size_t firstBackward{NOWHERE}; //!< when the first backward op that depends on it runs
    std::size_t lastBackward{NOWHERE};  //!< and the last
};

double
GetMeanSeconds(const Profile& profile, OpIndex op)
{
    const auto& samples = profile.samples[op];
    return samples.empty() ? 0
                           : std::accumulate(samples.begin(), samples.end(), 0.0) / samples.size();
}

/// @return forward ops in the order in which they run
std::vector<OpIndex>
ListForward(const Profile& profile, const std::vector<OpIndex>& order)
{
    std::vector<OpIndex> forward;
    std::copy_if(order.begin(), order.end(), std::back_inserter(forward), [&](OpIndex op) {
        return profile.graph.Get(op).kind == OpKind::FORWARD;
    });
    return forward;
}

/// Makes the timeline of one pass.
class MemoryModel
{
  public:
    MemoryModel(const Profile& profile,
                const std::vector<OpIndex>& order,
                const MemoryOptions& options)
        : m_profile(profile),
          m_graph(profile.graph),
          m_options(options),
          m_ratio(double(options.batch) / options.passes / profile.batchSize),
          m_placeOf(profile.graph.GetSize(), NOWHERE),
          m_phaseOf(profile.graph.GetSize(), NOWHERE)
    {
        FindForward(order);
        Schedule(order);
        CheckKept();
    }

    MemoryForecast Run()
    {
        AddResidents();
        AddGradients();
        for (const auto& forward : m_forward)
        {
            AddForward(forward);
        }
        for (OpIndex op = 0; op < m_graph.GetSize(); ++op)
        {
            if (m_graph.Get(op).kind == OpKind::BACKWARD)
            {
                Add(MemoryPart::WORKSPACE, op, Scale(m_graph.Get(op).memory.workspace), At(op));
            }
        }
        for (std::size_t segment = 0; segment + 1 < m_segments; ++segment)
        {
            AddHandedGradients(segment);
        }
        m_forecast.timeline.Sum();
        return std::move(m_forecast);
    }

  private:
    /// First and last phase.
    using Phases = std::pair<std::size_t, std::size_t>;

    void FindForward(const std::vector<OpIndex>& order)
    {
        auto cut = m_options.segments.begin();
        for (const OpIndex op : ListForward(m_profile, order))
        {
            if (cut != m_options.segments.end() && *cut == op && !m_forward.empty())
            {
                ++m_segments;
                ++cut;
            }
            m_placeOf[op] = m_forward.size();
            ForwardOp forward;
            forward.op = op;
            forward.segment = m_segments - 1;
            m_forward.push_back(forward);
        }
        if (cut != m_options.segments.end())
        {
            throw ProfileError("no segment can begin with op '" + m_graph.Get(*cut).name +
                                   "'; accepted: forward ops but the first, in the order in which "
                                   "they run",
                               *cut);
        }
        for (auto& forward : m_forward)
        {
            for (const OpIndex after : m_graph.GetDependents(forward.op))
            {
                if (m_placeOf[after] != NOWHERE)
                {
                    forward.readers.push_back(m_placeOf[after]);
                }
            }
            std::sort(forward.readers.begin(), forward.readers.end());
        }
    }

    /// Everything that is kept is kept for something.
    void CheckKept() const
    {
        for (const auto& forward : m_forward)
        {
            const Op& op = m_graph.Get(forward.op);
            if (op.memory.activation > 0 && forward.firstBackward == NOWHERE)
            {
                throw ProfileError("op '" + op.name +
                                       "' has activation_bytes, but no backward op depends on it; "
                                       "accepted: one that has it among its deps",
                                   forward.op);
            }
            if (!forward.readers.empty() && op.memory.output == 0 && !op.memory.noOutput &&
                m_forward[forward.readers.back()].segment > forward.segment)
            {
                throw ProfileError("op '" + op.name +
                                       "' has no output_bytes, and another segment of the "
                                       "recomputation reads what it makes; accepted: a profile "
                                       "that has them (tools/profile-torch measures them)",
                                   forward.op);
            }
        }
    }

    /// Phases: the ops in their order, segments once more before the first backward op that needs
    /// them.
    void Schedule(const std::vector<OpIndex>& order)
    {
        std::vector<bool> there(m_segments, false);
        there.back() = true;
        m_again.resize(m_segments);
        for (const OpIndex op : order)
        {
            std::vector<ForwardOp*> needed; // by a backward op
            for (const OpIndex before : m_graph.GetDependencies(op))
            {
                if (m_graph.Get(op).kind == OpKind::BACKWARD && m_placeOf[before] != NOWHERE)
                {
                    needed.push_back(&m_forward[m_placeOf[before]]);
                    const std::size_t segment = needed.back()->segment;
                    if (!there[segment])
                    {
                        RunAgain(segment);
                        there[segment] = true;
                    }
                }
            }
            const std::size_t phase = m_forecast.timeline.phases.size();
            m_phaseOf[op] = phase;
            AddPhase(op, false);
            for (auto* forward : needed)
            {
                forward->firstBackward = std::min(forward->firstBackward, phase);
                forward->lastBackward = phase;
            }
            if (m_placeOf[op] != NOWHERE)
            {
                ForwardOp& forward = m_forward[m_placeOf[op]];
                forward.phase = phase;
                forward.kept = forward.segment + 1 == m_segments ? phase : forward.kept;
            }
        }
    }

    void RunAgain(std::size_t segment)
    {
        m_again[segment].first = m_forecast.timeline.phases.size();
        for (auto& forward : m_forward)
        {
            if (forward.segment == segment)
            {
                forward.kept = m_forecast.timeline.phases.size();
                m_forecast.recomputing += AddPhase(forward.op, true);
            }
        }
        m_again[segment].second = m_forecast.timeline.phases.size() - 1;
    }

    /// @return seconds that it takes in all passes
    double AddPhase(OpIndex op, bool again)
    {
        MemoryPhase phase;
        phase.op = op;
        phase.again = again;
        m_forecast.timeline.phases.push_back(phase);
        const double ratio = IsAccumulation(m_graph, op) ? 1 : m_ratio;
        const double seconds = m_options.passes * ratio * GetMeanSeconds(m_profile, op);
        m_forecast.seconds += seconds;
        return seconds;
    }

    uint64_t Scale(uint64_t bytes) const
    {
        return std::llround(m_ratio * bytes);
    }

    Phases At(OpIndex op) const
    {
        return {m_phaseOf[op], m_phaseOf[op]};
    }

    std::size_t GetLastPhase() const
    {
        return m_forecast.timeline.phases.size() - 1;
    }

    void Add(MemoryPart part, uint32_t owner, uint64_t bytes, Phases phases)
    {
        if (bytes > 0 && phases.first <= phases.second && phases.first != NOWHERE)
        {
            m_forecast.timeline.ranges.push_back({part, owner, bytes, phases.first, phases.second});
        }
    }

    void AddResidents()
    {
        const Phases always{0, GetLastPhase()};
        for (TensorIndex i = 0; i < m_profile.tensors.size(); ++i)
        {
            const uint64_t bytes = m_profile.tensors[i].bytes;
            Add(MemoryPart::PARAMETERS, i, bytes, always);
            Add(MemoryPart::OPTIMIZER, i, std::llround(m_options.optimizerState * bytes), always);
        }
        Add(MemoryPart::PARAMETERS, NO_INDEX, m_profile.residentBytes, always);
        Add(MemoryPart::INPUT, NO_INDEX, Scale(m_profile.inputBytes), always);
    }

    void AddGradients()
    {
        std::vector<std::size_t> layers(m_profile.tensors.size(), NOWHERE); // first backward phases
        for (const auto& forward : m_forward)
        {
            for (const OpIndex before : m_graph.GetDependencies(forward.op))
            {
                const Op& op = m_graph.Get(before);
                if (op.kind == OpKind::PULL)
                {
                    layers[op.tensor] = std::min(layers[op.tensor], forward.firstBackward);
                }
            }
        }
        for (OpIndex push = 0; push < m_graph.GetSize(); ++push)
        {
            const Op& op = m_graph.Get(push);
            if (op.kind != OpKind::PUSH)
            {
                continue;
            }
            std::size_t first = NOWHERE;
            std::size_t last = 0;
            for (const OpIndex before : m_graph.GetDependencies(push))
            {
                if (m_phaseOf[before] != NOWHERE)
                {
                    first = std::min(first, m_phaseOf[before]);
                    last = std::max(last, m_phaseOf[before]);
                }
            }
            first = std::min(first, layers[op.tensor]);
            const uint64_t bytes = m_profile.tensors[op.tensor].bytes;
            const bool several = m_options.passes > 1;
            Add(MemoryPart::GRADIENTS, op.tensor, bytes, {several ? 0 : first, GetLastPhase()});
            Add(MemoryPart::GRADIENTS, op.tensor, several ? bytes : 0, {first, last});
        }
    }

    /// What a forward op keeps, hands on and works with.
    void AddForward(const ForwardOp& forward)
    {
        const OpMemory& memory = m_graph.Get(forward.op).memory;
        const uint64_t workspace = Scale(memory.workspace);
        Add(MemoryPart::ACTIVATIONS,
            forward.op,
            Scale(memory.activation),
            {forward.kept, forward.lastBackward});
        Add(MemoryPart::WORKSPACE, forward.op, workspace, {forward.kept, forward.kept});
        if (forward.kept == forward.phase)
        {
            return;
        }
        // the first time it keeps nothing, but makes what it else would keep: out of what it reads
        const uint64_t made = Scale(memory.activation);
        Add(MemoryPart::WORKSPACE,
            forward.op,
            workspace + made - std::min(made, GetInputs(forward)),
            At(forward.op));
        Add(MemoryPart::ACTIVATIONS,
            forward.op,
            Scale(memory.output),
            {forward.phase + 1, FindEndOfOutput(forward)});
    }

    /// @return bytes of what a forward op reads of others of its segment
    uint64_t GetInputs(const ForwardOp& forward) const
    {
        uint64_t bytes = 0;
        for (const OpIndex before : m_graph.GetDependencies(forward.op))
        {
            const std::size_t place = m_placeOf[before];
            if (place != NOWHERE && m_forward[place].segment == forward.segment)
            {
                bytes += Scale(m_graph.Get(before).memory.output);
            }
        }
        return bytes;
    }

    /// @return last phase in which the output of an op that keeps nothing is needed
    std::size_t FindEndOfOutput(const ForwardOp& forward) const
    {
        std::size_t end = 0;
        std::size_t first = NOWHERE; // segment that reads it, and for which it is kept
        for (const std::size_t reader : forward.readers)
        {
            end = std::max(end, m_forward[reader].phase);
            if (first == NOWHERE && m_forward[reader].segment > forward.segment)
            {
                first = m_forward[reader].segment;
            }
        }
        for (const auto& other : m_forward)
        {
            if (other.segment == first && other.lastBackward != NOWHERE)
            {
                end = std::max(end, other.lastBackward);
            }
        }
        return end;
    }

    /// Gradients of what a segment hands on wait until it has run again.
    void AddHandedGradients(std::size_t segment)
    {
        const Phases again = m_again[segment];
        for (const auto& forward : m_forward)
        {
            if (forward.segment == segment && !forward.readers.empty() &&
                m_forward[forward.readers.back()].segment > segment && again.second > 0)
            {
                Add(MemoryPart::WORKSPACE,
                    forward.op,
                    Scale(m_graph.Get(forward.op).memory.output),
                    again);
            }
        }
    }

    const Profile& m_profile;           //!< the job
    const OpGraph& m_graph;             //!< its ops
    const MemoryOptions& m_options;     //!< how it trains
    double m_ratio;                     //!< samples of a pass, relative to the profile's
    std::size_t m_segments{1};          //!< number of segments
    std::vector<ForwardOp> m_forward;   //!< in the order in which they run
    std::vector<std::size_t> m_placeOf; //!< by op: place in m_forward
    std::vector<std::size_t> m_phaseOf; //!< by op: when it runs, for the first time
    std::vector<Phases> m_again;        //!< by segment: when it runs again, or 0
    MemoryForecast m_forecast;          //!< under construction
};

} // namespace

bool
IsAccumulation(const OpGraph& graph, OpIndex op)
{
    const auto before = graph.GetDependencies(op);
    const auto after = graph.GetDependents(op);
    return graph.Get(op).kind == OpKind::BACKWARD && !after.empty() &&
           std::none_of(before.begin(),
                        before.end(),
                        [&](OpIndex other) { return graph.Get(other).kind == OpKind::FORWARD; }) &&
           std::all_of(after.begin(), after.end(), [&](OpIndex other) {
               return graph.Get(other).kind == OpKind::PUSH;
           });
}

MemoryForecast
ForecastMemory(const Profile& profile,
               const std::vector<OpIndex>& order,
               const MemoryOptions& options)
{
    return MemoryModel(profile, order, options).Run();
}

std::vector<OpIndex>
CutSegments(const Profile& profile, const std::vector<OpIndex>& order, uint32_t segments)
{
    const std::vector<OpIndex> forward = ListForward(profile, order);
    const std::size_t root = std::max<std::size_t>(1, std::lround(std::sqrt(forward.size())));
    const std::size_t wanted = segments > 0 ? segments : root;
    const std::size_t length = std::max<std::size_t>(1, forward.size() / wanted);
    std::vector<OpIndex> cuts; // the last segment takes what is left over, as in PyTorch
    for (std::size_t i = length; i < forward.size() && cuts.size() + 1 < wanted; i += length)
    {
        cuts.push_back(forward[i]);
    }
    return cuts;
}

} // namespace ns3::dml

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-device-steps.h"

#include "dml-most-common.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace ns3::dml
{

namespace
{

/// A free device starts a kernel some 5 to 20 us after the call. What starts later than a twentieth
/// of the step after it, but at least the first and at most the second of these, had to wait.
constexpr int64_t LEAST_WAIT_NS = 100'000;
constexpr int64_t MOST_WAIT_NS = 1'000'000;

/// Steps of the host follow one another, apart from what its profiler does between them.
constexpr int64_t BETWEEN_NS = 1'000'000;

/// Share of the highest share of answered calls below which a step has lost work.
constexpr double ANSWERED = 0.95;

/// Where calls are of no use: share of the pieces of work that most steps have.
constexpr double PIECES = 0.8;

/// Where fewer calls than this have work in every step, calls and work do not belong together.
constexpr double RELATED = 0.5;

/// What a step queued, and what of it is in the trace.
struct StepCalls
{
    uint64_t calls{0};                //!< by which it queued work
    uint64_t answered{0};             //!< of these, with work in the trace
    DeviceCall last{INT64_MIN, true}; //!< the last of them
    uint64_t works{0};                //!< pieces of work in the trace
};

/// What a stream did for a step.
struct StreamPart
{
    const DeviceWork* first{nullptr}; //!< piece of work that began first
    int64_t end{INT64_MIN};           //!< ns, end of the last
};

/// Finds when a device worked for steps.
class DeviceStepFinder
{
  public:
    DeviceStepFinder(std::vector<DeviceStep>& steps,
                     const std::vector<DeviceWork>& works,
                     const std::vector<DeviceCall>& calls)
        : m_steps(steps),
          m_parts(steps.size()),
          m_calls(steps.size())
    {
        for (const DeviceCall& call : calls)
        {
            if (const auto step = FindStep(call.time))
            {
                StepCalls& known = m_calls[*step];
                ++known.calls;
                known.answered += call.answered ? 1 : 0;
                known.last = call.time >= known.last.time ? call : known.last;
            }
        }
        std::map<uint32_t, int64_t> computed; // by stream
        for (const DeviceWork& work : works)
        {
            const auto step = FindStep(work.call);
            if (!step)
            {
                m_others.push_back(&work);
                continue;
            }
            ++m_calls[*step].works;
            StreamPart& part = m_parts[*step][work.stream];
            part.first = !part.first || work.start < part.first->start ? &work : part.first;
            part.end = std::max(part.end, work.end);
            computed[work.stream] += work.computes ? work.end - work.start : 0;
        }
        const auto most =
            std::max_element(computed.begin(), computed.end(), [](const auto& a, const auto& b) {
                return a.second < b.second;
            });
        m_main = most == computed.end() ? 0 : most->first;
    }

    void Find()
    {
        FindIncomplete();
        FindStreamsBeside();
        FindUsual();
        for (std::size_t s = 0; s < m_steps.size(); ++s)
        {
            DeviceStep& step = m_steps[s];
            step.start = Follows(s) ? m_steps[s - 1].end : GuessStart(s);
            step.start = step.isShared ? std::max(step.start, step.hostStart) : step.start;
            step.end = std::max(GetEnd(s), step.start);
        }
    }

  private:
    /// @param time when the host did something @return step in which it did that, or nothing
    std::optional<std::size_t> FindStep(int64_t time) const
    {
        const auto after = std::upper_bound(
            m_steps.begin(),
            m_steps.end(),
            time,
            [](int64_t at, const DeviceStep& step) { return at < step.hostStart; });
        if (after == m_steps.begin() || time >= std::prev(after)->hostEnd)
        {
            return std::nullopt;
        }
        return std::prev(after) - m_steps.begin();
    }

    void FindIncomplete()
    {
        double best = 0;
        std::vector<uint64_t> works;
        bool isLastFound = false;
        for (const StepCalls& known : m_calls)
        {
            const double share =
                known.calls > 0 ? static_cast<double>(known.answered) / known.calls : 0;
            best = std::max(best, share);
            isLastFound |= known.calls > 0 && known.last.answered;
            works.push_back(known.works);
        }
        const uint64_t most = works.empty() ? 0 : FindMostCommon(works);
        for (std::size_t s = 0; s < m_steps.size(); ++s)
        {
            const StepCalls& known = m_calls[s];
            m_steps[s].complete = best >= RELATED
                                      ? known.answered >= ANSWERED * best * known.calls &&
                                            (known.last.answered || !isLastFound)
                                      : known.works >= PIECES * most;
        }
    }

    void FindStreamsBeside()
    {
        for (std::size_t s = 0; s + 1 < m_steps.size(); ++s)
        {
            const auto next = m_parts[s + 1].find(m_main);
            for (const auto& [stream, part] : m_parts[s])
            {
                if (stream != m_main && next != m_parts[s + 1].end() &&
                    part.end > next->second.first->start)
                {
                    m_beside.insert(stream);
                }
            }
        }
    }

    /// @return ns, when the device had done what step @p s waits for; where it did nothing, and in
    /// a shared step, the end of the host's step at the earliest
    int64_t GetEnd(std::size_t s) const
    {
        int64_t end = INT64_MIN;
        for (const auto& [stream, part] : m_parts[s])
        {
            end = m_beside.count(stream) == 0 ? std::max(end, part.end) : end;
        }
        return end == INT64_MIN || m_steps[s].isShared ? std::max(end, m_steps[s].hostEnd) : end;
    }

    /// @return whether step @p s goes on where the one before it ended
    bool Follows(std::size_t s) const
    {
        return s > 0 && m_steps[s - 1].complete && m_steps[s - 1].trains == m_steps[s].trains &&
               m_steps[s].hostStart - m_steps[s - 1].hostEnd <= BETWEEN_NS;
    }

    /// Find what steps usually are like when they begin, from those behind one that is known.
    void FindUsual()
    {
        std::vector<int64_t> lags;
        std::vector<int64_t> overlaps;
        for (std::size_t s = 1; s < m_steps.size(); ++s)
        {
            if (Follows(s))
            {
                const auto main = m_parts[s].find(m_main);
                const bool works = main != m_parts[s].end();
                const int64_t before = GetEnd(s - 1);
                lags.push_back(before - m_steps[s].hostStart);
                overlaps.push_back(works ? before - main->second.first->start : 0);
            }
        }
        const auto take = [](std::vector<int64_t>& values) {
            const auto middle = values.begin() + values.size() / 2;
            std::nth_element(values.begin(), middle, values.end());
            return *middle;
        };
        if (!lags.empty())
        {
            m_lag = take(lags);
            m_overlap = std::max<int64_t>(0, take(overlaps));
        }
    }

    /// @return ns, when step @p s began if the end of the one before is not known
    int64_t GuessStart(std::size_t s) const
    {
        const DeviceStep& step = m_steps[s];
        const auto main = m_parts[s].find(m_main);
        if (main == m_parts[s].end())
        {
            return step.hostStart;
        }
        const DeviceWork& first = *main->second.first;
        const int64_t wait =
            std::clamp((step.hostEnd - step.hostStart) / 20, LEAST_WAIT_NS, MOST_WAIT_NS);
        const int64_t lag = m_lag.value_or(GetEnd(s) - step.hostEnd);
        const int64_t busy = first.start + m_overlap; // until then at most, with the step before
        const bool waits = first.start - first.queued > wait;
        int64_t start = waits ? busy : std::min(step.hostStart + lag, busy);
        // What the device did before it was for the step before, if that is not in the trace and it
        // is not long ago.
        int64_t other = INT64_MIN;
        for (const DeviceWork* work : m_others)
        {
            const bool isBefore = work->stream == m_main && work->end <= first.start;
            other = isBefore ? std::max(other, work->end) : other;
        }
        const bool isKnown = s == 0 && other >= step.hostStart + std::min<int64_t>(0, lag);
        start = isKnown ? other : std::max(start, other);
        if (s > 0 && !m_parts[s - 1].empty())
        {
            start = std::max(start, std::min(GetEnd(s - 1), first.start));
        }
        return start;
    }

    std::vector<DeviceStep>& m_steps;                    //!< all
    std::vector<std::map<uint32_t, StreamPart>> m_parts; //!< of each step, by stream
    std::vector<StepCalls> m_calls;                      //!< of each step
    std::vector<const DeviceWork*> m_others;             //!< queued in no step
    std::optional<int64_t>
        m_lag;            //!< ns that the device is usually behind when the host begins a step
    int64_t m_overlap{0}; //!< ns that it usually still works for the step before then
    uint32_t m_main{0};   //!< stream with most computation
    std::set<uint32_t> m_beside; //!< streams that do not delay steps
};

} // namespace

void
FindDeviceSteps(std::vector<DeviceStep>& steps,
                const std::vector<DeviceWork>& works,
                const std::vector<DeviceCall>& calls)
{
    DeviceStepFinder(steps, works, calls).Find();
}

void
MarkTrainingAt(std::vector<DeviceStep>& steps, int64_t time)
{
    const auto after =
        std::upper_bound(steps.begin(), steps.end(), time, [](int64_t at, const DeviceStep& step) {
            return at < step.hostStart;
        });
    if (after != steps.begin() && time < std::prev(after)->hostEnd)
    {
        std::prev(after)->trains = true;
    }
}

} // namespace ns3::dml

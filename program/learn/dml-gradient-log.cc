/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-gradient-log.h"

#include "ns3/dml-csv-name.h"
#include "ns3/dml-error.h"
#include "ns3/dml-run-rows.h"
#include "ns3/dml-trace-input.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <map>
#include <set>
#include <tuple>

namespace ns3::dml
{

namespace
{

/// Samples of a gradient: many times those that the problems have.
constexpr uint32_t MOST_BATCH = 100000;

/// A step of a run, by worker and number.
using StepKey = std::pair<uint32_t, uint32_t>;

/// A step that was done.
struct DoneStep
{
    double start{0};   //!< seconds
    uint32_t batch{1}; //!< samples
};

/// The steps of a run.
using DoneSteps = std::map<StepKey, DoneStep>;

std::map<RunKey, DoneSteps>
ReadSteps(const std::string& folder)
{
    std::map<RunKey, DoneSteps> steps;
    RunRows rows(folder + "/steps.csv", {"worker", "step", "start", "batch"});
    while (rows.Next())
    {
        const uint32_t batch = rows.Get<uint32_t>(3);
        if (batch == 0 || batch > MOST_BATCH)
        {
            rows.Fail(3,
                      fmt::format("found a batch of {} samples; accepted: from 1 to {}",
                                  batch,
                                  MOST_BATCH));
        }
        const StepKey step{rows.Get<uint32_t>(0), rows.Get<uint32_t>(1)};
        if (!steps[rows.GetRun()].emplace(step, DoneStep{rows.Get<double>(2), batch}).second)
        {
            rows.Fail(1, "found the step of a worker again; accepted: one row for each");
        }
    }
    return steps;
}

/// Makes the log of a run from its rows.
class LogMaker
{
  public:
    LogMaker(const RunKey& run, const DoneSteps& steps, const std::string& file)
        : m_steps(steps)
    {
        m_log.file = file;
        std::tie(m_log.variant, m_log.workers, m_log.engine, m_log.replication) = run;
    }

    /// @param rows the current row is the next one of the run
    void Add(const RunRows& rows)
    {
        const bool restored = rows.GetText(0).empty() && rows.GetText(1).empty();
        const uint32_t worker = restored ? 0 : rows.Get<uint32_t>(0);
        const uint32_t step = restored ? 0 : rows.Get<uint32_t>(1);
        if (worker >= m_log.workers)
        {
            rows.Fail(0,
                      "found worker " + rows.GetText(0) + "; accepted: one of " +
                          std::to_string(m_log.workers) + ", from 0");
        }
        LoggedUpdate update{0,
                            FindTensor(rows),
                            rows.Get<uint64_t>(4),
                            rows.Get<uint64_t>(5),
                            rows.Get<double>(6),
                            rows.GetLine()};
        if (update.made <= update.read)
        {
            rows.Fail(5,
                      "found version " + rows.GetText(5) + ", made of a gradient on version " +
                          rows.GetText(4) + "; accepted: a later one");
        }
        if (restored)
        {
            update.gradient = m_log.gradients.size();
            m_log.gradients.push_back({0, 0, 0});
        }
        else
        {
            update.gradient = FindGradient({worker, step}, update.time, rows);
        }
        m_log.updates.push_back(update);
    }

    GradientLog Finish()
    {
        std::stable_sort(m_log.updates.begin(),
                         m_log.updates.end(),
                         [](const LoggedUpdate& a, const LoggedUpdate& b) {
                             return std::tie(a.time, a.made) < std::tie(b.time, b.made);
                         });
        return std::move(m_log);
    }

  private:
    uint32_t FindTensor(const RunRows& rows)
    {
        const auto [known, added] =
            m_tensors.emplace(ReadCsvName(rows.GetText(2)), m_log.tensors.size());
        if (added)
        {
            m_log.tensors.push_back(rows.Get<uint64_t>(3));
        }
        return known->second;
    }

    uint32_t FindGradient(const StepKey& step, double time, const RunRows& rows)
    {
        const auto done = m_steps.find(step);
        if (done != m_steps.end() && time >= done->second.start)
        {
            const auto [known, added] = m_gradients.emplace(step, m_log.gradients.size());
            if (added)
            {
                m_log.gradients.push_back({step.first, step.second, done->second.batch});
            }
            return known->second;
        }
        // lost with its worker, whose other steps tell the batch
        const auto other = m_steps.lower_bound({step.first, 0});
        if (other == m_steps.end() || other->first.first != step.first)
        {
            rows.Fail(0,
                      "found worker " + rows.GetText(0) +
                          ", of which steps.csv has no step; accepted: one that has done a step");
        }
        m_log.gradients.push_back({step.first, step.second, other->second.batch});
        return m_log.gradients.size() - 1;
    }

    const DoneSteps& m_steps;                  //!< of the run
    GradientLog m_log;                         //!< so far
    std::map<std::string, uint32_t> m_tensors; //!< by name
    std::map<StepKey, uint32_t> m_gradients;   //!< of steps that were done
};

} // namespace

double
GradientLog::GetMeanStaleness() const
{
    double sum = 0;
    uint64_t count = 0;
    for (const auto& update : updates)
    {
        if (gradients[update.gradient].batch > 0)
        {
            sum += static_cast<double>(update.made - 1 - update.read);
            ++count;
        }
    }
    return count == 0 ? 0 : sum / count;
}

std::vector<GradientLog>
ReadGradientLogs(const std::string& folder)
{
    const std::string path = folder + "/versions.csv";
    if (!std::filesystem::exists(path))
    {
        throw InputError(path + ": not there; accepted: a folder of results of 'dml run' with "
                                "--set output.versions=true");
    }
    const auto steps = ReadSteps(folder);
    RunRows rows(path, {"worker", "step", "tensor", "bytes", "read", "made", "time"});
    std::vector<RunKey> order;
    std::map<RunKey, LogMaker> makers;
    static const DoneSteps NONE;
    while (rows.Next())
    {
        const RunKey run = rows.GetRun();
        auto maker = makers.find(run);
        if (maker == makers.end())
        {
            const auto done = steps.find(run);
            maker =
                makers.emplace(run, LogMaker(run, done == steps.end() ? NONE : done->second, path))
                    .first;
            order.push_back(run);
        }
        maker->second.Add(rows);
    }
    std::set<std::string> engines; // of those that log gradients
    for (const auto& run : order)
    {
        engines.insert(std::get<2>(run));
    }
    for (const auto& [run, done] : steps)
    {
        const auto& [variant, workers, engine, replication] = run;
        if (engines.count(engine) > 0 && makers.count(run) == 0)
        {
            throw InputError(fmt::format(
                "{}: has no gradients of replication {}, {} workers, {}{}{}, of which steps.csv "
                "has steps; accepted: files of the same runs",
                path,
                replication,
                workers,
                engine,
                variant.empty() ? "" : ", ",
                variant));
        }
    }
    std::vector<GradientLog> logs;
    for (const auto& run : order)
    {
        logs.push_back(makers.at(run).Finish());
    }
    return logs;
}

} // namespace ns3::dml

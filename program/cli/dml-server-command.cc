/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-commands.h"
#include "dml-output-file.h"

#include "ns3/dml-confidence.h"
#include "ns3/dml-error.h"
#include "ns3/dml-measured-points.h"
#include "ns3/dml-paragraph.h"
#include "ns3/dml-plugin-file.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-profile-reader.h"
#include "ns3/dml-scratch-study.h"
#include "ns3/dml-server-fit.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace ns3::dml
{

namespace
{

constexpr uint32_t MOST_CORES = 16; // that are tried unless --cores says more

/// Points, the scenarios that they were measured in, and what the engine says of these.
class ServerStudy
{
  public:
    explicit ServerStudy(const CommandOptions& options)
        : m_options(options),
          m_file(options.operands[2]),
          m_points(ReadMeasuredPoints(m_file)),
          m_study(CountJobs(options))
    {
        for (const auto& point : m_points)
        {
            const auto [known, isNew] =
                m_indices.emplace(point.settings, m_scenarios.size()); // measured twice, run once
            if (isNew)
            {
                m_scenarios.push_back(Read(point));
            }
            m_scenarioOf.push_back(known->second);
        }
    }

    /// @return samples/s of each point without a change of its scenario
    std::vector<double> PredictUnchanged()
    {
        return Predict([](Scenario&) {});
    }

    /// @param cost of the servers @return samples/s of each point
    /// @throws InputError if such a cost is not possible: then the slowest point is not, either
    std::vector<double> Predict(const ServerCost& cost)
    {
        try
        {
            return Predict([&cost](Scenario& scenario) {
                scenario.overhead.server = {cost.alpha, cost.beta};
                scenario.fairShare.serverCores = cost.cores;
            });
        }
        catch (const InputError& error)
        {
            if (std::string(error.what()).rfind(m_file + ":", 0) == 0)
            {
                throw; // of a point, as it is
            }
            const auto slowest = std::min_element(
                m_points.begin(),
                m_points.end(),
                [](const auto& a, const auto& b) { return a.throughput < b.throughput; });
            throw InputError(Locate(*slowest) + "throughput: found " +
                             fmt::format("{:g}", slowest->throughput) +
                             " samples/s, for which servers would have to be slower than dml "
                             "accepts (" +
                             error.what() + "); accepted: what servers can be the reason of");
        }
    }

    /// @return costs that alone would limit the points, on one core
    ServerCost FindStart() const
    {
        ServerCost start;
        start.alpha = start.beta = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < m_points.size(); ++i)
        {
            const Scenario& scenario = GetScenario(i);
            const Profile profile = ReadProfile(scenario.job.profile);
            double bytes = 1; // not none
            double tensors = 1;
            for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
            {
                const bool push = profile.graph.Get(op).kind == OpKind::PUSH;
                tensors += push ? 1 : 0;
                bytes += push ? profile.tensors[profile.graph.Get(op).tensor].bytes : 0;
            }
            const double batch =
                scenario.job.batchSize > 0 ? scenario.job.batchSize : profile.batchSize;
            const double seconds =
                batch * scenario.job.parameterServers / m_points[i].throughput; // of a server
            start.alpha = std::min(start.alpha, seconds / (bytes * scenario.job.scale));
            start.beta = std::min(start.beta, seconds / tensors);
        }
        return start;
    }

    /// @return numbers of cores to try, from small to large
    std::vector<uint32_t> ListCores() const
    {
        if (!m_options.cores.empty())
        {
            return m_options.cores;
        }
        const uint32_t known = m_scenarios.front().fairShare.serverCores;
        if (known > 0)
        {
            return {known};
        }
        uint32_t most = 1;
        for (const auto& scenario : m_scenarios)
        {
            most = std::max(most, scenario.job.workers.front());
        }
        std::vector<uint32_t> cores(std::min(most, MOST_CORES));
        std::iota(cores.begin(), cores.end(), 1);
        return cores;
    }

    /// @return whether points differ in what a server gets in a step
    bool HasSeveralLoads() const
    {
        std::set<std::pair<std::string, uint32_t>> loads;
        for (const auto& scenario : m_scenarios)
        {
            loads.emplace(scenario.job.profile, scenario.job.parameterServers);
        }
        return loads.size() > 1;
    }

    const std::vector<MeasuredPoint>& GetPoints() const
    {
        return m_points;
    }

    /// @param point index @return the scenario that it was measured in
    const Scenario& GetScenario(std::size_t point) const
    {
        return m_scenarios[m_scenarioOf[point]];
    }

  private:
    /// @param settings of the command, and of a point
    Scenario Read(const std::vector<std::string>& settings) const
    {
        Scenario scenario = ReadSingleCase(m_options, settings);
        if (scenario.job.parameterServers == 0)
        {
            throw InputError("job.parameter_servers: found 0, as all-reduce has; accepted: a job "
                             "with servers, whose cost can be fitted");
        }
        if (scenario.overhead.parallel)
        {
            throw InputError("overhead.parallel: found true, with which parsing takes no core "
                             "of the server; accepted: false");
        }
        return scenario;
    }

    Scenario Read(const MeasuredPoint& point) const
    {
        auto settings = m_options.settings;
        settings.insert(settings.end(), point.settings.begin(), point.settings.end());
        try
        {
            return Read(settings);
        }
        catch (const InputError& error)
        {
            throw InputError((FailsAlike(error.what()) ? "" : Locate(point)) + error.what());
        }
    }

    /// @return whether the scenario is refused for the same reason without any point
    bool FailsAlike(const std::string& text) const
    {
        auto settings = m_options.settings;
        settings.emplace_back("job.workers=1"); // which any point says
        try
        {
            Read(settings);
        }
        catch (const InputError& error)
        {
            return text == error.what();
        }
        return false;
    }

    /// @return where a point is in the file, for errors
    std::string Locate(const MeasuredPoint& point) const
    {
        return m_file + ":" + std::to_string(point.line) + ":" + std::to_string(point.column) +
               ": ";
    }

    std::vector<double> Predict(const std::function<void(Scenario&)>& change)
    {
        std::vector<double> throughputs;
        for (const auto& original : m_scenarios)
        {
            Scenario scenario = original;
            change(scenario);
            throughputs.push_back(
                ComputeConfidence(m_study.Run(std::move(scenario), EngineKind::FAIR_SHARE))
                    .mean.value_or(0));
        }
        std::vector<double> ofPoints;
        for (std::size_t i = 0; i < m_points.size(); ++i)
        {
            ofPoints.push_back(throughputs[m_scenarioOf[i]]);
            if (!(ofPoints.back() > 0))
            {
                throw InputError(Locate(m_points[i]) +
                                 "throughput: the runs are too short to predict one; accepted: "
                                 "more steps (job.steps)");
            }
        }
        return ofPoints;
    }

    const CommandOptions& m_options;                           //!< of the command
    std::string m_file;                                        //!< of the points
    std::vector<MeasuredPoint> m_points;                       //!< what was measured
    std::map<std::vector<std::string>, std::size_t> m_indices; //!< of scenarios, by settings
    std::vector<Scenario> m_scenarios;                         //!< in which
    std::vector<std::size_t> m_scenarioOf;                     //!< index of each point's
    ScratchStudy m_study;                                      //!< runs them
};

/// @return a line of the table
std::string
FormatRow(const std::vector<std::string>& cells)
{
    constexpr int WIDTHS[]{5, 5, 4, 11, 11, 9, 11, 9, 10};
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i)
    {
        const std::size_t width = WIDTHS[i];
        line += std::string(width > cells[i].size() ? width - cells[i].size() : 1, ' ') + cells[i];
    }
    return line + "\n";
}

/// @return "+1.2 %"
std::string
InPercent(double predicted, double measured)
{
    if (std::isnan(predicted))
    {
        return "-";
    }
    const double percent = 100 * (predicted / measured - 1);
    return (percent < 0 ? "" : "+") + FormatFixed(percent, 1) + " %";
}

/// @return mean size of the relative errors of a prediction where there is one, "1.2 %"
std::string
MeanError(const std::vector<MeasuredPoint>& points, const std::vector<double>& predicted)
{
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < points.size(); ++i)
    {
        const double error = std::abs(predicted[i] / points[i].throughput - 1);
        sum += std::isnan(error) ? 0 : error;
        count += std::isnan(error) ? 0 : 1;
    }
    return count == 0 ? "-" : FormatFixed(100 * sum / count, 1) + " %";
}

/// @return a number for YAML
std::string
PrintNumber(double value)
{
    return fmt::format("{:.4g}", value);
}

/// @return "1.2 ns per byte, standard error 0.1 ns"
std::string
DescribeCost(double value, double error, double scale, const char* unit, const char* per)
{
    return FormatValue(value * scale) + " " + unit + " per " + per + ", standard error " +
           FormatValue(error * scale) + " " + unit;
}

/// @return what else explains the points than the number of cores; empty: nothing
std::string
DescribeOtherCores(const ServerFit& fit)
{
    if (fit.cores.size() < 2 && !fit.hasMore)
    {
        return "";
    }
    const std::string low = std::to_string(fit.cores.front());
    return (fit.hasMore ? low + " and more" : low + " to " + std::to_string(fit.cores.back())) +
           " explain the points about as well";
}

/// @return the line of a cost
std::string
PrintCost(const std::string& key, const char* unit, double value, double error, bool told)
{
    return "    " + key + ": " +
           (told ? PrintNumber(value) + "   # seconds per " + unit + ", standard error " +
                       PrintNumber(error)
                 : std::string("0   # seconds per ") + unit + ", not told by the points") +
           "\n";
}

/// @param study points, at least one, and their scenarios @param before what is predicted for these
/// as they are @param fit with predictions of the costs that were fitted, and of those fitted to
/// the other points
/// @return a table of at most 80 columns, and mean errors below it
std::string
FormatServerTable(const ServerStudy& study, const std::vector<double>& before, const ServerFit& fit)
{
    std::string out = FormatRow(
        {"line", "W", "M", "measured", "as it is", "error", "fitted", "error", "left out"});
    const auto& points = study.GetPoints();
    for (std::size_t i = 0; i < points.size(); ++i)
    {
        const double measured = points[i].throughput;
        const JobSpec& job = study.GetScenario(i).job;
        out += FormatRow({std::to_string(points[i].line),
                          std::to_string(job.workers.front()),
                          std::to_string(job.parameterServers),
                          FormatValue(measured),
                          FormatValue(before[i]),
                          InPercent(before[i], measured),
                          FormatValue(fit.predicted[i]),
                          InPercent(fit.predicted[i], measured),
                          InPercent(fit.leftOut[i], measured)});
    }
    return out + FormatRow({"mean",
                            "",
                            "",
                            "",
                            "",
                            MeanError(points, before),
                            "",
                            MeanError(points, fit.predicted),
                            MeanError(points, fit.leftOut)});
}

/// @param fit that tells something @return it in words, in lines of at most 80 columns
std::string
DescribeServerFit(const ServerFit& fit)
{
    std::string out;
    if (fit.tellsAlpha)
    {
        AppendParagraph(out,
                        "alpha: ",
                        DescribeCost(fit.cost.alpha, fit.alphaError, 1e9, "ns", "byte"));
    }
    if (fit.tellsBeta)
    {
        AppendParagraph(out,
                        "beta:  ",
                        DescribeCost(fit.cost.beta, fit.betaError, 1e6, "us", "tensor"));
    }
    const std::string others = DescribeOtherCores(fit);
    AppendParagraph(out,
                    "cores: ",
                    std::to_string(fit.cost.cores) + (others.empty() ? "" : "; " + others));
    if (fit.either)
    {
        AppendParagraph(out,
                        "note:  ",
                        std::string("a cost per ") + (fit.tellsAlpha ? "tensor" : "byte") +
                            " instead explains the points as well, so that these keys are for "
                            "jobs with tensors of such sizes; points of a job with others, or of "
                            "more servers, would tell");
    }
    return out;
}

/// @param fit that tells something @return keys of a scenario, with standard errors as comments
std::string
WriteServerYaml(const ServerFit& fit)
{
    const std::string others = DescribeOtherCores(fit);
    return "overhead:\n  server:\n" +
           PrintCost("alpha", "byte", fit.cost.alpha, fit.alphaError, fit.tellsAlpha) +
           PrintCost("beta", "tensor", fit.cost.beta, fit.betaError, fit.tellsBeta) +
           "fair_share:\n  ps_cores: " + std::to_string(fit.cost.cores) +
           (others.empty() ? "" : "   # " + others) + "\n";
}

/// @return why the points tell nothing
std::string
DescribeFailure(const ServerFit& fit)
{
    const bool alpha = fit.cost.alpha > 0;
    const double value = alpha ? fit.cost.alpha * 1e9 : fit.cost.beta * 1e6;
    const double error = alpha ? fit.alphaError * 1e9 : fit.betaError * 1e6;
    const std::string unit = alpha ? " ns per byte" : " us per tensor";
    return "the points do not tell what tensors cost the servers: " + FormatValue(value) + unit +
           (std::isfinite(error) ? " with a standard error of " + FormatValue(error)
                                 : ", which changes no throughput") +
           "; accepted: points that the servers limit, such as with more or faster workers";
}

} // namespace

int
RunFitServer(const CommandOptions& options)
{
    LoadPlugins(options.plugins);
    CheckReplaceable(options.out, options.force);
    ServerStudy study(options);
    ServerQuestion question;
    for (const auto& point : study.GetPoints())
    {
        question.measured.push_back(point.throughput);
        if (point.error > 0)
        {
            question.errors.push_back(point.error / point.throughput);
        }
    }
    question.start = study.FindStart();
    question.mayTellBoth = study.HasSeveralLoads();
    question.cores = study.ListCores();
    question.model = [&study](const ServerCost& cost) { return study.Predict(cost); };
    const auto before = study.PredictUnchanged();
    const ServerFit fit = FitServer(question);
    std::cout << Plural(before.size(), "point") << " in samples/s, fair-share engine, "
              << Plural(study.GetScenario(0).replications, "replication") << "\n\n"
              << FormatServerTable(study, before, fit) << std::endl;
    if (!fit.tellsAlpha && !fit.tellsBeta)
    {
        throw InputError(options.operands[2] + ": " + DescribeFailure(fit));
    }
    std::cout << DescribeServerFit(fit);
    WriteKeys(options, WriteServerYaml(fit));
    return 0;
}

} // namespace ns3::dml

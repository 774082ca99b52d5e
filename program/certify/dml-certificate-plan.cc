/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-certificate-plan.h"

#include "ns3/dml-checksum.h"
#include "ns3/dml-confidence.h"
#include "ns3/dml-engine-forecast.h"
#include "ns3/dml-engine-runner.h"
#include "ns3/dml-error.h"
#include "ns3/dml-host-names.h"
#include "ns3/dml-input-file.h"
#include "ns3/dml-output-folder.h"
#include "ns3/dml-paragraph.h"
#include "ns3/dml-profile-cache.h"
#include "ns3/dml-profile-writer.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-scenario-check.h"
#include "ns3/dml-si-number.h"
#include "ns3/dml-study-plan.h"
#include "ns3/dml-study-words.h"
#include "ns3/dml-temporary-folder.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <optional>

namespace ns3::dml
{

namespace
{

/// bit/s of a link that real processes keep on any machine, see doc/host-engine.rst.
constexpr double FASTEST_LINK = 1e9;
/// bit/s in one direction, of links that can be busy at the same time, for each core.
constexpr double RATE_OF_CORE = 500e6;
/// Processes for each core: eight workers and a server on two cores are what was compared.
constexpr uint32_t PROCESSES_OF_CORE = 8;

/// Variants of a study: each takes its part of the time.
constexpr std::size_t MOST_VARIANTS = 4;
/// One more than an interval takes: a run may be disturbed.
constexpr uint32_t REPEATS = LEAST_FOR_INTERVAL + 1;

constexpr uint32_t MOST_WARMUP = 2;
constexpr uint32_t MOST_MEASURED = 10; //!< steps after the warm-up
constexpr uint32_t LEAST_MEASURED = 4; //!< unless the scenario has fewer

/// Shrinking misleads about the scenario by up to 40 % from here on, see doc/certify.rst.
constexpr double MOST_SHRINK = 16;

/// @return bit/s, in the faster direction, of the links that can be busy at the same time
double
GetDemand(const PreparedScenario& prepared, uint32_t workers)
{
    const auto network = prepared.GetNetwork(workers);
    const auto rate = [&network](const std::string& host) {
        const uint32_t link = network->FindUplink(host) / 2;
        const auto& [up, down] = network->GetLinks()[link].rates;
        return static_cast<double>(std::max(up.GetBitRate(), down.GetBitRate()));
    };
    double ofWorkers = 0;
    for (uint32_t worker = 0; worker < workers; ++worker)
    {
        ofWorkers += rate(WorkerName(0, worker));
    }
    if (!prepared.GetJob().HasServers())
    {
        return ofWorkers;
    }
    double ofServers = 0;
    for (uint32_t server = 0; server < prepared.scenario.job.parameterServers; ++server)
    {
        ofServers += rate(ServerName(0, server));
    }
    return std::min(ofWorkers, ofServers);
}

/// @return bit/s of the fastest link
double
GetFastest(const PreparedScenario& prepared, uint32_t workers)
{
    double fastest = 0;
    for (const auto& link : prepared.GetNetwork(workers)->GetLinks())
    {
        for (const DataRate& rate : link.rates)
        {
            fastest = std::max(fastest, static_cast<double>(rate.GetBitRate()));
        }
    }
    return fastest;
}

/// Makes a plan, one choice after the other.
class Planner
{
  public:
    Planner(const std::vector<Scenario>& variants, const CertificateLimits& limits)
        : m_variants(variants),
          m_limits(limits)
    {
    }

    CertificatePlan Make()
    {
        Check();
        ChooseWorkers();
        ChooseStretch();
        ChooseSteps();
        CheckHost();
        ChooseEngines();
        const PreparedScenario before = Prepare(m_variants.front());
        const PreparedScenario after = Prepare(m_plan.scenarios.front());
        m_plan.ratiosBefore = ComputeRatios(before, m_plan.workers.back());
        m_plan.ratios = ComputeRatios(after, m_plan.workers.back());
        m_plan.rateBefore = before.scenario.network.rate.GetBitRate();
        m_plan.rate = after.scenario.network.rate.GetBitRate();
        for (std::size_t i = 0; i < m_names.size(); ++i)
        {
            m_plan.scenarios[i].job.profile = m_names[i];
        }
        Scenario stretched = StretchScenario(m_variants.front(), m_plan.stretch);
        if (TakeOwnDelays(stretched.network))
        {
            m_plan.remarks.emplace_back("delays of links of up to 100 us are left out, in "
                                        "predictions as with real processes, where links have some "
                                        "10 us of their own");
        }
        if (m_variants.front().job.stepJitter.mean)
        {
            m_plan.remarks.emplace_back("job.step_jitter is left out: real processes are late of "
                                        "themselves, by what the default is with so many cores");
        }
        for (const auto& remark : ListUnstretched(m_variants.front()))
        {
            m_plan.remarks.push_back(remark);
        }
        return m_plan;
    }

  private:
    PreparedScenario Prepare(const Scenario& scenario)
    {
        return PrepareScenario(scenario, false, &m_profiles);
    }

    void Check() const
    {
        if (m_variants.size() > MOST_VARIANTS)
        {
            throw InputError(fmt::format("{}: has a sweep of {} variants; accepted: at most {} for "
                                         "a certificate, such as one with --set sweep={{}}",
                                         m_variants.front().file,
                                         m_variants.size(),
                                         MOST_VARIANTS));
        }
        for (const auto& variant : m_variants)
        {
            CheckStretchable(variant);
        }
    }

    /// Take the smallest number of workers, and the largest one that this machine has room for.
    void ChooseWorkers()
    {
        const Scenario& first = m_variants.front();
        m_plan.asked = first.job.workers;
        const uint32_t most = PROCESSES_OF_CORE * m_limits.cores;
        std::vector<uint32_t> fitting;
        for (const uint32_t workers : m_plan.asked)
        {
            const bool fits =
                std::all_of(m_variants.begin(), m_variants.end(), [&](const Scenario& variant) {
                    const auto& others = variant.job.workers;
                    return workers + variant.job.parameterServers <= most &&
                           std::count(others.begin(), others.end(), workers) > 0;
                });
            if (fits)
            {
                fitting.push_back(workers);
            }
        }
        if (fitting.empty())
        {
            throw ScenarioError(first,
                                "job.workers",
                                "no number that all variants have with at most " +
                                    std::to_string(most) + " processes, " +
                                    std::to_string(PROCESSES_OF_CORE) +
                                    " for each core of this machine",
                                "fewer workers and servers, for a certificate");
        }
        const auto [least, largest] = std::minmax_element(fitting.begin(), fitting.end());
        m_plan.workers = {*least};
        if (*largest > *least)
        {
            m_plan.workers.push_back(*largest);
        }
        const uint32_t asked = *std::max_element(m_plan.asked.begin(), m_plan.asked.end());
        if (asked > *largest)
        {
            m_plan.remarks.push_back(
                fmt::format("W = {} is left out: this machine has {} cores, for at most {} "
                            "processes; the certificate says nothing about more workers",
                            asked,
                            m_limits.cores,
                            most));
        }
    }

    void ChooseStretch()
    {
        double wanted = 1;
        for (const auto& variant : m_variants)
        {
            Scenario some = variant;
            some.job.workers = m_plan.workers;
            const PreparedScenario prepared = Prepare(some);
            for (const uint32_t workers : m_plan.workers)
            {
                wanted = std::max({wanted,
                                   GetFastest(prepared, workers) / FASTEST_LINK,
                                   GetDemand(prepared, workers) / RATE_OF_CORE / m_limits.cores});
            }
        }
        m_plan.stretch = RoundFactorUp(wanted);
        StretchProfiles();
    }

    /// Write the stretched profiles where the plan can be tried.
    void StretchProfiles()
    {
        constexpr std::size_t DIGITS = 8;
        std::map<std::string, std::string> names; // by path of the profile
        for (const auto& variant : m_variants)
        {
            if (m_plan.stretch == 1)
            {
                return;
            }
            const std::string& path = variant.job.profile;
            if (names.count(path) == 0)
            {
                Profile profile = *m_profiles.Read(path);
                StretchProfile(profile, m_plan.stretch);
                const std::string text = FormatProfile(profile);
                // results that stay in the folder may have another one
                names[path] =
                    "certificate-profile-" + MakeChecksum(text).substr(0, DIGITS) + ".yaml";
                m_plan.profiles[names[path]] = text;
                ResultFile::Replace(m_folder.GetPath() + "/" + names[path], text);
            }
            m_names.push_back(names[path]);
        }
    }

    /// @return the variants in small
    std::vector<Scenario> MakeSmall() const
    {
        std::vector<Scenario> scenarios;
        for (std::size_t i = 0; i < m_variants.size(); ++i)
        {
            Scenario small = StretchScenario(m_variants[i], m_plan.stretch);
            TakeOwnDelays(small.network);
            TakeOwnPorts(small.network);
            if (!m_names.empty())
            {
                small.job.profile = m_folder.GetPath() + "/" + m_names[i];
            }
            small.name += "-certificate";
            small.job.workers = m_plan.workers;
            small.job.scale /= m_plan.shrink;
            small.job.stepJitter = StepJitterSpec(); // real processes are late of themselves
            small.job.stepJitter.cores = m_limits.cores;
            small.job.autoSteps.on = false;
            small.job.steps = m_plan.steps;
            small.job.warmup = m_plan.warmup;
            small.replications = m_plan.repeats;
            small.host.replications = 0;
            small.packet.replications = 0;
            small.output = OutputSpec();
            small.output.transfers = false;
            small.output.links = false;
            small.output.trace = false;
            small.output.plots = false;
            CheckScenario(small);
            scenarios.push_back(std::move(small));
        }
        return scenarios;
    }

    /// @return seconds on the clock of all runs of real processes, and of these those of steps
    std::pair<double, double> EstimateRuns()
    {
        const EngineRunner& host = GetEngineRunner(EngineKind::HOST);
        double all = 0;
        double steps = 0;
        for (const auto& small : MakeSmall())
        {
            const PreparedScenario prepared = Prepare(small);
            for (const uint32_t workers : m_plan.workers)
            {
                StudyCase item;
                item.workers = workers;
                item.engine = EngineKind::HOST;
                all += m_plan.repeats * host.EstimateCost(prepared, item).cpuSeconds;
                steps += m_plan.repeats * small.job.steps * GuessStep(prepared, workers);
            }
        }
        return {all, steps};
    }

    /// Fewer steps where time is short, and then smaller tensors.
    void ChooseSteps()
    {
        const JobSpec& job = m_variants.front().job;
        const uint32_t own = job.autoSteps.on ? MOST_MEASURED : job.steps - job.warmup;
        m_plan.repeats = REPEATS;
        m_plan.warmup = std::min(MOST_WARMUP, job.autoSteps.on ? MOST_WARMUP : job.warmup);
        uint32_t measured = std::min(MOST_MEASURED, own);
        const uint32_t least = std::min(LEAST_MEASURED, own);
        for (;; --measured)
        {
            m_plan.steps = m_plan.warmup + measured;
            m_plan.seconds = EstimateRuns().first;
            if (m_plan.seconds <= m_limits.seconds || measured == least)
            {
                break;
            }
        }
        if (m_plan.seconds > m_limits.seconds)
        {
            Shrink();
        }
    }

    void Shrink()
    {
        const auto [all, steps] = EstimateRuns();
        const double rest = all - steps;
        m_plan.shrink =
            m_limits.seconds > rest ? RoundFactorUp(steps / (m_limits.seconds - rest)) : INFINITY;
        if (m_plan.shrink > MOST_SHRINK)
        {
            throw InputError(fmt::format(
                "--minutes: found {:g}; accepted: from {:.0f} on, as {} of {} steps take about {} "
                "here, stretched by {:g}, and tensors may shrink by {:g} at most; or fewer cases",
                m_limits.seconds / 60,
                std::ceil((rest + steps / MOST_SHRINK) / 60),
                Plural(m_plan.repeats * m_variants.size() * m_plan.workers.size(), "run"),
                m_plan.steps,
                RoughDuration(all),
                m_plan.stretch,
                MOST_SHRINK));
        }
        m_plan.seconds = EstimateRuns().first;
    }

    /// @throws InputError, RunError if this machine cannot run the scenario in small
    void CheckHost()
    {
        m_plan.scenarios = MakeSmall();
        try
        {
            StudyPlan(m_plan.scenarios, {EngineKind::HOST}).PrepareAll();
        }
        catch (const InputError& error)
        {
            throw InputError(
                error.what() +
                (m_plan.stretch > 1
                     ? fmt::format("; found is what it becomes when all is stretched {:g} times, "
                                   "for the rates that this machine keeps",
                                   m_plan.stretch)
                     : std::string()));
        }
    }

    void ChooseEngines()
    {
        const bool all = m_limits.engines.empty();
        const EngineSet wanted =
            all ? EngineSet{EngineKind::FAIR_SHARE, EngineKind::BURST, EngineKind::PACKET}
                : m_limits.engines;
        std::string last;
        for (const EngineKind engine : wanted)
        {
            const std::string& name = GetEngineName(engine);
            try
            {
                const double longest = EstimateLongest(m_plan.scenarios, engine);
                const double runs = 1.0 * m_plan.CountCases() * m_plan.repeats;
                if (all && longest * runs / m_limits.cores > m_limits.seconds)
                {
                    m_plan.remarks.push_back(fmt::format(
                        "{} is left out: a run would take up to {} of CPU; --engine={} has it",
                        name,
                        RoughDuration(longest),
                        NameEngines({EngineKind::FAIR_SHARE, engine})));
                    continue;
                }
                m_plan.engines.insert(engine);
            }
            catch (const InputError& error)
            {
                last = error.what();
                if (!all)
                {
                    throw;
                }
                m_plan.remarks.push_back(name + " is left out: " + last);
            }
        }
        if (m_plan.engines.empty())
        {
            throw InputError("no engine takes the scenario: " + last);
        }
        m_plan.engines.insert(EngineKind::HOST);
    }

    const std::vector<Scenario>& m_variants; //!< as they were read
    const CertificateLimits& m_limits;       //!< of the certificate
    TemporaryFolder m_folder;                //!< of stretched profiles
    std::vector<std::string> m_names;        //!< of these, by variant; none without
    ProfileCache m_profiles;                 //!< of all variants
    CertificatePlan m_plan;                  //!< so far
};

/// @param values at least one @return "1 and 8", "1, 2 and 8"
std::string
ListNumbers(const std::vector<uint32_t>& values)
{
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i)
    {
        text += (i == 0 ? "" : i + 1 == values.size() ? " and " : ", ") + std::to_string(values[i]);
    }
    return text;
}

/// Append what a ratio was, and has become.
void
AddRatio(std::string& text,
         const std::string& name,
         std::optional<double> before,
         std::optional<double> after)
{
    constexpr double SAME = 1e-6;
    if (!before || !after)
    {
        return;
    }
    const bool same = std::abs(*after - *before) <= SAME * std::abs(*before);
    text += (text.empty() ? "" : "; ") + name + " " + FormatValue(*after) +
            (same ? "" : " (was " + FormatValue(*before) + ")");
}

} // namespace

double
RoundFactorUp(double wanted)
{
    constexpr double STEPS[]{1, 1.25, 1.6, 2, 2.5, 4, 5, 8, 10};
    constexpr double ROUNDING = 1e-9;
    const double least = std::max(1.0, wanted) * (1 - ROUNDING);
    const double power = std::pow(10, std::floor(std::log10(std::max(1.0, least))));
    return power * *std::find_if(std::begin(STEPS), std::end(STEPS), [&](double step) {
               return power * step >= least;
           });
}

CertificatePlan
PlanCertificate(const std::vector<Scenario>& variants, const CertificateLimits& limits)
{
    return Planner(variants, limits).Make();
}

void
PlaceProfiles(const std::string& folder, CertificatePlan& plan)
{
    if (plan.profiles.empty())
    {
        return;
    }
    MakeOutputFolder(folder);
    for (const auto& [name, text] : plan.profiles)
    {
        const std::string path = folder + "/" + name;
        if (ReadBytes(path) != text)
        {
            ResultFile::Replace(path, text, true);
        }
    }
    for (auto& scenario : plan.scenarios)
    {
        scenario.job.profile = folder + "/" + scenario.job.profile;
    }
}

std::string
DescribePlan(const CertificatePlan& plan)
{
    std::string text = "in small, as real processes on this machine:\n";
    AppendParagraph(
        text,
        "  workers     ",
        "W = " + ListNumbers(plan.workers) +
            (plan.workers == plan.asked ? std::string() : ", of " + ListNumbers(plan.asked)));
    AppendParagraph(
        text,
        "  stretched   ",
        plan.stretch > 1
            ? fmt::format("{0:g} times: network.rate is {1} instead of {2}; computing, delays of "
                          "links and the least RTO take {0:g} times as long",
                          plan.stretch,
                          FormatBitRate(plan.rate),
                          FormatBitRate(plan.rateBefore))
            : "not at all: this machine keeps the rates of the scenario");
    AppendParagraph(text,
                    "  shrunk      ",
                    plan.shrink > 1
                        ? fmt::format("{:g} times, tensors and computing: windows and ports are as "
                                      "they are, so that fewer of them follow each other",
                                      plan.shrink)
                        : "not at all: tensors have their sizes");
    std::string kept;
    AddRatio(kept,
             "port / bandwidth-delay product",
             plan.ratiosBefore.portOverProduct,
             plan.ratios.portOverProduct);
    AddRatio(kept,
             "segments in a window",
             plan.ratiosBefore.windowSegments,
             plan.ratios.windowSegments);
    AddRatio(kept,
             "segments in a step",
             plan.ratiosBefore.tensorSegments,
             plan.ratios.tensorSegments);
    AddRatio(kept,
             "computing / communication",
             plan.ratiosBefore.computingOverCommunication,
             plan.ratios.computingOverCommunication);
    AppendParagraph(text, "  ratios      ", kept);
    if (plan.stretch > 1)
    {
        AppendParagraph(text,
                        "  not kept    ",
                        "what the kernel has in absolute time: delayed ACKs (40 ms), bursts of 1 "
                        "ms by pacing, HyStart (4 to 16 ms), tail loss probes (2 ms), scheduling");
    }
    AppendParagraph(
        text,
        "  steps       ",
        fmt::format("{} a worker, {} of them warm-up; {} repeats, about {} on the clock "
                    "for real processes",
                    plan.steps,
                    plan.warmup,
                    plan.repeats,
                    RoughDuration(plan.seconds)));
    for (const auto& remark : plan.remarks)
    {
        AppendParagraph(text, "  note        ", remark);
    }
    return text;
}

} // namespace ns3::dml

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-engine-replay.h"

#include "dml-job-profile.h"

#include "ns3/dml-overhead-report.h"
#include "ns3/dml-paragraph.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-profile-writer.h"
#include "ns3/dml-recorded-job.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-run-trace.h"
#include "ns3/dml-value-text.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace ns3::dml
{

namespace
{

using Json = nlohmann::ordered_json;

/// Steps of a run, of which the first one does not count.
constexpr uint32_t STEPS = 12;

/// @return section "job" of a scenario
Json
MakeJob(const JobStep& job, const JobProfile& made, const std::string& profile)
{
    Json section{{"profile", profile},
                 {"workers", job.workers},
                 {"parameter_servers", job.servers},
                 {"steps", STEPS},
                 {"warmup", 1},
                 {"start", "together"},
                 {"step_jitter", "0s"}}; // the trace has how late steps began
    for (uint32_t worker = 0; worker < job.workers; ++worker)
    {
        section["sampling"].push_back(Json::array({worker}));
    }
    if (made.collective)
    {
        section["protocol"] = "all-reduce";
    }
    else if (made.rounds)
    {
        section["sync"] = "bsp";
    }
    for (std::size_t tensor = 0; tensor < made.servers.size(); ++tensor)
    {
        section["placement"][made.profile.tensors[tensor].name] = made.servers[tensor];
    }
    return section;
}

} // namespace

EngineReplay::EngineReplay(const JobStep& job, std::optional<uint64_t> rate)
{
    constexpr double BITS = 8; // of a byte
    const JobProfile made = MakeJobProfile(job);
    const std::string profile = m_study.GetFolder() + "/profile.yaml";
    ResultFile::Replace(profile, FormatProfile(made.profile));
    const uint64_t linkRate = rate ? *rate
                                   : static_cast<uint64_t>(std::llround(
                                         BITS * EstimateBandwidth(job) / GetPayloadShare()));
    m_settings = {
        "replications=1",
        "job=" + MakeJob(job, made, profile).dump(),
        "network.rate=" + std::to_string(linkRate) + "bps",
    };
    if (made.parseSecondsPerByte > 0)
    {
        const Json overhead{{"alpha", made.parseSecondsPerByte},
                            {"parallel", made.parsesInParallel}};
        m_settings.push_back("overhead=" + overhead.dump());
    }
    AppendParagraph(
        m_note,
        "engines:  ",
        "links of " + FormatValue(linkRate / 1e6) + " Mbit/s" +
            (rate ? "" : ", as fast as the fastest one was") + ", " +
            (made.collective ? "all-reduce"
             : made.rounds   ? "bulk-synchronous steps"
                             : "workers on their own") +
            ", defaults of a scenario for all else, --set before all of these; latencies of "
            "the job are not in it" +
            (!made.collective && made.servers.empty()
                 ? ", nor that tensors are cut for several servers"
                 : ""));
}

std::vector<WorkerTimes>
EngineReplay::Run(EngineKind engine, const std::vector<std::string>& settings)
{
    auto all = m_settings;
    all.insert(all.end(), settings.begin(), settings.end());
    const RunTraces traces = ReadRunTraces(m_study.Record(m_study.MakeScenario(all), engine));
    const RecordedJob recorded = MakeRecordedJob(traces.job,
                                                 traces.runs.front(),
                                                 ReceiveStarts::CORRECTED,
                                                 CollectiveDetail::MOVES,
                                                 WaitDetail::DATA);
    return MakeMeanStep(recorded, traces.job).measured;
}

} // namespace ns3::dml

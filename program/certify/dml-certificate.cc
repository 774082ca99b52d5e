/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-certificate.h"

#include "ns3/dml-busy-note.h"
#include "ns3/dml-error.h"
#include "ns3/dml-html-report.h"
#include "ns3/dml-input-file.h"
#include "ns3/dml-json-number.h"
#include "ns3/dml-paragraph.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-result-folder.h"
#include "ns3/dml-scenario-keys.h"
#include "ns3/dml-stored-scenario.h"
#include "ns3/dml-study-words.h"
#include "ns3/dml-table-cells.h"
#include "ns3/dml-version.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fmt/chrono.h>
#include <fmt/core.h>
#include <optional>
#include <set>
#include <sys/utsname.h>

namespace ns3::dml
{

namespace
{

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* SENTENCE = "checked against reality";

std::string
GetKernel()
{
    utsname system{};
    return uname(&system) == 0 ? std::string(system.sysname) + " " + system.release : "unknown";
}

CertifiedCase
MakeCase(const CaseSummary& item, std::vector<std::string>& remarks)
{
    CertifiedCase made;
    made.variant = item.variant;
    made.workers = item.workers;
    made.name = item.GetName();
    const EngineSummary* real = item.FindEngine(EngineKind::HOST);
    if (!real)
    {
        return made;
    }
    made.real = real->GetThroughput();
    for (const auto& run : real->replications)
    {
        made.disturbed += run.host && run.host->IsDisturbed() ? 1 : 0;
        for (const auto& note : run.host ? run.host->notes : std::vector<std::string>())
        {
            if (std::find(remarks.begin(), remarks.end(), note) == remarks.end())
            {
                remarks.push_back(note);
            }
        }
    }
    for (const auto& [kind, engine] : item.engines)
    {
        if (kind != EngineKind::HOST)
        {
            made.errors[kind] = CompareRuns(&engine, real);
        }
    }
    return made;
}

/// @return text of a file; names may come from files of any encoding
std::string
Dump(const Json& json)
{
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json
ToJson(const SimilarityRatios& ratios)
{
    return {{"port_over_bandwidth_delay_product", JsonNumber(ratios.portOverProduct)},
            {"segments_in_window", JsonNumber(ratios.windowSegments)},
            {"segments_in_step", JsonNumber(ratios.tensorSegments)},
            {"computing_over_communication", JsonNumber(ratios.computingOverCommunication)}};
}

Json
Percent(std::optional<double> part)
{
    return part ? JsonNumber(100 * *part) : Json();
}

Json
ToJson(const CertifiedCase& item)
{
    Json json;
    for (const auto& [key, value] : item.variant)
    {
        json["variant"][key] = value;
    }
    json["workers"] = item.workers;
    json["real"] = {{"throughput", JsonNumber(item.real.mean)},
                    {"half_width", JsonNumber(item.real.halfWidth)},
                    {"runs", item.real.count},
                    {"disturbed", item.disturbed}};
    for (const auto& [kind, error] : item.errors)
    {
        json["errors"][GetEngineName(kind)] = {{"percent", Percent(error.value)},
                                               {"low", Percent(error.low)},
                                               {"high", Percent(error.high)},
                                               {"pairs", error.pairs},
                                               {"interval", error.HasInterval()}};
    }
    return json;
}

/// @return whether a key decides neither what the job is nor on what network it runs
bool
MayDiffer(const std::string& pointer)
{
    static const std::set<std::string> WHOLE{"/name",
                                             "/seed",
                                             "/replications",
                                             "/job/steps",
                                             "/job/warmup"};
    static const std::vector<std::string> PARTS{"/output",
                                                "/packet",
                                                "/host",
                                                "/job/workers",
                                                "/job/steps/",
                                                "/sweep"};
    return WHOLE.count(pointer) > 0 ||
           std::any_of(PARTS.begin(), PARTS.end(), [&](const auto& part) {
               return pointer.rfind(part, 0) == 0;
           });
}

/// @param pointer such as "/network/hosts/ps0" @return "network.hosts.ps0"
std::string
ToKey(std::string pointer)
{
    pointer.erase(0, 1);
    std::replace(pointer.begin(), pointer.end(), '/', '.');
    return pointer;
}

/// @param path of a profile, or any other value @return what of it has to be the same
std::string
ToComparable(const std::string& pointer, const Json& value)
{
    // the same file has several paths
    return pointer == "/job/profile" && value.is_string()
               ? fs::path(value.get<std::string>()).filename().string()
               : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// @return values by key, of those that decide what a run does
std::map<std::string, std::string>
ListDeciding(const Scenario& scenario)
{
    std::map<std::string, std::string> values;
    const Json flat = ScenarioToJson(scenario).flatten();
    for (const auto& [pointer, value] : flat.items())
    {
        if (!MayDiffer(pointer))
        {
            values[ToKey(pointer)] = ToComparable(pointer, value);
        }
    }
    return values;
}

/// A key that two scenarios have different values of.
struct Difference
{
    std::string key;   //!< path; empty: there is none
    std::string there; //!< value of the first scenario
    std::string here;  //!< value of the second one
};

/// @return the first key that decides what runs do, and is another one
Difference
FindDifference(const Scenario& there, const Scenario& here)
{
    auto first = ListDeciding(there);
    auto second = ListDeciding(here);
    std::set<std::string> keys;
    for (const auto* values : {&first, &second})
    {
        for (const auto& [key, value] : *values)
        {
            keys.insert(key);
        }
    }
    const auto find = [](const auto& values, const std::string& key) {
        const auto found = values.find(key);
        return found == values.end() ? std::string("nothing") : found->second;
    };
    for (const auto& key : keys)
    {
        if (find(first, key) != find(second, key))
        {
            return {key, find(first, key), find(second, key)};
        }
    }
    return {};
}

/// @return the variant of results that is a scenario
/// @throws InputError if there is none, naming what differs
const Scenario&
FindVariant(const StoredScenario& stored, const Scenario& asked)
{
    const auto& models = stored.GetModels();
    for (const auto& model : models)
    {
        if (FindDifference(model, asked).key.empty())
        {
            return model;
        }
    }
    const Difference difference = FindDifference(models.front(), asked);
    const std::string found =
        models.size() > 1 ? Plural(models.size(), "variant") + ", of which none is the scenario"
                          : difference.key + " = " + difference.there;
    throw InputError("--for: " + stored.GetSummary() + ": found " + found +
                     "; accepted: results of the scenario that is certified" +
                     (models.size() > 1 ? std::string() : ", which has " + difference.here));
}

} // namespace

Certificate
MakeCertificate(const CertificatePlan& plan,
                const Scenario& asked,
                const RunSummary& summary,
                const std::string& folder)
{
    Certificate certificate;
    certificate.plan = plan;
    certificate.scenario = ScenarioToJson(asked);
    certificate.remarks = plan.remarks;
    uint32_t counted = 0;
    uint32_t disturbed = 0;
    for (const auto& item : summary.cases)
    {
        certificate.cases.push_back(MakeCase(item, certificate.remarks));
        counted += certificate.cases.back().real.count;
        disturbed += certificate.cases.back().disturbed;
    }
    if (counted == 0)
    {
        throw RunError(
            disturbed > 0
                ? fmt::format("no certificate: {} of {} runs of real processes were disturbed by "
                              "something else on this machine, and the others have no throughput; "
                              "again, with --force, when it is idle",
                              disturbed,
                              plan.CountCases() * plan.repeats)
                : "no certificate: no run of real processes has a throughput; see " + folder);
    }
    if (disturbed > 0)
    {
        certificate.remarks.push_back(
            fmt::format("{} of {} runs of real processes do not count, as something else took much "
                        "of this machine",
                        disturbed,
                        plan.CountCases() * plan.repeats));
    }
    for (auto& note : MakeBusyNotes(summary))
    {
        certificate.remarks.push_back(std::move(note));
    }
    certificate.folder = folder;
    certificate.kernel = GetKernel();
    certificate.day = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
    return certificate;
}

std::string
Certificate::GetSentence() const
{
    std::string text;
    for (const EngineKind engine : plan.engines)
    {
        const CertifiedCase* worst = nullptr;
        const auto size = [engine](const CertifiedCase& item) {
            const auto found = item.errors.find(engine);
            return found == item.errors.end() ? -1.0 : std::abs(found->second.value.value_or(-1));
        };
        for (const auto& item : cases)
        {
            const auto found = item.errors.find(engine);
            if (found != item.errors.end() && found->second.value &&
                (!worst || size(item) > size(*worst)))
            {
                worst = &item;
            }
        }
        if (worst)
        {
            text += (text.empty() ? "" : ", ") + GetEngineName(engine) + " " +
                    PercentText(worst->errors.at(engine), 1, " %") +
                    (cases.size() > 1 ? " with " + worst->name : "");
        }
    }
    std::string how = plan.stretch > 1 ? fmt::format("{:g} times slower", plan.stretch) : "";
    how += plan.shrink > 1
               ? fmt::format("{}{:g} times smaller", how.empty() ? "" : ", ", plan.shrink)
               : "";
    return std::string(SENTENCE) + (how.empty() ? " (at full size and rate" : " in small (" + how) +
           (cases.size() > 1 ? ", largest errors of " + Plural(cases.size(), "case") : "") +
           "): " + text;
}

Json
ToJson(const Certificate& certificate)
{
    const CertificatePlan& plan = certificate.plan;
    const ProgramVersion program = GetVersion();
    Json json;
    json["schema"] = "dml-certificate/1";
    json["program"]["dml"] = program.dml;
    if (!program.commit.empty())
    {
        json["program"]["commit"] = program.commit;
    }
    json["program"]["ns3"] = program.ns3;
    json["day"] = certificate.day;
    json["kernel"] = certificate.kernel;
    json["sentence"] = certificate.GetSentence();
    json["stretch"] = JsonNumber(plan.stretch);
    json["shrink"] = JsonNumber(plan.shrink);
    json["steps"] = plan.steps;
    json["warmup"] = plan.warmup;
    json["repeats"] = plan.repeats;
    json["rate"] = {{"asked", plan.rateBefore}, {"in_small", plan.rate}};
    json["ratios"] = {{"asked", ToJson(plan.ratiosBefore)}, {"in_small", ToJson(plan.ratios)}};
    json["cases"] = Json::array();
    for (const auto& item : certificate.cases)
    {
        json["cases"].push_back(ToJson(item));
    }
    json["remarks"] = certificate.remarks;
    json["results"] = certificate.folder;
    json["scenario"] = certificate.scenario;
    return json;
}

std::string
DumpCertificate(const Certificate& certificate)
{
    return Dump(ToJson(certificate));
}

std::string
FormatCertificate(const Certificate& certificate)
{
    constexpr std::size_t NAME_WIDTH = 7;
    const auto& cases = certificate.cases;
    std::string text =
        "errors of the engines in small, against real processes on " + certificate.kernel + ":\n";
    std::string head = Right("W", NAME_WIDTH) + Right("real, samples/s", INTERVAL_WIDTH + 1);
    for (const EngineKind engine : certificate.plan.engines)
    {
        head += engine == EngineKind::HOST
                    ? std::string()
                    : Right(GetEngineName(engine) + " %", DIFFERENCE_WIDTH + 1);
    }
    std::string variant;
    for (std::size_t i = 0; i < cases.size(); ++i)
    {
        const std::string name = NameVariant(cases[i].variant);
        if (i == 0 || name != variant)
        {
            text += (name.empty() ? "" : WrapRemark(name)) + head + "\n";
            variant = name;
        }
        text += Right(std::to_string(cases[i].workers), NAME_WIDTH) + " " +
                FormatInterval(cases[i].real);
        for (const EngineKind engine : certificate.plan.engines)
        {
            const auto found = cases[i].errors.find(engine);
            if (engine != EngineKind::HOST)
            {
                text +=
                    " " + (found == cases[i].errors.end() ? Right("-", DIFFERENCE_WIDTH)
                                                          : FormatDifference(found->second, false));
            }
        }
        text += "\n";
    }
    AppendParagraph(text,
                    "",
                    fmt::format("+- and (..): 95 % intervals over repeats, of fewer than {} the "
                                "least..the greatest; ?: may be 0",
                                LEAST_FOR_INTERVAL));
    for (const auto& remark : certificate.remarks)
    {
        AppendParagraph(text, "note: ", remark);
    }
    AppendParagraph(text, "", certificate.GetSentence());
    return text;
}

void
CheckCertified(const std::string& folder,
               const std::vector<Scenario>& asked,
               const std::vector<uint32_t>& workers)
{
    StoredScenario stored(folder + "/summary.json", {});
    if (IsUnfinished(folder))
    {
        throw InputError("--for: " + folder +
                         ": found a study that is not finished; accepted: one that is (dml run "
                         "--resume)");
    }
    for (const auto& scenario : asked)
    {
        const std::string variant = NameVariant(FindVariant(stored, scenario).variant);
        for (const uint32_t count : workers)
        {
            if (!stored.Find(variant, count))
            {
                throw InputError(fmt::format("--for: {}: found no W = {}{}; accepted: results with "
                                             "all cases that are certified",
                                             stored.GetSummary(),
                                             count,
                                             variant.empty() ? "" : " with " + variant));
            }
        }
    }
}

void
AttachCertificate(const std::string& folder, const Certificate& certificate)
{
    const ResultFolder lock(folder);
    const std::string sentence = certificate.GetSentence();
    const std::string file = folder + "/summary.json";
    Json summary = ReadSummaryJson(file);
    Json notes = Json::array({sentence});
    for (const auto& note : summary.value("notes", Json::array()))
    {
        if (!note.is_string() || note.get_ref<const std::string&>().rfind(SENTENCE, 0) != 0)
        {
            notes.push_back(note);
        }
    }
    summary["notes"] = notes;
    summary["certificate"] = ToJson(certificate);
    summary["certificate"].erase("scenario"); // which is there already
    ResultFile::Replace(folder + "/certificate.json", DumpCertificate(certificate), true);
    ResultFile::Replace(file, Dump(summary), true);
    const std::string page = folder + "/report.html";
    if (const auto html = ReadBytes(page))
    {
        ResultFile::Replace(page, SetCheckedSentence(*html, sentence), true);
    }
}

} // namespace ns3::dml

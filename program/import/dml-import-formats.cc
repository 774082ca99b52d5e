/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-import-formats.h"

#include "dml-importers.h"

#include "ns3/dml-error.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-sample-spread.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unordered_set>
#include <utility>

namespace ns3::dml
{

namespace
{

/// @return the options that the user has given, by their names on the command line
std::vector<std::string>
ListGiven(const ImportOptions& options)
{
    std::vector<std::string> given;
    for (const auto& [isGiven, name] :
         {std::pair<bool, const char*>{options.order.has_value(), "order"},
          {options.idle.has_value(), "idle"},
          {options.clocks.has_value(), "clocks"},
          {options.device.has_value(), "device"},
          {options.worker.has_value(), "worker"},
          {!options.sizes.empty(), "sizes"},
          {options.rate.has_value(), "rate"},
          {options.skip.has_value(), "skip"},
          {options.profile.has_value(), "profile"}})
    {
        if (isGiven)
        {
            given.emplace_back(name);
        }
    }
    return given;
}

/// @return the file of a step, if its name tells, as "t.json" of "t.json: ProfilerStep#3"
std::string
GetStepFile(const ImportResult& result, std::size_t step)
{
    const std::string name = result.stepNames.empty() ? "" : result.stepNames[step];
    const std::size_t colon = name.rfind(": ");
    return colon == std::string::npos ? "" : name.substr(0, colon);
}

/// Name the first steps of each file that last longer than those behind them.
void
WarnOfWarmUp(const ImportFormat& format, ImportResult& result)
{
    const std::vector<double>& all = result.stepSeconds;
    const bool skips = std::count(format.options.begin(), format.options.end(), "skip") > 0;
    std::size_t end = 0;
    for (std::size_t start = 0; start < all.size(); start = end)
    {
        const std::string file = GetStepFile(result, start);
        while (end < all.size() && GetStepFile(result, end) == file)
        {
            ++end;
        }
        const auto slow = FindSlowFirst({all.begin() + start, all.begin() + end});
        std::string names;
        for (std::size_t step = 0; step < slow.size(); ++step)
        {
            names += (step > 0 ? ", " : "") + (result.stepNames.empty()
                                                   ? "step " + std::to_string(step)
                                                   : result.stepNames[start + step]);
        }
        if (!slow.empty())
        {
            const bool one = slow.size() == 1;
            result.warnings.push_back(fmt::format(
                "{} {} {:.3g} times the median of the steps behind, as warm-up does; {}",
                names,
                one ? "lasts" : "last",
                fmt::join(slow, ", "),
                skips ? fmt::format("--skip {} leaves {} out", slow.size(), one ? "it" : "them")
                      : "job.sampling of a scenario can list the others"));
        }
    }
}

/// @throws InputError if the user has given an option that @p format does not take
void
CheckOptions(const ImportFormat& format, const ImportOptions& options)
{
    for (const auto& name : ListGiven(options))
    {
        if (std::find(format.options.begin(), format.options.end(), name) == format.options.end())
        {
            std::string accepted = "--model, --batch-size";
            for (const auto& known : format.options)
            {
                accepted += ", --" + known;
            }
            throw InputError("'" + format.name + "' takes no --" + name +
                             "; accepted: " + accepted);
        }
    }
}

/// @return what @p format makes of @p files; @throws InputError that always names a file
ImportResult
Import(const ImportFormat& format,
       const std::vector<std::string>& files,
       const ImportOptions& options)
{
    try
    {
        return format.import(files, options);
    }
    catch (const InputError& error)
    {
        const std::string text = error.what();
        const bool named = std::any_of(files.begin(), files.end(), [&](const auto& file) {
            return text.find(std::filesystem::path(file).filename().string()) != std::string::npos;
        });
        throw InputError(named ? text : files.front() + ": " + text);
    }
}

/// Make keys unique: the values of several files are listed, the last import is told.
void
JoinSource(std::vector<std::pair<std::string, std::string>>& source)
{
    std::vector<std::pair<std::string, std::string>> joined;
    for (const auto& [key, value] : source)
    {
        const auto known =
            std::find_if(joined.begin(), joined.end(), [&key = key](const auto& pair) {
                return pair.first == key;
            });
        if (known == joined.end())
        {
            joined.emplace_back(key, value);
        }
        else if (key == "imported_by")
        {
            known->second = value;
        }
        else if ((", " + known->second + ", ").find(", " + value + ", ") == std::string::npos)
        {
            known->second += ", " + value;
        }
    }
    const auto isImport = [](const auto& pair) { return pair.first != "imported_by"; };
    std::stable_partition(joined.begin(), joined.end(), isImport); // it is told last
    source = std::move(joined);
}

/// Forget transfers of tensors that the profile lacks, as the steps that had them were left out.
void
DropTransfers(ImportResult& result)
{
    std::unordered_set<std::string> tensors;
    for (const auto& tensor : result.profile.tensors)
    {
        tensors.insert(tensor.name);
    }
    auto& transfers = result.transfers;
    transfers.erase(std::remove_if(transfers.begin(),
                                   transfers.end(),
                                   [&](const RecordedTransfer& transfer) {
                                       return tensors.count(transfer.tensor) == 0;
                                   }),
                    transfers.end());
}

/// @throws InputError if no op of the profile takes any time, so that a scenario would tell nothing
void
CheckTimes(const Profile& profile, const std::string& file)
{
    uint32_t ops = 0; // on devices
    bool takes = false;
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        if (RunsOnDevice(profile.graph.Get(op).kind))
        {
            ++ops;
            takes |= std::any_of(profile.samples[op].begin(),
                                 profile.samples[op].end(),
                                 [](double seconds) { return seconds > 0; });
        }
    }
    if (!takes)
    {
        throw InputError(file + ": found 0 s for all of " + Plural(ops, "op") +
                         " on a device; accepted are measured times");
    }
}

/// @throws InputError if a file is given twice: its steps would count twice
void
CheckTwice(const std::vector<std::string>& files)
{
    for (std::size_t i = 0; i < files.size(); ++i)
    {
        for (std::size_t j = 0; j < i; ++j)
        {
            std::error_code error;
            if (std::filesystem::equivalent(files[i], files[j], error))
            {
                throw InputError(files[i] + ": is given twice; accepted: each file once");
            }
        }
    }
}

/// @return the format of all of @p files; an Execution Trace comes with its Kineto trace
const ImportFormat&
DetectCommonFormat(const std::vector<std::string>& files)
{
    const ImportFormat* common = nullptr;
    std::string first;
    for (const auto& file : files)
    {
        const ImportFormat& format = DetectImportFormat(file);
        const bool joined = common && ((common->name == "torch-et" && format.name == "kineto") ||
                                       (common->name == "kineto" && format.name == "torch-et"));
        if (joined)
        {
            common = &GetImportFormat("torch-et");
        }
        else if (common && common != &format)
        {
            throw InputError(file + ": found " + format.contents + ", but " + first + " is " +
                             common->contents + "; accepted: files of one format");
        }
        else
        {
            common = &format;
            first = file;
        }
    }
    return *common;
}

} // namespace

const std::vector<ImportFormat>&
GetImportFormats()
{
    static const std::vector<ImportFormat> formats{
        TorchLayersFormat(),
        KinetoFormat(),
        TorchLegacyFormat(),
        TorchEtFormat(),
        RunMetadataFormat(),
        TfTimelineFormat(),
        PipedreamFormat(),
        HorovodFormat(),
        DmlTraceFormat(),
    };
    return formats;
}

const ImportFormat&
GetImportFormat(const std::string& name)
{
    const auto& formats = GetImportFormats();
    const auto format = std::find_if(formats.begin(), formats.end(), [&](const auto& known) {
        return known.name == name;
    });
    if (format == formats.end())
    {
        std::string accepted;
        for (const auto& known : formats)
        {
            accepted += known.name + ", ";
        }
        throw InputError("unknown format '" + name + "'; accepted: " + accepted + "auto");
    }
    return *format;
}

ImportResult
ImportTrace(const std::string& format,
            const std::vector<std::string>& files,
            const ImportOptions& options)
{
    const ImportFormat& known =
        format == "auto" ? DetectCommonFormat(files) : GetImportFormat(format);
    CheckOptions(known, options);
    CheckTwice(files);
    ImportResult result = Import(known, files, options);
    CheckTimes(result.profile, files.front());
    result.profile.source.emplace_back("imported_by", "dml import " + known.name);
    JoinSource(result.profile.source);
    DropTransfers(result);
    WarnOfWarmUp(known, result);
    return result;
}

} // namespace ns3::dml

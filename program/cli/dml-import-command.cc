/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-commands.h"
#include "dml-output-file.h"

#include "ns3/dml-error.h"
#include "ns3/dml-file-error.h"
#include "ns3/dml-import-formats.h"
#include "ns3/dml-import-report.h"
#include "ns3/dml-overhead-report.h"
#include "ns3/dml-paragraph.h"
#include "ns3/dml-profile-reader.h"
#include "ns3/dml-profile-writer.h"
#include "ns3/dml-shell-word.h"
#include "ns3/dml-value-text.h"
#include "ns3/dml-wire-times.h"

#include <ctime>
#include <filesystem>
#include <iostream>
#include <sys/resource.h>

namespace ns3::dml
{

namespace
{

/// @return files after command and format; @throws InputError if there are none, the format is
/// unknown, or a file is the output
std::vector<std::string>
ListFiles(const CommandOptions& options)
{
    if (options.operands.size() < 3)
    {
        throw InputError("'" + options.operands.front() +
                         "' needs a format and at least one file; accepted: dml " +
                         options.operands.front() + " FORMAT FILE...");
    }
    const std::string& format = options.operands[1];
    if (format != "auto" && format != "job")
    {
        GetImportFormat(format); // a wrong one is told first
    }
    std::vector<std::string> files(options.operands.begin() + 2, options.operands.end());
    for (const auto& file : files)
    {
        std::error_code ignored;
        if (std::filesystem::equivalent(options.out, file, ignored))
        {
            throw InputError(options.out +
                             ": is the measurement itself; accepted: another file for -o");
        }
    }
    return files;
}

/**
 * @brief Write a profile, unless the reader of profiles would refuse it.
 * @param profile the profile
 * @param path of the file, replaced if it is there
 * @param measurement file that the profile was made of, for messages
 * @throws InputError if it would
 */
void
WriteReadableProfile(const Profile& profile,
                     const std::string& path,
                     const std::string& measurement)
{
    try
    {
        WriteCheckedOutput(path, FormatProfile(profile), ReadProfile);
    }
    catch (const FileError&)
    {
        throw; // it is the file to write, not the measurement
    }
    catch (const InputError& error)
    {
        throw InputError(measurement +
                         ": cannot be imported, as the profile would be wrong: " + error.what());
    }
}

/// @return the start of the file's name, to its first dot, as a name for a model
std::string
NameAfter(const std::string& file)
{
    const std::string name = std::filesystem::path(file).filename().string();
    const std::string start = name.substr(0, name.find('.'));
    return start.empty() ? name : start;
}

/// @return the user's choices, sizes of tensors read from the profile that tells them
ImportOptions
ReadOptions(const CommandOptions& options)
{
    ImportOptions import = options.import;
    if (!options.sizes.empty())
    {
        for (const auto& tensor : ReadProfile(options.sizes).tensors)
        {
            import.sizes[tensor.name] = tensor.bytes;
        }
    }
    return import;
}

/// @return seconds of CPU time that this process has taken
double
GetCpuSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// @return "4.2 MB in 0.05 s of CPU time (84 MB/s), peak memory 34 MB"
std::string
DescribeCost(uint64_t bytes, double seconds)
{
    struct rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    const double megabytes = static_cast<double>(bytes) / 1e6;
    return FormatValue(megabytes) + " MB in " + FormatValue(seconds) + " s of CPU time (" +
           FormatValue(seconds > 0 ? megabytes / seconds : 0) + " MB/s), peak memory " +
           FormatValue(static_cast<double>(usage.ru_maxrss) * 1024 / 1e6) + " MB";
}

/**
 * @brief What a trace with transfers was recorded on: their records are cleaned as in ICPE 2020.
 * @param result gets a rule about it, or a warning if that fails
 * @param rate of the link in bit/s, if the user knows it
 * @return an infinitely fast network if there are no transfers
 */
ReplayNetwork
FindNetwork(ImportResult& result, std::optional<uint64_t> rate)
{
    ReplayNetwork network;
    if (result.transfers.empty())
    {
        return network;
    }
    try
    {
        const OverheadFit fit = FitOverhead(result.transfers, GetTensorRate(rate), result.device);
        network.bytesPerSecond = fit.link.rate;
        network.parallel = fit.link.parallel;
        network.window = fit.link.window == LinkModel::NO_WINDOW ? 0 : fit.link.window;
        network.alpha = fit.link.alpha;
        network.beta = fit.link.beta;
        result.warnings.insert(result.warnings.end(), fit.warnings.begin(), fit.warnings.end());
        result.rules.push_back(
            "transfers: recorded intervals are no transmissions and left out; "
            "'dml fit-overhead' tells what a scenario needs to make them again: " +
            DescribeEndTimeError(fit.error));
    }
    catch (const InputError& error)
    {
        result.warnings.push_back(std::string("link and parsing cannot be told from the recorded "
                                              "transfers: ") +
                                  error.what());
    }
    return network;
}

/// @throws InputError if the file to write is not told, or is there and not to be replaced
void
CheckOutput(const CommandOptions& options)
{
    if (options.out.empty())
    {
        throw InputError("import needs -o PROFILE, the file to write");
    }
    CheckReplaceable(options.out, options.force);
}

} // namespace

void
ImportProfile(const CommandOptions& options)
{
    const auto files = ListFiles(options);
    CheckOutput(options);
    const double start = GetCpuSeconds();
    ImportResult result = ImportTrace(options.operands[1], files, ReadOptions(options));
    const double seconds = GetCpuSeconds() - start;
    Profile& profile = result.profile;
    if (profile.model.empty())
    {
        profile.model = NameAfter(files.front());
        result.rules.push_back("model: called '" + profile.model +
                               "' after the file (--model gives another name)");
    }
    const ReplayNetwork network = FindNetwork(result, options.rate);
    std::string report;
    AppendParagraph(report,
                    "",
                    options.out + ": " + profile.model + ", batch " +
                        std::to_string(profile.batchSize) + ", " + profile.source.back().second);
    report += FormatImportReport(result, network);
    WriteReadableProfile(profile, options.out, files.front());
    std::cout << report << "read:    " << DescribeCost(result.bytesRead, seconds) << "\n";
}

int
RunImport(const CommandOptions& options)
{
    const bool whole = options.operands.size() > 1 && options.operands[1] == "job";
    if (!whole && (options.IsGiven("engine") || options.uncorrected))
    {
        throw InputError(std::string("found ") +
                         (options.uncorrected ? "--uncorrected" : "--engine") +
                         "; accepted: it with 'import job'");
    }
    if (whole)
    {
        ListFiles(options);
        CheckOutput(options);
        return RunImportJob(options, ReadOptions(options));
    }
    ImportProfile(options);
    std::cout << "next:    dml init " << QuoteShell(options.out) << " makes a scenario of it\n";
    return 0;
}

int
RunFitOverhead(const CommandOptions& options)
{
    const auto files = ListFiles(options);
    CheckReplaceable(options.out, options.force);
    const std::string format = options.operands[1] == "auto"
                                   ? DetectImportFormat(files.front()).name
                                   : options.operands[1];
    ImportOptions import = ReadOptions(options);
    import.batchSize = import.batchSize.value_or(1); // of no matter here
    const bool estimatesSizes = format == "tf-timeline" && import.sizes.empty() && import.rate;
    if (!estimatesSizes)
    {
        import.rate.reset(); // the fit needs it, not the importer
    }
    ImportResult trace = ImportTrace(format, files, import);
    auto& transfers = trace.transfers;
    if (transfers.empty())
    {
        throw InputError(files.front() + ": the trace has no recorded transfers; accepted: one of "
                                         "tf-runmetadata, tf-timeline, dml-trace");
    }
    if (!options.wire.empty())
    {
        ReadWireTimes(options.wire, 0, transfers);
    }
    OverheadFit fit = FitOverhead(transfers, GetTensorRate(options.rate), trace.device);
    if (estimatesSizes)
    {
        fit.warnings.push_back(
            "sizes that the timeline does not tell were estimated from the rate, "
            "so that the fit tells little but the rate; --sizes gives them");
    }
    const std::string yaml = WriteOverheadYaml(fit, GetPayloadShare());
    std::cout << FormatOverheadReport(fit);
    if (!fit.TellsAnything())
    {
        const std::string tells =
            options.rate ? ": the transfers do not tell parsing: " + fit.refusals.alpha
                         : ": the transfers tell neither rate nor parsing: " + fit.refusals.rate;
        throw InputError(files.front() + tells +
                         "; accepted: " + (options.rate ? "" : "the rate of the link (--rate), ") +
                         (estimatesSizes ? "the sizes of the tensors (--sizes), " : "") +
                         "the times of last bytes (--wire), or other steps");
    }
    WriteKeys(options, yaml);
    return 0;
}

} // namespace ns3::dml

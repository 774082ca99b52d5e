/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-commands.h"

#include "ns3/dml-certificate.h"
#include "ns3/dml-error.h"
#include "ns3/dml-plugin-file.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-result-folder.h"
#include "ns3/dml-scenario-reader.h"
#include "ns3/dml-study.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>

namespace ns3::dml
{

namespace
{

CertificateLimits
MakeLimits(const CommandOptions& options)
{
    constexpr double MINUTE = 60;
    CertificateLimits limits;
    limits.seconds = MINUTE * options.minutes;
    limits.cores = std::max(1U, std::thread::hardware_concurrency());
    if (options.IsGiven("engine"))
    {
        limits.engines = ChooseEngines(options.engine);
        limits.engines.erase(EngineKind::HOST);
        if (limits.engines.empty())
        {
            throw InputError("found --engine " + options.engine +
                             "; accepted: one that predicts, such as fair-share");
        }
    }
    return limits;
}

/// A folder into which a profile is written has to be one that a study may have.
/// @throws InputError if it has results of something else
void
CheckFolder(const std::string& folder, const CommandOptions& options)
{
    std::error_code none;
    if (!options.force && HoldsStudy(folder) &&
        !std::filesystem::exists(folder + "/certificate.json", none) && !IsUnfinished(folder))
    {
        throw InputError(folder + ": has the results of a study that is no certificate; accepted: "
                                  "another folder (--out), or --force to replace them");
    }
}

} // namespace

int
RunCertify(const CommandOptions& options)
{
    const CertificateLimits limits = MakeLimits(options);
    if (options.resume && options.force)
    {
        throw InputError("found --resume and --force; accepted: one of them");
    }
    LoadPlugins(options.plugins);
    const auto variants = ReadScenario(options.operands[1], options.settings);
    CertificatePlan plan = PlanCertificate(variants, limits);
    if (!options.results.empty())
    {
        CheckCertified(options.results, variants, plan.workers);
    }
    Study::Options asked;
    asked.engines = plan.engines;
    asked.folder = options.out.empty() ? "results/" + MakeFolderName(plan.scenarios.front().name)
                                       : options.out;
    CheckFolder(asked.folder, options);
    PlaceProfiles(asked.folder, plan);
    asked.unfinished = options.resume    ? UnfinishedStudy::RESUME
                       : options.restart ? UnfinishedStudy::RESTART
                                         : UnfinishedStudy::REFUSE;
    asked.force = options.force;
    asked.jobs = CountJobs(options);
    Study study(plan.scenarios, asked);
    study.MakeFolder();
    std::cout << study.Describe() << DescribePlan(plan) << std::endl;
    const RunSummary& summary = study.Run();
    const Certificate certificate =
        MakeCertificate(plan, variants.front(), summary, study.GetFolder());
    ResultFile::Replace(study.GetFolder() + "/certificate.json", DumpCertificate(certificate));
    std::cout << FormatCertificate(certificate);
    if (!options.results.empty())
    {
        AttachCertificate(options.results, certificate);
        std::cout << "certificate of: " << options.results << "\n";
    }
    std::cout << "results: " << study.GetFolder() << std::endl;
    return 0;
}

} // namespace ns3::dml

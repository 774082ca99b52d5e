/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CERTIFICATE_H
#define DML_CERTIFICATE_H

#include "dml-certificate-plan.h"

#include "ns3/dml-result-summary.h"

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// A variant in small with a number of workers: what it does as real processes, and how far the
/// engines are from it.
struct CertifiedCase
{
    std::vector<std::pair<std::string, std::string>> variant; //!< key paths and values of a sweep
    uint32_t workers{1};                                      //!< number of workers
    std::string name;                                         //!< of both, such as "W=4"
    Confidence real;                                          //!< samples/s of real processes
    uint32_t disturbed{0};                                    //!< runs that do not count
    std::map<EngineKind, RelativeDifference> errors;          //!< predicted / real - 1
};

/**
 * @ingroup dml-certify
 * @brief How far engines are from real processes on a scenario in small.
 */
struct Certificate
{
    CertificatePlan plan;             //!< what was run
    nlohmann::ordered_json scenario;  //!< echo of the first variant that is asked about
    std::vector<CertifiedCase> cases; //!< in the order of the study
    std::vector<std::string> remarks; //!< of the plan, and what real processes had otherwise
    std::string folder;               //!< of the results in small
    std::string kernel;               //!< name and release of the system
    std::string day;                  //!< on which it was made, "2026-11-30", UTC

    /// @return "checked against reality in small (20 times slower): fair-share -1.8 % (-2.9..-0.7),
    /// ...": of several cases, for each engine the one in which it is farthest off
    std::string GetSentence() const;
};

/**
 * @param plan what was run
 * @param asked the first variant that is asked about, as it was read
 * @param summary results of the plan's study
 * @param folder of these
 * @return its certificate
 * @throws RunError if no run of real processes counts, or none has a throughput
 */
Certificate MakeCertificate(const CertificatePlan& plan,
                            const Scenario& asked,
                            const RunSummary& summary,
                            const std::string& folder);

/// @param certificate it @return its object of the schema "dml-certificate/1"
nlohmann::ordered_json ToJson(const Certificate& certificate);

/// @param certificate it @return the text of certificate.json
std::string DumpCertificate(const Certificate& certificate);

/// @param certificate it @return a table with its remarks and its sentence, in lines of at most 80
/// columns
std::string FormatCertificate(const Certificate& certificate);

/**
 * @brief Refuse, before anything runs, a folder whose results a certificate is not about.
 * @param folder of results
 * @param asked the variants that are asked about
 * @param workers that are certified
 * @throws InputError unless a finished study lies there of which they are variants; keys that
 * change neither the job nor the network may differ
 */
void CheckCertified(const std::string& folder,
                    const std::vector<Scenario>& asked,
                    const std::vector<uint32_t>& workers);

/**
 * @brief Write certificate.json into a folder of results, put the certificate into its summary.json
 * and its sentence into the notes there and into report.html, in place of an earlier one.
 * @param folder of results that CheckCertified() accepts
 * @param certificate about them
 * @throws InputError if another process uses the folder, RunError if it cannot be written
 */
void AttachCertificate(const std::string& folder, const Certificate& certificate);

} // namespace ns3::dml

#endif /* DML_CERTIFICATE_H */

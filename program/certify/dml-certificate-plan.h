/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CERTIFICATE_PLAN_H
#define DML_CERTIFICATE_PLAN_H

#include "dml-similar-scenario.h"

#include "ns3/dml-engine-table.h"
#include "ns3/dml-scenario.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// What a certificate may take.
struct CertificateLimits
{
    double seconds{300}; //!< on the clock for the runs of real processes, above 0
    uint32_t cores{1};   //!< of this machine, at least 1
    /// Engines that are to be checked, without the host engine; empty: all that accept the
    /// scenario, packets only if they take no longer than the real processes.
    EngineSet engines;
};

/**
 * @ingroup dml-certify
 * @brief A scenario in small: similar to the one that is asked about, and within what this machine
 * can do as real processes.
 */
struct CertificatePlan
{
    std::vector<Scenario> scenarios; //!< the variants in small, to be run as one study
    /// Stretched profiles by the names of their files, which are the paths that scenarios name;
    /// none where nothing is stretched.
    std::map<std::string, std::string> profiles;
    EngineSet engines;             //!< to be checked, and the host engine
    double stretch{1};             //!< factor of StretchScenario()
    double shrink{1};              //!< by which bytes and times of computing are divided
    std::vector<uint32_t> asked;   //!< numbers of workers of the first variant
    std::vector<uint32_t> workers; //!< those that are run: the smallest, and the largest possible
    uint32_t repeats{0};           //!< runs of real processes for each case
    uint32_t steps{0};             //!< of a worker in a run
    uint32_t warmup{0};            //!< of these
    double seconds{0};             //!< on the clock for all runs of real processes, roughly
    uint64_t rateBefore{0};        //!< `network.rate` of the first variant, bit/s
    uint64_t rate{0};              //!< the same in small
    SimilarityRatios ratiosBefore; //!< of the first variant with most workers
    SimilarityRatios ratios;       //!< the same in small
    std::vector<std::string> remarks; //!< what was left out, and what is not similar

    /// @return cases, each with some workers
    std::size_t CountCases() const
    {
        return scenarios.size() * workers.size();
    }
};

/**
 * @brief Choose by how much a scenario is stretched, its steps, and whether it has to shrink.
 *
 * It is stretched until its links have at most 1 Gbit/s, and those that can be busy at the same
 * time 500 Mbit/s together for each core, which real processes keep. Steps become fewer, first,
 * where the runs would take too long, then tensors become smaller.
 * @param variants of a scenario as they were read
 * @param limits of the certificate
 * @return the plan
 * @throws InputError with the reason where there can be no certificate, RunError where this
 * machine has no network namespaces
 */
CertificatePlan PlanCertificate(const std::vector<Scenario>& variants,
                                const CertificateLimits& limits);

/**
 * @brief Write the stretched profiles of a plan into a folder, and have its scenarios name them
 * there.
 * @param folder of the results in small, made unless it is there
 * @param[in,out] plan a plan
 * @throws InputError, RunError if they cannot be written
 */
void PlaceProfiles(const std::string& folder, CertificatePlan& plan);

/// @param wanted a factor @return the least one from it on, and from 1, that is 1, 1.25, 1.6, 2,
/// 2.5, 4, 5 or 8 times a power of ten: rates of whole Mbit/s stay whole bits per second
double RoundFactorUp(double wanted);

/// @param plan a plan @return what is done and what is similar, in lines for a person
std::string DescribePlan(const CertificatePlan& plan);

} // namespace ns3::dml

#endif /* DML_CERTIFICATE_PLAN_H */

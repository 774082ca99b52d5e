/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CASE_RESULT_H
#define DML_CASE_RESULT_H

#include "dml-result-summary.h"

#include "ns3/dml-plot-run.h"

#include <optional>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief What one run hands back to the study: it crosses a process boundary.
 */
struct CaseResult
{
    ReplicationSummary summary;                   //!< its numbers
    std::optional<UtilisationSeries> utilisation; //!< of a detailed case
    std::optional<TimelineSeries> timeline;       //!< of a detailed case
    std::optional<GradientSeries> gradients;      //!< of a detailed case
    std::optional<DeviceSeries> devices;          //!< of a detailed case
    std::optional<BatchSeries> batches;           //!< of a detailed case whose batches vary
};

/// @param result of a case @return it as bytes (CBOR), which UnpackCaseResult() reads
std::string PackCaseResult(const CaseResult& result);

/// @param bytes from PackCaseResult() @return the result @throws InputError if they are damaged
CaseResult UnpackCaseResult(const std::string& bytes);

} // namespace ns3::dml

#endif /* DML_CASE_RESULT_H */

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_IMPORTED_JOB_H
#define DML_IMPORTED_JOB_H

#include "ns3/dml-import-options.h"
#include "ns3/dml-import-result.h"
#include "ns3/dml-job-step.h"

#include <vector>

namespace ns3::dml
{

/**
 * @brief Join what was recorded of a job's workers, one import for each, into its global data-flow
 * graph.
 *
 * With parameter servers: records of transfers are joined with the pulls and pushes of the worker
 * by sender, receiver and tensor. Clocks of machines are aligned (AlignClocks(), which leaves
 * those that may be right; JobStep::rules tells); a transfer
 * begins when its sender had the tensor ready, and when the one before it on the same channel has
 * arrived, if that is later than its recorded start (Hu et al., MLSys 2022, section 4.2).
 *
 * With all-reduce: a collective begins when the last worker has entered it, and takes as long as
 * it took that one; which pushes are one collective the protocol tells.
 *
 * @param imports by worker, of the same job
 * @param together import of all files together, which tells the protocol
 * @param clocks what becomes of those of the machines
 * @return one step with mean times
 * @throws InputError if workers have different tensors, or nothing tells how gradients are
 * synchronised
 */
JobStep MakeImportedJob(const std::vector<ImportResult>& imports,
                        const ImportResult& together,
                        TraceClocks clocks = TraceClocks::ALIGNED);

} // namespace ns3::dml

#endif /* DML_IMPORTED_JOB_H */

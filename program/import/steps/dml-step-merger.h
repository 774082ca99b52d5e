/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STEP_MERGER_H
#define DML_STEP_MERGER_H

#include "dml-import-options.h"
#include "dml-import-result.h"
#include "dml-measured-job.h"

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Make one profile of the steps that a trace recorded: each becomes one sample of every op.
 *
 * Ops are tied together by name. Listing order, kinds, devices and dependencies are those of the
 * largest group of steps that agree in them (the first such group if there are several). A step
 * outside that group that has the same op names on the same devices is kept; a step that lacks ops
 * or has others is left out. Warnings tell of both.
 *
 * Sets `profile` (validated), `stepSeconds`, `unexplainedSeconds`, `warnings`, and `replayCaveat`
 * if the profile lacks more than 5 % of the measured time. Unexplained is the time of a step during
 * which none of its ops runs; a transfer runs from its recorded start, but not before the ops that
 * it waits for have ended, to its recorded end. With IdleTime::KEEP each such interval is added to
 * the op on a device that starts at its end, or to the last op if that is on a device and the
 * interval is at the end of the step: so importers give ops as they were recorded and leave the
 * gaps to this function. Gaps before transfers and updates are lost: the network and the server
 * decide when these start.
 *
 * @param job what the importer found
 * @param options what becomes of unexplained time; model and batch size, which win over the job's
 * @return the result; the importer adds what only it knows
 * @throws InputError naming the step's place and the op if a step has two ops of one name, a
 * dependency that is no op, a cycle, or an unknown device or tensor; if there is no step; or if
 * neither the job nor the options tell the batch size
 */
ImportResult MergeSteps(const MeasuredJob& job, const ImportOptions& options);

} // namespace ns3::dml

#endif /* DML_STEP_MERGER_H */

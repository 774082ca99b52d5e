/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BUSY_NOTE_H
#define DML_BUSY_NOTE_H

#include "dml-result-summary.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief Say how many runs in real time began although others used the machine.
 * @param summary of a study
 * @return a note for all of them; none if there are none
 */
std::vector<std::string> MakeBusyNotes(const RunSummary& summary);

} // namespace ns3::dml

#endif /* DML_BUSY_NOTE_H */

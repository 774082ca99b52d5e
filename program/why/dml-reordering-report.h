/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_REORDERING_REPORT_H
#define DML_REORDERING_REPORT_H

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-why
 * @brief Say how many packets came out of order, and what TCP did about them, in runs whose
 * connections have several paths. A recovery that was needless costs as one from a loss does, which
 * the fair-share engine does not know.
 * @param summary path of the study's summary.json, which may be missing
 * @return lines of at most 80 columns; empty where all packets kept their order
 * @throws InputError if it cannot be read
 */
std::string FormatReordering(const std::string& summary);

} // namespace ns3::dml

#endif /* DML_REORDERING_REPORT_H */

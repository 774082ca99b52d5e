/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SYNC_REPORT_H
#define DML_SYNC_REPORT_H

#include "dml-result-summary.h"

#include "ns3/dml-sync-meter.h"

#include <nlohmann/json.hpp>
#include <string>

namespace ns3::dml
{

/// @param sync of one run; @return its object "synchronisation" in summary.json; unknown numbers
/// are null
nlohmann::ordered_json ToJson(const SyncSummary& sync);

/**
 * @ingroup dml-report
 * @brief What synchronisation cost, as a table of at most 80 columns, one line per case and engine.
 *
 * Columns: W; engine; per-update time; mean step; waiting time, in per cent of the step, least to
 * most of any worker; mean batch, least to most of any worker; dropped gradients; largest lead; the
 * worker that was last most often, and in how many per cent of the rounds. All replications
 * together.
 */
class SyncTable
{
  public:
    /// @param item gets its lines, where it has something to tell: another synchronisation than
    /// async, or workers that are not alike
    void Add(const CaseSummary& item);

    /// @return the table with its heads, lines with their ends; empty without lines
    std::string Format() const;

  private:
    std::string m_lines; //!< below the heads
};

} // namespace ns3::dml

#endif /* DML_SYNC_REPORT_H */

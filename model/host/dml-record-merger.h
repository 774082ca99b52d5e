/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RECORD_MERGER_H
#define DML_RECORD_MERGER_H

#include "dml-host-messages.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-host
 * @brief Tells an observer in order of time what several processes have seen.
 *
 * A record is told once every process has said that it has no earlier ones.
 */
class RecordMerger
{
  public:
    /// @param sources processes, at least one @param observer told; must outlive this
    RecordMerger(uint32_t sources, RunObserver& observer);

    /// @param source of the records, from 0 @param records in order of time
    /// @param time up to which it has none besides, seconds
    void Add(uint32_t source, const std::vector<StampedRecord>& records, double time);

    /// @brief No process has any more: tell what is left.
    void Finish();

  private:
    void TellUpTo(double time);

    RunObserver& m_observer;     //!< told
    std::vector<double> m_known; //!< by source: time up to which everything is known
    /// Not told yet, by time and source, then as they came.
    std::multimap<std::pair<double, uint32_t>, RunRecord> m_waiting;
};

} // namespace ns3::dml

#endif /* DML_RECORD_MERGER_H */

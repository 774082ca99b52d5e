/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ENGINE_REPLAY_H
#define DML_ENGINE_REPLAY_H

#include "ns3/dml-engine-table.h"
#include "ns3/dml-job-step.h"
#include "ns3/dml-scratch-study.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-why
 * @brief Has engines run the graph of a job, on a network that they simulate: what was measured of
 * ops that compute, update and parse stays, what was measured of transfers does not.
 */
class EngineReplay
{
  public:
    /**
     * @param job one step
     * @param rate of all links in bit/s; nothing: what the fastest transfer tells
     * @throws InputError if it is no job of a scenario
     */
    EngineReplay(const JobStep& job, std::optional<uint64_t> rate);

    /**
     * @param engine that runs it
     * @param settings "key.path=value" that the scenario has besides
     * @return by worker: its times, as measured ones are made of a run
     * @throws InputError, RunError as ScratchStudy::Record()
     */
    std::vector<WorkerTimes> Run(EngineKind engine, const std::vector<std::string>& settings);

    /// @return of what the scenario is, lines of at most 80 columns
    const std::string& GetNote() const
    {
        return m_note;
    }

  private:
    ScratchStudy m_study{1};             //!< runs it
    std::vector<std::string> m_settings; //!< of the scenario
    std::string m_note;                  //!< see GetNote()
};

} // namespace ns3::dml

#endif /* DML_ENGINE_REPLAY_H */

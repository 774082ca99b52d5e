/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_OPTIMIZER_H
#define DML_OPTIMIZER_H

#include "dml-command-line.h"

#include "ns3/dml-engine-table.h"
#include "ns3/dml-profile.h"
#include "ns3/dml-scenario.h"
#include "ns3/dml-scratch-study.h"
#include "ns3/dml-strategy-passes.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// A strategy and what it gives.
struct TriedStrategy
{
    Strategy strategy;           //!< which
    std::optional<double> score; //!< mean throughput, samples/s; nothing: it was refused
};

/// Tries strategies for the scenario of a command.
class Optimizer
{
  public:
    /// @param options of the command, which stay @param engine that tries strategies
    Optimizer(const CommandOptions& options, EngineKind engine);

    /// @param strategy to be tried; nullptr: the scenario as it is @return the scenario with it
    /// @throws InputError if it makes none
    Scenario Read(const Strategy* strategy);

    /// @return the engine that tries strategies
    EngineKind GetEngineKind() const
    {
        return m_engine;
    }

    /// @return what a worker's memory is asked
    std::shared_ptr<const MemoryQuestion> AskMemory();

    /// @param strategy for memory, with which the scenario runs from now on, or none
    void SetMemoryStrategy(const std::optional<Strategy>& strategy)
    {
        m_memory = strategy;
    }

    /// @return the strategy for memory, if there is one
    const std::optional<Strategy>& GetMemoryStrategy() const
    {
        return m_memory;
    }

    /// @return what strategies are wanted for @throws InputError, RunError
    SearchTask Measure();

    /// @param strategy to be tried; nullptr: the scenario as it is
    /// @return mean throughput; nothing if the scenario refuses it
    std::optional<double> Try(const Strategy* strategy);
    /// Try() strategies, several in a study: a folder and processes take longer than short runs.
    std::vector<TriedStrategy> TryAll(const std::vector<Strategy>& strategies);

    /// @return why a strategy was refused last
    const std::string& GetRefusal() const
    {
        return m_refusal;
    }

    /// @param strategy to be confirmed; nullptr: the scenario as it is @param engine that runs it
    /// @return its throughput with seeds that chose nothing
    const Throughputs& Confirm(const Strategy* strategy, EngineKind engine);

    /// @param strategy or nullptr @return whether it, or that for memory, changes the profile
    bool Rewrites(const Strategy* strategy) const;
    /// @param strategy or nullptr @return the profile with that for memory and it
    Profile Rewrite(const Strategy* strategy) const;

  private:
    /// @return as Try(), of each
    std::vector<std::optional<double>> TryTogether(const std::vector<const Strategy*>& strategies);
    /// @return path of the profile with a strategy
    std::string WriteProfile(const Strategy* strategy);

    const CommandOptions& m_options;  //!< of the command
    EngineKind m_engine;              //!< engine that tries strategies
    ScratchStudy m_study;             //!< runs it
    std::optional<Strategy> m_memory; //!< for memory
    /// Paths of profiles by the strategy for memory and the other one.
    std::map<std::pair<std::string, std::string>, std::string> m_profiles;
    std::string m_refusal; //!< the last one
    /// Results of Confirm() by strategy, as the best one is compared with several.
    std::map<std::pair<std::string, EngineKind>, Throughputs> m_confirmed;
};

} // namespace ns3::dml

#endif /* DML_OPTIMIZER_H */

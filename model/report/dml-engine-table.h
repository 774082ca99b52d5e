/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ENGINE_TABLE_H
#define DML_ENGINE_TABLE_H

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3::dml
{

/// Which engine; results have them in this order.
enum class EngineKind
{
    FAIR_SHARE, //!< analytical
    BURST,      //!< analytical, with TCP at the level of GSO bursts
    PACKET,     //!< ns-3
    HOST,       //!< real processes on this machine
};

/// Some engines, in the order of results.
using EngineSet = std::set<EngineKind>;

/// What is so with some engines and not with others.
enum class EngineTrait
{
    QUICK,             //!< its runs take no time to speak of: they come before all others
    SIMULATES_PACKETS, //!< in ns-3: packets may be larger than real ones, to save time
    LOSES_PACKETS,     //!< losses happen, and are counted; else those of a scenario are ignored
    SENDS_HEADERS,     //!< links carry headers besides payload, and utilisations are of both
    MEASURES_SHARES,   //!< a link's shares are worth measuring: no rule says what they are
    COUNTS_PAYLOAD,    //!< counts the bytes that it serves; else they follow from the steps done
    SPLITS_OVER_RANKS, //!< several processes can simulate a run together
    RUNS_IN_REAL_TIME, //!< wants the machine for itself: one run at a time, after all others
};

/**
 * @ingroup dml-report
 * @brief What reports and the command line ask of an engine; how it runs is in EngineRunner.
 */
struct EngineInfo
{
    EngineKind kind;              //!< the engine
    std::string name;             //!< in files, in tables and of --engine
    const char* color;            //!< of its curves, as gnuplot has it
    int mark;                     //!< point type of its curves, as gnuplot has it
    std::set<EngineTrait> traits; //!< what is so with it

    /// @param trait of some engines @return whether this is one of them
    bool Has(EngineTrait trait) const;
};

/// @return all engines, in the order of results
const std::vector<EngineInfo>& GetEngines();

/// @param kind of an engine @return its line of the table
const EngineInfo& GetEngine(EngineKind kind);

/// @param kind of an engine @return its name in files and tables
const std::string& GetEngineName(EngineKind kind);

/// @param engines some @param trait of engines @return whether one of them at least has it
bool AnyHas(const EngineSet& engines, EngineTrait trait);

/// What --engine can say.
struct EngineChoice
{
    std::string name;  //!< after --engine
    EngineSet engines; //!< engines that run
};

/// What --engine is unless it is given.
inline constexpr const char* DEFAULT_ENGINES = "both";

/// @return what --engine accepts: each engine alone, then several that have a name together
const std::vector<EngineChoice>& GetEngineChoices();

/// @return the names of these
std::vector<std::string> ListEngineChoices();

/// What --engine accepts besides ListEngineChoices(), for messages.
inline constexpr const char* ENGINE_LISTS = "several with commas, such as burst,packet";

/// @param choice of --engine @return the engines that it means; none: it means nothing
std::optional<EngineSet> FindEngines(const std::string& choice);

/// @param choice of --engine, good @return the engines that it means
EngineSet ChooseEngines(const std::string& choice);

/// @param engines at least one @return a choice that means these
std::string NameEngines(const EngineSet& engines);

/// Two engines of which one is judged by the other.
struct EngineComparison
{
    EngineKind what;    //!< the one that predicts
    EngineKind against; //!< the one that is taken for right
};

/// What tables and summary.json compare.
inline constexpr EngineComparison MAIN_COMPARISON{EngineKind::FAIR_SHARE, EngineKind::PACKET};

/**
 * @param engines some
 * @return each of them against the one among them that is nearest to reality: host, or packet where
 * it is not only compared with fair-share, which the main table does; may be empty
 */
std::vector<EngineComparison> ListFurtherComparisons(const EngineSet& engines);

} // namespace ns3::dml

#endif /* DML_ENGINE_TABLE_H */

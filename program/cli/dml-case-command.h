/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CASE_COMMAND_H
#define DML_CASE_COMMAND_H

#include "ns3/dml-study-plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-cli
 * @brief How a study was asked on the command line, and the commands that do some of its runs.
 */
struct CaseCommand
{
    std::string place;                   //!< folder from which paths lead
    std::string scenario;                //!< path of the scenario
    std::vector<std::string> settings;   //!< of --set
    std::string engine{DEFAULT_ENGINES}; //!< of --engine
    uint32_t ranks{1};                   //!< of --ranks
    std::vector<std::string> plugins{};  //!< of --plugin

    /// @return it as JSON text, for FromJson()
    std::string ToJson() const;

    /**
     * @param text as ToJson() gives it
     * @return the command
     * @throws InputError if it is anything else: the text comes from a folder that may be anybody's
     */
    static CaseCommand FromJson(const std::string& text);

    /**
     * @param out folder of the results, from @c place
     * @param study name of the study's question
     * @param runs numbers of the runs
     * @return a command for a shell that does these runs from any folder, in one line
     */
    std::string MakeLine(const std::string& out,
                         const std::string& study,
                         const std::vector<uint32_t>& runs) const;
};

/**
 * @brief Share runs out among commands, so that all take about as long: the longest run first, each
 * to the command with the least to do (Graham, SIAM J. Appl. Math. 17(2), 1969: at most 4/3 of the
 * best).
 * @param plan all runs, with their costs
 * @param runs numbers of those to be done
 * @param most number of commands; 0: one for each run
 * @return runs of each command; the commands that take longest first
 */
std::vector<std::vector<uint32_t>> ShareOut(const StudyPlan& plan,
                                            const std::vector<uint32_t>& runs,
                                            std::size_t most);

} // namespace ns3::dml

#endif /* DML_CASE_COMMAND_H */

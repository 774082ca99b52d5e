/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_COMMAND_LINE_H
#define DML_COMMAND_LINE_H

#include "ns3/dml-engine-table.h"
#include "ns3/dml-import-options.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3::dml
{

/// What --engine of `run` accepts besides names of engines: that it is chosen by what runs take.
inline constexpr const char* AUTO_ENGINE = "auto";

/// The options of all commands, and what is left of the command line.
struct CommandOptions
{
    std::string engine{DEFAULT_ENGINES}; //!< --engine
    std::vector<std::string> settings;   //!< --set, each "key.path=value"
    std::vector<std::string> plugins;    //!< --plugin, each a shared library
    std::string out;                     //!< --out, or -o
    uint32_t jobs{0};                    //!< --jobs; 0: one per core
    uint32_t ranks{1};                   //!< --ranks
    bool resume{false};                  //!< --resume
    bool restart{false};                 //!< --restart
    bool force{false};                   //!< --force
    bool paths{false};                   //!< --paths
    std::string emitCases;               //!< --emit-cases, a file or -
    uint32_t lines{0};                   //!< --lines; 0: one for each run
    std::vector<uint32_t> cases;         //!< --case, numbers of runs, each once and in order
    std::vector<uint32_t> cores;         //!< --cores, of a server, from small to large
    std::string study;                   //!< --study, the name of a study's question
    uint32_t minutes{5};                 //!< --minutes
    std::string results;                 //!< --for, a folder of results
    std::string check{"fair-share"};     //!< --check: which engines run again
    bool uncorrected{false};             //!< --uncorrected
    bool daydream{false};                //!< --daydream
    std::string queue{"fifo"};           //!< --queue
    std::vector<uint32_t> horizons;      //!< --horizon, numbers of steps
    bool phases{false};                  //!< --phases
    bool effects{false};                 //!< --effects
    std::string keys;                    //!< --keys, ranges of values
    uint32_t trials{30};                 //!< --trials
    std::string fused;                   //!< --fused, a time or a CSV file
    uint64_t memory{0};                  //!< --memory, bytes
    std::string without;                 //!< --without, shortcuts of a search, or effects
    uint32_t budget{600};                //!< --budget, CPU seconds
    std::optional<uint32_t> batch;       //!< --batch
    std::string ns3Script;               //!< --ns3-script; empty: it is not given
    std::string optimizer{"sgd"};        //!< --optimizer
    bool recompute{false};               //!< --recompute
    std::string segments;                //!< --segments, a number or names of ops
    std::optional<uint32_t> accumulate;  //!< --accumulate
    std::string policy{"tac"};           //!< --policy
    std::string problem{"softmax"};      //!< --problem
    double target{0.5};                  //!< --target
    std::optional<double> learningRate;  //!< --learning-rate
    std::optional<uint64_t> rate;        //!< --rate, bit/s
    ImportOptions import;                //!< --order, --model, ... of import, but sizes
    std::string sizes;                   //!< --sizes, a profile
    std::string wire;                    //!< --wire, a CSV file
    std::vector<std::string> operands;   //!< what is not an option, the command first
    std::set<std::string> given;         //!< names of the options that were given
    bool help{false};                    //!< --help, -h: of the command, if there is one
    bool version{false};                 //!< --version

    /// @param name of an option, without dashes @return whether it was given
    bool IsGiven(const std::string& name) const
    {
        return given.count(name) > 0;
    }
};

/**
 * @brief Read a command line.
 *
 * "--name value" and "--name=value" mean the same; what follows "--" is no option. ns-3's own
 * options
 * (--RngRun, attribute defaults) are refused: the scenario sets all that they could, and would win
 * silently.
 * @param arguments command line without the program's name
 * @return the options
 * @throws InputError for an unknown option, a bad value, or an option that the command has no use
 * for
 */
CommandOptions ReadCommandLine(const std::vector<std::string>& arguments);

} // namespace ns3::dml

#endif /* DML_COMMAND_LINE_H */

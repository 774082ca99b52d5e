/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-command.h"

#include "dml-command-line.h"
#include "dml-import-command.h"
#include "dml-order-report.h"
#include "dml-study-command.h"
#include "dml-table.h"

#include "ns3/dml-error.h"
#include "ns3/dml-goodput.h"
#include "ns3/dml-network-spec.h"
#include "ns3/dml-profile-reader.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

namespace ns3
{
namespace dml
{

namespace
{

/**
 * @return the flagship study, which `dml run` runs without a scenario: in the repository (named by
 * the command ./dml), in the current folder, or in an ns-3 tree that is the current folder
 * @throws InputError if it is in none of these
 */
std::string
FindFlagship()
{
    const std::string name = "scenarios/alexnet-1gbps";
    const char* root = std::getenv("DML_ROOT");
    for (const std::string& folder :
         {root ? std::string(root) + "/" : "", std::string(), std::string("contrib/dml/")})
    {
        if (std::filesystem::exists(folder + name))
        {
            return folder + name;
        }
    }
    throw InputError("the flagship study " + name +
                     " is not here; accepted: dml run SCENARIO, or a run from the repository");
}

/// Rate of links for `order`, bit/s.
constexpr uint64_t DEFAULT_RATE = 1000000000;

constexpr const char* USAGE =
    "usage: dml run [SCENARIO] [--engine=fair-share|packet|both] [--set key.path=value]...\n"
    "               [--out DIR] [--jobs N] [--ranks N] [--resume|--restart]\n"
    "               [--emit-cases FILE [--lines N]]\n"
    "       dml merge DIR [--out DIR]\n"
    "       dml merge DIR DIR... --out DIR\n"
    "       dml check SCENARIO [--set key.path=value]...\n"
    "       dml import FORMAT FILE... -o PROFILE [--model NAME] [--batch-size N]\n"
    "               [--order=dataflow|measured] [--idle=keep|drop] [--device NAME]\n"
    "               [--worker NAME] [--sizes PROFILE] [--rate RATE] [--skip STEPS]\n"
    "       dml fit-overhead FORMAT FILE... [--rate RATE] [--wire CSV] [--out YAML]\n"
    "               [--worker NAME] [--sizes PROFILE]\n"
    "       dml order PROFILE [--policy=tic|tac] [--rate=1Gbps]\n"
    "\n"
    "run     predict the throughput of a scenario with both engines; results in DIR\n"
    "        (results/NAME by default). Without SCENARIO: scenarios/alexnet-1gbps.\n"
    "        --resume goes on with a study that was interrupted or killed: the same\n"
    "        command, the same files; --restart throws away what it had done.\n"
    "        --ranks splits each run of the packet engine over N processes (needs a\n"
    "        build with MPI). --emit-cases runs nothing: it writes a command for each\n"
    "        run to FILE, or N commands for all, for GNU parallel or a Slurm array\n"
    "        (FILE may be -: standard output)\n"
    "merge   put the results of such commands together, as one run would have written\n"
    "        them, in DIR itself or in that of --out; several DIR need --out\n"
    "check   read a scenario and its profile, and say what a run would do\n"
    "import  turn measurements of other tools into a profile, several files of one\n"
    "        job into several steps, and report what was inferred. FORMAT: auto, or\n"
    "        torch-layers, kineto, torch-legacy, torch-et, tf-runmetadata,\n"
    "        tf-timeline, pipedream, dml-trace; each says which options it takes\n"
    "fit-overhead  estimate the cost of parsing, the window and the link's rate from\n"
    "        recorded transfers, as keys of a scenario\n"
    "order   print the order in which TIC or TAC (the default) would have the tensors\n"
    "        pulled, and what it gains one worker on links of that rate\n"
    "\n"
    "SCENARIO is a YAML file or a folder that holds scenario.yaml. --set changes one key\n"
    "of it. Exit codes: 0 done, 1 the run failed, 2 bad usage or input.\n";

/// @throws InputError unless there are @p least to @p most operands after the command
void
CheckOperands(const CommandOptions& options, std::size_t least, std::size_t most)
{
    const std::size_t found = options.operands.size() - 1;
    if (found < least || found > most)
    {
        throw InputError("wrong number of arguments for '" + options.operands.front() + "'\n" +
                         USAGE);
    }
}

/// @return the scenario that `run` or `check` names
std::string
FindScenario(const CommandOptions& options)
{
    return options.operands.size() > 1 ? options.operands[1] : FindFlagship();
}

int
RunOrder(const CommandOptions& options)
{
    CheckOperands(options, 1, 1);
    const Profile profile = ReadProfile(options.operands[1]);
    const NetworkSpec network; // the network of a scenario that says nothing else
    const uint64_t rate = options.rate.value_or(DEFAULT_RATE);
    const double goodput = GetGoodput(DataRate(rate),
                                      GetWireFormat(network.mtu, network.tcp.timestamps));
    std::cout << profile.model << ", batch " << profile.batchSize << ", " << options.policy
              << ", links of " << FormatValue(rate / 1e6) << " Mbit/s ("
              << FormatValue(goodput / 1e6) << " MB/s of tensors)\n\n"
              << FormatOrderReport(profile, options.policy, goodput);
    return 0;
}

int
ExecuteCommand(const CommandOptions& options)
{
    if (options.help || options.operands.empty())
    {
        (options.help ? std::cout : std::cerr) << USAGE;
        return options.help ? 0 : 2;
    }
    const std::string& command = options.operands.front();
    if (command == "run")
    {
        CheckOperands(options, 0, 1);
        return RunStudy(options, FindScenario(options));
    }
    if (command == "run-rank")
    {
        CheckOperands(options, 2, 2);
        return RunRank(options);
    }
    if (command == "check")
    {
        CheckOperands(options, 1, 1);
        return CheckStudy(options, FindScenario(options));
    }
    if (command == "merge")
    {
        CheckOperands(options, 1, 10000);
        return RunMerge(options);
    }
    if (command == "import")
    {
        return RunImport(options);
    }
    if (command == "fit-overhead")
    {
        return RunFitOverhead(options);
    }
    if (command == "order")
    {
        return RunOrder(options);
    }
    throw InputError("unknown command '" + command + "'; accepted: run, check, merge, import, fit-overhead, "
                     "order");
}

} // namespace

int
RunCommand(const std::vector<std::string>& arguments)
{
    try
    {
        const int code = ExecuteCommand(ReadCommandLine(arguments));
        if (!std::cout.flush())
        {
            throw RunError("standard output cannot be written");
        }
        return code;
    }
    catch (const InputError& error)
    {
        std::cerr << "dml: " << error.what() << std::endl;
        return 2;
    }
    catch (const std::exception& error)
    {
        std::cerr << "dml: " << error.what() << std::endl;
        return 1;
    }
}

} // namespace dml
} // namespace ns3

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-command.h"

#include "dml-command-line.h"
#include "dml-commands.h"
#include "dml-order-report.h"

#include "ns3/dml-emergency-cleanup.h"
#include "ns3/dml-error.h"
#include "ns3/dml-failure.h"
#include "ns3/dml-goodput.h"
#include "ns3/dml-key-reference.h"
#include "ns3/dml-network-spec.h"
#include "ns3/dml-profile-reader.h"
#include "ns3/dml-terminal-text.h"
#include "ns3/dml-value-text.h"
#include "ns3/dml-version.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <limits>
#include <string_view>
#include <unistd.h>

// The build says where the program's data are installed, from the folder of the program.
#ifndef DML_DATA_FOLDER
#define DML_DATA_FOLDER "../share/dml"
#endif

namespace ns3::dml
{

namespace
{

/**
 * @return the flagship study, which `dml run` runs without a scenario: in the repository (named by
 * the command ./dml), in the current folder, in an ns-3 tree that is the current folder, or where
 * it is installed with this program
 * @throws InputError if it is in none of these
 */
std::string
FindFlagship()
{
    const std::string name = "scenarios/alexnet-1gbps";
    const char* root = std::getenv("DML_ROOT");
    std::error_code unknown;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", unknown);
    const std::string installed = program.parent_path() / DML_DATA_FOLDER / "";
    for (const std::string& folder : {root ? std::string(root) + "/" : "",
                                      std::string(),
                                      std::string("contrib/dml/"),
                                      installed})
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

/// @throws InputError unless there are @p least to @p most operands after the command
void
CheckOperands(const CommandOptions& options, std::size_t least, std::size_t most)
{
    const std::size_t found = options.operands.size() - 1;
    if (found < least || found > most)
    {
        const std::string& command = options.operands.front();
        throw InputError("wrong number of arguments for '" + command +
                         "'; accepted are those that 'dml " + command + " --help' lists");
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
    const Profile profile = ReadProfile(options.operands[1]);
    const NetworkSpec network; // the network of a scenario that says nothing else
    const uint64_t rate = options.rate.value_or(DEFAULT_RATE);
    const double goodput =
        GetGoodput(DataRate(rate), GetWireFormat(network.mtu, network.tcp.timestamps));
    std::cout << EscapeControls(profile.model) << ", batch " << profile.batchSize << ", "
              << options.policy << ", links of " << FormatValue(rate / 1e6) << " Mbit/s ("
              << FormatValue(goodput / 1e6) << " MB/s of tensors)\n\n"
              << FormatOrderReport(profile, options.policy, goodput);
    return 0;
}

/// `keys schema` or `keys page`, which write files of doc/; in no list of commands. @return exit
/// code
int
PrintKeys(const CommandOptions& options)
{
    const std::string& form = options.operands[1];
    if (form != "schema" && form != "page")
    {
        throw InputError("unknown form '" + form + "'; accepted: schema, page");
    }
    std::cout << (form == "schema" ? WriteKeySchema() : WriteKeyPage());
    return 0;
}

/// A command that does something else than to print help.
struct Command
{
    const char* name;                          //!< as the user gives it
    std::size_t least;                         //!< operands at least
    std::size_t most;                          //!< operands at most
    int (*run)(const CommandOptions& options); //!< @return exit code
};

/// Operands of commands that check them themselves.
constexpr std::size_t ANY = std::numeric_limits<std::size_t>::max();

const Command PROGRAM_COMMANDS[]{
    {"run",
     0,
     1,
     [](const CommandOptions& options) { return RunStudy(options, FindScenario(options)); }},
    {"run-rank", 2, 2, RunRank},
    {"check",
     1,
     1,
     [](const CommandOptions& options) { return CheckStudy(options, FindScenario(options)); }},
    {"merge", 1, 10000, RunMerge},
    {"compare", 2, 2, RunCompare},
    {"certify", 1, 1, RunCertify},
    {"match", 1, 1, RunMatch},
    {"init", 0, 10000, RunInit},
    {"import", 0, ANY, RunImport},
    {"fit-overhead", 0, ANY, RunFitOverhead},
    {"fit-server", 2, 2, RunFitServer},
    {"order", 1, 1, RunOrder},
    {"why", 1, 1, RunWhy},
    {"replay", 1, 1, RunReplay},
    {"tune", 1, 1, RunTune},
    {"optimize", 1, 1, RunOptimize},
    {"memory", 1, 1, RunMemory},
    {"learn", 1, 1000, RunLearn},
    {"keys", 1, 1, PrintKeys},
};

[[noreturn]] void
ThrowUnknown(const std::string& unknown)
{
    std::string accepted;
    for (const auto& command : PROGRAM_COMMANDS)
    {
        // others are for the program itself and for those who write the manual
        accepted += GetHelp(command.name) ? std::string(command.name) + ", " : "";
    }
    throw InputError("unknown command '" + unknown + "'; accepted: " + accepted + "help");
}

/// Print the help that @p options ask for. @return exit code
int
PrintHelp(const CommandOptions& options)
{
    const bool named = options.operands.front() == "help" && options.operands.size() > 1;
    CheckOperands(options, 0, 1);
    const std::string& command = options.operands[named ? 1 : 0];
    const auto text = GetHelp(command);
    if (!text)
    {
        ThrowUnknown(command);
    }
    std::cout << *text;
    return 0;
}

int
ExecuteCommand(const CommandOptions& options)
{
    if (options.version)
    {
        std::cout << DescribeVersion();
        return 0;
    }
    if (options.operands.empty())
    {
        (options.help ? std::cout : std::cerr) << GetHelp();
        return options.help ? 0 : 2;
    }
    const std::string& command = options.operands.front();
    if (command == "help" && options.operands.size() == 1 && !options.help)
    {
        std::cout << GetHelp();
        return 0;
    }
    if (command == "help" || options.help)
    {
        return PrintHelp(options);
    }
    const auto known =
        std::find_if(std::begin(PROGRAM_COMMANDS),
                     std::end(PROGRAM_COMMANDS),
                     [&command](const Command& other) { return command == other.name; });
    if (known == std::end(PROGRAM_COMMANDS))
    {
        ThrowUnknown(command);
    }
    CheckOperands(options, known->least, known->most);
    return known->run(options);
}

/// Give descriptors 0 to 2 to /dev/null where they are closed (dml run >&-): what is opened next
/// would get their numbers, and be written to.
void
OpenStandardFiles()
{
    for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    {
        if (fcntl(file, F_GETFD) < 0 && errno == EBADF)
        {
            open("/dev/null", file == STDIN_FILENO ? O_RDONLY : O_WRONLY); // the lowest is free
        }
    }
}

/// Say on standard error what is being caught. @return exit code
int
TellFailure()
{
    const Failure failure = DescribeException();
    // bad input is one line, whatever names are in it
    const bool input = failure.code == 2;
    std::cerr << "dml: " << (input ? EscapeControls(failure.text) : failure.text) << std::endl;
    return failure.code;
}

/// Say that there is not enough memory, without taking any. Async-signal-safe.
void
TellMemoryFailure()
{
    constexpr std::string_view TEXT = "dml: there is not enough memory\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, TEXT.data(), TEXT.size());
}

/// End the program where an exception cannot be passed on, as from a destructor of nlohmann-json's,
/// which takes memory.
[[noreturn]] void
EndUnexpectedly()
{
    EmergencyCleanup::RunAll();
    int code = 1;
    try
    {
        if (std::current_exception())
        {
            code = TellFailure();
        }
    }
    catch (...)
    {
        TellMemoryFailure();
    }
    _exit(code);
}

/// Handler of SIGSEGV: libraries use memory of malloc() without looking whether they got it, as the
/// constructor of ns3::Object does. Any other wrong address is a mistake, and ends the program by
/// the signal when this returns.
void
HandleWrongAddress(int /* number */, siginfo_t* info, void* /* context */)
{
    constexpr uintptr_t FIRST_PAGE = 4096; // bytes, in which null pointers to structures lie
    if (errno == ENOMEM && reinterpret_cast<uintptr_t>(info->si_addr) < FIRST_PAGE)
    {
        EmergencyCleanup::RunAll();
        TellMemoryFailure();
        _exit(1);
    }
}

/// Let HandleWrongAddress() be called, unless a sanitizer reports wrong addresses.
void
CatchWrongAddresses()
{
    struct sigaction action = {};
    if (sigaction(SIGSEGV, nullptr, &action) == 0 && action.sa_handler == SIG_DFL)
    {
        action.sa_sigaction = HandleWrongAddress;
        action.sa_flags = static_cast<int>(SA_SIGINFO | SA_RESETHAND);
        sigaction(SIGSEGV, &action, nullptr);
    }
}

} // namespace

int
RunCommand(int argc, char** argv, const char* commit)
{
    OpenStandardFiles();
    std::set_terminate(EndUnexpectedly);
    CatchWrongAddresses();
    try
    {
        // nobody who gives names to things in files may write to a terminal
        const HarmlessStream output(std::cout);
        const HarmlessStream errors(std::cerr);
        try
        {
            SetCommit(commit);
            const int code = ExecuteCommand(ReadCommandLine({argv + 1, argv + argc}));
            if (!std::cout.flush())
            {
                throw RunError("standard output cannot be written");
            }
            return code;
        }
        catch (...)
        {
            return TellFailure();
        }
    }
    catch (...)
    {
        return TellFailure();
    }
}

} // namespace ns3::dml

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-commands.h"
#include "dml-ns3-script.h"
#include "dml-output-file.h"

#include "ns3/dml-error.h"
#include "ns3/dml-output-folder.h"
#include "ns3/dml-profile-reader.h"
#include "ns3/dml-profile-writer.h"
#include "ns3/dml-scenario-reader.h"
#include "ns3/dml-shell-word.h"
#include "ns3/dml-terminal-text.h"
#include "ns3/dml-trace-input.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <iostream>
#include <numeric>
#include <set>
#include <vector>

namespace ns3::dml
{

namespace
{

namespace fs = std::filesystem;

constexpr std::string_view HEAD =
    R"(# {model}, batch {batch}: {tensors} tensors, {bytes:.4g} MB; its ops take {seconds:.4g} s a step.
# "dml check" says what a run of this would do and cost, "dml run" runs it. All keys, with their
# units and defaults, are in doc/scenario-keys.rst.
name: {name}
seed: 1
replications: 5 # with other draws of steps and starts each, for intervals

job:
  profile: {profile}
  workers: [1, 2, 4, 8] # points of a curve
)";

constexpr std::string_view ALL_REDUCE =
    R"(  # As PyTorch's DistributedDataParallel: a ring of all workers reduces gradients in buckets, those
  # that the profile shows, else of 25 MiB.
  protocol: all-reduce
  gradient_groups: auto
  # Or parameter servers, which have a link each; then without the two lines above:
  # parameter_servers: 1
)";

constexpr std::string_view SERVERS = R"(  parameter_servers: 1 # which have a link each
  # Or all workers reduce gradients together, in PyTorch's buckets; then without the line above:
  # protocol: all-reduce
  # gradient_groups: auto
)";

constexpr std::string_view REST = R"(  steps: 8 # of each worker
  warmup: 2 # of them, which do not count
  # Workers that compute 20 times as fast as the measured one:
  # devices: {{gpu: {{speed: 20}}}}
  # worker_devices: [gpu]

network:
  rate: 10Gbps # of every link
  delay: 10us # of every link, one way
  queue: {{drop_tail: 1MB, whole_bursts: true}} # of each port of the switch
  # Bursts of hosts are single packets of the simulator, which takes a quarter of the time.
  tcp: {{trains: true}}

# The packet engine skips what goes on at a steady rate (doc/fast-forward.rst).
packet: {{fast_forward: true, replications: 2}}

# What if: each combination of these values is a study of its own.
# sweep:
#   network.rate: [1Gbps, 10Gbps, 25Gbps]
)";

constexpr std::string_view PROFILE_SCHEMA = "schema: dml-profile/";
constexpr std::size_t HEAD_BYTES = 4096; //!< in which a profile has its schema

/// @return whether @p path is a profile, which says so near its beginning
bool
IsProfile(const std::string& path)
{
    try
    {
        TraceInput input(path); // unpacked, without a byte order mark
        const std::string head = "\n" + std::string(input.PeekAhead(HEAD_BYTES));
        return head.find("\n" + std::string(PROFILE_SCHEMA)) != std::string::npos;
    }
    catch (const InputError&)
    {
        return false; // a folder of traces, or the import says why it cannot be read
    }
}

/// @return seconds that the ops of a step take, one after the other
double
SumSeconds(const Profile& profile)
{
    double seconds = 0;
    for (const auto& samples : profile.samples)
    {
        seconds += samples.empty() ? 0
                                   : std::accumulate(samples.begin(), samples.end(), 0.0) /
                                         static_cast<double>(samples.size());
    }
    return seconds;
}

/// @return whether it is of a framework whose workers usually reduce gradients together
bool
IsOfTorch(const Profile& profile)
{
    return !profile.buckets.empty() ||
           std::any_of(profile.source.begin(), profile.source.end(), [](const auto& entry) {
               return entry.second.find("orch") != std::string::npos;
           });
}

std::string
WriteScenario(const Profile& profile, const std::string& path)
{
    return fmt::format(HEAD,
                       fmt::arg("model", EscapeControls(profile.model)),
                       fmt::arg("batch", profile.batchSize),
                       fmt::arg("tensors", profile.tensors.size()),
                       fmt::arg("bytes", profile.GetTotalBytes() / 1e6),
                       fmt::arg("seconds", SumSeconds(profile)),
                       fmt::arg("name", QuoteYaml(profile.model)),
                       fmt::arg("profile", QuoteYaml(path))) +
           std::string(IsOfTorch(profile) ? ALL_REDUCE : SERVERS) + fmt::format(REST);
}

/// Make a profile of a trace. @return its path: "x.profile.yaml" beside the scenario "x.yaml"
std::string
ProfileTraces(const CommandOptions& options)
{
    CommandOptions import = options;
    fs::path path(options.out);
    import.out = path.replace_extension(".profile.yaml").string();
    import.operands = {"import", "auto"};
    import.operands.insert(import.operands.end(),
                           options.operands.begin() + 1,
                           options.operands.end());
    ImportProfile(import);
    return import.out;
}

/// @return "x.yaml" in the current folder for the file "x.profile.yaml" or "x.json.gz", or a folder
/// x
std::string
NameScenario(const std::string& file)
{
    static const std::set<std::string>
        ENDINGS{".gz", ".json", ".pb", ".profile", ".trace", ".yaml", ".yml"};
    fs::path name = fs::path(file).lexically_normal();
    name = name.has_filename() ? name.filename() : name.parent_path().filename();
    while (ENDINGS.count(name.extension().string()) > 0)
    {
        name = name.stem();
    }
    if (name.empty() || name.string().front() == '.')
    {
        throw InputError(file + ": gives a scenario no name; accepted: one with -o");
    }
    return name.string() + ".yaml";
}

/// @return what cmake needs to find this dml: a definition with a leading space; empty where it
/// finds it by itself
std::string
DescribePackage()
{
    std::error_code unknown;
    const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
    if (unknown || program.parent_path() == "/usr/bin")
    {
        return "";
    }
    std::vector<fs::path> places{program.parent_path()};
    std::error_code none;
    for (const auto& entry :
         fs::recursive_directory_iterator(program.parent_path().parent_path() / "lib",
                                          fs::directory_options::skip_permission_denied,
                                          none))
    {
        if (entry.path().filename() == "dmlConfig.cmake")
        {
            places.push_back(entry.path().parent_path());
        }
    }
    const auto found = std::find_if(places.begin(), places.end(), [&none](const fs::path& place) {
        return fs::exists(place / "dmlConfig.cmake", none);
    });
    return found == places.end() ? "" : " -Ddml_DIR=" + QuoteShell(found->string());
}

/// Write a script of ns-3 and what builds it, into a folder. @return exit code
int
InitNs3Script(const CommandOptions& options)
{
    if (options.operands.size() > 1)
    {
        throw InputError("init: found " + options.operands[1] +
                         " with --ns3-script, which makes a script of no profile; accepted: "
                         "--ns3-script alone");
    }
    for (const char* option : {"model", "batch-size"})
    {
        if (options.IsGiven(option))
        {
            throw InputError(std::string("found --") + option +
                             " with --ns3-script; accepted: it with traces");
        }
    }
    const Ns3Script script = MakeNs3Script(options.ns3Script);
    const fs::path folder = options.out.empty() ? script.name : options.out;
    const std::string source = (folder / (script.name + ".cc")).string();
    const std::string cmake = (folder / "CMakeLists.txt").string();
    MakeOutputFolder(folder.string());
    for (const std::string& file : {source, cmake})
    {
        CheckReplaceable(file, options.force);
    }
    WriteOutput(source, script.source);
    WriteOutput(cmake, script.cmake);
    const std::string from = QuoteShellPath(folder.string());
    const std::string build = QuoteShellPath((folder / "build").string());
    std::cout << "script: " << source << "; its comments say what to change\nnext:   cmake -S "
              << from << " -B " << build << DescribePackage() << "\n        cmake --build " << build
              << "\n        " << QuoteShellPath((folder / "build" / script.name).string())
              << " --out=" << QuoteShellPath((folder / "results").string()) << '\n';
    return 0;
}

} // namespace

int
RunInit(const CommandOptions& options)
{
    if (options.IsGiven("ns3-script"))
    {
        return InitNs3Script(options);
    }
    if (options.operands.size() < 2)
    {
        throw InputError("wrong number of arguments for 'init'; accepted are those that 'dml init "
                         "--help' lists");
    }
    const std::string& first = options.operands[1];
    CommandOptions asked = options;
    asked.out = options.out.empty() ? NameScenario(first) : options.out;
    std::error_code ignored;
    if (fs::equivalent(asked.out, first, ignored))
    {
        throw InputError(asked.out + ": is the file to read; accepted: another one for -o");
    }
    CheckReplaceable(asked.out, asked.force);
    const bool profiled = IsProfile(first);
    if (profiled && options.operands.size() > 2)
    {
        throw InputError("found a profile and further files; accepted: one profile, or traces");
    }
    for (const char* option : {"model", "batch-size"})
    {
        if (profiled && options.IsGiven(option))
        {
            throw InputError(std::string("found --") + option +
                             " with a profile, which has it; accepted: it with traces");
        }
    }
    const std::string profilePath = profiled ? first : ProfileTraces(asked);
    const Profile profile = ReadProfile(profilePath);
    // links in the paths would lead a relative one astray
    fs::path job = fs::canonical(profilePath);
    if (!fs::is_symlink(asked.out, ignored))
    {
        job = job.lexically_proximate(fs::weakly_canonical(fs::absolute(asked.out)).parent_path());
    }
    WriteCheckedOutput(asked.out,
                       WriteScenario(profile, job.string()),
                       [](const std::string& draft) { ReadScenario(draft, {}); });
    const std::string word = QuoteShellPath(asked.out);
    std::cout << (profiled ? "" : "\n") << "scenario: " << asked.out
              << "; its comments say what to change\nnext:     dml check " << word
              << "\n          dml run " << word << " --engine=fair-share (some seconds)\n"
              << "          dml run " << word << '\n';
    return 0;
}

} // namespace ns3::dml

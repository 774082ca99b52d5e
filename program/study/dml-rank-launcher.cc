/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-rank-launcher.h"

#include "dml-run-store.h"

#include "ns3/dml-child-process.h"
#include "ns3/dml-child-program.h"
#include "ns3/dml-error.h"
#include "ns3/dml-failure.h"
#include "ns3/dml-input-file.h"
#include "ns3/dml-open-file.h"
#include "ns3/dml-output-folder.h"
#include "ns3/dml-repeatable-error.h"
#include "ns3/dml-result-file.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sstream>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace ns3::dml
{

namespace
{

namespace fs = std::filesystem;

/// Before a number that says how much is done.
const std::string PROGRESS = "progress ";

void
WriteAll(const std::string& path, const std::string& bytes)
{
    ResultFile file(path);
    file.GetBuffer() = bytes;
    file.Close();
}

/// @return mpirun's command line
std::vector<std::string>
MakeCommand(uint32_t ranks, const std::vector<std::string>& arguments)
{
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (error)
    {
        throw RunError("--ranks: the path of this program is not known (no /proc/self/exe)");
    }
    const std::string mpirun = FindProgram("mpirun");
    if (mpirun.empty())
    {
        throw RunError("--ranks: mpirun cannot be started: it is in no folder of PATH");
    }
    // more ranks than cores are slow, not wrong; a rank may run on any core
    std::vector<std::string> command{mpirun,
                                     "-n",
                                     std::to_string(ranks),
                                     "--oversubscribe",
                                     "--bind-to",
                                     "none"};
    if (geteuid() == 0)
    {
        command.emplace_back("--allow-run-as-root");
    }
    command.push_back(program.string());
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

/// Become mpirun; never returns.
[[noreturn]] void
Become(const std::vector<std::string>& command, int output, int log)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM); // it ends the ranks
#endif
    dup2(output, STDOUT_FILENO);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO); // mpirun would read what is not its own
    dup2(log, STDERR_FILENO);
    // containers often forbid what the fastest way between processes needs
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    // a rank that waits leaves its core to others
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    std::vector<char*> arguments;
    for (const auto& argument : command)
    {
        arguments.push_back(const_cast<char*>(argument.c_str()));
    }
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    dprintf(STDERR_FILENO, "mpirun cannot be started: %s\n", std::strerror(errno));
    _exit(127);
}

/// Pass on what rank 0 prints, until it is closed.
void
ReadProgress(int fd, const std::function<void(double)>& progress)
{
    std::string line;
    char buffer[4096];
    for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR);)
    {
        for (ssize_t i = 0; i < n; ++i)
        {
            if (buffer[i] != '\n')
            {
                line += buffer[i];
                continue;
            }
            if (progress && line.rfind(PROGRESS, 0) == 0)
            {
                progress(std::atof(line.c_str() + PROGRESS.size()));
            }
            line.clear();
        }
    }
}

} // namespace

RankLauncher::RankLauncher(std::string folder)
    : m_result(folder + "/ranks.cbor"),
      m_error(folder + "/ranks.error"),
      m_log(folder + "/ranks.log")
{
}

std::string
RankLauncher::Run(uint32_t ranks,
                  const std::vector<std::string>& arguments,
                  const std::function<void(double)>& progress) const
{
    const auto command = MakeCommand(ranks, arguments);
    const OpenFile log = OutputFolder(m_log).Create();
    int ends[2];
    if (pipe(ends) != 0)
    {
        throw RunError(std::string("cannot make a pipe: ") + std::strerror(errno));
    }
    const OpenFile output(ends[0]);
    OpenFile written(ends[1]);
    std::fflush(nullptr);
    ChildProcess mpirun(ChildProcess::Ending::TERMINATE); // so that it ends the ranks
    if (mpirun.Fork())
    {
        Become(command, written.Get(), log.Get());
    }
    written = OpenFile();
    ReadProgress(output.Get(), progress);
    const int status = mpirun.Wait();
    if (status != 0 || !fs::exists(m_result))
    {
        Throw(status);
    }
    std::string result = ReadBytes(m_result).value_or("");
    fs::remove(m_result);
    fs::remove(m_log);
    return result;
}

void
RankLauncher::Throw(int status) const
{
    constexpr std::size_t MOST = 2000; // characters of the log
    if (const std::string text = ReadBytes(m_error).value_or(""); !text.empty())
    {
        if (text.front() == '2')
        {
            throw InputError(text.substr(1));
        }
        if (text.front() == '3')
        {
            throw RepeatableError(text.substr(1));
        }
        throw RunError(text.substr(1));
    }
    std::string log = ReadBytes(m_log).value_or("");
    log = log.size() > MOST ? "..." + log.substr(log.size() - MOST) : log;
    std::ostringstream what;
    if (WIFEXITED(status))
    {
        what << "mpirun ended with exit code " << WEXITSTATUS(status);
    }
    else
    {
        what << "mpirun was ended by a signal: " << strsignal(WTERMSIG(status));
    }
    what << (log.empty() ? "" : "\n") << log;
    throw RunError(what.str());
}

void
RankLauncher::HandOver(const std::string& result) const
{
    WriteAll(m_result, result);
}

void
RankLauncher::Fail(const Failure& failure) const
{
    try
    {
        const char kind = failure.code == 2 ? '2' : failure.again ? '3' : '1';
        WriteAll(m_error, kind + failure.text);
    }
    catch (const std::runtime_error&)
    {
        std::fprintf(stderr, "%s\n", failure.text.c_str()); // goes to the log
    }
}

void
RankLauncher::PrintProgress(double fraction)
{
    std::printf("%s%.6f\n", PROGRESS.c_str(), fraction);
    std::fflush(stdout);
}

} // namespace ns3::dml

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-child-program.h"

#include "dml-child-process.h"
#include "dml-error.h"
#include "dml-open-file.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <optional>
#include <poll.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace ns3::dml
{

namespace
{

using Clock = std::chrono::steady_clock;

/// @param texts lines of a command or an environment @return what exec wants of them
std::vector<char*>
ToPointers(const std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (const auto& text : texts)
    {
        pointers.push_back(const_cast<char*>(text.c_str()));
    }
    pointers.push_back(nullptr);
    return pointers;
}

/// @return this process' environment with @p changes
std::vector<std::string>
MakeEnvironment(const std::vector<std::string>& changes)
{
    std::vector<std::string> result;
    const auto isChanged = [&changes](const std::string& entry) {
        const std::string name = entry.substr(0, entry.find('='));
        return std::any_of(changes.begin(), changes.end(), [&name](const std::string& change) {
            return change.substr(0, change.find('=')) == name;
        });
    };
    for (char** entry = environ; entry && *entry; ++entry)
    {
        if (!isChanged(*entry))
        {
            result.emplace_back(*entry);
        }
    }
    std::copy_if(changes.begin(),
                 changes.end(),
                 std::back_inserter(result),
                 [](const std::string& change) { return change.find('=') != std::string::npos; });
    return result;
}

/// @return a file without a name that has the text; nothing if it is empty
std::unique_ptr<std::FILE, int (*)(std::FILE*)>
MakeInput(const std::string& text)
{
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(nullptr, std::fclose);
    if (!text.empty())
    {
        file.reset(std::tmpfile());
        if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
            std::fflush(file.get()) != 0 || std::fseek(file.get(), 0, SEEK_SET) != 0)
        {
            throw RunError(std::string("cannot write a file for a program to read: ") +
                           std::strerror(errno));
        }
    }
    return file;
}

/// The ends of a pipe that programs started later do not inherit.
struct Pipe
{
    /// @throws RunError if there can be no further one
    Pipe()
    {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0)
        {
            throw RunError(std::string("cannot make a pipe: ") + std::strerror(errno));
        }
        read = OpenFile(ends[0]);
        write = OpenFile(ends[1]);
    }

    OpenFile read;
    OpenFile write;
};

/// Blocks SIGPIPE, which would end this process, while it lives.
class PipeSignalBlock
{
  public:
    PipeSignalBlock()
    {
        sigemptyset(&m_pipe);
        sigaddset(&m_pipe, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &m_pipe, &m_before);
    }

    ~PipeSignalBlock()
    {
        const timespec now{};
        while (sigtimedwait(&m_pipe, nullptr, &now) < 0 && errno == EINTR)
        {
        }
        pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
    }

    PipeSignalBlock(const PipeSignalBlock&) = delete;
    PipeSignalBlock& operator=(const PipeSignalBlock&) = delete;

  private:
    sigset_t m_pipe;   //!< the signal
    sigset_t m_before; //!< what was blocked before
};

/// Calls @p write, which closes it, with a stream to @p file.
void
WriteInput(OpenFile file, const std::function<void(std::FILE*)>& write)
{
    const PipeSignalBlock block;
    if (std::FILE* stream = fdopen(file.Get(), "w"))
    {
        file.Release();
        write(stream);
    }
}

/// Take what comes until the end of it or of the time. @return false if the time was over first
bool
ReadUntil(int fd, Clock::time_point end, std::size_t most, std::string& output)
{
    while (true)
    {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        pollfd polled{fd, POLLIN, 0};
        const int ready = poll(&polled, 1, static_cast<int>(std::clamp<long>(left, 0, 1000)));
        if (ready == 0 && left <= 0)
        {
            return false;
        }
        char buffer[4096];
        const ssize_t n = ready > 0 ? read(fd, buffer, sizeof buffer) : -1;
        if (n == 0 || (n < 0 && ready > 0 && errno != EINTR))
        {
            return true;
        }
        if (n > 0 && output.size() < most)
        {
            output.append(buffer, std::min<std::size_t>(n, most - output.size()));
        }
    }
}

/// @return whether a child that writes no more ends in time; it is not yet waited for
bool
EndsUntil(pid_t child, Clock::time_point end)
{
    constexpr useconds_t PAUSE = 1000;
    siginfo_t info = {};
    while (waitid(P_PID, child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0)
    {
        if (Clock::now() >= end)
        {
            return false;
        }
        usleep(PAUSE);
    }
    return true;
}

} // namespace

std::string
FindProgram(const std::string& name, const std::string& more)
{
    const char* path = std::getenv("PATH");
    std::istringstream folders((path ? path : "") + (":" + more));
    for (std::string folder; std::getline(folders, folder, ':');)
    {
        const std::string program = folder + "/" + name;
        std::error_code ignored;
        if (!folder.empty() && folder.front() == '/' && access(program.c_str(), X_OK) == 0 &&
            std::filesystem::is_regular_file(program, ignored))
        {
            return program;
        }
    }
    return "";
}

ChildProgramEnd
RunProgram(const std::vector<std::string>& command,
           const std::string& folder,
           const std::vector<std::string>& environment,
           std::chrono::milliseconds limit,
           const ChildProgramText& text)
{
    // all memory is taken before the fork
    const auto variables = MakeEnvironment(environment);
    const auto arguments = ToPointers(command);
    const auto values = ToPointers(variables);
    const auto input = MakeInput(text.input);
    Pipe output;
    std::optional<Pipe> written;
    if (text.write)
    {
        written.emplace();
    }
    const auto end = Clock::now() + limit;
    std::fflush(nullptr);
    ChildProcess child(ChildProcess::Ending::KILL_GROUP);
    if (child.Fork())
    {
        const int source = written ? written->read.Get()
                           : input ? fileno(input.get())
                                   : open("/dev/null", O_RDWR);
        if (source >= 0 && dup2(source, STDIN_FILENO) >= 0 &&
            dup2(output.write.Get(), STDOUT_FILENO) >= 0 &&
            dup2(output.write.Get(), STDERR_FILENO) >= 0 && chdir(folder.c_str()) == 0)
        {
            execve(arguments[0], arguments.data(), values.data());
        }
        dprintf(STDERR_FILENO, "%s cannot be started: %s\n", arguments[0], std::strerror(errno));
        _exit(127);
    }
    output.write = OpenFile();
    if (written)
    {
        written->read = OpenFile();
        WriteInput(std::move(written->write), text.write);
    }
    ChildProgramEnd result;
    result.timeout = !ReadUntil(output.read.Get(), end, text.mostOutput, result.output) ||
                     !EndsUntil(child.Get(), end);
    output.read = OpenFile();
    const int status = child.End(); // with what it has started and left behind
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

} // namespace ns3::dml

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-process-pool.h"

#include "ns3/dml-error.h"
#include "ns3/dml-failure.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <poll.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

namespace ns3
{
namespace dml
{

namespace
{

using Clock = std::chrono::steady_clock;

volatile std::sig_atomic_t g_interrupted = 0; //!< set by a signal while a pool runs

void
HandleSignal(int)
{
    g_interrupted = 1;
}

/// Catches SIGINT, SIGTERM and, unless it is ignored (nohup), SIGHUP while it lives. A script's
/// background commands ignore SIGINT, too, yet whoever sends it to one means it.
class SignalGuard
{
  public:
    SignalGuard()
    {
        g_interrupted = 0;
        struct sigaction action = {};
        action.sa_handler = HandleSignal;
        sigaction(SIGINT, &action, &m_oldInt);
        sigaction(SIGTERM, &action, &m_oldTerm);
        sigaction(SIGHUP, nullptr, &m_oldHup);
        if (m_oldHup.sa_handler != SIG_IGN)
        {
            sigaction(SIGHUP, &action, nullptr);
        }
    }

    ~SignalGuard()
    {
        Restore();
    }

    void Restore() const
    {
        sigaction(SIGINT, &m_oldInt, nullptr);
        sigaction(SIGTERM, &m_oldTerm, nullptr);
        sigaction(SIGHUP, &m_oldHup, nullptr);
    }

  private:
    struct sigaction m_oldInt = {};  //!< as before
    struct sigaction m_oldTerm = {}; //!< as before
    struct sigaction m_oldHup = {};  //!< as before
};

/// What a child sends first of all: what follows.
enum class MessageKind : uint8_t
{
    PROGRESS,  //!< a double
    RESULT,    //!< text, to the end of the stream
    FAILURE,   //!< text, to the end of the stream; exit code 1
    BAD_INPUT, //!< text, to the end of the stream; exit code 2
    REPEATABLE //!< text, to the end of the stream; exit code 1, and the same again
};

void
WriteAll(int fd, const void* data, std::size_t size)
{
    const char* at = static_cast<const char*>(data);
    while (size > 0)
    {
        const ssize_t n = write(fd, at, size);
        if (n < 0 && errno != EINTR)
        {
            _exit(1); // the parent is gone
        }
        at += std::max<ssize_t>(0, n);
        size -= std::max<ssize_t>(0, n);
    }
}

void
Send(int fd, MessageKind kind, const std::string& text)
{
    WriteAll(fd, &kind, sizeof kind);
    WriteAll(fd, text.data(), text.size());
}

/// Let this process end when its parent does, even by SIGKILL; elsewhere than on Linux it ends when
/// it next reports.
void
EndWithParent([[maybe_unused]] pid_t parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
    {
        _exit(1); // it was quicker
    }
#endif
}

/// The life of a child; never returns.
[[noreturn]] void
RunChild(int fd, uint32_t task, const ProcessPool::Work& work)
{
    const auto progress = [fd](double fraction) {
        char message[1 + sizeof fraction];
        message[0] = static_cast<char>(MessageKind::PROGRESS);
        std::memcpy(message + 1, &fraction, sizeof fraction);
        WriteAll(fd, message, sizeof message);
    };
    try
    {
        Send(fd, MessageKind::RESULT, work(task, progress));
    }
    catch (...)
    {
        const Failure failure = DescribeException();
        Send(fd,
             failure.code == 2 ? MessageKind::BAD_INPUT
             : failure.again   ? MessageKind::REPEATABLE
                               : MessageKind::FAILURE,
             failure.text);
    }
    std::fflush(nullptr);
    _exit(0); // no destructors of what belongs to the parent
}

/// A running child, seen from the parent.
class Child
{
  public:
    Child(uint32_t task, const ProcessPool::Work& work, const SignalGuard& signals)
        : m_task(task)
    {
        int ends[2];
        if (pipe(ends) != 0)
        {
            throw RunError(std::string("cannot make a pipe: ") + std::strerror(errno));
        }
        std::cout.flush(); // a child that says something on stderr would print it, too
        std::fflush(nullptr);
        const pid_t parent = getpid();
        m_pid = fork();
        if (m_pid < 0)
        {
            close(ends[0]);
            close(ends[1]);
            throw RunError(std::string("cannot make a process: ") + std::strerror(errno));
        }
        if (m_pid == 0)
        {
            close(ends[0]);
            signals.Restore();
            EndWithParent(parent);
            RunChild(ends[1], task, work);
        }
        close(ends[1]);
        m_fd = ends[0];
    }

    ~Child()
    {
        if (m_pid > 0)
        {
            kill(m_pid, SIGKILL);
            Reap();
        }
        close(m_fd);
    }

    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    int GetFd() const
    {
        return m_fd;
    }

    uint32_t GetTask() const
    {
        return m_task;
    }

    /// @param now time on the wall clock @return how far it is
    ProcessPool::Running Describe(Clock::time_point now) const
    {
        return {m_task, m_fraction, std::chrono::duration<double>(now - m_start).count()};
    }

    /// Take what has come. @return the result once the child is done
    std::optional<ProcessPool::Result> Read()
    {
        char buffer[65536];
        const ssize_t n = read(m_fd, buffer, sizeof buffer);
        if (n > 0)
        {
            m_data.append(buffer, n);
            TakeProgress();
            return std::nullopt;
        }
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
        {
            return std::nullopt;
        }
        return End(Reap());
    }

  private:
    /// Drop complete progress messages from the front.
    void TakeProgress()
    {
        constexpr std::size_t SIZE = 1 + sizeof(double);
        std::size_t at = 0;
        for (; m_data.size() - at >= SIZE && m_data[at] == static_cast<char>(MessageKind::PROGRESS);
             at += SIZE)
        {
            std::memcpy(&m_fraction, m_data.data() + at + 1, sizeof m_fraction);
        }
        m_data.erase(0, at);
    }

    int Reap()
    {
        int status = 0;
        while (waitpid(m_pid, &status, 0) < 0 && errno == EINTR)
        {
        }
        m_pid = -1;
        return status;
    }

    ProcessPool::Result End(int status) const
    {
        if (m_data.empty() || WIFSIGNALED(status))
        {
            const std::string why = WIFSIGNALED(status)
                                        ? std::string("the process was ended by a signal: ") +
                                              strsignal(WTERMSIG(status))
                                        : "the process ended without a result (exit code " +
                                              std::to_string(WEXITSTATUS(status)) + ")";
            return {m_task, why, 1, false};
        }
        const auto kind = static_cast<MessageKind>(m_data.front());
        const int failure = kind == MessageKind::RESULT      ? 0
                            : kind == MessageKind::BAD_INPUT ? 2
                                                             : 1;
        const bool again = failure == 2 || kind == MessageKind::REPEATABLE;
        return {m_task, m_data.substr(1), failure, again};
    }

    uint32_t m_task;                         //!< index of its task
    pid_t m_pid{-1};                         //!< process, or -1 once it has been waited for
    int m_fd{-1};                            //!< what it writes to
    std::string m_data;                      //!< received and not yet understood
    double m_fraction{0};                    //!< of the task
    Clock::time_point m_start{Clock::now()}; //!< of the process
};

} // namespace

ProcessPool::ProcessPool(uint32_t jobs)
    : m_jobs(std::max(1u, jobs))
{
}

void
ProcessPool::Run(uint32_t tasks, const Work& work, const Done& done, const Watch& watch)
{
    constexpr std::chrono::milliseconds WATCH_INTERVAL{250};
    const SignalGuard signals;
    std::vector<std::unique_ptr<Child>> children;
    uint32_t next = 0;
    const auto start = [&] {
        while (next < tasks && children.size() < m_jobs)
        {
            children.push_back(std::make_unique<Child>(next++, work, signals));
        }
    };
    auto watched = Clock::now() - WATCH_INTERVAL;
    start();
    while (!children.empty())
    {
        std::vector<pollfd> polled;
        for (const auto& child : children)
        {
            polled.push_back({child->GetFd(), POLLIN, 0});
        }
        poll(polled.data(), polled.size(), WATCH_INTERVAL.count());
        if (g_interrupted)
        {
            throw RunError("interrupted");
        }
        std::vector<Result> results;
        for (std::size_t i = polled.size(); i-- > 0;)
        {
            const auto result = polled[i].revents == 0 ? std::nullopt : children[i]->Read();
            if (result)
            {
                results.push_back(*result);
                children.erase(children.begin() + i);
            }
        }
        start(); // so that no core waits for what is done with the results
        for (const auto& result : results)
        {
            done(result);
        }
        const auto now = Clock::now();
        if (watch && now - watched >= WATCH_INTERVAL)
        {
            std::vector<Running> running;
            for (const auto& child : children)
            {
                running.push_back(child->Describe(now));
            }
            watch(running);
            watched = now;
        }
    }
}

} // namespace dml
} // namespace ns3

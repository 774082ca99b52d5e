/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-process-pool.h"

#include "ns3/dml-child-process.h"
#include "ns3/dml-cpu-time.h"
#include "ns3/dml-error.h"
#include "ns3/dml-failure.h"
#include "ns3/dml-open-file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <memory>
#include <poll.h>
#include <string_view>
#include <type_traits>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/time.h>
#endif
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace ns3::dml
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
        for (auto& [number, old] : m_signals)
        {
            sigaction(number, nullptr, &old);
            if (number != SIGHUP || old.sa_handler != SIG_IGN)
            {
                sigaction(number, &action, nullptr);
            }
        }
    }

    ~SignalGuard()
    {
        Restore();
    }

    void Restore() const
    {
        for (const auto& [number, old] : m_signals)
        {
            sigaction(number, &old, nullptr);
        }
    }

  private:
    /// A signal, and what happened with it before.
    using Caught = std::pair<int, struct sigaction>;

    std::array<Caught, 3> m_signals{Caught{SIGINT, {}}, Caught{SIGTERM, {}}, Caught{SIGHUP, {}}};
};

/// What a message of a child is.
enum class MessageKind : std::uint16_t
{
    RESULT,   //!< how a task has ended
    PROGRESS, //!< how far it is, a double
    STATE     //!< what it does instead of going on
};

/// What a child sends before each message.
struct MessageHead
{
    MessageKind kind;     //!< what follows
    std::uint16_t again;  //!< see ProcessPool::Result
    std::int32_t failure; //!< likewise
    std::uint64_t size;   //!< of what follows, bytes
};

// No padding, whose bytes would be sent undefined.
static_assert(std::has_unique_object_representations_v<MessageHead>);

/// Consecutive tasks of one child.
struct TaskRange
{
    uint32_t first; //!< index
    uint32_t end;   //!< index after the last one
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

/// @param head without the size of the text
void
Send(int fd, MessageHead head, std::string_view text)
{
    head.size = text.size();
    WriteAll(fd, &head, sizeof head);
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

/// Do a task, and send what came of it.
void
RunTask(int fd, uint32_t task, const ProcessPool::Work& work) noexcept
{
    const ProcessPool::Progress progress{
        [fd](double fraction) {
            Send(fd,
                 {MessageKind::PROGRESS, 0, 0, 0},
                 {reinterpret_cast<const char*>(&fraction), sizeof fraction});
        },
        [fd](const std::string& state) {
            Send(fd, {MessageKind::STATE, 0, 0, 0}, state);
        }};
    try
    {
        Send(fd, {MessageKind::RESULT, 0, 0, 0}, work(task, progress));
    }
    catch (...)
    {
        const Failure failure = DescribeException();
        Send(fd, {MessageKind::RESULT, failure.again, failure.code, 0}, failure.text);
    }
}

/// @param seconds of CPU after which this process ends by a signal, more than 0; may be infinite
void
EndAfter(double seconds)
{
    if (!std::isinf(seconds))
    {
        constexpr double MICROSECONDS = 1e6;
        const auto all = static_cast<int64_t>(std::ceil(seconds * MICROSECONDS));
        itimerval timer{};
        timer.it_value.tv_sec = all / static_cast<int64_t>(MICROSECONDS);
        timer.it_value.tv_usec = all % static_cast<int64_t>(MICROSECONDS);
        signal(SIGPROF, SIG_DFL); // ends it without a core
        setitimer(ITIMER_PROF, &timer, nullptr);
    }
}

/// A running child, seen from the parent.
class Child
{
  public:
    /// @param cpuLimit CPU seconds that it may take, more than 0; may be infinite
    Child(TaskRange tasks,
          const ProcessPool::Work& work,
          const SignalGuard& signals,
          double cpuLimit)
        : m_tasks(tasks)
    {
        int ends[2];
        if (pipe(ends) != 0)
        {
            throw RunError(std::string("cannot make a pipe: ") + std::strerror(errno));
        }
        m_file = OpenFile(ends[0]);
        const OpenFile write(ends[1]);
        std::cout.flush(); // a child that says something on stderr would print it, too
        std::fflush(nullptr);
        const pid_t parent = getpid();
        if (m_process.Fork())
        {
            m_file = OpenFile();
            signals.Restore();
            EndWithParent(parent);
            EndAfter(cpuLimit);
            for (uint32_t task = tasks.first; task < tasks.end; ++task)
            {
                RunTask(write.Get(), task, work);
            }
            std::fflush(nullptr);
            _exit(0); // no destructors of what belongs to the parent
        }
    }

    int GetFd() const
    {
        return m_file.Get();
    }

    /// @return those that it has not done
    TaskRange GetLeft() const
    {
        return m_tasks;
    }

    /// @return whether it has tasks left
    bool IsBusy() const
    {
        return m_tasks.first < m_tasks.end;
    }

    /// @return whether it has been waited for
    bool HasEnded() const
    {
        return !m_process.IsRunning();
    }

    /// @param now time on the wall clock @return how far it is
    ProcessPool::Running Describe(Clock::time_point now) const
    {
        return {m_tasks.first,
                m_fraction,
                std::chrono::duration<double>(now - m_start).count(),
                m_state};
    }

    /// Take what has come. @return results of tasks that have ended
    std::vector<ProcessPool::Result> Read()
    {
        std::vector<ProcessPool::Result> results;
        char buffer[65536];
        const ssize_t n = read(m_file.Get(), buffer, sizeof buffer);
        if (n > 0)
        {
            m_data.append(buffer, n);
            TakeMessages(results);
        }
        else if (n == 0 || (errno != EINTR && errno != EAGAIN))
        {
            const int status = m_process.Wait();
            if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
            {
                throw CpuLimitError("more CPU time was needed than there was");
            }
            if (IsBusy())
            {
                results.push_back({m_tasks.first++, DescribeEnd(status), 1, false});
            }
        }
        return results;
    }

  private:
    /// Take complete messages from the front. @param results of tasks, gets those that have come
    void TakeMessages(std::vector<ProcessPool::Result>& results)
    {
        std::size_t at = 0;
        MessageHead head{};
        while (m_data.size() - at >= sizeof head)
        {
            std::memcpy(&head, m_data.data() + at, sizeof head);
            if (m_data.size() - at - sizeof head < head.size)
            {
                break;
            }
            at += sizeof head;
            switch (head.kind)
            {
            case MessageKind::PROGRESS:
                std::memcpy(&m_fraction, m_data.data() + at, sizeof m_fraction);
                break;
            case MessageKind::STATE:
                m_state = m_data.substr(at, head.size);
                break;
            case MessageKind::RESULT:
                results.push_back(
                    {m_tasks.first++, m_data.substr(at, head.size), head.failure, head.again != 0});
                m_fraction = 0;
                m_state.clear();
                m_start = Clock::now();
                break;
            }
            at += head.size;
        }
        m_data.erase(0, at);
    }

    /// @param status of a process that left a task undone; @return why
    static std::string DescribeEnd(int status)
    {
        return WIFSIGNALED(status) ? std::string("the process was ended by a signal: ") +
                                         strsignal(WTERMSIG(status))
                                   : "the process ended without a result (exit code " +
                                         std::to_string(WEXITSTATUS(status)) + ")";
    }

    TaskRange m_tasks;                       //!< the one that it does, and those that come after
    OpenFile m_file;                         //!< what it writes to
    ChildProcess m_process;                  //!< itself
    std::string m_data;                      //!< received and not yet understood
    double m_fraction{0};                    //!< of the task
    std::string m_state;                     //!< of the task, see ProcessPool::Running
    Clock::time_point m_start{Clock::now()}; //!< of the task
};

/// Tasks that no child has yet.
class TaskQueue
{
  public:
    TaskQueue(uint32_t tasks, const ProcessPool::Share& share)
        : m_next{0, tasks},
          m_share(share)
    {
    }

    bool IsEmpty() const
    {
        return m_left.empty() && m_next.first == m_next.end;
    }

    /// @param undone of a child that has ended too early
    void PutBack(TaskRange undone)
    {
        if (undone.first < undone.end)
        {
            m_left.push_back(undone);
        }
    }

    /// @return those of the next child; only if it is not empty
    TaskRange Take()
    {
        if (!m_left.empty())
        {
            const TaskRange range = m_left.back();
            m_left.pop_back();
            return range;
        }
        const uint32_t first = m_next.first;
        const uint32_t count = m_share ? m_share(first) : 1;
        m_next.first += std::clamp(count, 1U, m_next.end - first);
        return {first, m_next.first};
    }

  private:
    TaskRange m_next;                  //!< that have not been taken
    const ProcessPool::Share& m_share; //!< may be empty
    std::vector<TaskRange> m_left;     //!< that have been put back
};

} // namespace

ProcessPool::ProcessPool(uint32_t jobs, double cpuLimit)
    : m_jobs(std::max(1u, jobs)),
      m_cpuLimit(cpuLimit)
{
}

void
ProcessPool::Run(uint32_t tasks,
                 const Work& work,
                 const Done& done,
                 const Watch& watch,
                 const Share& share)
{
    constexpr std::chrono::milliseconds WATCH_INTERVAL{250};
    const SignalGuard signals;
    const OrphanKeeper keeper;
    std::vector<std::unique_ptr<Child>> children;
    TaskQueue queue(tasks, share);
    const double before = ReadCpuSeconds(RUSAGE_CHILDREN);
    const auto start = [&] {
        std::size_t busy = std::count_if(children.begin(), children.end(), [](const auto& child) {
            return child->IsBusy();
        });
        for (; !queue.IsEmpty() && busy < m_jobs; ++busy)
        {
            const double left = m_cpuLimit - (ReadCpuSeconds(RUSAGE_CHILDREN) - before);
            if (left <= 0)
            {
                throw CpuLimitError("more CPU time was needed than there was");
            }
            children.push_back(std::make_unique<Child>(queue.Take(), work, signals, left));
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
            throw InterruptedError("interrupted");
        }
        std::vector<Result> results;
        for (std::size_t i = polled.size(); i-- > 0;)
        {
            if (polled[i].revents == 0)
            {
                continue;
            }
            const auto ended = children[i]->Read();
            results.insert(results.end(), ended.begin(), ended.end());
            if (children[i]->HasEnded())
            {
                queue.PutBack(children[i]->GetLeft());
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
                if (child->IsBusy())
                {
                    running.push_back(child->Describe(now));
                }
            }
            watch(running);
            watched = now;
        }
    }
    if (g_interrupted) // after the last one has ended
    {
        throw InterruptedError("interrupted");
    }
}

} // namespace ns3::dml

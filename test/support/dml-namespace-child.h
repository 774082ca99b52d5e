/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_NAMESPACE_CHILD_H
#define DML_NAMESPACE_CHILD_H

#include "dml-machine-watch.h"

#include "ns3/dml-host-abilities.h"
#include "ns3/dml-host-program.h"
#include "ns3/dml-network-namespace.h"

#include <cerrno>
#include <cstdio>
#include <exception>
#include <functional>
#include <grp.h>
#include <string>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/// Who a child process is.
enum class ChildUser
{
    ROOT,   //!< root of this machine
    NOBODY, //!< a user without any rights
};

/// @brief Let this process have no rights. @return whether that worked
inline bool
BecomeNobody()
{
    constexpr unsigned NOBODY = 65534;
    const bool done = geteuid() != 0 ||
                      (setgroups(0, nullptr) == 0 && setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
    // its files in /proc are its own again, as after exec
    return done && prctl(PR_SET_DUMPABLE, 1) == 0;
}

/**
 * @brief Do something in a process of its own.
 *
 * Namespaces are an affair of a whole process; the tests' own stays where it is.
 * @param user who it is
 * @param body what it does, after EnterUserNamespace(); it returns what is wrong
 * @return what is wrong; "skip: REASON" if this machine does not allow it
 */
inline std::string
RunInChild(ChildUser user, const std::function<std::string()>& body)
{
    if (user == ChildUser::ROOT && geteuid() != 0)
    {
        return "skip: this is not root";
    }
    int ends[2];
    if (pipe(ends) != 0)
    {
        return "cannot make a pipe";
    }
    const pid_t child = fork();
    if (child == 0)
    {
        alarm(3000);
        std::string text;
        if (user == ChildUser::NOBODY && !BecomeNobody())
        {
            text = "skip: cannot become another user";
        }
        try
        {
            if (text.empty())
            {
                ns3::dml::FindHostProgram("tc");
                ns3::dml::EnterUserNamespace();
            }
        }
        catch (const std::exception& error)
        {
            text = std::string("skip: ") + error.what();
        }
        try
        {
            if (text.empty())
            {
                const auto machine = ns3::dml::ProbeHostAbilities();
                const bool shapes = machine.qdiscs.count("tbf") + machine.qdiscs.count("htb") +
                                        machine.qdiscs.count("bfifo") ==
                                    3;
                text = shapes && machine.canForward ? body()
                                                    : "skip: this kernel does not shape or route";
            }
        }
        catch (const std::exception& error)
        {
            text = std::string("exception: ") + error.what();
        }
        text += '\n';
        const bool told = write(ends[1], text.data(), text.size()) > 0;
        _exit(told ? 0 : 1);
    }
    close(ends[1]);
    std::string text;
    char buffer[4096];
    ssize_t got = 0;
    while ((got = read(ends[0], buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR))
    {
        text.append(buffer, got > 0 ? got : 0);
    }
    close(ends[0]);
    waitpid(child, nullptr, 0);
    if (text.empty())
    {
        return "the process ended early, or when its time was over";
    }
    text.pop_back();
    return text;
}

/**
 * @brief The same of a body that finds things wrong where it does not get its time.
 * @return what is wrong; "skip: REASON" also if something else has used this machine
 */
inline std::string
RunInTimeInChild(ChildUser user, const std::function<std::string()>& body)
{
    const MachineWatch watch;
    const std::string wrong = RunInChild(user, body);
    const std::string disturbance = watch.DescribeDisturbance();
    const bool counts = wrong.empty() || wrong.compare(0, 5, "skip:") == 0 || disturbance.empty();
    return counts ? wrong : "skip: " + disturbance + ", found: " + wrong;
}

/// Expect nothing wrong, skip the test where the machine does not allow it.
#define DML_EXPECT_UNLESS_SKIPPED(run)                                                             \
    do                                                                                             \
    {                                                                                              \
        const std::string wrong = run;                                                             \
        if (wrong.compare(0, 5, "skip:") == 0)                                                     \
        {                                                                                          \
            GTEST_SKIP() << wrong;                                                                 \
        }                                                                                          \
        EXPECT_EQ(wrong, "");                                                                      \
    } while (false)

/// Run a test's body in a child.
#define DML_EXPECT_IN_CHILD(user, ...) DML_EXPECT_UNLESS_SKIPPED(RunInChild(user, __VA_ARGS__))

/// Run a test's body, which measures in real time, in a child.
#define DML_EXPECT_IN_TIME_IN_CHILD(user, ...)                                                     \
    DML_EXPECT_UNLESS_SKIPPED(RunInTimeInChild(user, __VA_ARGS__))

#endif /* DML_NAMESPACE_CHILD_H */

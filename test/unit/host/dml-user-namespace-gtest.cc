/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-namespace-child.h"

#include "ns3/dml-error.h"
#include "ns3/dml-network-namespace.h"

#include <fstream>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <string>
#include <sys/syscall.h>

using namespace ns3::dml;

namespace
{

/// @return the network namespace that this thread is in, such as "net:[4026531840]"
std::string
ReadNetwork()
{
    char text[100] = {};
    const ssize_t length = readlink("/proc/thread-self/ns/net", text, sizeof text - 1);
    return length > 0 ? text : "";
}

/// As root, and as a user without any rights.
class UserNamespaceTest : public testing::TestWithParam<ChildUser>
{
};

} // namespace

// What it may do afterwards is what it is for: make networks, visit them, and come back.
TEST_P(UserNamespaceTest, GivesTheRightToMakeNetworks)
{
    DML_EXPECT_IN_CHILD(GetParam(), [] {
        const std::string own = ReadNetwork();
        const NetworkNamespace first;
        const NetworkNamespace second;
        if (ReadNetwork() != own)
        {
            return std::string("making a network has moved the thread");
        }
        std::string inFirst;
        std::string inSecond;
        {
            const NetworkVisit visit(first);
            inFirst = ReadNetwork();
            const NetworkVisit inner(second);
            inSecond = ReadNetwork();
        }
        if (ReadNetwork() != own)
        {
            return std::string("the thread has not come back");
        }
        return std::string(inFirst == own || inSecond == own || inFirst == inSecond
                               ? "two networks are the same"
                               : "");
    });
}

INSTANTIATE_TEST_SUITE_P(Users,
                         UserNamespaceTest,
                         testing::Values(ChildUser::ROOT, ChildUser::NOBODY),
                         [](const auto& info) {
                             return info.param == ChildUser::ROOT ? "root" : "nobody";
                         });

// A user namespace whose root lets nobody make another one, and a process in it without rights.
TEST(UserNamespaceErrorTest, SaysWhatForbidsIt)
{
    DML_EXPECT_IN_CHILD(ChildUser::NOBODY, [] {
        std::ofstream("/proc/sys/user/max_user_namespaces") << "0" << std::flush;
        __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
        __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
        if (syscall(SYS_capset, &header, none) != 0)
        {
            return std::string("cannot give up rights");
        }
        try
        {
            EnterUserNamespace();
        }
        catch (const RunError& error)
        {
            const std::string wanted =
                "the host engine needs network namespaces, which this system does not give to "
                "this user (unshare(CLONE_NEWUSER): No space left on device); "
                "user.max_user_namespaces = 0 forbids them: run dml as root, or once \"sysctl -w "
                "user.max_user_namespaces=10000\" as root";
            return error.what() == wanted ? std::string() : std::string(error.what());
        }
        return std::string("no error");
    });
}

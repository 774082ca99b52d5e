/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How the program ends where it is not by returning from main().

#include "ns3/dml-command.h"

#include <cerrno>
#include <csignal>
#include <gtest/gtest.h>

using namespace ns3::dml;

#if !defined(__SANITIZE_ADDRESS__) // which reports wrong addresses itself

namespace
{

/// Run a command that needs no files, then write to the null pointer. @param error errno then
void
WriteToNull(int error)
{
    char name[] = "dml";
    char option[] = "--version";
    char* arguments[] = {name, option, nullptr};
    RunCommand(2, arguments, "");
    volatile int* volatile address = nullptr;
    errno = error;
    *address = 1;
}

} // namespace

// As the constructor of ns3::Object does where malloc() gives nothing.
TEST(CommandEnds, LibrariesThatDoNotCheckMalloc)
{
    EXPECT_EXIT(WriteToNull(ENOMEM), testing::ExitedWithCode(1), "dml: there is not enough memory");
}

TEST(CommandEnds, AnyOtherWrongAddressIsASignal)
{
    EXPECT_EXIT(WriteToNull(0), testing::KilledBySignal(SIGSEGV), "");
}

#endif

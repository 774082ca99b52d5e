/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-failure.h"
#include "ns3/dml-repeatable-error.h"

#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <ios>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace fs = std::filesystem;

#ifdef __SANITIZE_ADDRESS__
/// A test runs out of memory, which AddressSanitizer would report instead of letting malloc() fail.
extern "C" const char*
__asan_default_options()
{
    return "allocator_may_return_null=1";
}
#endif

using namespace ns3::dml;

namespace
{

Failure
FailureOf(const std::function<void()>& action)
{
    try
    {
        action();
    }
    catch (...)
    {
        return DescribeException();
    }
    return {0, false, "no exception"};
}

void
Expect(const Failure& failure, int code, bool again, const std::string& text)
{
    EXPECT_EQ(failure.code, code) << failure.text;
    EXPECT_EQ(failure.again, again) << failure.text;
    EXPECT_EQ(failure.text, text);
}

TEST(DmlFailure, ErrorsOfDmlStayAsTheyAre)
{
    Expect(FailureOf([] { throw InputError("a: found b"); }), 2, true, "a: found b");
    Expect(FailureOf([] { throw RunError("disk full"); }), 1, false, "disk full");
    Expect(FailureOf([] { throw RepeatableError("stalled"); }), 1, true, "stalled");
}

TEST(DmlFailure, PathsThatTheSystemRefuses)
{
    // names of files have 255 bytes at most
    const std::string name(300, 'x');
    Expect(FailureOf([&] { (void)fs::is_directory(name); }),
           2,
           false,
           std::string(200, 'x') + "...: cannot be used: File name too long; accepted: a path that "
                                   "can be read, and written for results");
    const auto full = std::make_error_code(std::errc::no_space_on_device);
    Expect(FailureOf([&] { throw fs::filesystem_error("cannot copy file", "a/b", full); }),
           1,
           false,
           "a/b: cannot be used: No space left on device");
}

TEST(DmlFailure, MemoryAndSystem)
{
    const Failure memory = FailureOf([] {
        // no machine has so much
        std::vector<char>().reserve(std::numeric_limits<std::ptrdiff_t>::max() / 2);
    });
    EXPECT_EQ(memory.code, 1);
    EXPECT_EQ(memory.text.find("there is not enough memory; accepted: "), 0u) << memory.text;
    const auto tooMany = std::make_error_code(std::errc::too_many_files_open);
    Expect(FailureOf([&] { throw std::system_error(tooMany, "thread"); }),
           1,
           false,
           "the system refuses something: thread: Too many open files");
}

TEST(DmlFailure, WhatNobodyExpects)
{
    const Failure json = FailureOf([] { (void)nlohmann::json("text").get<int>(); });
    EXPECT_EQ(json.code, 1);
    EXPECT_FALSE(json.again);
    EXPECT_EQ(json.text.find("an error that dml does not expect here, which is a mistake in dml; "
                             "please report it with the command and its files: nlohmann::"),
              0u)
        << json.text;
    EXPECT_NE(json.text.find("type must be number"), std::string::npos) << json.text;
    EXPECT_EQ(FailureOf([] { throw 7; }).text.find("an error of unknown kind"), 0u);
}

} // namespace

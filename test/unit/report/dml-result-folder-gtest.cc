/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-checksum.h"
#include "ns3/dml-result-folder.h"

#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

using namespace ns3::dml;

TEST(DmlFolderName, IsAnotherOneForEveryName)
{
    EXPECT_EQ(MakeFolderName("alexnet-1gbps"), "alexnet-1gbps");
    EXPECT_EQ(MakeFolderName("_x.1"), "_x.1");
    // FNV-1a of "a" is af63dc4c8601ec8c, of "" cbf29ce484222325
    EXPECT_EQ(MakeFolderName(""), "unnamed+cbf29ce4");
    EXPECT_EQ(MakeFolderName("-x"), "x+" + MakeChecksum("-x").substr(0, 8));
    std::set<std::string> names;
    const std::vector<std::string> texts{"x",
                                         "~/x",
                                         "-x",
                                         "--x",
                                         ".x",
                                         "x ",
                                         "x-",
                                         "x/",
                                         "\x1b",
                                         "/",
                                         "..",
                                         "",
                                         "\n",
                                         "x\n",
                                         std::string(100, 'x'),
                                         std::string(101, 'x')};
    for (const auto& text : texts)
    {
        const std::string name = MakeFolderName(text);
        EXPECT_TRUE(names.insert(name).second) << name;
        EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789+-"),
                  std::string::npos)
            << name;
        EXPECT_NE(name.front(), '-');
    }
}

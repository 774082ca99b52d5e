/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-study-identity.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

using namespace ns3::dml;
using Json = nlohmann::ordered_json;

namespace
{

StudyIdentity
Ask(const Json& value, const std::string& name = "a")
{
    StudyIdentity question;
    question.Add(name, value);
    question.Add("--engine", "both");
    return question;
}

const Json WAS = Json::parse(R"({"b": 1, "c": [1, 2], "d": [{"e": 1}]})");

} // namespace

TEST(DmlStudyIdentity, NamesTheFirstDifferenceAndCountsTheRest)
{
    const std::pair<const char*, const char*> differences[] = {
        {R"({"b": 1, "c": [1, 2], "d": [{"e": 1}]})", ""},
        {R"({"b": 1, "c": [1, 3], "d": [{"e": 1}]})", "a.c is [1,3] and was [1,2]"},
        {R"({"b": 7, "c": [1, 3], "d": [{"e": 1}]})", "a.b is 7 and was 1, and 1 more difference"},
        {R"({"b": 7, "c": [1, 3], "d": [{"e": 2}]})", "a.b is 7 and was 1, and 2 more differences"},
        {R"({"b": 1, "c": [1, 2], "d": [{"e": 2}]})", "a.d[0].e is 2 and was 1"},
        {R"({"c": [1, 2], "d": [{"e": 1}]})", "a.b is not given and was 1"},
    };
    for (const auto& [is, difference] : differences)
    {
        EXPECT_EQ(Ask(Json::parse(is)).DescribeDifference(Ask(WAS).GetText()), difference) << is;
    }
    Json is = WAS;
    is.erase("b");
    EXPECT_EQ(Ask(WAS).DescribeDifference(Ask(is).GetText()), "a.b is 1 and was not given");
    // of a long value only the beginning; of other variants only their names
    is["b"] = std::string(1000, 'x');
    EXPECT_LT(Ask(is).DescribeDifference(Ask(WAS).GetText()).size(), 100U);
    EXPECT_EQ(Ask(WAS, "f=1").DescribeDifference(Ask(WAS, "f=2").GetText()),
              "the variant f=1 is new, and 1 more difference");
    EXPECT_EQ(Ask(WAS).DescribeDifference("{\n\"a\": {"), "its study.json is damaged");
}

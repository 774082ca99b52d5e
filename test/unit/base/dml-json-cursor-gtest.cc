/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-error.h"
#include "ns3/dml-json-cursor.h"

#include <functional>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

using namespace ns3::dml;

namespace
{

JsonCursor
Parse(const std::string& text)
{
    std::istringstream input(text);
    return JsonCursor::Parse(input, "f.json");
}

/// @return the message of the InputError that @p action throws, or "no error"
std::string
MessageOf(const std::function<void()>& action)
{
    try
    {
        action();
    }
    catch (const InputError& error)
    {
        return error.what();
    }
    return "no error";
}

// The value 7 is at line 4, column 11 (counted by hand); the strings before it hold every character
// that could lead a scanner astray.
const char* const TRICKY = R"({
  "a]": "}, \" \\",
  "e": [ {}, [], [[1, {"x": "]"}]], -2.5e3, true ,null],
  "b\"c": 7,
  "list": [10 , {"deep": [ 1, "two" ]}]
})";

TEST(DmlJsonCursor, FindsThePositionOfAnyValue)
{
    const JsonCursor root = Parse(TRICKY);
    EXPECT_EQ(MessageOf([&] { root.Get("b\"c").Fail("no"); }), "f.json:4:11: /b\"c: no");
    EXPECT_EQ(MessageOf([&] { root.Get("a]").Fail("no"); }), "f.json:2:9: /a]: no");
    EXPECT_EQ(MessageOf([&] { root.Get("e").GetItems()[5].Fail("no"); }), "f.json:3:51: /e/5: no");
    const JsonCursor deep = root.Get("list").GetItems()[1].Get("deep").GetItems()[1];
    EXPECT_EQ(deep.GetString(), "two");
    EXPECT_EQ(MessageOf([&] { deep.Fail("no"); }), "f.json:5:31: /list/1/deep/1: no");
    EXPECT_EQ(MessageOf([&] { root.Fail("no"); }), "f.json:1:1: /: no");
}

TEST(DmlJsonCursor, RefusesWrongTypes)
{
    const JsonCursor root = Parse(R"({"s": "x", "n": -1, "d": 1.5, "o": {}, "z": null})");
    EXPECT_EQ(MessageOf([&] { root.Get("s").GetNumber(); }),
              "f.json:1:7: /s: found \"x\"; accepted is a number");
    EXPECT_EQ(MessageOf([&] { root.Get("n").GetUnsigned(0, 9); }),
              "f.json:1:17: /n: found -1; accepted is a whole number from 0 to 9");
    EXPECT_EQ(MessageOf([&] { root.Get("d").GetUnsigned(0, 9); }),
              "f.json:1:26: /d: found 1.5; accepted is a whole number from 0 to 9");
    EXPECT_EQ(MessageOf([&] { root.Get("o").GetItems(); }),
              "f.json:1:36: /o: found an object; accepted is a list");
    EXPECT_EQ(MessageOf([&] { root.Get("z").GetText(); }),
              "f.json:1:45: /z: found null; accepted is a string or a number");
    EXPECT_EQ(MessageOf([&] { root.Get("o").Get("x"); }),
              "f.json:1:36: /o: the key 'x' is missing");
    EXPECT_EQ(root.Get("d").GetText(), "1.5");
    EXPECT_FALSE(root.Has("x"));
    EXPECT_FALSE(root.Get("s").Has("x"));
}

TEST(DmlJsonCursor, LocatesTextThatIsNoJson)
{
    // NaN is what Python's json module writes; the third character of the word is the one refused
    const std::string nan = MessageOf([] { Parse("{\n\"a\": [1, NaN]}"); });
    EXPECT_EQ(nan.find("f.json:2:10: not valid JSON: "), 0U) << nan;
    const std::string cut = MessageOf([] { Parse("{\n\"a\": [1, 2"); });
    EXPECT_EQ(cut.find("f.json:2:11: not valid JSON: "), 0U) << cut;
    EXPECT_NE(cut.find("is the file complete?"), std::string::npos) << cut;
    const std::string huge = MessageOf([] { Parse("[1,\n 2, 1e999]"); });
    EXPECT_EQ(huge.find("f.json:2:5: not valid JSON: "), 0U) << huge;
    const std::string empty = MessageOf([] { Parse(""); });
    EXPECT_EQ(empty.find("f.json:1:1: not valid JSON: "), 0U) << empty;
}

TEST(DmlJsonCursor, RefusesDeepNesting)
{
    const auto nest = [](std::size_t levels) {
        return std::string(levels, '[') + std::string(levels, ']');
    };
    EXPECT_EQ(MessageOf([&] { Parse(nest(64)); }), "no error");
    // with the map around them it is the second line's last bracket, after four characters
    EXPECT_EQ(MessageOf([&] { Parse("{\n\"[\":" + nest(64) + "}"); }),
              "f.json:2:68: found more than 64 levels; accepted are fewer");
    EXPECT_EQ(MessageOf([&] { Parse(nest(200000)); }),
              "f.json:1:65: found more than 64 levels; accepted are fewer");
    // brackets in text are none
    EXPECT_EQ(MessageOf([&] { Parse("[\"\\\"" + std::string(100, '[') + "\"]"); }), "no error");
}

} // namespace

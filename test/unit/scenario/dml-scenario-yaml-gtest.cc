/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scratch-folder.h"

#include "ns3/dml-suggestion.h"
#include "ns3/dml-yaml-field.h"
#include "ns3/dml-yaml-parser.h"
#include "ns3/dml-yaml-path.h"
#include "ns3/dml-yaml-text.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

/// Text of the error that parsing gives, or "no error".
std::string
ParseError(const std::string& text)
{
    return ScratchFolder().ErrorOf([&] {
        CheckText(text, "f");
        ParseYaml(text, "f");
    });
}

/// What a getter of a key of a document says.
template <typename Getter>
std::string
FieldError(const std::string& text, const std::string& key, Getter getter)
{
    return ScratchFolder().ErrorOf([&] { getter(YamlField(ParseYaml(text, "f")).Get(key)); });
}

std::string
Repeat(const std::string& text, int times)
{
    std::string result;
    for (int i = 0; i < times; ++i)
    {
        result += text;
    }
    return result;
}

TEST(YamlParser, MarksAreOneBasedAndPointAtValues)
{
    const auto root = ParseYaml("a: 1\nb:\n  - x\n  - {c: 2}\nd:\n", "f");
    std::map<std::string, std::string> locations;
    CollectLocations(*root, "", locations);
    const std::map<std::string, std::string> expected{{"", "f:1:1"},
                                                      {"a", "f:1:4"},
                                                      {"b", "f:3:3"},
                                                      {"b[0]", "f:3:5"},
                                                      {"b[1]", "f:4:5"},
                                                      {"b[1].c", "f:4:9"},
                                                      // no value: the key's place
                                                      {"d", "f:5:1"}};
    EXPECT_EQ(locations, expected);
}

TEST(YamlParser, DuplicateKey)
{
    EXPECT_EQ(ParseError("a:\n  steps: 1\n  warmup: 2\n  steps: 3\n"),
              "f:4:3: a.steps: found the key a second time; accepted: each key once (first given "
              "in line 2)");
    EXPECT_EQ(ParseError("a: [{x: 1}, {x: 1, x: 2}]\n"),
              "f:1:20: a[1].x: found the key a second time; accepted: each key once (first given "
              "in line 1)");
}

TEST(YamlParser, SyntaxErrors)
{
    EXPECT_EQ(ParseError("a: [1, 2\n"),
              "f:1:4: found a '[' that nothing closes; accepted: a list or map with ']' at its "
              "end");
    EXPECT_EQ(ParseError("a: b\n c: d\n"),
              "f:2:2: found a key that is indented deeper than that of the line before, 'a', which "
              "has a value; accepted: the same indentation");
    EXPECT_EQ(ParseError("a: {b: c: d}\n"),
              "f:1:9: found invalid YAML (end of map flow not found); accepted: YAML 1.2");
    EXPECT_EQ(ParseError("a: *nowhere\n"),
              "f:1:4: found invalid YAML (the referenced anchor is not defined); accepted: YAML "
              "1.2");
    EXPECT_EQ(ParseError("a:\n\t- 1\n").substr(0, 23), "f:2:2: found invalid YA");
}

TEST(YamlParser, WhatYamlAllowsAndWeDoNot)
{
    EXPECT_EQ(ParseError("a: 1\n---\nb: 2\n"),
              "f:2:1: found a second YAML document; accepted: one per file");
    EXPECT_EQ(ParseError("a: !foo 1\n"),
              "f:1:4: a: found the tag '!foo'; accepted: YAML without tags");
    EXPECT_EQ(ParseError("? [1, 2]\n: 3\n"), "f:1:3: found a list of 2 as a key; accepted: text");
}

TEST(YamlParser, NothingIsAnEmptyNode)
{
    for (const char* text : {"", "\n\n", "# a comment\n", "---\n", "~\n"})
    {
        const auto root = ParseYaml(text, "f");
        EXPECT_EQ(root->kind, YamlNode::Kind::EMPTY) << text;
    }
}

TEST(YamlParser, AliasesShareNodes)
{
    const auto root = ParseYaml("a: &x [1, 2]\nb: *x\n", "f");
    EXPECT_EQ(root->Find("a")->value, root->Find("b")->value);
}

TEST(YamlParser, AliasThatContainsItself)
{
    EXPECT_EQ(ParseError("a: &x [1, *x]\n"),
              "f:1:11: a[1]: found an alias of a node that contains it; accepted: no cycles");
    EXPECT_EQ(ParseError("a: &x\n  b: {c: *x}\n"),
              "f:2:10: a.b.c: found an alias of a node that contains it; accepted: no cycles");
}

TEST(YamlParser, AliasBomb)
{
    // nine levels of ten aliases each: 10^10 nodes, were they copied
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 10; ++i)
    {
        const std::string level = std::to_string(i);
        const std::string alias = "*a" + std::to_string(i - 1);
        bomb += "a" + level + ": &a" + level + " [" + alias + Repeat(", " + alias, 9) + "]\n";
    }
    // a0 is 11 nodes, a1 111, ..., a4 111111. Aliases up to a4 add 110 + 1110 + 11110 + 111110 =
    // 123440 nodes; with 8 aliases of a4 it is 1012328.
    EXPECT_EQ(
        ParseError(bomb),
        "f:6:45: a5[7]: found aliases that unfold to more than 1000000 nodes; accepted: fewer");
}

TEST(YamlParser, DeepNesting)
{
    for (const char* open : {"[", "{a: ", "- ", "? ", "a: [", "\"a\": {"})
    {
        const std::string error = ParseError(Repeat(open, 100000));
        EXPECT_EQ(error.substr(0, 2), "f:") << open << ": " << error;
    }
}

TEST(YamlParser, SixtyFourLevelsAreEnough)
{
    const std::string refused = "found lists and maps in each other, more than 64 levels deep; "
                                "accepted: fewer";
    EXPECT_EQ(ParseError(Repeat("[", 64) + Repeat("]", 64)), "no error");
    EXPECT_EQ(ParseError(Repeat("[", 65) + Repeat("]", 65)), "f:1:65: " + refused);
    EXPECT_EQ(ParseError(Repeat("{a: ", 65) + Repeat("}", 65)), "f:1:257: " + refused);
    // a0 is one level, a1 two, and so on; with the map around all it is one more
    std::string chain = "a0: &a0 [x]\n";
    for (int i = 1; i < 64; ++i)
    {
        const std::string number = std::to_string(i);
        chain += "a" + number + ": &a" + number + " [*a" + std::to_string(i - 1) + "]\n";
        EXPECT_EQ(ParseError(chain), i < 63 ? "no error" : "f:64:12: " + refused) << number;
    }
}

TEST(YamlText, BytesThatAreNoText)
{
    EXPECT_EQ(ParseError(std::string("a: 1\nb: \0x\n", 11)),
              "f:2:4: found byte 0x00; accepted: UTF-8 text without control characters");
    // yaml-cpp would take byte 4 for the end of the file
    EXPECT_EQ(ParseError("a: 1\n\x04garbage: [\n"),
              "f:2:1: found byte 0x04; accepted: UTF-8 text without control characters");
    EXPECT_EQ(ParseError("\xFF\xFE"),
              "f:1:1: found byte 0xFF; accepted: UTF-8 text without control characters");
    EXPECT_EQ(ParseError("a: caf\xE9\n"), // Latin 1
              "f:1:7: found byte 0xE9; accepted: UTF-8 text without control characters");
    EXPECT_EQ(ParseError("a: \xC0\xAF"), // overlong
              "f:1:4: found byte 0xC0; accepted: UTF-8 text without control characters");
    EXPECT_EQ(ParseError("a: \xED\xA0\x80"), // surrogate
              "f:1:4: found byte 0xED; accepted: UTF-8 text without control characters");
    EXPECT_EQ(ParseError("\na: \xE2\x82"), // cut
              "f:2:4: found byte 0xE2; accepted: UTF-8 text without control characters");
    EXPECT_EQ(ParseError("a: caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\r\n"), "no error");
}

TEST(YamlText, Files)
{
    const ScratchFolder folder;
    EXPECT_EQ(folder.ErrorOf([&] { ReadTextFile(folder.GetPath("none.yaml"), "a scenario"); }),
              "none.yaml: found no such file; accepted: a scenario");
    folder.Write("sub/x.yaml", "");
    EXPECT_EQ(folder.ErrorOf([&] { ReadTextFile(folder.GetPath("sub"), "a scenario"); }),
              "sub: found a folder; accepted: a scenario");
    EXPECT_EQ(folder.ErrorOf([] { ReadTextFile("", "a scenario"); }),
              "found an empty file name; accepted: the path of a scenario");
    EXPECT_EQ(folder.ErrorOf([] { ReadTextFile("/dev/zero", "a scenario"); }),
              "/dev/zero: cannot be read: is a device; accepted: a scenario");
    folder.Write("zeros", std::string(1000000, '\0'));
    EXPECT_EQ(folder.ErrorOf([&] { ReadTextFile(folder.GetPath("zeros"), "a scenario"); }),
              "zeros:1:1: found byte 0x00; accepted: UTF-8 text without control characters");
}

TEST(YamlField, WrongShapes)
{
    const auto integer = [](const YamlField& f) { f.GetInteger(1, 9); };
    EXPECT_EQ(FieldError("a: 10\n", "a", integer),
              "f:1:4: a: found \"10\"; accepted: an integer from 1 to 9");
    EXPECT_EQ(FieldError("a: {x: 1}\n", "a", integer),
              "f:1:4: a: found a map; accepted: an integer from 1 to 9");
    EXPECT_EQ(FieldError("a: {}\n", "a", integer),
              "f:1:4: a: found an empty map; accepted: an integer from 1 to 9");
    EXPECT_EQ(FieldError("a: []\n", "a", integer),
              "f:1:4: a: found an empty list; accepted: an integer from 1 to 9");
    EXPECT_EQ(FieldError("b: 1\na:\n", "a", integer),
              "f:2:1: a: found nothing; accepted: an integer from 1 to 9");
    EXPECT_EQ(FieldError("b: 1\n", "a", integer),
              "f:1:1: a: found nothing; accepted: an integer from 1 to 9");
    EXPECT_EQ(FieldError("a: 5\n", "a", [](const YamlField& f) { f.GetItems("a list"); }),
              "f:1:4: a: found \"5\"; accepted: a list");
    EXPECT_EQ(FieldError("a: [5]\n", "a", [](const YamlField& f) { f.GetEntries("a map"); }),
              "f:1:4: a: found a list of 1; accepted: a map");
    EXPECT_EQ(FieldError("a: ''\n", "a", [](const YamlField& f) { f.GetString("a name"); }),
              "f:1:4: a: found \"\"; accepted: a name");
}

TEST(YamlField, WrongValues)
{
    EXPECT_EQ(FieldError("a: yes\n", "a", [](const YamlField& f) { f.GetBool(); }),
              "f:1:4: a: found \"yes\"; accepted: true, false");
    EXPECT_EQ(FieldError("a: fife\n",
                         "a",
                         [](const YamlField& f) {
                             f.GetChoice({"x", "fifo"});
                         }),
              "f:1:4: a: found \"fife\"; did you mean 'fifo'? accepted: x, fifo");
    EXPECT_EQ(FieldError("a: -1\n", "a", [](const YamlField& f) { f.GetNumber(10, "seconds"); }),
              "f:1:4: a: found \"-1\"; accepted: a number of seconds from 0 to 10");
    EXPECT_EQ(FieldError("a: 28 megs\n", "a", [](const YamlField& f) { f.GetSize(1, 100); }),
              "f:1:4: a: found \"28 megs\"; accepted: a size from 1 to 100 bytes: an integer, or a "
              "number with a unit (B, KB, MB, GB, KiB, MiB, GiB), such as 28MB");
    EXPECT_EQ(FieldError("a: 10\n", "a", [](const YamlField& f) { f.GetTime(ns3::Time(0)); }),
              "f:1:4: a: found \"10\"; accepted: a time with a unit (ns, us, ms, s, min, h), such "
              "as 10us, from 0us to 1000000s in whole nanoseconds");
    EXPECT_EQ(FieldError("a: -1s\n", "a", [](const YamlField& f) { f.GetTime(ns3::Time(0)); })
                  .substr(0, 26),
              "f:1:4: a: found \"-1s\"; acc");
    EXPECT_EQ(FieldError("a: -1s\n", "a", [](const YamlField& f) { f.GetTime(ns3::Seconds(-2)); }),
              "no error");
}

TEST(YamlField, TextOfTheUserIsMadePrintable)
{
    const auto integer = [](const YamlField& f) { f.GetInteger(1, 9); };
    EXPECT_EQ(FieldError("a: \"x\\ty\\e[1m\"\n", "a", integer),
              "f:1:4: a: found \"x y [1m\"; accepted: an integer from 1 to 9");
    const std::string error = FieldError("a: " + std::string(1000, 'x'), "a", integer);
    EXPECT_EQ(error,
              "f:1:4: a: found \"" + std::string(200, 'x') +
                  "...\"; accepted: an integer from 1 to 9");
}

TEST(YamlField, UnknownKeys)
{
    const auto check = [](const std::string& text) {
        return ScratchFolder().ErrorOf([&] {
            YamlField(ParseYaml(text, "f")).CheckKeys({"replications", "seed"}, {"job.steps"});
        });
    };
    EXPECT_EQ(check("seed: 1\nreplicatons: 2\n"),
              "f:2:1: replicatons: unknown key 'replicatons'; did you mean 'replications'? "
              "accepted: replications, seed");
    EXPECT_EQ(
        check("nothing-like-it: 2\n"),
        "f:1:1: nothing-like-it: unknown key 'nothing-like-it'; accepted: replications, seed");
    EXPECT_EQ(check("steps: 2\n"),
              "f:1:1: steps: unknown key 'steps'; did you mean 'job.steps'? accepted: "
              "replications, seed");
    EXPECT_EQ(check("text\n"),
              "f:1:1: found \"text\"; accepted: a map with the keys replications, seed");
}

TEST(Suggestion, NearestWord)
{
    const std::vector<std::string> words{"rate", "delay", "mtu", "queue"};
    EXPECT_EQ(Suggest("rat", words), "rate");
    EXPECT_EQ(Suggest("Rate", words), "rate");
    EXPECT_EQ(Suggest("dealy", words), "delay"); // swapped letters
    EXPECT_EQ(Suggest("queu", words), "queue");
    EXPECT_EQ(Suggest("bandwidth", words), "");
    // part of a name beats a letter less or more, unless that is another name's typing error
    EXPECT_EQ(Suggest("reno", {"cubic", "linux-reno", "new-reno", "veno"}), "linux-reno");
    EXPECT_EQ(Suggest("rto", {"min_rto", "rate"}), "min_rto");
    EXPECT_EQ(Suggest("eno", {"linux-reno"}), "");
    EXPECT_EQ(Suggest("", words), "");
    EXPECT_EQ(Suggest(std::string(100000, 'q'), words), "");
}

TEST(YamlPath, SetsWithoutChangingTheOriginal)
{
    const auto root = ParseYaml("a: {b: 1, c: [1, [2, 3]]}\n", "f");
    const YamlMark mark{std::make_shared<const std::string>("--set"), 0, 0};
    const auto value = ParseYamlOption("9", "--set");
    const auto set = [&](const std::string& path) {
        return FlowYaml(*YamlPath(path, mark, {"a.t"}).Set(root, value));
    };
    EXPECT_EQ(set("a.b"), "{a: {b: 9, c: [1, [2, 3]]}}");
    EXPECT_EQ(set("a.c[0]"), "{a: {b: 1, c: [9, [2, 3]]}}");
    EXPECT_EQ(set("a.c[1][1]"), "{a: {b: 1, c: [1, [2, 9]]}}");
    EXPECT_EQ(set("a.d.e"), "{a: {b: 1, c: [1, [2, 3]], d: {e: 9}}}");
    EXPECT_EQ(set("a.t.x.y[0]"), "{a: {b: 1, c: [1, [2, 3]], t: {x.y[0]: 9}}}");
    EXPECT_EQ(set("a"), "{a: 9}");
    EXPECT_EQ(FlowYaml(*root), "{a: {b: 1, c: [1, [2, 3]]}}");
}

// 25,000 levels once overflowed the stack.
TEST(YamlPath, SixtyFourLevelsAreEnough)
{
    const auto root = ParseYaml("{}", "f");
    const YamlMark mark{std::make_shared<const std::string>("--set"), 0, 0};
    const auto error = [&](const std::string& path) {
        return ScratchFolder().ErrorOf(
            [&] { YamlPath(path, mark, {}).Set(root, ParseYamlOption("9", "--set")); });
    };
    const std::string refused = "--set: found a key path of more than 64 levels: \"";
    EXPECT_EQ(error("a" + Repeat(".a", 63)), "no error");
    EXPECT_EQ(error("a" + Repeat(".a", 64)),
              refused + "a" + Repeat(".a", 64) + "\"; accepted: fewer");
    EXPECT_EQ(error("a" + Repeat("[0]", 64)),
              refused + "a" + Repeat("[0]", 64) + "\"; accepted: fewer");
    EXPECT_EQ(error("a" + Repeat(".a", 25000)).find(refused), 0u);
}

TEST(YamlPath, PathsThatLeadNowhere)
{
    const auto root = ParseYaml("a: {b: 1, c: [1, 2]}\n", "f");
    const YamlMark mark{std::make_shared<const std::string>("--set"), 0, 0};
    const auto error = [&](const std::string& path) {
        return ScratchFolder().ErrorOf(
            [&] { YamlPath(path, mark, {}).Set(root, ParseYamlOption("9", "--set")); });
    };
    const std::string syntax = "; accepted: a key path such as network.rate or job.workers[0]";
    for (const std::string path :
         {"", ".", "a.", ".a", "a..b", "a[", "a[]", "a[x]", "a[-1]", "a[0]b", "[0]", "a b", "a]"})
    {
        EXPECT_EQ(error(path), "--set: found \"" + path + "\"" + syntax);
    }
    EXPECT_EQ(error("a.c[2]"), "--set: a.c: found a list of 2; accepted: an index less than 2");
    EXPECT_EQ(error("a.b.x"), "--set: a.b: found \"1\"; accepted: a map, to change its key 'x'");
    EXPECT_EQ(error("a.b[0]"), "--set: a.b: found \"1\"; accepted: a list, to change item 0");
    EXPECT_EQ(error("a.c.x"),
              "--set: a.c: found a list of 2; accepted: a map, to change its key 'x'");
}

} // namespace

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The line where YAML is wrong, which is often not the one where a parser gives up.

#include "dml-scratch-folder.h"

#include "ns3/dml-yaml-field.h"
#include "ns3/dml-yaml-mistake.h"
#include "ns3/dml-yaml-parser.h"

#include <gtest/gtest.h>
#include <ostream>
#include <string>

using namespace ns3::dml;

namespace
{

/// A document, and the error that must come.
struct WrongYaml
{
    std::string text;  //!< the document
    std::string error; //!< the whole message
};

void
PrintTo(const WrongYaml& wrong, std::ostream* out)
{
    *out << wrong.text;
}

class YamlMistakes : public testing::TestWithParam<WrongYaml>
{
};

TEST_P(YamlMistakes, NameTheirLine)
{
    const std::string error = ScratchFolder().ErrorOf([&] {
        const YamlField root(ParseYaml(GetParam().text, "f"));
        root.CheckKeys({"job", "seed"});
        root.Get("job").CheckKeys({"steps", "warmup", "workers", "profile"});
    });
    EXPECT_EQ(error, GetParam().error);
}

const std::string SPACE = " without a space behind the colon; did you mean ";
const std::string COLON =
    " without a colon; accepted: key: value, or key: alone before deeper lines";
const std::string KEYS = "accepted: steps, warmup, workers, profile";

INSTANTIATE_TEST_SUITE_P(
    Documents,
    YamlMistakes,
    testing::Values(
        // the parser takes "steps:20 warmup" for one key and gives up at its colon, in line 3
        WrongYaml{"job:\n  steps:20\n  warmup: 5\n",
                  "f:2:3: found 'steps:20'" + SPACE + "'steps: 20'? accepted: key: value"},
        WrongYaml{"job:\n  steps:20  # many\n\n  # no more\n  warmup: 5\n",
                  "f:2:3: found 'steps:20'" + SPACE + "'steps: 20'? accepted: key: value"},
        WrongYaml{"job:\n  steps:20\n  warmup:5\n  workers: 2\n",
                  "f:2:3: found 'steps:20'" + SPACE + "'steps: 20'? accepted: key: value"},
        WrongYaml{"seed:1\njob:\n  steps: 20\n",
                  "f:1:1: found 'seed:1'" + SPACE + "'seed: 1'? accepted: key: value"},
        WrongYaml{"job:\n  workers\n  steps: 20\n", "f:2:3: found 'workers'" + COLON},
        WrongYaml{"job\n  steps: 20\n", "f:1:1: found 'job'" + COLON},
        WrongYaml{"job:\n  steps: 20\n    warmup: 5\n",
                  "f:3:5: found a key that is indented deeper than that of the line before, "
                  "'steps', which has a value; accepted: the same indentation"},
        WrongYaml{"job:\n  workers: [1, 2 # ]\n  steps: 20\n",
                  "f:2:12: found a '[' that nothing closes; accepted: a list or map with ']' at "
                  "its end"},
        WrongYaml{"job: {steps: 20, profile: \"{[\"\nseed: 1\n",
                  "f:1:6: found a '{' that nothing closes; accepted: a list or map with '}' at "
                  "its end"},
        // other mistakes keep the parser's words
        WrongYaml{"job: *nowhere\n",
                  "f:1:6: found invalid YAML (the referenced anchor is not defined); accepted: "
                  "YAML 1.2"},
        // valid YAML, in which the missing space makes a key or text of its own
        WrongYaml{"job:\n  workers: 2\n  steps:2000\n",
                  "f:3:3: job.steps:2000: unknown key 'steps:2000'; did you mean 'steps: 2000'? " +
                      KEYS},
        WrongYaml{"job:\n  steps:20\nseed: 1\n",
                  "f:2:3: job: found \"steps:20\"; did you mean 'steps: 20'? accepted: a map with "
                  "the keys steps, warmup, workers, profile"}));

TEST(YamlMistake, SpacesAreMissedBehindKeysOnly)
{
    EXPECT_EQ(SuggestSpace("steps:20"), "steps: 20");
    EXPECT_EQ(SuggestSpace("network.rate:1Gbps"), "network.rate: 1Gbps");
    for (const char* text : {"steps: 20", "steps:", ":20", "http://x", "a b:c", "20", ""})
    {
        EXPECT_EQ(SuggestSpace(text), "") << text;
    }
}

} // namespace

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The declaration of keys: what follows from it, and that every key of a scenario is declared in
// full.

#include "dml-scratch-folder.h"

#include "ns3/dml-key.h"
#include "ns3/dml-scenario-keys.h"
#include "ns3/dml-scenario-reader.h"
#include "ns3/dml-yaml-parser.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// What a map of four keys is read into.
struct Parcel
{
    uint64_t bytes{2000000};
    std::optional<double> weight;
    std::string carrier{"post"};
    std::string order; //!< in which keys were read
};

template <char C>
void
Note(Parcel& parcel)
{
    parcel.order += C;
}

const Keys<Parcel>&
ParcelKeys()
{
    static const Keys<Parcel> KEYS{
        Key{"bytes", &Parcel::bytes, SizeValue(1, 3000000), "how ``much``"}.Then(Note<'b'>).Turn(1),
        Key{"weight", &Parcel::weight, NumberValue(10, "kg"), "on a scale"}.Then(Note<'w'>),
        Key{"carrier", &Parcel::carrier, WordValue({"post", "pigeon"}), "who brings it"}
            .Then(Note<'c'>)
            .Turn(-1)
            .EchoBefore("bytes"),
    };
    return KEYS;
}

Parcel
ReadParcel(const std::string& text)
{
    Parcel parcel;
    ReadKeys(YamlField(ParseYaml(text, "p.yaml")), ParcelKeys(), parcel);
    return parcel;
}

/// Calls @p visit with every key at any depth, and its path.
template <typename Visitor>
void
VisitKeys(const std::vector<KeyText>& keys, const std::string& section, const Visitor& visit)
{
    for (const auto& key : keys)
    {
        const std::string path = JoinPath(section, key.name);
        visit(key, path);
        VisitKeys(key.keys, path, visit);
    }
}

} // namespace

TEST(Keys, ReadGivenOnesAndKeepOthers)
{
    const Parcel parcel = ReadParcel("{weight: 2.5, bytes: 1KB}");
    EXPECT_EQ(parcel.bytes, 1000U);
    EXPECT_EQ(parcel.weight, 2.5);
    EXPECT_EQ(parcel.carrier, "post");
    EXPECT_EQ(ReadParcel("{carrier: pigeon}").bytes, 2000000U);
}

TEST(Keys, TurnsAreKept)
{
    EXPECT_EQ(ReadParcel("{bytes: 1KB, carrier: pigeon, weight: 1}").order, "cwb");
}

TEST(Keys, EchoHasPlacesOfItsOwnAndNothingWithoutAValue)
{
    EXPECT_EQ(EchoKeys(ParcelKeys(), Parcel()).dump(), R"({"carrier":"post","bytes":2000000})");
    EXPECT_EQ(EchoKeys(ParcelKeys(), ReadParcel("{weight: 2.5}")).dump(),
              R"({"carrier":"post","bytes":2000000,"weight":2.5})");
}

TEST(Keys, DefaultsAreThoseOfTheMembers)
{
    EXPECT_EQ(ParcelKeys()[0].fallback, "2MB");
    EXPECT_EQ(ParcelKeys()[0].preset, "2MB");
    EXPECT_EQ(ParcelKeys()[1].fallback, "");
    EXPECT_TRUE(ParcelKeys()[1].preset.is_null());
    EXPECT_EQ(ParcelKeys()[2].fallback, "post");
}

TEST(Keys, SchemaOfAMap)
{
    EXPECT_EQ(
        MapSchema(Describe(ParcelKeys())).dump(),
        R"({"type":"object","properties":{)"
        R"("bytes":{"description":"how much","default":"2MB","$ref":"#/$defs/size","minimum":1,)"
        R"("maximum":3000000},)"
        R"("weight":{"description":"on a scale","type":"number","minimum":0,"maximum":10.0},)"
        R"("carrier":{"description":"who brings it","default":"post","enum":["post","pigeon"]}},)"
        R"("additionalProperties":false})");
}

TEST(Keys, OfScenariosAllHaveTextAndSchema)
{
    std::size_t count = 0;
    VisitKeys(DescribeScenario(), "", [&count](const KeyText& key, const std::string& path) {
        ++count;
        EXPECT_FALSE(key.text.empty()) << path;
        EXPECT_NE(key.text.back(), '.') << path;
        EXPECT_FALSE(key.accepted.empty()) << path;
        EXPECT_TRUE(key.schema.is_object() && !key.schema.empty()) << path;
    });
    EXPECT_GT(count, 100U);
}

/// A default that the declaration states is what a scenario without the key has.
TEST(Keys, OfScenariosHaveTheDefaultsThatTheyState)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", "");
    const std::string file = folder.Write("s.yaml", "job: {profile: p.yaml}\n");
    const auto without = ScenarioToJson(ReadScenario(file).front());
    std::size_t count = 0;
    for (const auto& section : {"",
                                "job",
                                "transfer",
                                "overhead",
                                "network",
                                "network.tcp",
                                "fair_share",
                                "packet",
                                "output"})
    {
        std::vector<KeyText> keys;
        VisitKeys(DescribeScenario(), "", [&](const KeyText& key, const std::string& path) {
            const std::string end = "." + key.name;
            if (path == section + (*section ? end : key.name) && key.applies &&
                !key.preset.is_null())
            {
                const auto given = ReadScenario(file, {path + "=" + key.fallback}).front();
                EXPECT_EQ(ScenarioToJson(given), without) << path;
                ++count;
            }
        });
    }
    EXPECT_GT(count, 50U);
}

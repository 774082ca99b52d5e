/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-change-json.h"
#include "dml-error-of.h"
#include "dml-torch-et-fixture.h"

#include "ns3/dml-error.h"
#include "ns3/dml-importers.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace ns3::dml;
using nlohmann::json;

namespace
{

class DmlTorchEtErrors : public TorchEtFixture
{
};

TEST_F(DmlTorchEtErrors, RefusesWhatDoesNotFit)
{
    struct Case
    {
        const char* file;  // et or kineto
        const char* path;  // JSON pointer
        json value;        // to put there, or REMOVED
        const char* error; // which must be in the message
    };

    const std::vector<Case> cases = {
        {"et",
         "/schema",
         "2.0.0",
         "/schema: found '2.0.0'; accepted are the schemas 1.0.x and 1.1.x"},
        {"et", "/schema", REMOVED, "/schema: "},
        {"et", "/nodes/3/id", -1, "/nodes/3/id: found -1; accepted is a whole number from 0"},
        {"et", "/nodes/3/id", 1153, "linear.et.json: found two nodes with the id 1153"},
        {"et", "/nodes/3/rf_id", 1e300, "/nodes/3/rf_id: "},
        {"et", "/nodes/3/name", REMOVED, "/nodes/3/name: "},
        {"et", "/nodes/3/seq_id", -2, "/nodes/3/seq_id: found -2; accepted is a whole number"},
        {"et", "/nodes/3/scope", REMOVED, "/nodes/3/scope: "},
        {"et", "/nodes/0/inputs", 3, "/nodes/0/inputs: found 3; accepted is a list"},
        {"et",
         "/nodes/0/input_types",
         json::array(),
         "/nodes/0/input_types: found []; accepted is one"},
        {"et",
         "/nodes/0/inputs/0",
         "x",
         "accepted are tensors [id, storage, offset, elements, bytes"},
        {"et",
         "/nodes/0/inputs/0/3",
         -4,
         "accepted are tensors [id, storage, offset, elements, bytes"},
        {"et", "/nodes/0/inputs/0/3", int64_t{1} << 60, "accepted are tensors"},
        {"et", "/nodes/0/inputs/0/4", UINT64_MAX, "of at most 1 TiB"},
        {"et", "/nodes", json::array(), "linear.et.json: found neither 'nodes' nor 'traceEvents'"},
        {"kineto", "/traceEvents", json::array(), "linear.kineto.json: found neither 'nodes' nor"},
    };
    for (const auto& [file, path, value, error] : cases)
    {
        const json et = m_et;
        const json kineto = m_kineto;
        json& changed = std::string(file) == "et" ? m_et : m_kineto;
        ChangeJson(changed, path, value);
        const std::string message = ErrorOf();
        EXPECT_NE(message.find(error), std::string::npos) << message << "\n  lacks\n" << error;
        EXPECT_EQ(message.find("linear."), 0U) << message;
        m_et = et;
        m_kineto = kineto;
    }
}

// One record of many that cannot be right is left out, with the reason.
TEST_F(DmlTorchEtErrors, TellsOfRecordsThatAreLeftOut)
{
    struct Case
    {
        const char* key;    // of event 5
        json value;         // to put there, or REMOVED
        const char* reason; // which must be in a warning
    };

    const std::vector<Case> cases = {
        {"ts", "x", "1 record is left out, as a value in it cannot be right"},
        {"ts", "x", "/traceEvents/5/ts: found 'x'; accepted is a number"},
        {"ts", REMOVED, "/traceEvents/5/ts: "},
        {"ts", 8e15, "/traceEvents/5/ts: "},
        {"ts", 2e12, "/traceEvents/5/ts: "},
        {"dur", -1, "1 record is left out, as the profiler did not see the end"},
        {"dur", -1, "with a duration of -1 us"},
        {"dur", 2e12, "with a duration of 2000000000000"},
        {"dur", REMOVED, "/traceEvents/5/dur: "},
        {"args/External id", "x", "/traceEvents/5/args/External id: "},
    };
    for (const auto& [key, value, reason] : cases)
    {
        const json kineto = m_kineto;
        ChangeJson(m_kineto, std::string("/traceEvents/5/") + key, value);
        std::string told;
        for (const std::string& warning : Import().warnings)
        {
            told += warning + "\n";
        }
        EXPECT_NE(told.find(reason), std::string::npos) << told << "  lacks\n" << reason;
        m_kineto = kineto;
    }
}

TEST_F(DmlTorchEtErrors, RefusesFilesThatDoNotBelongTogether)
{
    const std::string et = Write("linear.et.json", m_et.dump());
    const std::string kineto = Write("linear.kineto.json", m_kineto.dump());
    const std::pair<std::vector<std::string>, std::string> cases[] = {
        {{}, "found 0 files; accepted are two files"},
        {{et}, "linear.et.json: found 1 file; accepted are two files"},
        {{et, et}, "linear.et.json: found a second file with 'nodes'; accepted"},
        {{kineto, kineto}, "found a second file with 'traceEvents'; accepted"},
        {{kineto, Write("linear.list.json", "[{\"ph\": \"X\"}]")}, "/0: "},
        {{kineto, "/nonexistent/et.json"}, "/nonexistent/et.json"},
    };
    for (const auto& [files, error] : cases)
    {
        const std::vector<std::string>& given = files;
        const std::string message = ::ErrorOf([&] { ImportTorchEt(given, m_options); });
        EXPECT_NE(message.find(error), std::string::npos) << message << "\n  lacks\n" << error;
    }
}

TEST_F(DmlTorchEtErrors, RefusesATwinOfAnotherRun)
{
    // no number or no name agrees
    Rename(m_kineto["traceEvents"], "", "aten::other");
    EXPECT_EQ(ErrorOf().find("linear.et.json: found 0 of 86 nodes in "), 0U) << ErrorOf();
}

TEST_F(DmlTorchEtErrors, AsksForTheBatchSize)
{
    m_options.batchSize.reset();
    EXPECT_NE(ErrorOf().find("the trace does not tell the batch size"), std::string::npos);
}

TEST_F(DmlTorchEtErrors, AnyTruncationIsRefused)
{
    const std::string et = m_et.dump();
    const std::string kineto = m_kineto.dump();
    for (std::size_t part = 0; part < 100; ++part)
    {
        const std::size_t size = et.size() * part / 100;
        EXPECT_THROW(ImportTorchEt({Write("cut.et.json", et.substr(0, size)),
                                    Write("linear.kineto.json", kineto)},
                                   m_options),
                     InputError)
            << size;
        const std::size_t other = kineto.size() * part / 100;
        EXPECT_THROW(ImportTorchEt({Write("linear.et.json", et),
                                    Write("cut.kineto.json", kineto.substr(0, other))},
                                   m_options),
                     InputError)
            << other;
    }
}

TEST_F(DmlTorchEtErrors, AnyDamageIsRefusedOrGivesAValidProfile)
{
    const std::string et = m_et.dump();
    const std::string kineto = m_kineto.dump();
    std::mt19937 random(1);
    const std::string bytes = "0123456789-.,:[]{}\"\\eE!(aZ \n";
    for (uint32_t round = 0; round < 400; ++round)
    {
        std::string damaged = round % 2 == 0 ? et : kineto;
        for (uint32_t i = 0; i <= round % 5; ++i)
        {
            damaged[random() % damaged.size()] = bytes[random() % bytes.size()];
        }
        try
        {
            ImportTorchEt({Write("linear.et.json", round % 2 == 0 ? damaged : et),
                           Write("linear.kineto.json", round % 2 == 0 ? kineto : damaged)},
                          m_options)
                .profile.Validate();
        }
        catch (const InputError& error)
        {
            EXPECT_NE(std::string(error.what()).find("linear."), std::string::npos) << error.what();
        }
    }
}

} // namespace

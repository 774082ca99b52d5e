/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-lone-replay.h"
#include "dml-test-files.h"

#include "ns3/dml-importers.h"
#include "ns3/dml-profile-reader.h"
#include "ns3/dml-profile-writer.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

using namespace ns3::dml;
using nlohmann::json;

namespace
{

// The measurements behind the shipped profiles are no part of the repository.
class DmlShippedProfiles : public ::testing::TestWithParam<std::string>
{
  protected:
    void SetUp() override
    {
        m_measured = FindSharedProfile("torch-cpu/" + GetParam() + ".layers.json");
        std::string shipped = GetParam() + ".yaml";
        std::replace(shipped.begin(), shipped.end(), '_', '-');
        m_shipped = FindRepositoryFile("scenarios/profiles/" + shipped);
    }

    /// @return the shipped profile's text
    std::string ReadShipped() const
    {
        std::ifstream file(m_shipped, std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
        return text.str();
    }

    /// @return true if the measurement behind the profile is here
    bool HasMeasurement() const
    {
        return std::filesystem::exists(m_measured);
    }

    static constexpr const char* SKIPPED =
        "the measurement is not here; set DML_SHARED_PROFILES to the folder above torch-cpu";

    std::filesystem::path m_measured;
    std::filesystem::path m_shipped;
};

TEST_P(DmlShippedProfiles, AreInTheWritersForm)
{
    std::ostringstream again;
    WriteProfile(ReadProfile(m_shipped.string()), again);
    EXPECT_TRUE(ReadShipped() == again.str()) << m_shipped.filename();
}

TEST_P(DmlShippedProfiles, AreWhatTheImporterMakes)
{
    if (!HasMeasurement())
    {
        GTEST_SKIP() << SKIPPED;
    }
    std::ostringstream made;
    WriteProfile(ImportTorchLayers({m_measured.string()}, ImportOptions()).profile, made);
    EXPECT_TRUE(ReadShipped() == made.str()) << m_shipped.filename() << " differs; import it again";
}

TEST_P(DmlShippedProfiles, ReplayTheMeasurementInMeasuredOrder)
{
    if (!HasMeasurement())
    {
        GTEST_SKIP() << SKIPPED;
    }
    ImportOptions options;
    options.order = ComputeOrder::MEASURED;
    const Profile profile = ImportTorchLayers({m_measured.string()}, options).profile;
    const Profile dataflow = ImportTorchLayers({m_measured.string()}, ImportOptions()).profile;
    std::ifstream file(m_measured);
    const json measured = json::parse(file);
    for (uint32_t step = 0; step < profile.GetSampleCount(); ++step)
    {
        double forward = 0;
        double last = 0;
        for (const auto& layer : measured["layers"])
        {
            forward += layer["fwd_us"][step].get<double>() * 1e-6;
            last = std::max(last, layer["bwd_end_us"][step].get<double>() * 1e-6);
        }
        const LoneReplay replay(profile, step);
        ASSERT_NEAR(replay.Last("forward/"), forward, 1e-9);
        for (const auto& layer : measured["layers"])
        {
            for (const auto& parameter : layer["params"])
            {
                const double ready = parameter["grad_ready_us"][step].get<double>() * 1e-6;
                last = std::max(last, ready);
                ASSERT_NEAR(replay["accumulate/" + parameter["name"].get<std::string>()],
                            forward + ready,
                            1e-9);
            }
        }
        EXPECT_NEAR(std::max(replay.Last("backward/"), replay.Last("accumulate/")),
                    forward + last,
                    1e-9);
        // in data-flow order gradients may come at other times, but the total is the same
        const LoneReplay other(dataflow, step);
        EXPECT_NEAR(std::max(other.Last("backward/"), other.Last("accumulate/")),
                    forward + last,
                    1e-9);
    }
}

INSTANTIATE_TEST_SUITE_P(TorchCpu,
                         DmlShippedProfiles,
                         ::testing::Values("alexnet_b4",
                                           "alexnet_b8",
                                           "alexnet_b16",
                                           "vgg11_b4",
                                           "googlenet_b8",
                                           "inception_v3_b4",
                                           "resnet50_b4"),
                         [](const auto& info) { return info.param; });

} // namespace

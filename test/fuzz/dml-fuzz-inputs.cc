/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Scenarios, profiles, traces of speeds, times on the wire.

#include "dml-fuzz-target.h"

#include "ns3/dml-error.h"
#include "ns3/dml-profile-reader.h"
#include "ns3/dml-profile-writer.h"
#include "ns3/dml-scenario-check.h"
#include "ns3/dml-scenario-reader.h"
#include "ns3/dml-speed-trace-reader.h"
#include "ns3/dml-wire-times.h"

#include <sstream>

namespace ns3::dml
{

namespace
{

/// @return what follows "#--set " in lines of a scenario, where YAML has comments
std::vector<std::string>
FindSettings(const std::string& yaml)
{
    const std::string mark = "#--set ";
    std::vector<std::string> settings;
    std::istringstream lines(yaml);
    for (std::string line; std::getline(lines, line);)
    {
        if (line.rfind(mark, 0) == 0)
        {
            settings.push_back(line.substr(mark.size()));
        }
    }
    return settings;
}

} // namespace

void
FuzzScenario(const std::string& bytes)
{
    try
    {
        ReadScenario(WriteFuzzFile("s.yaml", bytes), FindSettings(bytes));
    }
    catch (const InputError&)
    {
    }
}

void
FuzzProfile(const std::string& bytes)
{
    const auto files = SplitFuzzInput(bytes);
    WriteFuzzFile("samples.csv", files.size() > 1 ? files[1] : "");
    try
    {
        const Profile profile = ReadProfile(WriteFuzzFile("p.yaml", files[0]));
        std::ostringstream text;
        WriteProfile(profile, text);
        try
        {
            ReadProfile(WriteFuzzFile("again.yaml", text.str()));
        }
        catch (const InputError& error)
        {
            throw std::logic_error(std::string("cannot read what was written: ") + error.what());
        }
        CheckAgainstProfile(Scenario(), 0, profile);
    }
    catch (const InputError&)
    {
    }
}

void
FuzzSpeedTrace(const std::string& bytes)
{
    const std::string path = WriteFuzzFile("speeds.csv", bytes);
    for (const bool repeated : {false, true})
    {
        try
        {
            ReadSpeedTrace(path, repeated);
        }
        catch (const InputError&)
        {
        }
    }
}

void
FuzzWireTimes(const std::string& bytes)
{
    std::vector<RecordedTransfer> transfers(4);
    for (std::size_t i = 0; i < transfers.size(); ++i)
    {
        transfers[i].tensor = i % 2 == 0 ? "conv" : "fc";
        transfers[i].downlink = i < 2;
        transfers[i].step = 2;
        transfers[i].end = 5000000000;
    }
    try
    {
        ReadWireTimes(WriteFuzzFile("wire.csv", bytes), 0, transfers);
    }
    catch (const InputError&)
    {
    }
}

} // namespace ns3::dml

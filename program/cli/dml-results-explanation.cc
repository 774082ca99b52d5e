/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-results-explanation.h"

#include "dml-trace-choice.h"

#include "ns3/dml-engine-difference.h"
#include "ns3/dml-error.h"

#include <filesystem>

namespace ns3::dml
{

namespace
{

/// @return as ExplainResults() @throws InputError for a trace that tells no steps
std::string
Explain(const std::string& path, const std::string& folder)
{
    ExplainedTrace trace(path, {});
    trace.MakeJobs();
    trace.Analyse();
    std::string text;
    for (const auto& analysis : trace.analyses)
    {
        text += (text.empty() ? "" : "\n") + FormatWhy(analysis);
    }
    for (std::size_t i = 1; i < trace.analyses.size(); ++i)
    {
        text += "\n" + FormatDifference(trace.analyses.front(), trace.analyses[i]);
    }
    trace.Draw(folder);
    return text;
}

} // namespace

std::string
ExplainResults(const std::string& folder)
{
    const std::string path = folder + "/trace.json";
    if (!std::filesystem::exists(path))
    {
        return "";
    }
    try
    {
        return Explain(path, folder);
    }
    catch (const InputError& error)
    {
        return "not explained: " + std::string(error.what()) + "\n";
    }
}

} // namespace ns3::dml

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What `run --resume` and `merge` find in a folder of results.

#include "dml-fuzz-target.h"

#include "ns3/dml-case-command.h"
#include "ns3/dml-case-result.h"
#include "ns3/dml-checksum.h"
#include "ns3/dml-error.h"
#include "ns3/dml-study-state.h"
#include "ns3/dml-summary-comparison.h"

namespace ns3::dml
{

namespace
{

/// @return the question that the study in the folder is to be an answer to
StudyIdentity
Ask()
{
    StudyIdentity question;
    question.Add("scenario", {{"job", {{"steps", 10}, {"workers", {1, 2}}}}, {"seed", 1}});
    question.Add("--engine", "both");
    return question;
}

/// @return a part of an input, empty if it has fewer
std::string
GetPart(const std::vector<std::string>& parts, std::size_t index)
{
    return index < parts.size() ? parts[index] : "";
}

/// Write a run's result with the seal that it would have: no mutation finds a checksum.
void
Seal(const std::string& checksums, const std::string& result)
{
    const std::string content = Ask().GetName() + "\n" + checksums + "\n" + result;
    WriteFuzzFile("unfinished/0/result", MakeChecksum(content) + content);
}

} // namespace

// command.json, study.json (empty: the right one), merged.json, checksums, CBOR of a result,
// summary.json
void
FuzzResults(const std::string& bytes)
{
    const auto parts = SplitFuzzInput(bytes);
    const std::string folder = GetFuzzFolder().string();
    std::filesystem::create_directories(folder + "/unfinished/0");
    const std::string study = GetPart(parts, 1);
    WriteFuzzFile("steps.csv", "worker,step\n0,0\n");
    WriteFuzzFile("unfinished/0/steps.csv", "0,1\n");
    WriteFuzzFile("unfinished/command.json", parts[0]);
    WriteFuzzFile("unfinished/study.json", study.empty() ? Ask().GetText() : study);
    WriteFuzzFile("unfinished/merged.json", GetPart(parts, 2));
    Seal(GetPart(parts, 3), GetPart(parts, 4));
    try
    {
        CaseCommand::FromJson(parts[0]).MakeLine("out", "0123456789abcdef", {0, 1});
    }
    catch (const InputError&)
    {
    }
    try
    {
        const StudyState state(folder, Ask(), "{}", {UnfinishedStudy::RESUME});
        state.Load(0);
    }
    catch (const InputError&)
    {
    }
    try
    {
        UnpackCaseResult(GetPart(parts, 4));
    }
    catch (const InputError&)
    {
    }
    WriteFuzzFile("summary.json", GetPart(parts, 5));
    try
    {
        const StoredSummary summary = ReadStoredSummary(folder);
        FormatComparison(CompareSummaries(summary, summary), false);
    }
    catch (const InputError&)
    {
    }
}

} // namespace ns3::dml

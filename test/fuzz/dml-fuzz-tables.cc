/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Jobs to be replayed, and tables: throughputs that were measured, costs of fused ops, versions of
// parameters, how much of a machine others use.

#include "dml-fuzz-target.h"

#include "ns3/dml-error.h"
#include "ns3/dml-fusion-model.h"
#include "ns3/dml-gradient-log.h"
#include "ns3/dml-job-file.h"
#include "ns3/dml-measured-points.h"
#include "ns3/dml-recorded-job.h"
#include "ns3/dml-usage-trace-reader.h"

#include <stdexcept>

namespace ns3::dml
{

void
FuzzJob(const std::string& bytes)
{
    try
    {
        const JobStep step = ReadJobText(bytes, "job.yaml");
        std::string again;
        try
        {
            again = WriteJob(ReadJobText(WriteJob(step), "again.yaml"));
        }
        catch (const InputError& error)
        {
            throw std::logic_error(std::string("cannot read what was written: ") + error.what());
        }
        if (again != WriteJob(step))
        {
            throw std::logic_error("what was written is read as another job");
        }
        MakeReplayedJob(step, 2);
    }
    catch (const InputError&)
    {
    }
}

void
FuzzMeasuredPoints(const std::string& bytes)
{
    try
    {
        ReadMeasuredPoints(WriteFuzzFile("points.csv", bytes));
    }
    catch (const InputError&)
    {
    }
}

void
FuzzFusedOps(const std::string& bytes)
{
    FusionModel model;
    for (const char* name : {"forward/a", "forward/b", "backward/b", "backward/a"})
    {
        model.ops.push_back({name,
                             name[0] == 'f' ? JobOpKind::FORWARD : JobOpKind::BACKWARD,
                             0,
                             {0.001, 0.002},
                             {},
                             0});
    }
    try
    {
        SetSavings(WriteFuzzFile("fused.csv", bytes), 1, model);
    }
    catch (const InputError&)
    {
    }
}

// versions.csv, steps.csv
void
FuzzVersions(const std::string& bytes)
{
    const auto parts = SplitFuzzInput(bytes);
    WriteFuzzFile("versions.csv", parts[0]);
    WriteFuzzFile("steps.csv", parts.size() > 1 ? parts[1] : "");
    try
    {
        for (const auto& log : ReadGradientLogs(GetFuzzFolder().string()))
        {
            log.GetMeanStaleness();
        }
    }
    catch (const InputError&)
    {
    }
}

void
FuzzUsageTrace(const std::string& bytes)
{
    const std::string path = WriteFuzzFile("usage.csv", bytes);
    for (const auto& format : {UsageTraceFormat{"time", "cpu", "memory", "machine", "m_1"},
                               UsageTraceFormat{"time", "cpu", "", "", ""},
                               UsageTraceFormat{"2", "3", "4", "1", "m_1"}})
    {
        try
        {
            ReadUsageTrace(path, format);
        }
        catch (const InputError&)
        {
        }
    }
}

} // namespace ns3::dml

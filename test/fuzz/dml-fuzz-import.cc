/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Every format of traces.

#include "dml-fuzz-target.h"
#include "dml-horovod-profile.h"

#include "ns3/dml-error.h"
#include "ns3/dml-import-formats.h"
#include "ns3/dml-profile-writer.h"

#include <sstream>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Import the files in an input, a few at most, and write the profile.
void
Import(const std::string& format, const std::string& bytes, const ImportOptions& options)
{
    constexpr std::size_t MOST_FILES = 3;
    std::vector<std::string> paths;
    for (const auto& file : SplitFuzzInput(bytes))
    {
        if (paths.size() < MOST_FILES)
        {
            paths.push_back(WriteFuzzFile("trace" + std::to_string(paths.size()), file));
        }
    }
    try
    {
        const ImportResult result = ImportTrace(format, paths, options);
        std::ostringstream text;
        WriteProfile(result.profile, text);
    }
    catch (const InputError&)
    {
    }
}

/// @return what the user says about a trace that does not tell it
ImportOptions
GiveBatchSize()
{
    ImportOptions options;
    options.batchSize = 8;
    return options;
}

/// @param convolutions and @param layers numbers of layers of the seeds, whose sizes nothing tells
/// @return as GiveBatchSize(), with the sizes
ImportOptions
GiveSizes(uint32_t convolutions, uint32_t layers)
{
    ImportOptions options = GiveBatchSize();
    for (const auto& [kind, count] : {std::pair{"conv2d_", convolutions}, {"linear_", layers}})
    {
        for (uint32_t i = 1; i <= count; ++i)
        {
            options.sizes[kind + std::to_string(i) + ".weight"] = 256;
            options.sizes[kind + std::to_string(i) + ".bias"] = 8;
        }
    }
    return options;
}

} // namespace

void
FuzzKineto(const std::string& bytes)
{
    ImportOptions options = GiveSizes(0, 2);
    options.sizes.erase("linear_2.bias"); // which the seed does without
    Import("kineto", bytes, options);
    Import("kineto", bytes, GiveBatchSize());
}

void
FuzzTorchLegacy(const std::string& bytes)
{
    Import("torch-legacy", bytes, GiveSizes(5, 3));
}

void
FuzzTorchEt(const std::string& bytes)
{
    Import("torch-et", bytes, GiveBatchSize());
}

void
FuzzTorchLayers(const std::string& bytes)
{
    Import("torch-layers", bytes, {});
}

void
FuzzTfRunMetadata(const std::string& bytes)
{
    Import("tf-runmetadata", bytes, GiveBatchSize());
}

void
FuzzTfTimeline(const std::string& bytes)
{
    ImportOptions options = GiveBatchSize();
    options.rate = 1000000000; // sizes are estimated from it
    Import("tf-timeline", bytes, options);
}

void
FuzzPipedream(const std::string& bytes)
{
    Import("pipedream", bytes, GiveBatchSize());
}

void
FuzzHorovod(const std::string& bytes)
{
    ImportOptions options;
    options.profile = WriteFuzzFile("p.yaml", HOROVOD_PROFILE);

    Import("horovod", bytes, options);
}

void
FuzzDmlTrace(const std::string& bytes)
{
    Import("dml-trace", bytes, {});
}

} // namespace ns3::dml

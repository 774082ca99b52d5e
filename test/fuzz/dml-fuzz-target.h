/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FUZZ_TARGET_H
#define DML_FUZZ_TARGET_H

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ns3::dml
{

/// A reader, and how bytes come to it. Whatever happens but success and InputError is a finding.
struct FuzzTarget
{
    std::string name;                      //!< of the target and of its folder in corpus/
    void (*run)(const std::string& bytes); //!< has the reader read them
};

/// @return all targets
const std::vector<FuzzTarget>& GetFuzzTargets();

/// @param name of a target @return it @throws InputError naming all targets if there is none
const FuzzTarget& GetFuzzTarget(const std::string& name);

/// Between the files of one input.
constexpr std::string_view FUZZ_SEPARATOR = "\n%%\n";

/// @param bytes of an input @return the files in it
std::vector<std::string> SplitFuzzInput(const std::string& bytes);

/**
 * @brief Files for readers that take paths, in a folder that is gone when the program ends.
 * @param name of a file @param bytes its new content
 * @return its path
 */
std::string WriteFuzzFile(const std::string& name, const std::string& bytes);

/// @return that folder
const std::filesystem::path& GetFuzzFolder();

// The targets.
void FuzzScenario(const std::string& bytes);
void FuzzProfile(const std::string& bytes);
void FuzzSpeedTrace(const std::string& bytes);
void FuzzWireTimes(const std::string& bytes);
void FuzzKineto(const std::string& bytes);
void FuzzTorchLegacy(const std::string& bytes);
void FuzzTorchEt(const std::string& bytes);
void FuzzTorchLayers(const std::string& bytes);
void FuzzTfRunMetadata(const std::string& bytes);
void FuzzTfTimeline(const std::string& bytes);
void FuzzPipedream(const std::string& bytes);
void FuzzDmlTrace(const std::string& bytes);
void FuzzHorovod(const std::string& bytes);
void FuzzJob(const std::string& bytes);
void FuzzMeasuredPoints(const std::string& bytes);
void FuzzFusedOps(const std::string& bytes);
void FuzzVersions(const std::string& bytes);
void FuzzUsageTrace(const std::string& bytes);
void FuzzResults(const std::string& bytes);
void FuzzHttp2Client(const std::string& bytes);
void FuzzHttp2Server(const std::string& bytes);
void FuzzTcpMessages(const std::string& bytes);

} // namespace ns3::dml

#endif /* DML_FUZZ_TARGET_H */

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-capture-path.h"

#include "ns3/dml-timeline-writer.h"

namespace ns3::dml
{

namespace
{

/// @return whether a file in a run's folder is a step in the form of TensorFlow's timelines
bool
IsTimeline(const std::filesystem::path& path)
{
    const std::string name = path.filename().string();
    const std::string end = TimelineWriter::SUFFIX;
    return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

} // namespace

bool
IsCapture(const std::filesystem::path& path)
{
    return path.extension() == ".pcap" || path.extension() == ".xml" || IsTimeline(path);
}

std::filesystem::path
GetCapturePath(const std::filesystem::path& path)
{
    return IsTimeline(path) ? "timelines" / path.filename() : path.filename();
}

std::string
GetCapturePrefix(const Scenario& scenario, const StudyCase& studyCase, const std::string& folder)
{
    const std::string variant =
        scenario.variant.empty() ? "" : "V" + std::to_string(studyCase.variant) + "-";
    return folder + "/" + variant + "W" + std::to_string(studyCase.workers);
}

} // namespace ns3::dml

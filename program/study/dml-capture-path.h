/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CAPTURE_PATH_H
#define DML_CAPTURE_PATH_H

#include "dml-study-case.h"

#include <filesystem>
#include <string>

namespace ns3::dml
{

/// @param path of a file in a run's folder @return true for a capture, which is no part of a larger
/// file
bool IsCapture(const std::filesystem::path& path);

/// @param path of a capture in a run's folder; @return where it goes, from the folder of the
/// results
std::filesystem::path GetCapturePath(const std::filesystem::path& path);

/**
 * @param scenario of a run
 * @param studyCase the run
 * @param folder of its files
 * @return path of its captures up to what tells them apart, such as "DIR/V2-W4"
 */
std::string GetCapturePrefix(const Scenario& scenario,
                             const StudyCase& studyCase,
                             const std::string& folder);

} // namespace ns3::dml

#endif /* DML_CAPTURE_PATH_H */

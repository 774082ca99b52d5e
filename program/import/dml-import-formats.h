/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_IMPORT_FORMATS_H
#define DML_IMPORT_FORMATS_H

#include "ns3/dml-import-format.h"
#include "ns3/dml-import-options.h"
#include "ns3/dml-import-result.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/// @return all formats
const std::vector<ImportFormat>& GetImportFormats();

/**
 * @brief Find a format.
 * @param name its name
 * @return the format
 * @throws InputError naming all formats if there is none of that name
 */
const ImportFormat& GetImportFormat(const std::string& name);

/**
 * @brief Tell the format of a file from its content.
 * @param file path, plain or gzipped
 * @return the format
 * @throws InputError if it cannot be read, or saying what was found if it is of no known format
 */
const ImportFormat& DetectImportFormat(const std::string& file);

/**
 * @brief Import the files of one job.
 * @param format name of the format, or "auto"
 * @param files at least one
 * @param options the user's choices
 * @return the profile and what to know about it
 * @throws InputError naming file and place, or an option that the format does not take
 */
ImportResult ImportTrace(const std::string& format,
                         const std::vector<std::string>& files,
                         const ImportOptions& options);

} // namespace ns3::dml

#endif /* DML_IMPORT_FORMATS_H */

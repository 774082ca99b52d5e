/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_IMPORT_FORMATS_H
#define DML_IMPORT_FORMATS_H

#include "ns3/dml-import-options.h"
#include "ns3/dml-import-result.h"

#include <string>
#include <vector>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-import
 * @brief A file format that can be imported.
 */
struct ImportFormat
{
    std::string name;     //!< as the user gives it, as "kineto"
    std::string contents; //!< what such a file is, as "a PyTorch Kineto trace (JSON)"
    /// Names of the ImportOptions that it takes, as on the command line.
    std::vector<std::string> options;
    /// Imports files of one job; each contributes its steps.
    ImportResult (*import)(const std::vector<std::string>& files, const ImportOptions& options);
};

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

} // namespace dml
} // namespace ns3

#endif /* DML_IMPORT_FORMATS_H */

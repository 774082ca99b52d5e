/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STORED_PATH_H
#define DML_STORED_PATH_H

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-study
 * @brief Results are UTF-8, names of files are any bytes: those that are none have U+FFFD there.
 * @param stored path as results have it
 * @return the path of the file that they mean, if there is just one; else @p stored
 */
std::string FindStoredPath(const std::string& stored);

} // namespace ns3::dml

#endif /* DML_STORED_PATH_H */

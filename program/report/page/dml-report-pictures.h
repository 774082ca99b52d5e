/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_REPORT_PICTURES_H
#define DML_REPORT_PICTURES_H

#include <string>

namespace ns3::dml
{

/// @param folder of results @return HTML with the plots that are there; nothing without any
std::string ShowPictures(const std::string& folder);

} // namespace ns3::dml

#endif /* DML_REPORT_PICTURES_H */

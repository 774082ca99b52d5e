/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BUFFER_TEXT_H
#define DML_BUFFER_TEXT_H

#include "ns3/dml-prepared-scenario.h"

#include <string>

namespace ns3::dml
{

/**
 * @param prepared a scenario
 * @return for the first switch whose ports share its memory, with most workers, how large that is,
 * how many ports share it, and what one of them may hold alone, beside another full one and when
 * all are full; and how many more such switches there are; empty if there is none
 */
std::string DescribeBuffers(const PreparedScenario& prepared);

} // namespace ns3::dml

#endif /* DML_BUFFER_TEXT_H */

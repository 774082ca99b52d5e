/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TEST_CASES_H
#define DML_TEST_CASES_H

#include "ns3/test.h"

#include <vector>

/// @return the cases of the packet engine, owned by the caller
std::vector<ns3::TestCase*> MakePacketEngineCases();

/// @return the cases that run both engines, owned by the caller
std::vector<ns3::TestCase*> MakeCrossCases();

/// @return the cases that read the order of streams off packets, owned by the caller
std::vector<ns3::TestCase*> MakeStreamOrderCases();

#endif /* DML_TEST_CASES_H */

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

/// @return the cases of both engines on several topologies, owned by the caller
std::vector<ns3::TestCase*> MakeTopologyCases();

/// @return the cases of fair queues against first-in first-out ones, owned by the caller
std::vector<ns3::TestCase*> MakeQueueDisciplineCases();

/// @return the cases of TCP's choices, owned by the caller
std::vector<ns3::TestCase*> MakeTransportCases();

/// @return the cases of background flows, second jobs and faults, owned by the caller
std::vector<ns3::TestCase*> MakeTrafficCases();

/// @return the cases of transfer policies in both engines, owned by the caller
std::vector<ns3::TestCase*> MakeTransferPolicyCases();

/// @return the cases of the push-pull protocol in both engines, owned by the caller
std::vector<ns3::TestCase*> MakePushPullCases();

/// @return the cases of synchronisation policies and crashes in both engines, owned by the caller
std::vector<ns3::TestCase*> MakeSyncCases();

/// @return samples that move within a step, in both engines
std::vector<ns3::TestCase*> MakeSheddingCases();

/// @return the cases of what breaks in mid-step, owned by the caller
std::vector<ns3::TestCase*> MakeFaultCases();

/// @return the cases of runs that end before all steps are done, owned by the caller
std::vector<ns3::TestCase*> MakeStopCases();

/// @return the cases of what a run is expected to take, owned by the caller
std::vector<ns3::TestCase*> MakeCostCases();

/// @return the cases of what is handed to TCP, owned by the caller
std::vector<ns3::TestCase*> MakeSegmentWriterCases();

#endif /* DML_TEST_CASES_H */

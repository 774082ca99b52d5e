/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-test-cases.h"

/// What needs ns-3's simulator; everything else is tested by GoogleTest (test/unit).
class DmlTestSuite : public ns3::TestSuite
{
  public:
    DmlTestSuite()
        : TestSuite("dml")
    {
        for (const auto& cases : {MakePacketEngineCases(),
                                  MakeCrossCases(),
                                  MakeStreamOrderCases(),
                                  MakeTopologyCases(),
                                  MakeQueueDisciplineCases(),
                                  MakeTransportCases(),
                                  MakeTrafficCases(),
                                  MakeTransferPolicyCases(),
                                  MakePushPullCases(),
                                  MakeSyncCases(),
                                  MakeSheddingCases(),
                                  MakeFaultCases(),
                                  MakeStopCases(),
                                  MakeCostCases(),
                                  MakeSegmentWriterCases()})
        {
            for (ns3::TestCase* testCase : cases)
            {
                AddTestCase(testCase); // which owns it now
            }
        }
    }
};

static DmlTestSuite g_dmlTestSuite; //!< registers itself

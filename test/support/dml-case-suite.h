/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CASE_SUITE_H
#define DML_CASE_SUITE_H

#include "ns3/test.h"

#include <string>
#include <vector>

/// A suite of ns-3's test runner, which registers itself: what needs the simulator. Everything else
/// is tested by GoogleTest (test/unit).
class CaseSuite : public ns3::TestSuite
{
  public:
    /// @param name "dml-" and what is tested @param cases that the suite owns from now on
    CaseSuite(const std::string& name, const std::vector<ns3::TestCase*>& cases)
        : TestSuite(name)
    {
        for (ns3::TestCase* testCase : cases)
        {
            AddTestCase(testCase);
        }
    }
};

#endif /* DML_CASE_SUITE_H */

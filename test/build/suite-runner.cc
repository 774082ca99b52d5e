/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/test.h"

// Runs the ns-3 test suites of the standalone build; takes the arguments of ns-3's test-runner and
// exits with 0 only if every test passed. In an ns-3 tree the tree's own runner does this.
int
main(int argc, char* argv[])
{
    return ns3::TestRunner::Run(argc, argv);
}

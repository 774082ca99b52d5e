/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The program dml. In an ns-3 tree: ./ns3 run "dml run SCENARIO".

#include "ns3/dml-command.h"

#if __has_include("dml-commit.h")
#include "dml-commit.h" // made by the standalone build
#else
#define DML_COMMIT ""
#endif

int
main(int argc, char** argv)
{
    return ns3::dml::RunCommand(argc, argv, DML_COMMIT);
}

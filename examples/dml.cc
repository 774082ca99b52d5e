/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The program dml. In an ns-3 tree: ./ns3 run "dml run SCENARIO".

#include "ns3/dml-command.h"

int
main(int argc, char** argv)
{
    return ns3::dml::RunCommand({argv + 1, argv + argc});
}

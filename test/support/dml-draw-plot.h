/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_DRAW_PLOT_H
#define DML_DRAW_PLOT_H

#include "dml-scratch-folder.h"

#include "ns3/dml-plot-writer.h"

#include <gtest/gtest.h>

/// gnuplot must have nothing to complain about. @param plot what to draw
inline void
Draw(const ns3::dml::PlotScript& plot)
{
    const ScratchFolder folder;
    if (ns3::dml::PlotWriter::HaveGnuplot())
    {
        EXPECT_EQ(ns3::dml::PlotWriter(folder.GetPath("")).Write(plot), "");
    }
}

#endif /* DML_DRAW_PLOT_H */

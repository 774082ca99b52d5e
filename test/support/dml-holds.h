/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOLDS_H
#define DML_HOLDS_H

#include "ns3/dml-overhead-fit.h"

/// @param value that was fitted @param truth what it should be @return whether its interval has it
inline bool
Holds(const ns3::dml::FittedValue& value, double truth)
{
    return value.fitted && value.lower <= truth && truth <= value.upper;
}

#endif /* DML_HOLDS_H */

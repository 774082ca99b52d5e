/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_NANOSECONDS_H
#define DML_NANOSECONDS_H

#include <cstdint>

constexpr int64_t US = 1000;      //!< ns
constexpr int64_t MS = 1000 * US; //!< ns

#endif /* DML_NANOSECONDS_H */

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_OVERHEAD_RULES_H
#define DML_OVERHEAD_RULES_H

#include "dml-overhead-fit.h"

namespace ns3::dml
{

/**
 * @brief Say what was assumed, what the records cannot tell, and what looks wrong.
 * @param options what was known
 * @param[in,out] fit complete but for its rules and warnings
 */
void DescribeFit(const OverheadFitOptions& options, OverheadFit& fit);

} // namespace ns3::dml

#endif /* DML_OVERHEAD_RULES_H */

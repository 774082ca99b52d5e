/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_COLLISION_REPORT_H
#define DML_COLLISION_REPORT_H

#include "dml-scenario-variants.h"

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-why
 * @brief Say on which links more connections meet than if all paths were used alike, and how much
 * shorter steps would be then, according to the fair-share engine.
 * @param variants of the scenario whose steps are explained
 * @return lines of at most 80 columns; empty if no connections meet so, or none has a fixed path
 * @throws InputError, RunError as ScenarioVariants::Run()
 */
std::string FormatCollisions(ScenarioVariants& variants);

} // namespace ns3::dml

#endif /* DML_COLLISION_REPORT_H */

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_WITHHELD_TYPES_H
#define DML_WITHHELD_TYPES_H

#include "ns3/type-id.h"

namespace ns3::dml
{

/**
 * @brief Withhold a class from every PluginKind: it can be made, but does not work without parts
 * that a scenario cannot give it.
 * @param type of the class
 * @return @p type
 */
TypeId WithholdType(TypeId type);

/// @param type any @return whether WithholdType() was called for it
bool IsWithheld(TypeId type);

} // namespace ns3::dml

#endif /* DML_WITHHELD_TYPES_H */

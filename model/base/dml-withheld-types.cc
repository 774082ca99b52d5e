/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-withheld-types.h"

#include <set>

namespace ns3::dml
{

namespace
{

std::set<TypeId>&
WithheldTypes()
{
    static std::set<TypeId> types;
    return types;
}

} // namespace

TypeId
WithholdType(TypeId type)
{
    WithheldTypes().insert(type);
    return type;
}

bool
IsWithheld(TypeId type)
{
    return WithheldTypes().count(type) == 1;
}

} // namespace ns3::dml

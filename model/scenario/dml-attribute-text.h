/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ATTRIBUTE_TEXT_H
#define DML_ATTRIBUTE_TEXT_H

#include "ns3/type-id.h"

#include <string>

namespace ns3::dml
{

/// @param attribute of a class @return what its values are called, such as "BooleanValue"
std::string NameValueType(const TypeId::AttributeInformation& attribute);

/**
 * @param attribute of a class
 * @return what a scenario may give it, such as "an integer from 0 to 10"; empty if it takes nothing
 *         that a scenario can write
 */
std::string DescribeAttribute(const TypeId::AttributeInformation& attribute);

/**
 * @brief Ask the attribute's checker, but only what does not make ns-3 abort.
 * @param attribute of a class
 * @param text any
 * @return whether it is a value of the attribute
 */
bool TakesText(const TypeId::AttributeInformation& attribute, const std::string& text);

} // namespace ns3::dml

#endif /* DML_ATTRIBUTE_TEXT_H */

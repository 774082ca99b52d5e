/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_JSON_NUMBER_H
#define DML_JSON_NUMBER_H

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace ns3::dml
{

/// @param value a number or nothing @return it for a result file: null if it is undefined
inline nlohmann::ordered_json
JsonNumber(std::optional<double> value)
{
    return value && std::isfinite(*value) ? nlohmann::ordered_json(*value)
                                          : nlohmann::ordered_json(nullptr);
}

} // namespace ns3::dml

#endif /* DML_JSON_NUMBER_H */

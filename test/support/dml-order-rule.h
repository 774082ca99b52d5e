/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ORDER_RULE_H
#define DML_ORDER_RULE_H

#include "dml-fair-share-fixture.h"

#include "ns3/dml-transfer-order.h"

#include <cstdint>
#include <string>

/// @param rule of an order @param seed of it @return options of it; 100 bytes take a second, as in
/// FairShareCase
inline ns3::dml::TransferOrderOptions
Rule(const std::string& rule, uint32_t seed = 1)
{
    ns3::dml::TransferOrderOptions options;
    options.rule = rule;
    options.bytesPerSecond = ns3::dml::FairShareCase::RATE;
    options.seed = seed;
    return options;
}

#endif /* DML_ORDER_RULE_H */

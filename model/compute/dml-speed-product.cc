/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-speed-product.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

SpeedProduct::SpeedProduct(std::vector<std::shared_ptr<const DeviceSpeed>> factors)
    : m_factors(std::move(factors))
{
}

SpeedPhase
SpeedProduct::At(double time) const
{
    SpeedPhase product;
    for (const auto& factor : m_factors)
    {
        const SpeedPhase phase = factor->At(time);
        product.end = std::min(product.end, phase.end);
        product.speed *= phase.speed;
        product.cpu = std::min(product.cpu, phase.cpu);
        product.memory = std::min(product.memory, phase.memory);
    }
    return product;
}

std::string
SpeedProduct::GetKey(double time) const
{
    const auto slowest =
        std::min_element(m_factors.begin(), m_factors.end(), [time](const auto& a, const auto& b) {
            return a->At(time).speed < b->At(time).speed;
        });
    return (*slowest)->GetKey(time);
}

std::shared_ptr<const DeviceSpeed>
MultiplySpeeds(std::vector<std::shared_ptr<const DeviceSpeed>> factors)
{
    factors.erase(std::remove(factors.begin(), factors.end(), nullptr), factors.end());
    if (factors.empty())
    {
        return nullptr;
    }
    return factors.size() == 1 ? factors.front()
                               : std::make_shared<SpeedProduct>(std::move(factors));
}

} // namespace ns3::dml

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_NOISE_H
#define DML_NOISE_H

#include <cmath>
#include <cstdint>
#include <random>

namespace ns3::dml
{

/**
 * A stationary autoregressive process of order 1 with variance 1: X' = phi X + sqrt(1 - phi^2) Z
 * with normal Z. The same numbers with every standard library.
 */
class AutoregressiveNoise
{
  public:
    /// @param seed of the generator @param phi correlation of neighbours, in [0, 1)
    AutoregressiveNoise(uint64_t seed, double phi)
        : m_random(seed),
          m_phi(phi),
          m_last(Normal())
    {
    }

    /// @return the next number
    double Next()
    {
        m_last = m_phi * m_last + std::sqrt(1 - m_phi * m_phi) * Normal();
        return m_last;
    }

  private:
    /// A uniform number in (0, 1); std::uniform_real_distribution is not the same everywhere.
    double Uniform()
    {
        return ((m_random() >> 11) + 0.5) / 9007199254740992.0;
    }

    /// A normal number, after Box and Muller.
    double Normal()
    {
        const double radius = std::sqrt(-2 * std::log(Uniform()));
        return radius * std::cos(2 * std::acos(-1.0) * Uniform());
    }

    std::mt19937_64 m_random; //!< source of all
    double m_phi;             //!< correlation
    double m_last;            //!< last number
};

} // namespace ns3::dml

#endif /* DML_NOISE_H */

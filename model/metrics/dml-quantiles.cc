/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The only file with Boost.Math, whose headers compute something when a program starts, in long
// double and with numbers as small as 1e-800. Valgrind has no more than double's range, where they
// are 0 and results infinite: by default Boost then throws, and the program ends before main().

#include "dml-quantiles.h"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace ns3::dml
{

namespace
{

namespace policies = boost::math::policies;

/// Infinity instead of an exception. No quantile of a probability inside (0, 1) is infinite, and
/// results are the same to the last bit.
using QuantilePolicy = policies::policy<policies::overflow_error<policies::ignore_error>>;

} // namespace

double
GetStudentQuantile(double freedom, double level)
{
    return quantile(boost::math::students_t_distribution<double, QuantilePolicy>(freedom),
                    0.5 + level / 2);
}

double
GetNormalQuantile(double probability)
{
    return quantile(boost::math::normal_distribution<double, QuantilePolicy>(), probability);
}

} // namespace ns3::dml

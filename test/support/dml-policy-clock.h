/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_POLICY_CLOCK_H
#define DML_POLICY_CLOCK_H

#include "ns3/dml-transfer-policy.h"

#include <vector>

namespace ns3::dml
{

/// Time that a test sets, and the times at which a policy wants to be asked again.
class ManualClock : public PolicyClock
{
  public:
    double GetNow() const override
    {
        return now;
    }

    void WakeUp(double delay) override
    {
        wakeUps.push_back(now + delay);
    }

    double now{0};               //!< seconds
    std::vector<double> wakeUps; //!< seconds
};

} // namespace ns3::dml

#endif /* DML_POLICY_CLOCK_H */

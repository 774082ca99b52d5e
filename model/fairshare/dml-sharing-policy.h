/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SHARING_POLICY_H
#define DML_SHARING_POLICY_H

#include "dml-bandwidth-sharing.h"
#include "dml-fair-share-network.h"
#include "dml-rate-solver.h"

#include "ns3/object.h"

#include <memory>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief A sharing rule that scenarios can choose: makes what shares the links of a run.
 *
 * Derived classes register a TypeId. Most of them derive from RateSharingPolicy.
 */
class SharingPolicy : public Object
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /**
     * @brief Make what shares the links.
     * @param network a prepared network, which outlives it
     * @param observer told of the servers' links; may be null
     * @return the links at work
     * @throws SharingError if the rule cannot express the network
     */
    virtual std::unique_ptr<BandwidthSharing> MakeSharing(const FairShareNetwork& network,
                                                          RunObserver* observer) const = 0;
};

/**
 * @ingroup dml-fairshare
 * @brief A sharing rule as a function: which flows are active, hence how fast each of them is.
 */
class RateSharingPolicy : public SharingPolicy
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /**
     * @brief Make the function.
     * @param network a prepared network, which outlives it
     * @return what knows the rates
     * @throws SharingError if the rule cannot express the network
     */
    virtual std::unique_ptr<RateSolver> MakeSolver(const FairShareNetwork& network) const = 0;

    std::unique_ptr<BandwidthSharing> MakeSharing(const FairShareNetwork& network,
                                                  RunObserver* observer) const override;
};

} // namespace ns3::dml

#endif /* DML_SHARING_POLICY_H */

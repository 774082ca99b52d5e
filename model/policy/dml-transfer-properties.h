/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRANSFER_PROPERTIES_H
#define DML_TRANSFER_PROPERTIES_H

#include "dml-transfer-dependencies.h"

#include <limits>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-policy
 * @brief A pull in its place of an order, with the properties that gave it this place.
 */
struct RankedPull
{
    uint32_t pull{0};      //!< index into TransferDependencies::GetPulls()
    double load{0};        //!< P when it was chosen, s
    uint64_t impending{0}; //!< M+ when it was chosen; TransferProperties::INFINITE_COST: infinite
};

/**
 * @ingroup dml-policy
 * @brief What the outstanding pulls are worth: properties M, P and M+ of TicTac's Algorithm 1, kept
 * up to date while pulls complete one by one.
 *
 * Communication is counted in whole units of cost (bytes, or 1 per pull) and not in seconds, so
 * that equal sums are equal whatever the order in which they were made.
 */
class TransferProperties
{
  public:
    /// M+ of a pull that no compute op needs together with another outstanding pull.
    static constexpr uint64_t INFINITE_COST = std::numeric_limits<uint64_t>::max();

    /**
     * @param dependencies of the profile; they must outlive this object
     * @param costs M of each pull, indexed as TransferDependencies::GetPulls()
     */
    TransferProperties(const TransferDependencies& dependencies, std::vector<uint64_t> costs);

    /// @param pull index of a pull; @return whether it is outstanding and waits for no other pull
    bool IsReady(uint32_t pull) const;

    /// @param pull index of a pull; @return M, its own cost
    uint64_t GetCost(uint32_t pull) const;

    /// @param pull index of an outstanding pull; @return P: seconds of the compute ops that wait
    /// for this outstanding pull and no other
    double GetLoad(uint32_t pull) const;

    /// @param pull index of an outstanding pull; @return M+: the least cost, its own included, of
    /// the outstanding pulls of a compute op that waits for this one and others; or INFINITE_COST
    uint64_t GetImpendingCost(uint32_t pull) const;

    /// @brief It is outstanding no more. @param pull index of a ready pull
    void Complete(uint32_t pull);

  private:
    /// What a group of compute ops still waits for.
    struct Blocked
    {
        PullSet pulls;  //!< outstanding ones
        uint64_t cost;  //!< of these
        double seconds; //!< work of the group
    };

    void Update();

    const TransferDependencies& m_dependencies; //!< pulls that precede others
    std::vector<uint64_t> m_costs;              //!< M
    std::vector<double> m_loads;                //!< P
    std::vector<uint64_t> m_impending;          //!< M+
    PullSet m_outstanding;                      //!< R
    std::vector<Blocked> m_blocked;             //!< groups that wait for two pulls or more
};

} // namespace ns3::dml

#endif /* DML_TRANSFER_PROPERTIES_H */

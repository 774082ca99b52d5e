/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RATE_SOLVER_H
#define DML_RATE_SOLVER_H

#include "dml-flow-network.h"

#include "ns3/dml-error.h"

#include <limits>
#include <string>
#include <vector>

namespace ns3::dml
{

/// A network that a sharing rule cannot express.
class SharingError : public InputError
{
  public:
    /// @param rule its name @param found what it cannot express @param accepted what would do
    SharingError(const std::string& rule, const std::string& found, const std::string& accepted)
        : InputError("sharing rule " + rule + ": found " + found + "; accepted: " + accepted),
          found(found),
          accepted(accepted)
    {
    }

    std::string found;    //!< what the rule cannot express
    std::string accepted; //!< what would do
};

/// What has happened since rates were solved.
struct FlowChanges
{
    std::vector<FlowId> started; //!< flows that are active now and were not, each once
    std::vector<FlowId> ended;   //!< flows that were active and are not now, each once
    bool capacities{false};      //!< whether a link has changed its rate
    double now{0};               //!< time of the changes, seconds from the start of the run
    uint32_t domain{0};          //!< flows that share links are in the same domain
};

/**
 * @ingroup dml-fairshare
 * @brief A sharing rule as a function: which flows are active, hence how fast each of them is.
 */
class RateSolver
{
  public:
    virtual ~RateSolver() = default;

    /**
     * @brief Compute the rates of active flows.
     * @param active flows, each once and with at least one link; no other flow that shares a link
     *        with them is active
     * @param rates bytes per second by flow id; those of @p active are overwritten: above 0, or 0
     *        for a flow across a link that is down
     */
    virtual void Solve(const std::vector<FlowId>& active, std::vector<double>& rates) = 0;

    /**
     * @brief As Solve(), knowing what has changed since the last call of this for the same flows or
     * others that share a link with them. The rates are those of Solve(), to the last bit.
     * @param changes since then; before the first call no flow was active
     * @param active as Solve() takes them
     * @param rates of the last call; those of flows that are returned are overwritten
     * @return flows that include all whose rate has changed; valid until the next call
     */
    virtual const std::vector<FlowId>& SolveChanges([[maybe_unused]] const FlowChanges& changes,
                                                    const std::vector<FlowId>& active,
                                                    std::vector<double>& rates)
    {
        Solve(active, rates);
        return active;
    }

    /**
     * @brief A link changes its rate.
     * @param link which one
     * @param bytesPerSecond its new rate, from 0; 0: down
     */
    virtual void SetCapacity(LinkId link, double bytesPerSecond) = 0;

    /// @return whether what crosses the links of a flow's ACKs matters for its rate
    virtual bool HeedsAcks() const
    {
        return false;
    }

    /**
     * @brief Whether rates are proportional to weights where only some links are shared.
     * @param links that are shared
     * @param flows that share them, at least one
     * @return true if ChangeWeights(), GetWeight(), the same for all of these links, and
     * GetHighestLevel() say what Solve() needs to know of these flows: a CommonLink then serves
     * them where they are many
     */
    virtual bool SharesByWeight([[maybe_unused]] const std::vector<LinkId>& links,
                                [[maybe_unused]] const std::vector<FlowId>& flows) const
    {
        return false;
    }

    /**
     * @param domain of flows
     * @return when rates change though no flow starts or ends, in seconds from the start of the
     * run; infinite: they do not. SolveChanges() and ChangeWeights() are called then
     */
    virtual double GetNextChange([[maybe_unused]] uint32_t domain) const
    {
        return std::numeric_limits<double>::infinity();
    }

    /// @return bytes per second and weight that a flow has at most, whatever is free; the same for
    /// all for which SharesByWeight() @param flow which one
    virtual double GetHighestLevel([[maybe_unused]] FlowId flow) const
    {
        return std::numeric_limits<double>::infinity();
    }

    /**
     * @brief Instead of SolveChanges() for such flows.
     * @param changes since the last call
     * @return flows that have another weight and are in no list of @p changes; valid until the next
     * call
     */
    virtual const std::vector<FlowId>& ChangeWeights([[maybe_unused]] const FlowChanges& changes)
    {
        static const std::vector<FlowId> NONE;
        return NONE;
    }

    /// @return the weight of a flow on a link, above 0 @param link one that it crosses
    /// @param flow which one
    virtual double GetWeight([[maybe_unused]] LinkId link, [[maybe_unused]] FlowId flow) const
    {
        return 1;
    }

    /// What rounding must not take away from a flow, as a share of a link: less would stop it for
    /// ever.
    static constexpr double LEAST_SHARE = 1e-12;
};

} // namespace ns3::dml

#endif /* DML_RATE_SOLVER_H */

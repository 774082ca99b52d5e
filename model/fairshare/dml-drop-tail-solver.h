/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_DROP_TAIL_SOLVER_H
#define DML_DROP_TAIL_SOLVER_H

#include "dml-drop-tail-weights.h"
#include "dml-rate-solver.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief What TCP connections get of ports that are first-in first-out and drop what does not fit.
 *
 * The flows of one host take turns in its fair queue and get equal shares of its link. At a
 * drop-tail port flows of several hosts meet, and those whose packets are lost stay behind: flow f
 * gets the share \f$ w_f / \sum_g w_g \f$ of the port, with \f$ \ln w_f \f$ normal, of mean 0. Its
 * deviation, and how soon it changes, are those of the port with as many connections (see
 * GetPortShares()), unless they are fixed. Windows of connections that begin together grow alike,
 * so their weights are equal until the port first loses packets. Over several links it is weighted
 * max-min: every flow has a full link on which it has at least its share. Ports do stay full: what
 * is dropped there has been sent in addition.
 *
 * A connection that sends for the first time in its life, through a port that others have filled
 * for DropTailWeights::ESTABLISHED, is a newcomer: its window is small yet, and grows by little at
 * each loss. It has the part `newcomer` of its weight until it has been alone there, has paused, or
 * DropTailWeights::GROWN has passed.
 *
 * Source: TCP by bursts, judged by packets and by incasts of 2 to 8 real Linux connections; late
 * ones of these; see doc/tcp.rst. Without drop-tail links the rates are those of MaxMinSolver.
 */
class DropTailSolver : public RateSolver
{
  public:
    /// How unequal shares are.
    using Shares = DropTailWeights::Shares;

    /// @param network links and routes @param shares how unequal they are
    DropTailSolver(const FlowNetwork& network, const Shares& shares);

    void Solve(const std::vector<FlowId>& active, std::vector<double>& rates) override;
    const std::vector<FlowId>& SolveChanges(const FlowChanges& changes,
                                            const std::vector<FlowId>& active,
                                            std::vector<double>& rates) override;
    void SetCapacity(LinkId link, double bytesPerSecond) override;
    bool SharesByWeight(const std::vector<LinkId>& links,
                        const std::vector<FlowId>& flows) const override;
    const std::vector<FlowId>& ChangeWeights(const FlowChanges& changes) override;
    double GetWeight(LinkId link, FlowId flow) const override;
    double GetNextChange(uint32_t domain) const override;

  private:
    /// Part of a link that may be left where it counts as full.
    static constexpr double NEARLY_FULL = 1e-9;

    /// A link at work.
    struct Link
    {
        double capacity;             //!< bytes per second
        bool dropTail{false};        //!< else all weights are 1
        double left{0};              //!< not taken by flows whose rate is fixed
        double weight{0};            //!< of the flows whose rate is not
        uint32_t open{0};            //!< how many they are
        uint32_t limits{0};          //!< how many of them get least here
        std::vector<FlowId> flows{}; //!< active flows
    };

    /// What an open flow would get now.
    struct Offer
    {
        LinkId link{0}; //!< where it gets least
        double rate{0}; //!< bytes per second
    };

    void Use(FlowId flow);
    Offer FindOffer(FlowId flow) const;
    /// Take a flow's rate from its links, or give it back. @param sign 1 or -1
    void Fix(FlowId flow, double rate, int32_t sign);
    /// Give rates to open flows. @return whether each is limited by a link that it shares
    bool Fill(std::vector<double>& rates);
    /// @return whether a link of the flow is full
    bool IsLimited(FlowId flow) const;
    bool FixAcrossLimits(std::vector<double>& rates);

    DropTailWeights m_weights;                 //!< of all flows
    std::vector<std::vector<LinkId>> m_routes; //!< by flow
    std::vector<Link> m_links;                 //!< by link, then one for each flow with a cap
    std::vector<LinkId> m_used;                //!< scratch: links of active flows
    std::vector<LinkId> m_full;                //!< scratch: links that limit all their open flows
    std::vector<FlowId> m_open;                //!< scratch: flows whose rate is not fixed
    std::vector<Offer> m_offers;               //!< scratch, by flow
};

} // namespace ns3::dml

#endif /* DML_DROP_TAIL_SOLVER_H */

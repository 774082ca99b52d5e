/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FIFO_SOLVER_H
#define DML_FIFO_SOLVER_H

#include "dml-max-min-solver.h"

#include <boost/functional/hash.hpp>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief Rates of fixed windows on deep first-in first-out queues.
 *
 * Flow f keeps \f$ B_f \f$ bytes in flight (its send buffer; no loss), so by Little's law
 * \f$ r_f = B_f / (T_f + \sum_{l \in P_f} q_l) \f$, where \f$ P_f \f$ are the links that its bytes
 * and its ACKs cross, \f$ q_l \ge 0 \f$ is the queueing delay of link l, common to all that cross
 * it, and \f$ T_f \f$ the round-trip time without queues. No link carries more than its rate, and
 * only full links have a queue. ACKs are taken to need no bandwidth. Where no ACK meets a queue
 * this is weighted proportional fairness. Source: Mo and Walrand, Fair end-to-end window-based
 * congestion control, IEEE/ACM ToN 8(5), 2000; the way of the ACKs is added here.
 * Where ACKs do meet queues the delays need not be unique; the ones found depend on the active
 * flows only.
 *
 * The delays are found link by link (each the root of a falling function of one variable) and then
 * by Newton's method for all links at once, until every link with a queue is full within TOLERANCE
 * and none is more than full. If that fails within MOST_SWEEPS, the best delays found stand, with
 * rates cut until they fit.
 *
 * Flows that all cross the same links, there or back, and have the same \f$ T_f \f$, share them in
 * proportion to their windows, at most \f$ B_f / T_f \f$ each, whichever of the links is full.
 *
 * Flows with a cap send at that rate whatever happens; they share max-min where they cannot all
 * have it, and leave LEAST_LEFT of each link to the windows.
 */
class FifoSolver : public RateSolver
{
  public:
    static constexpr double TOLERANCE = 1e-9;     //!< of a link's load, relative to its rate
    static constexpr uint32_t MOST_SWEEPS = 2000; //!< over all links
    static constexpr double LEAST_LEFT = 0.01;    //!< part of a link's rate

    /// @param network links and routes
    explicit FifoSolver(const FlowNetwork& network);

    void Solve(const std::vector<FlowId>& active, std::vector<double>& rates) override;
    void SetCapacity(LinkId link, double bytesPerSecond) override;

    bool SharesByWeight(const std::vector<LinkId>& links,
                        const std::vector<FlowId>& flows) const override;
    double GetWeight(LinkId link, FlowId flow) const override;
    double GetHighestLevel(FlowId flow) const override;

    bool HeedsAcks() const override
    {
        return true;
    }

    /// @return queueing delay in seconds of each link, as of the last state that was not remembered
    const std::vector<double>& GetDelays() const
    {
        return m_delays;
    }

    /// @return sweeps over all links that the last state needed that was not remembered
    uint32_t GetSweeps() const
    {
        return m_sweeps;
    }

  private:
    /// A route, its links without repetition.
    struct Route
    {
        std::vector<LinkId> forward; //!< links that its bytes cross
        std::vector<LinkId> path;    //!< links that its bytes or its ACKs cross
        double window;               //!< bytes
        double roundTrip;            //!< seconds without queues
        bool capped;                 //!< sends at a rate, not by window
    };

    /// A link at work.
    struct Link
    {
        double capacity;             //!< bytes per second
        double left{0};              //!< what flows with caps leave of it
        std::vector<FlowId> flows{}; //!< those with windows whose bytes cross it
        std::vector<FlowId> all{};   //!< those with windows whose bytes or ACKs cross it
        uint32_t row{0};             //!< in the system of equations
    };

    bool IsDown(const Route& route) const;
    void SolveAnew(const std::vector<FlowId>& active, std::vector<double>& rates);
    void Prepare(const std::vector<FlowId>& active, std::vector<double>& rates);
    void ServeCapped(std::vector<double>& rates);
    void SetDelay(LinkId link, double delay);
    double FindDelay(LinkId link) const;
    double GetLoad(LinkId link) const;
    double GetError() const;
    void TryNewton();
    void FillMatrix(const std::vector<LinkId>& rows);
    void Settle(std::vector<double>& rates) const;

    MaxMinSolver m_capped;           //!< for flows with caps
    std::vector<Route> m_routes;     //!< by flow
    std::vector<Link> m_links;       //!< by link
    std::vector<double> m_delays;    //!< by link: seconds
    std::vector<LinkId> m_used;      //!< links that bytes of windows cross
    std::vector<FlowId> m_elastic;   //!< active flows with windows
    std::vector<FlowId> m_inelastic; //!< active flows with caps
    std::vector<double> m_round;     //!< by flow: round-trip time with queues, in seconds
    std::vector<double> m_matrix;    //!< scratch of TryNewton()
    uint32_t m_sweeps{0};            //!< of the last solution

    /// Solutions by sorted active flows: states repeat.
    std::unordered_map<std::vector<FlowId>, std::vector<double>, boost::hash<std::vector<FlowId>>>
        m_known;
    std::size_t m_knownRates{0}; //!< rates in m_known
};

} // namespace ns3::dml

#endif /* DML_FIFO_SOLVER_H */

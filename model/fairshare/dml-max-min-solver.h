/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MAX_MIN_SOLVER_H
#define DML_MAX_MIN_SOLVER_H

#include "dml-rate-solver.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-fairshare
 * @brief Max-min fair rates by progressive filling.
 *
 * All rates grow together until a link is full; the flows through it stop there, the others go on:
 * \f$ \sum_{f \ni l} r_f \le C_l \f$ for every link l, and every flow has a bottleneck, a full link
 * on which no other flow is faster. Source: Bertsekas and Gallager, Data Networks, section 6.5.2.
 * What limits a flow by itself is a link of its own.
 */
class MaxMinSolver : public RateSolver
{
  public:
    /// @param network links and routes
    explicit MaxMinSolver(const FlowNetwork& network);

    void Solve(const std::vector<FlowId>& active, std::vector<double>& rates) override;
    void SetCapacity(LinkId link, double bytesPerSecond) override;

  private:
    /// What is left of a link.
    struct Link
    {
        double capacity;  //!< bytes per second
        double left{0};   //!< not taken by flows whose rate is fixed
        uint32_t open{0}; //!< flows whose rate is not fixed
        double share{0};  //!< left / open
    };

    void Fix(FlowId flow, double rate);
    double FindLevel();

    std::vector<Link> m_links;         //!< by link, then one for each flow with a cap
    std::vector<LinkId> m_routes;      //!< links of all flows, one flow after the other
    std::vector<uint32_t> m_firstLink; //!< start of each flow in m_routes, and the end
    std::vector<LinkId> m_used;        //!< scratch: links with flows whose rate is not fixed
    std::vector<FlowId> m_open;        //!< scratch: flows whose rate is not fixed
};

} // namespace dml
} // namespace ns3

#endif /* DML_MAX_MIN_SOLVER_H */

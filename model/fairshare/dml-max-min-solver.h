/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MAX_MIN_SOLVER_H
#define DML_MAX_MIN_SOLVER_H

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
 */
class MaxMinSolver
{
  public:
    /// @param capacities capacity of each link, > 0, in any unit of rate
    explicit MaxMinSolver(std::vector<double> capacities);

    /// @brief Forget all flows.
    void Clear();

    /**
     * @brief Add a flow.
     * @param links indices of the links on its route, at least one, each once
     */
    void AddFlow(const std::vector<uint32_t>& links);

    /// @brief Two-link routes without a temporary vector.
    /// @param first index of a link @param second index of another link
    void AddFlow(uint32_t first, uint32_t second);

    /**
     * @brief Compute the rates.
     * @return rate of each flow in the order added, in the unit of the capacities
     */
    const std::vector<double>& Solve();

  private:
    /// Flows through a link and what is left of it.
    struct Link
    {
        double capacity;                //!< as given
        double left{0};                 //!< not taken by flows whose rate is fixed
        uint32_t open{0};               //!< flows whose rate is not fixed
        std::vector<uint32_t> flows;    //!< all flows through it
    };

    void Fix(uint32_t flow, double rate);

    std::vector<Link> m_links;             //!< by index
    std::vector<uint32_t> m_used;          //!< links with flows
    std::vector<uint32_t> m_routes;        //!< links of all flows, one flow after the other
    std::vector<uint32_t> m_firstLink{0};  //!< start of each flow in m_routes, and the end
    std::vector<double> m_rates;           //!< by flow; negative while not fixed
};

} // namespace dml
} // namespace ns3

#endif /* DML_MAX_MIN_SOLVER_H */

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TWO_SERVER_SOLVER_H
#define DML_TWO_SERVER_SOLVER_H

#include "dml-rate-solver.h"

#include "ns3/dml-channel-label.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief The rule for two parameter servers of Li et al., ICPE 2020, section 5.
 *
 * The n connections that are active with a server get 1/n of its rate each. But a worker that is
 * the only one at one server while it contends with n - 1 others at the other gets up to 1 - 1/n
 * there. What the paper leaves open, a worker alone at both, gets 1/2 of each. On the star with
 * equal links for which it is meant, that is max-min fairness.
 */
class TwoServerSolver : public RateSolver
{
  public:
    /**
     * @param network a star of two servers with equal links and no background flows
     * @throws InputError for any other
     */
    explicit TwoServerSolver(const FlowNetwork& network);

    void Solve(const std::vector<FlowId>& active, std::vector<double>& rates) override;

    /// @throws InputError always: the rule knows equal links only
    void SetCapacity(LinkId link, double bytesPerSecond) override;

  private:
    /// Who is active in one direction.
    struct State
    {
        std::array<uint32_t, 2> count{}; //!< by server: active connections
        std::vector<uint8_t> servers;    //!< by worker: bit s if its connection with s is active
    };

    /// Whose a flow is.
    struct Flow
    {
        uint32_t worker;     //!< index
        uint32_t server;     //!< index
        Direction direction; //!< seen from the worker
    };

    std::vector<Flow> m_flows;     //!< by flow id
    double m_rate;                 //!< bytes per second of every link
    std::array<State, 2> m_states; //!< scratch, by direction
};

} // namespace ns3::dml

#endif /* DML_TWO_SERVER_SOLVER_H */

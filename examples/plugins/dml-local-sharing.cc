/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A sharing rule of one's own for the fair-share engine: every link is split among the flows on it,
// and a flow gets the least of its links' shares. What others leave over is lost, unlike with
// max-min. doc/extending.rst shows how a scenario chooses it.

#include "ns3/dml-sharing-policy.h"
#include "ns3/double.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace example
{

using namespace ns3;
using namespace ns3::dml;

/// Knows the rates of one run.
class LocalSolver : public RateSolver
{
  public:
    LocalSolver(const FlowNetwork& network, double efficiency)
        : m_flows(network.flows),
          m_capacities(network.capacities),
          m_active(network.capacities.size(), 0),
          m_efficiency(efficiency)
    {
    }

    void Solve(const std::vector<FlowId>& active, std::vector<double>& rates) override
    {
        std::fill(m_active.begin(), m_active.end(), 0);
        for (const FlowId flow : active)
        {
            for (const LinkId link : m_flows[flow].forward)
            {
                ++m_active[link];
            }
        }
        for (const FlowId flow : active)
        {
            const double cap = m_flows[flow].cap;
            rates[flow] = cap > 0 ? cap : std::numeric_limits<double>::infinity();
            for (const LinkId link : m_flows[flow].forward)
            {
                rates[flow] =
                    std::min(rates[flow], m_efficiency * m_capacities[link] / m_active[link]);
            }
        }
    }

    void SetCapacity(LinkId link, double bytesPerSecond) override
    {
        m_capacities[link] = bytesPerSecond;
    }

  private:
    std::vector<NetworkFlow> m_flows; //!< routes by flow id
    std::vector<double> m_capacities; //!< bytes per second, by link
    std::vector<uint32_t> m_active;   //!< by link: flows on it
    double m_efficiency;              //!< share of a link that flows can use
};

/// What a scenario chooses: makes a LocalSolver for each run.
class LocalSharing : public RateSharingPolicy
{
  public:
    static TypeId GetTypeId();

    std::unique_ptr<RateSolver> MakeSolver(const FairShareNetwork& network) const override
    {
        return std::make_unique<LocalSolver>(network.links, m_efficiency);
    }

  private:
    double m_efficiency{1}; //!< attribute
};

NS_OBJECT_ENSURE_REGISTERED(LocalSharing);

TypeId
LocalSharing::GetTypeId()
{
    static TypeId tid = TypeId("example::LocalSharing")
                            .SetParent<RateSharingPolicy>()
                            .AddConstructor<LocalSharing>()
                            .AddAttribute("Efficiency",
                                          "Share of a link that flows can use.",
                                          DoubleValue(1),
                                          MakeDoubleAccessor(&LocalSharing::m_efficiency),
                                          MakeDoubleChecker<double>(0.01, 1));
    return tid;
}

} // namespace example

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FLOW_PATHS_H
#define DML_FLOW_PATHS_H

#include "dml-address-plan.h"
#include "dml-equal-paths.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/// The path of a connection's data, and that of its ACKs.
struct ConnectionPath
{
    std::vector<DirectedLink> forward; //!< links in order; none: both ends are one host's
    std::vector<DirectedLink> reverse; //!< of what comes back
};

/**
 * @ingroup dml-network
 * @brief Which paths connections take, as ClusterNetwork::GetMultipath() says.
 *
 * Where packets of a connection are spread over paths, these are some of them.
 */
class FlowPaths
{
  public:
    /// @param network with its jobs; must outlive this
    explicit FlowPaths(const ClusterNetwork& network)
        : m_network(network),
          m_plan(network),
          m_equal(network)
    {
    }

    /// @return addresses and ports
    const AddressPlan& GetPlan() const
    {
        return m_plan;
    }

    /// @return all equally short paths
    const EqualPaths& GetEqual() const
    {
        return m_equal;
    }

    /// @param from node @param to node @param tuple of what goes there @return links in order
    std::vector<DirectedLink> Find(uint32_t from, uint32_t to, const FiveTuple& tuple) const;

    /// @param from name of the endpoint that sends @param to of the one that receives
    /// @return the path of their channel
    ConnectionPath FindChannel(const std::string& from, const std::string& to) const;

    /// @param flow of the scenario @param number its number @return its path
    ConnectionPath FindBackground(const BackgroundSpec& flow, uint32_t number) const;

  private:
    ConnectionPath FindBoth(const std::string& from,
                            const std::string& to,
                            const FiveTuple& tuple) const;

    const ClusterNetwork& m_network; //!< the network
    AddressPlan m_plan;              //!< of its hosts
    EqualPaths m_equal;              //!< between its nodes
};

} // namespace ns3::dml

#endif /* DML_FLOW_PATHS_H */

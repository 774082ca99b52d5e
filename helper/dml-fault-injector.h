/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FAULT_INJECTOR_H
#define DML_FAULT_INJECTOR_H

#include "dml-cluster-helper.h"

#include "ns3/error-model.h"

#include <map>
#include <vector>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-helper
 * @brief Loses packets on links, at random or all of them for a while, with ns-3's error models.
 *
 * A packet is lost at the receiving end of a link, after it took its time on the wire. Routes stay
 * as they are. Nothing is lost before the time origin, while connections are made.
 */
class FaultInjector
{
  public:
    /**
     * @param cluster whose links; must outlive the injector
     * @param origin simulation time from which the faults' times count
     * @param stream first random stream to use
     */
    FaultInjector(const ClusterHelper& cluster, Time origin, int64_t stream);

    /**
     * @brief Let a fault happen.
     * @param fault what and when
     * @param key of the fault, for errors
     * @throws InputError if there is no such link
     */
    void Add(const FaultSpec& fault, const std::string& key);

  private:
    RateErrorModel& GetModel(DirectedLink link);
    void Change(DirectedLink link, int change);

    /// A link that loses packets.
    struct Link
    {
        Ptr<RateErrorModel> model; //!< at the receiving device
        double loss{0};            //!< while it is up
        int down{0};               //!< faults that keep it down
    };

    const ClusterHelper& m_cluster;        //!< whose links
    Time m_origin;                         //!< from which times count
    int64_t m_stream;                      //!< next random stream
    std::map<DirectedLink, Link> m_links;  //!< with faults
};

} // namespace dml
} // namespace ns3

#endif /* DML_FAULT_INJECTOR_H */

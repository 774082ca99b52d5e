/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FAULT_INJECTOR_H
#define DML_FAULT_INJECTOR_H

#include "dml-cluster.h"

#include "ns3/dml-link-changes.h"
#include "ns3/error-model.h"

#include <functional>
#include <map>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief Loses packets on links, at random or all of them for a while, with ns-3's error models,
 * and changes the rate of ns-3's devices.
 *
 * A packet is lost at the receiving end of a link, after it took its time on the wire. A packet
 * that is on the wire when the rate changes keeps its time; the one after it takes the new one.
 * Routes stay as they are, and so do queues: their sizes, and the thresholds that a RED queue has
 * from the rate at the start. Nothing happens before the time origin, while connections are made.
 */
class FaultInjector
{
  public:
    /**
     * @param cluster whose links; must outlive the injector
     * @param origin simulation time from which the faults' times count
     * @param stream first random stream to use
     */
    FaultInjector(const Cluster& cluster, Time origin, int64_t stream);

    /**
     * @brief Let faults happen; to be called once.
     * @param faults what and when
     * @throws NetworkError if there is no such link
     */
    void Add(const std::vector<FaultSpec>& faults);

    /// @param changed told after each change of a link
    void SetChangeHandler(std::function<void()> changed)
    {
        m_changed = std::move(changed);
    }

  private:
    RateErrorModel& GetModel(DirectedLink link);
    void Schedule(const LinkChange& change);
    void Change(const LinkChange& change);

    /// A link that loses packets.
    struct Link
    {
        Ptr<RateErrorModel> model; //!< at the receiving device
        double loss{0};            //!< while it is up
    };

    const Cluster& m_cluster;             //!< cluster with the links
    Time m_origin;                        //!< from which times count
    int64_t m_stream;                     //!< next random stream
    std::map<DirectedLink, Link> m_links; //!< with faults
    std::function<void()> m_changed;      //!< may be empty
};

} // namespace ns3::dml

#endif /* DML_FAULT_INJECTOR_H */

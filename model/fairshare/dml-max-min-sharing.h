/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MAX_MIN_SHARING_H
#define DML_MAX_MIN_SHARING_H

#include "dml-bandwidth-sharing.h"
#include "dml-max-min-solver.h"

#include <array>
#include <vector>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-fairshare
 * @brief Max-min fair rates over the links of servers and workers.
 *
 * In a star a downlink flow crosses its server's transmit side and its worker's receive side, an
 * uplink flow the other two: the directions do not touch. With two servers and equal links this is
 * the rule of Li et al., ICPE 2020, section 5.
 */
class MaxMinSharing : public BandwidthSharing
{
  public:
    /**
     * @param workers number of workers
     * @param servers number of parameter servers
     * @param workerRate rate of each direction of a worker's link, in bytes per second, > 0
     * @param serverRate rate of each direction of a server's link, in bytes per second, > 0
     * @param observer told of the servers' links; may be null
     */
    MaxMinSharing(uint32_t workers,
                  uint32_t servers,
                  double workerRate,
                  double serverRate,
                  RunObserver* observer);

    void Start(const Flow& flow, double bytes, uint64_t order, double now) override;
    FlowEnd GetNextEnd() const override;
    void Finish() override;
    void Flush(double now) override;

  private:
    /// An active flow.
    struct Active
    {
        Flow flow;        //!< which one
        uint64_t order;   //!< rank among simultaneous ends
        double remaining; //!< bytes not yet served
        double rate{0};   //!< bytes per second
    };

    /// The flows of one direction.
    struct Half
    {
        std::vector<Active> active; //!< in no particular order
        double updated{0};          //!< seconds: when remaining held
        FlowEnd next;               //!< first to end
    };

    void Advance(Half& half, double now);
    void Share(Half& half);
    void Report(const Half& half, double from, double to);

    uint32_t m_servers;         //!< number of servers; their links come first
    RunObserver* m_observer;    //!< may be null
    MaxMinSolver m_solver;      //!< links of one direction: servers, then workers
    std::array<Half, 2> m_halves; //!< by direction
    std::vector<double> m_load; //!< scratch: bytes per second on each server's link
};

} // namespace dml
} // namespace ns3

#endif /* DML_MAX_MIN_SHARING_H */

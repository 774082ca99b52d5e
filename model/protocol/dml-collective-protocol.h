/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_COLLECTIVE_PROTOCOL_H
#define DML_COLLECTIVE_PROTOCOL_H

#include "dml-protocol.h"

#include "ns3/dml-collective-algorithm.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-protocol
 * @brief A protocol without servers, whose workers synchronise tensors by collectives: which
 * algorithm does these, how many at a time, and who has which rank.
 *
 * Ranks are given rack by rack, so that a ring enters each rack once, as schedulers that know the
 * network do.
 */
class CollectiveProtocol : public Protocol
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    bool HasServers() const override
    {
        return false;
    }

    /// @return how a buffer goes; null: on a ring
    Ptr<const CollectiveAlgorithm> GetAlgorithm() const
    {
        return m_algorithm;
    }

    /// @return whether the algorithm depends on the size of a buffer
    bool ChoosesBySize() const;

  protected:
    /// Resources of a worker, in this order; channels follow.
    struct WorkerResources
    {
        static constexpr uint32_t COLLECTIVES = 0; //!< where collectives queue
        static constexpr uint32_t REDUCER = 1;     //!< what adds up
        static constexpr uint32_t DEVICES = 2;     //!< first device
    };

    /// @param profile a valid profile @return a plan with the resources of a worker, without ops
    StepPlan StartPlan(const Profile& profile) const;

    /// @param setting racks of workers, and those that take part @return the worker of each rank
    std::vector<uint32_t> ListRanks(const ProtocolSetting& setting) const;

    /// @return the algorithm that is used
    Ptr<const CollectiveAlgorithm> ChooseAlgorithm() const;

  private:
    Ptr<CollectiveAlgorithm> m_algorithm; //!< attribute
    double m_reduction{0};                //!< attribute
    uint32_t m_concurrent{1};             //!< attribute
    bool m_sortByRack{true};              //!< attribute
};

} // namespace ns3::dml

#endif /* DML_COLLECTIVE_PROTOCOL_H */

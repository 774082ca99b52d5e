/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MULTIPATH_POLICIES_H
#define DML_MULTIPATH_POLICIES_H

#include "dml-multipath-policy.h"
#include "dml-network-spec.h"

#include "ns3/dml-plugin-kind.h"
#include "ns3/random-variable-stream.h"

#include <unordered_map>

namespace ns3::dml
{

/**
 * @ingroup dml-network
 * @brief By a hash of addresses and ports, so that a connection keeps its path (RFC 2992).
 */
class EcmpMultipath : public MultipathPolicy
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();
    Spread GetSpread() const override;
    uint32_t Choose(const PathQuestion& question) override;
    std::string Describe() const override;

  private:
    uint32_t m_seed{1}; //!< attribute: of the hash
};

/**
 * @ingroup dml-network
 * @brief What chooses at random.
 */
class RandomMultipath : public MultipathPolicy
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();
    int64_t AssignStreams(int64_t stream) override;

  protected:
    void DoDispose() override;
    /// @param choices how many there are @return one of them, from 0
    uint32_t Draw(uint32_t choices);

  private:
    Ptr<UniformRandomVariable> m_random; //!< null until it is needed: it takes a stream
};

/**
 * @ingroup dml-network
 * @brief At random for each packet (random packet spraying: Dixit et al., INFOCOM 2013).
 */
class SprayMultipath : public RandomMultipath
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();
    Spread GetSpread() const override;
    uint32_t Choose(const PathQuestion& question) override;
    std::string Describe() const override;
};

/**
 * @ingroup dml-network
 * @brief At random for a packet that comes some time after the last one of its connection (LetFlow:
 * Vanini et al., NSDI 2017).
 */
class FlowletMultipath : public RandomMultipath
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();
    Spread GetSpread() const override;
    uint32_t Choose(const PathQuestion& question) override;
    std::string Describe() const override;

  private:
    /// What is known of a connection.
    struct Flowlet
    {
        Time last;          //!< when the last packet came
        uint32_t choice{0}; //!< where it went
    };

    Time m_gap;                                       //!< attribute
    std::unordered_map<uint64_t, Flowlet> m_flowlets; //!< by hash of the five-tuple
};

/// @return the policies that `network.multipath` may choose
const PluginKind& MultipathPolicies();

/// @param spec a choice @return the policy; null where there is one path
/// @throws InputError as PluginKind::MakeFactory()
Ptr<MultipathPolicy> MakeMultipathPolicy(const MultipathSpec& spec);

} // namespace ns3::dml

#endif /* DML_MULTIPATH_POLICIES_H */

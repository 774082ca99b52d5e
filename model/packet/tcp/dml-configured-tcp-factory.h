/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CONFIGURED_TCP_FACTORY_H
#define DML_CONFIGURED_TCP_FACTORY_H

#include "ns3/attribute.h"
#include "ns3/object-factory.h"
#include "ns3/socket-factory.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <map>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief Makes TCP sockets of any class, with the same attributes: aggregated to a node, it is what
 * Socket::CreateSocket() finds for its TypeId, beside ns-3's own TCP.
 */
class ConfiguredTcpFactory : public SocketFactory
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /**
     * @brief Several factories of a node, each of which makes other sockets, need TypeIds of their
     * own: applications of ns-3 name by them what makes their sockets.
     * @param number of the factory; 0: the first one
     * @return GetTypeId() of the first one, and one like it for each other
     */
    static TypeId GetNumberedType(uint32_t number);

    /**
     * @brief Have an attribute of all sockets set.
     * @param name of an attribute of the sockets' class
     * @param value its value
     */
    void SetSocketAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Give what is random in all sockets its streams, those that exist included.
     * @param stream number of the first one
     * @return how many are used: one for each attribute that is a random variable
     */
    int64_t AssignStreams(int64_t stream);

    Ptr<Socket> CreateSocket() override;

  private:
    /// @param name of the TypeId @return a new one
    static TypeId MakeType(const std::string& name);

    TypeId m_socket;                                           //!< attribute
    ObjectFactory m_congestion;                                //!< attribute
    ObjectFactory m_estimator;                                 //!< attribute
    std::map<std::string, Ptr<const AttributeValue>> m_values; //!< of every socket
};

} // namespace ns3::dml

#endif /* DML_CONFIGURED_TCP_FACTORY_H */

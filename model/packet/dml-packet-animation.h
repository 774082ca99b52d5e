/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PACKET_ANIMATION_H
#define DML_PACKET_ANIMATION_H

#include "dml-cluster.h"

#include <memory>
#include <string>

namespace ns3::dml
{

/// Writes ns-3's animation for NetAnim while it lives; or null.
using PacketAnimation = std::shared_ptr<void>;

/**
 * @ingroup dml-packet
 * @brief Write every packet to a file for NetAnim: servers on top, switches in the middle, workers
 * and other hosts below.
 *
 * ns-3's module netanim needs those of Wi-Fi, LTE and more, which take 25 MB of memory and half the
 * time in which a program starts. So the standalone build keeps it in a library of its own, which
 * is loaded here.
 * @param cluster with nodes
 * @param path of the XML file
 * @return the animation, to be deleted before the simulator is destroyed
 * @throws RunError if there is no NetAnim
 */
PacketAnimation MakePacketAnimation(const Cluster& cluster, const std::string& path);

} // namespace ns3::dml

/**
 * @brief What MakePacketAnimation() calls; not found by its name if it were C++.
 * @param cluster with nodes
 * @param path of the XML file
 * @param animation to be set
 */
extern "C" void DmlMakeNetAnimWriter(const ns3::dml::Cluster& cluster,
                                     const std::string& path,
                                     ns3::dml::PacketAnimation& animation);

#endif /* DML_PACKET_ANIMATION_H */

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_NETANIM_WRITER_H
#define DML_NETANIM_WRITER_H

#include "dml-packet-animation.h"

#include <string>

/**
 * @brief What MakePacketAnimation() calls; not found by its name if it were C++.
 * @param cluster with nodes
 * @param path of the XML file
 * @return an animation, which the caller deletes
 */
extern "C" ns3::dml::PacketAnimation* DmlMakeNetAnimWriter(const ns3::dml::Cluster& cluster,
                                                           const std::string& path);

#endif /* DML_NETANIM_WRITER_H */

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RENDEZVOUS_KEY_H
#define DML_RENDEZVOUS_KEY_H

#include <cstdint>
#include <optional>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-http2
 * @brief Names a tensor that one device sends to another, as TensorFlow's Rendezvous does.
 *
 * The text is "source;incarnation;destination;edge;frame:iteration", incarnation in 16 hexadecimal
 * digits.
 */
struct RendezvousKey
{
    std::string source;      //!< such as "/job:ps/replica:0/task:0/device:CPU:0"
    uint64_t incarnation{1}; //!< of the source device
    std::string destination; //!< such as "/job:worker/replica:0/task:0/device:CPU:0"
    std::string edge;        //!< the tensor's name; may contain ';'
    uint64_t frame{0};       //!< of a loop
    int64_t iteration{0};    //!< of a loop

    /// @return the text; neither device name may contain ';'
    std::string Encode() const;
    /// @return the key that @p text is, or nothing if it is none
    static std::optional<RendezvousKey> Decode(const std::string& text);
};

/**
 * @param job "ps" or "worker"
 * @param task which one of the job's tasks
 * @return the name of its first CPU, in TensorFlow's form
 */
std::string DeviceName(const std::string& job, uint32_t task);

} // namespace ns3::dml

#endif /* DML_RENDEZVOUS_KEY_H */

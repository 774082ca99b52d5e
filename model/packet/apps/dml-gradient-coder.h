/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GRADIENT_CODER_H
#define DML_GRADIENT_CODER_H

#include "ns3/dml-grpc-messages.h"
#include "ns3/dml-step-plan.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

/// Handle of the graph that takes which gradients a worker has, and tells which ones all reduce.
constexpr const char* BUCKET_GRAPH = "buckets";

/**
 * @ingroup dml-apps
 * @brief How gradients are named in calls of BUCKET_GRAPH: by name, and with Negotiation::cached
 * from the second time on by a bit, as in Horovod's response cache.
 */
class GradientCoder
{
  public:
    /// @param plan with negotiation; must outlive this
    explicit GradientCoder(const StepPlan& plan);

    /// @param gradients each once @return what is fed to the graph
    NamedValues EncodeSet(const std::vector<uint32_t>& gradients) const;

    /// @param values that were fed @return the gradients; nothing if they are none
    std::optional<std::vector<uint32_t>> DecodeSet(const NamedValues& values) const;

    /// @param order gradients, each once @return what the graph gives
    NamedValues EncodeOrder(const std::vector<uint32_t>& order) const;

    /// @param values that it gave @return the gradients in order; nothing if they are none
    std::optional<std::vector<uint32_t>> DecodeOrder(const NamedValues& values) const;

    /// @param gradients that have been agreed on: known by a bit from now on
    void Learn(const std::vector<uint32_t>& gradients);

  private:
    std::string GetName(uint32_t gradient) const;
    std::optional<uint32_t> Find(const std::string& name) const;

    const StepPlan& m_plan;                    //!< has the names
    std::map<std::string, uint32_t> m_numbers; //!< by name
    std::vector<bool> m_known;                 //!< by gradient: whether it goes by a bit
};

} // namespace ns3::dml

#endif /* DML_GRADIENT_CODER_H */

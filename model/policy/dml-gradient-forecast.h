/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GRADIENT_FORECAST_H
#define DML_GRADIENT_FORECAST_H

#include "dml-transfer-policy.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-policy
 * @brief Predicts when gradients will be ready, from those of the step that have come already.
 *
 * A gradient is expected as long after the last one that came as the profile says
 * (TransferInfo::generated). A step is over when all its gradients have come, or when one of them
 * comes again.
 */
class GradientForecast
{
  public:
    /// What is expected next.
    struct Prediction
    {
        OpIndex transfer{NO_INDEX}; //!< a gradient, or NO_INDEX: none is to come
        double time{std::numeric_limits<double>::infinity()}; //!< seconds; may be past
    };

    /// @param transfers of the connection; those without a time of generation are no gradients
    void Prepare(const std::vector<TransferInfo>& transfers);

    /// @param transfer that has become ready; nothing happens if it is no gradient
    /// @param now seconds
    void Generated(OpIndex transfer, double now);

    /// @param rank of a transfer; @return the gradient of a lower rank that is expected first
    Prediction GetNextBefore(uint32_t rank) const;

  private:
    /// A transfer with a time of generation.
    struct Gradient
    {
        TransferInfo info; //!< what the profile says of it
        bool come{true};   //!< whether it is ready in this step, or no step has begun
    };

    std::vector<Gradient> m_gradients; //!< in the order of their ranks
    std::vector<uint32_t> m_places;    //!< by transfer: index in m_gradients, or NO_INDEX
    uint32_t m_toCome{0};              //!< gradients to come in this step
    double m_offset{0};                //!< seconds from the profile's time to the run's
};

} // namespace ns3::dml

#endif /* DML_GRADIENT_FORECAST_H */

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ARIMA_SPEED_H
#define DML_ARIMA_SPEED_H

#include "dml-trained-speed.h"

#include <memory>
#include <vector>

namespace ns3::dml
{

class ArimaModel;

/**
 * @ingroup dml-sync
 * @brief An autoregressive integrated moving average of the speeds alone.
 *
 * Source: LB-BSP (Chen et al., SoCC 2020), sections 3.2.2 and 5.4, and Table 3 for the orders.
 */
class ArimaSpeed : public TrainedSpeed
{
  public:
    ArimaSpeed();
    ~ArimaSpeed() override;

    /// @return the object TypeId
    static TypeId GetTypeId();

    void Prepare(uint32_t worker) override;
    uint32_t GetFewestSteps() const override;

  protected:
    uint32_t GetLookBack() const override
    {
        return 0; // the speeds before are among those that it trains on
    }

  private:
    void Train() override;
    double Forecast(double cpu, double memory) const override;
    /// @return the speeds of GetSteps()
    std::vector<double> GetSpeeds() const;

    uint32_t m_p{2}; //!< attribute
    uint32_t m_d{2}; //!< attribute
    uint32_t m_q{1}; //!< attribute

    std::unique_ptr<ArimaModel> m_model; //!< made by Prepare()
};

} // namespace ns3::dml

#endif /* DML_ARIMA_SPEED_H */

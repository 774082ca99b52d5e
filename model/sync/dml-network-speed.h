/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_NETWORK_SPEED_H
#define DML_NETWORK_SPEED_H

#include "dml-trained-speed.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace ns3::dml
{

class SpeedModel;
class SpeedNetwork;

/**
 * @ingroup dml-sync
 * @brief A small neural network that predicts speeds: what NARX and the recurrent ones share.
 *
 * The first weights of worker w are from ns-3 stream GetStreamBase() + w, of the substream of the
 * replication.
 */
class NetworkSpeed : public TrainedSpeed
{
  public:
    NetworkSpeed();
    ~NetworkSpeed() override;

    /// @return the object TypeId
    static TypeId GetTypeId();

    void Prepare(uint32_t worker) override;
    uint32_t GetFewestSteps() const override;

  private:
    void Train() override;
    double Forecast(double cpu, double memory) const override;

    /// @return the shape of the network, whose inputs MakeInputs() gives
    virtual std::unique_ptr<SpeedModel> MakeModel() const = 0;
    /// @return first ns-3 RNG stream of the first weights
    virtual uint64_t GetStreamBase() const = 0;
    /// @param next index in GetSteps() of the step that is predicted, at least GetLookBack() and at
    /// most their number @param cpu of it @param memory of it @return what the network is given
    virtual std::vector<double> MakeInputs(std::size_t next, double cpu, double memory) const = 0;

    uint32_t m_passes{10};     //!< attribute
    uint32_t m_seed{1};        //!< attribute
    uint32_t m_replication{0}; //!< attribute

    std::unique_ptr<SpeedNetwork> m_network; //!< made by Prepare()
};

} // namespace ns3::dml

#endif /* DML_NETWORK_SPEED_H */

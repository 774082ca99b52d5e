/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_NARX_SPEED_H
#define DML_NARX_SPEED_H

#include "dml-ema-speed.h"
#include "dml-speed-network.h"

#include <boost/circular_buffer.hpp>
#include <memory>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-sync
 * @brief A small neural network trained online: NARX with a look-back of 2.
 *
 * It predicts from the last two speeds and the CPU and memory of the step to come and the two
 * before. Until it has observed Warmup speeds, it gives their exponential moving average, as its
 * base does; then it trains every Interval steps on the last History ones. A prediction is between
 * 1/20 of the last speed and 20 times as much.
 *
 * The first weights of worker w are from ns-3 stream STREAM_BASE + w, of the substream of the
 * replication. How often it trains, on how many speeds, and the units of the hidden layer are not
 * in the paper; 5 units give a tenth as many weights as speeds that it trains on.
 *
 * Source: LB-BSP (Chen et al., SoCC 2020), section 3.2.2, equation 4, and section 4, "Online NARX
 * Training".
 */
class NarxSpeed : public EmaSpeed
{
  public:
    /// First ns-3 RNG stream of the first weights; worker w uses STREAM_BASE + w.
    static constexpr uint64_t STREAM_BASE = 10000000;
    static constexpr uint32_t DEFAULT_WARMUP = 500; //!< LB-BSP, section 4

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void Prepare(uint32_t worker) override;
    void Observe(double speed, double cpu, double memory) override;
    double Predict(double cpu, double memory) const override;

    /// @return whether the network is trained, and predicts
    bool IsTrained() const;

  private:
    /// What is known of a step that is done.
    struct Step
    {
        double speed;  //!< samples/s
        double cpu;    //!< share
        double memory; //!< share
    };

    SpeedInputs MakeInputs(double cpu, double memory) const;
    void Train();

    uint32_t m_warmup{DEFAULT_WARMUP};  //!< attribute
    uint32_t m_history{DEFAULT_WARMUP}; //!< attribute
    uint32_t m_interval{50};            //!< attribute
    uint32_t m_hidden{5};               //!< attribute
    uint32_t m_passes{10};              //!< attribute
    uint32_t m_seed{1};                 //!< attribute
    uint32_t m_replication{0};          //!< attribute

    std::unique_ptr<SpeedNetwork> m_network;         //!< made by Prepare()
    boost::circular_buffer<SpeedExample> m_examples; //!< the last ones
    boost::circular_buffer<Step> m_steps{2};         //!< the last two
    uint64_t m_observed{0};                          //!< number of speeds
    bool m_trained{false};                           //!< the network predicts
};

} // namespace dml
} // namespace ns3

#endif /* DML_NARX_SPEED_H */

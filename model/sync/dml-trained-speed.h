/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRAINED_SPEED_H
#define DML_TRAINED_SPEED_H

#include "dml-ema-speed.h"

#include <boost/circular_buffer.hpp>
#include <optional>

namespace ns3::dml
{

/// What is known of a step that is done.
struct SpeedStep
{
    double speed;  //!< samples/s
    double cpu;    //!< share
    double memory; //!< share
};

/**
 * @ingroup dml-sync
 * @brief A model of the speeds that is trained online, on the last ones.
 *
 * Until it has observed Warmup speeds, or as many as the model needs if those are more, it gives
 * their exponential moving average, as its base does; then it trains every Interval steps on the
 * last History ones. A prediction is between 1/20 of the last speed and 20 times as much; where the
 * model gives no number, it is the average.
 *
 * Source: LB-BSP (Chen et al., SoCC 2020), section 4, "Online NARX Training", for the warm-up. How
 * often it trains, and on how many speeds, is not in the paper.
 */
class TrainedSpeed : public EmaSpeed
{
  public:
    static constexpr uint32_t DEFAULT_WARMUP = 500; //!< LB-BSP, section 4

    /// @return the object TypeId
    static TypeId GetTypeId();

    void Prepare(uint32_t worker) override;
    void Observe(double speed, double cpu, double memory) override;
    double Predict(double cpu, double memory) const override;

    /// @return whether the model is trained, and predicts
    bool IsTrained() const
    {
        return m_trained;
    }

    /// @return speeds that it observes before it first trains; none: History is too short for that.
    /// Only after Prepare()
    std::optional<uint64_t> GetFirstTraining() const;
    /// @return speeds that the model needs at least; only after Prepare()
    virtual uint32_t GetFewestSteps() const = 0;

  protected:
    /// The last steps, the latest at the end.
    using Steps = boost::circular_buffer<SpeedStep>;

    /// @return as many steps as there were, History and those that the first of them needs at most
    const Steps& GetSteps() const
    {
        return m_steps;
    }

    /// @return steps before one that tell its speed
    virtual uint32_t GetLookBack() const = 0;

  private:
    /// Train on GetSteps().
    virtual void Train() = 0;
    /// @param cpu of the step to come @param memory of it @return what the model makes of
    /// GetSteps(), any number; only after Train()
    virtual double Forecast(double cpu, double memory) const = 0;

    uint32_t m_warmup{DEFAULT_WARMUP};  //!< attribute
    uint32_t m_history{DEFAULT_WARMUP}; //!< attribute
    uint32_t m_interval{50};            //!< attribute

    Steps m_steps;          //!< see GetSteps()
    uint64_t m_observed{0}; //!< number of speeds
    bool m_trained{false};  //!< the model predicts
};

} // namespace ns3::dml

#endif /* DML_TRAINED_SPEED_H */

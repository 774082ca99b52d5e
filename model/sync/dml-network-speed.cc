/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-network-speed.h"

#include "dml-speed-model.h"

#include "ns3/rng-stream.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <unsupported/Eigen/NonLinearOptimization>
#include <utility>

namespace ns3::dml
{

namespace
{

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// What was known before steps, and their speeds: a row each.
struct SpeedExamples
{
    Matrix inputs;  //!< as SpeedModel has them
    Vector outputs; //!< speeds, samples/s
};

} // namespace

/**
 * @ingroup dml-sync
 * @brief A neural network that is trained to predict speeds.
 *
 * Inputs and speeds are normalised by the mean and standard deviation of the examples that it was
 * last trained with. Training is by Levenberg-Marquardt (Eigen's), with every fifth example kept
 * out to stop early (Yao et al., 2007): the weights that served those best are kept.
 *
 * Source: LB-BSP (Chen et al., SoCC 2020), section 4, "Online NARX Training", which says of the
 * training only that it stops early, mostly within 10 steps.
 */
class SpeedNetwork
{
  public:
    /// @param model its shape @param random for the first weights
    SpeedNetwork(std::unique_ptr<const SpeedModel> model, RngStream& random);

    /// @return examples that Train() needs at least
    std::size_t GetFewestExamples() const;

    /// @brief Train on, from the weights so far. @param all at least GetFewestExamples(), in order
    /// of time @param passes over the examples, at most
    void Train(SpeedExamples all, uint32_t passes);

    /// @param inputs of the step to come @return samples/s, possibly below 0; only after Train()
    double Predict(const std::vector<double>& inputs) const;

  private:
    std::unique_ptr<const SpeedModel> m_model; //!< shape
    std::vector<double> m_weights;             //!< of it
    std::vector<SpeedScale> m_inputs;          //!< of the examples' inputs
    SpeedScale m_speed;                        //!< of their speeds
};

namespace
{

constexpr std::size_t HELD_OUT = 5; // every fifth example
constexpr uint32_t PATIENCE = 2;    // passes in a row that do not serve the examples held out
constexpr int EVALUATIONS = 100;    // of the network per example, in all passes

/// What is to become small, in the form that Eigen's LevenbergMarquardt takes.
class Residuals
{
  public:
    using Scalar = double;
    using InputType = Vector;
    using ValueType = Vector;
    using JacobianType = Matrix;

    enum
    {
        InputsAtCompileTime = Eigen::Dynamic,
        ValuesAtCompileTime = Eigen::Dynamic
    };

    Residuals(const SpeedModel& model, const SpeedExamples& examples)
        : m_model(model),
          m_examples(examples)
    {
    }

    int inputs() const
    {
        return m_model.CountWeights();
    }

    int values() const
    {
        return m_examples.outputs.size();
    }

    int operator()(const Vector& weights, Vector& errors) const
    {
        m_model.Evaluate(m_examples.inputs, weights, errors);
        errors -= m_examples.outputs;
        return 0;
    }

    int df(const Vector& weights, Matrix& jacobian) const
    {
        m_model.Differentiate(m_examples.inputs, weights, jacobian);
        return 0;
    }

    double MeanSquare(const Vector& weights) const
    {
        Vector errors;
        (*this)(weights, errors);
        return errors.squaredNorm() / errors.size();
    }

  private:
    const SpeedModel& m_model;       //!< shape
    const SpeedExamples& m_examples; //!< normalised
};

/// Normalises @p values in place. @return how
SpeedScale
Normalise(Eigen::Ref<Vector> values)
{
    const double mean = values.mean();
    const double deviation = std::sqrt((values.array() - mean).square().mean());
    // what does not vary may come out as rounding
    const bool varies = deviation > 1e-9 * std::max(1.0, std::abs(mean));
    const SpeedScale scale{mean, varies ? deviation : 1};
    values = (values.array() - scale.mean) / scale.scale;
    return scale;
}

/// @return the rows whose number, modulo HELD_OUT, is or is not the last
SpeedExamples
Select(const SpeedExamples& all, bool heldOut)
{
    SpeedExamples some;
    const Eigen::Index rows = all.outputs.size();
    const Eigen::Index count =
        heldOut ? rows / HELD_OUT : rows - rows / static_cast<Eigen::Index>(HELD_OUT);
    some.inputs.resize(count, all.inputs.cols());
    some.outputs.resize(count);
    Eigen::Index next = 0;
    for (Eigen::Index row = 0; row < rows; ++row)
    {
        if ((row % HELD_OUT == HELD_OUT - 1) == heldOut)
        {
            some.inputs.row(next) = all.inputs.row(row);
            some.outputs(next++) = all.outputs(row);
        }
    }
    return some;
}

} // namespace

SpeedNetwork::SpeedNetwork(std::unique_ptr<const SpeedModel> model, RngStream& random)
    : m_model(std::move(model)),
      m_weights(m_model->DrawWeights(random))
{
}

std::size_t
SpeedNetwork::GetFewestExamples() const
{
    // as many to train with as there are weights
    return HELD_OUT * (m_weights.size() / (HELD_OUT - 1) + 1);
}

void
SpeedNetwork::Train(SpeedExamples all, uint32_t passes)
{
    m_inputs.clear();
    for (Eigen::Index input = 0; input < m_model->CountInputs(); ++input)
    {
        m_inputs.push_back(Normalise(all.inputs.col(input)));
    }
    m_speed = Normalise(all.outputs);

    const SpeedExamples training = Select(all, false);
    const SpeedExamples heldOut = Select(all, true);
    Residuals residuals(*m_model, training);
    const Residuals check(*m_model, heldOut);
    Vector weights = Eigen::Map<const Vector>(m_weights.data(), m_weights.size());
    Vector best = weights;
    double least = check.MeanSquare(weights);
    Eigen::LevenbergMarquardt<Residuals> solver(residuals);
    solver.parameters.maxfev = EVALUATIONS;
    solver.parameters.factor = m_model->GetFirstStep();
    auto status = solver.minimizeInit(weights);
    uint32_t worse = 0; // passes in a row
    for (uint32_t pass = 0; pass < passes && worse < PATIENCE &&
                            (status == Eigen::LevenbergMarquardtSpace::NotStarted ||
                             status == Eigen::LevenbergMarquardtSpace::Running);
         ++pass)
    {
        status = solver.minimizeOneStep(weights);
        const double error = check.MeanSquare(weights);
        worse = error < least ? 0 : worse + 1;
        if (error < least)
        {
            least = error;
            best = weights;
        }
    }
    std::copy(best.begin(), best.end(), m_weights.begin());
}

double
SpeedNetwork::Predict(const std::vector<double>& inputs) const
{
    return m_speed.mean + m_speed.scale * m_model->Predict(inputs, m_inputs, m_weights);
}

NS_OBJECT_ENSURE_REGISTERED(NetworkSpeed);

NetworkSpeed::NetworkSpeed() = default;

NetworkSpeed::~NetworkSpeed() = default;

TypeId
NetworkSpeed::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::NetworkSpeed")
                            .SetParent<TrainedSpeed>()
                            .SetGroupName("Dml")
                            .AddAttribute("Passes",
                                          "Passes over the history in a training, at most.",
                                          UintegerValue(10),
                                          MakeUintegerAccessor(&NetworkSpeed::m_passes),
                                          MakeUintegerChecker<uint32_t>(1))
                            .AddAttribute("Seed",
                                          "Seed of the first weights.",
                                          UintegerValue(1),
                                          MakeUintegerAccessor(&NetworkSpeed::m_seed),
                                          MakeUintegerChecker<uint32_t>(1))
                            .AddAttribute("Replication",
                                          "Number of the replication.",
                                          UintegerValue(0),
                                          MakeUintegerAccessor(&NetworkSpeed::m_replication),
                                          MakeUintegerChecker<uint32_t>());
    return tid;
}

void
NetworkSpeed::Prepare(uint32_t worker)
{
    TrainedSpeed::Prepare(worker);
    RngStream random(m_seed, GetStreamBase() + worker, m_replication);
    m_network = std::make_unique<SpeedNetwork>(MakeModel(), random);
}

uint32_t
NetworkSpeed::GetFewestSteps() const
{
    return GetLookBack() + m_network->GetFewestExamples();
}

void
NetworkSpeed::Train()
{
    const Steps& steps = GetSteps();
    const std::size_t first = GetLookBack();
    const Eigen::Index rows = steps.size() - first;
    SpeedExamples examples{Eigen::MatrixXd(), Eigen::VectorXd(rows)};
    for (Eigen::Index row = 0; row < rows; ++row)
    {
        const SpeedStep& step = steps[first + row];
        const std::vector<double> inputs = MakeInputs(first + row, step.cpu, step.memory);
        const Eigen::Index count = inputs.size();
        if (row == 0)
        {
            examples.inputs.setOnes(rows, count + 1);
        }
        examples.inputs.row(row).head(count) =
            Eigen::Map<const Eigen::RowVectorXd>(inputs.data(), count);
        examples.outputs(row) = step.speed;
    }
    m_network->Train(std::move(examples), m_passes);
}

double
NetworkSpeed::Forecast(double cpu, double memory) const
{
    return m_network->Predict(MakeInputs(GetSteps().size(), cpu, memory));
}

} // namespace ns3::dml

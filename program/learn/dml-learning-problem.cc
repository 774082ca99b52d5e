/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-learning-problem.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace ns3::dml
{

LearningProblem::LearningProblem(Eigen::MatrixXd features)
    : m_features(std::move(features)),
      m_numbers(m_features.cols())
{
    std::iota(m_numbers.begin(), m_numbers.end(), 0);
}

double
LearningProblem::Evaluate(const Eigen::VectorXd& parameters,
                          const std::vector<uint32_t>& samples,
                          Eigen::VectorXd* gradient) const
{
    Eigen::MatrixXd features(m_features.rows(), samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i)
    {
        features.col(i) = m_features.col(samples[i]);
    }
    return Compute(parameters, features, samples, gradient);
}

double
LearningProblem::GetLoss(const Eigen::VectorXd& parameters) const
{
    return Compute(parameters, m_features, m_numbers, nullptr);
}

LinearRegression::LinearRegression(Eigen::MatrixXd features, Eigen::VectorXd targets)
    : LearningProblem(std::move(features)),
      m_targets(std::move(targets))
{
}

Eigen::VectorXd
LinearRegression::GetStart() const
{
    return Eigen::VectorXd::Zero(GetFeatures());
}

double
LinearRegression::Compute(const Eigen::VectorXd& parameters,
                          const Eigen::MatrixXd& features,
                          const std::vector<uint32_t>& samples,
                          Eigen::VectorXd* gradient) const
{
    Eigen::VectorXd errors = features.transpose() * parameters;
    for (std::size_t i = 0; i < samples.size(); ++i)
    {
        errors[i] -= m_targets[samples[i]];
    }
    if (gradient)
    {
        *gradient = features * errors / samples.size();
    }
    return errors.squaredNorm() / (2 * samples.size());
}

Classification::Classification(Eigen::MatrixXd features,
                               std::vector<uint32_t> labels,
                               uint32_t hidden)
    : LearningProblem(std::move(features)),
      m_labels(std::move(labels)),
      m_hidden(hidden),
      m_classes(*std::max_element(m_labels.begin(), m_labels.end()) + 1)
{
}

Eigen::VectorXd
Classification::GetStart() const
{
    const uint32_t inputs = GetFeatures();
    const uint32_t last = m_hidden > 0 ? m_hidden : inputs;
    Eigen::VectorXd start = Eigen::VectorXd::Zero((last + 1) * m_classes +
                                                  (m_hidden > 0 ? (inputs + 1) * m_hidden : 0));
    // equal units would stay equal; the golden ratio's multiples are spread evenly over an interval
    const double golden = (std::sqrt(5.0) - 1) / 2;
    for (uint32_t i = 0; i < inputs * m_hidden; ++i)
    {
        const double place = golden * (i + 1);
        start[i] = (2 * (place - std::floor(place)) - 1) / std::sqrt(inputs);
    }
    return start;
}

double
Classification::Compute(const Eigen::VectorXd& parameters,
                        const Eigen::MatrixXd& features,
                        const std::vector<uint32_t>& samples,
                        Eigen::VectorXd* gradient) const
{
    using Weights = Eigen::Map<const Eigen::MatrixXd>;
    using Biases = Eigen::Map<const Eigen::VectorXd>;
    const auto inputs = features.rows();
    const double* layer = parameters.data();
    Eigen::MatrixXd units;
    if (m_hidden > 0)
    {
        units = Weights(layer, m_hidden, inputs) * features;
        units.colwise() += Biases(layer + m_hidden * inputs, m_hidden);
        units = units.array().tanh();
        layer += (inputs + 1) * m_hidden;
    }
    const Eigen::MatrixXd& last = m_hidden > 0 ? units : features;
    const Weights weights(layer, m_classes, last.rows());
    Eigen::MatrixXd shares = weights * last;
    shares.colwise() += Biases(layer + m_classes * last.rows(), m_classes);
    double loss = 0;
    for (std::size_t i = 0; i < samples.size(); ++i)
    {
        auto share = shares.col(i);
        const double largest = share.maxCoeff(); // exp() of no more than 0
        const double own = share[m_labels[samples[i]]] - largest;
        share = (share.array() - largest).exp();
        loss += std::log(share.sum()) - own;
        share /= share.sum();
        share[m_labels[samples[i]]] -= 1;
    }
    if (gradient)
    {
        const double count = samples.size();
        gradient->resize(parameters.size());
        double* to = gradient->data();
        const Eigen::MatrixXd& errors = shares;
        if (m_hidden > 0)
        {
            const Eigen::MatrixXd back =
                (weights.transpose() * errors).array() * (1 - units.array().square());
            Eigen::Map<Eigen::MatrixXd>(to, m_hidden, inputs) = back * features.transpose() / count;
            Eigen::Map<Eigen::VectorXd>(to + m_hidden * inputs, m_hidden) =
                back.rowwise().sum() / count;
            to += (inputs + 1) * m_hidden;
        }
        Eigen::Map<Eigen::MatrixXd>(to, m_classes, last.rows()) = errors * last.transpose() / count;
        Eigen::Map<Eigen::VectorXd>(to + m_classes * last.rows(), m_classes) =
            errors.rowwise().sum() / count;
    }
    return loss / samples.size();
}

} // namespace ns3::dml

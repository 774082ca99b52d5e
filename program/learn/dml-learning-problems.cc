/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The problems that there are: the data of each.

#include "dml-learning-problem.h"

#include "ns3/dml-error.h"
#include "ns3/dml-quantiles.h"
#include "ns3/dml-suggestion.h"
#include "ns3/rng-stream.h"

#include <cmath>

namespace ns3::dml
{

namespace
{

constexpr uint64_t DATA_STREAM = 30000000; // ns-3 stream of the samples
constexpr uint32_t SAMPLES = 2000;

/// Draws numbers for a data set.
class DataSource
{
  public:
    double Normal()
    {
        return GetNormalQuantile(m_random.RandU01());
    }

    uint32_t Integer(uint32_t count)
    {
        return std::min<uint32_t>(count - 1, m_random.RandU01() * count);
    }

    Eigen::MatrixXd Normals(uint32_t rows, uint32_t columns)
    {
        Eigen::MatrixXd matrix(rows, columns);
        for (uint32_t column = 0; column < columns; ++column)
        {
            for (uint32_t row = 0; row < rows; ++row)
            {
                matrix(row, column) = Normal();
            }
        }
        return matrix;
    }

  private:
    RngStream m_random{1, DATA_STREAM, 0}; //!< the same for all problems
};

/// Make the variance of the k-th feature 1/k of that of the first: slow directions beside fast
/// ones.
void
ScaleRows(Eigen::MatrixXd& features)
{
    for (uint32_t k = 0; k < features.rows(); ++k)
    {
        features.row(k) /= std::sqrt(k + 1.0);
    }
}

std::unique_ptr<LearningProblem>
MakeQuadratic()
{
    constexpr uint32_t FEATURES = 100;
    constexpr double NOISE = 0.1;
    DataSource source;
    Eigen::MatrixXd features = source.Normals(FEATURES, SAMPLES);
    ScaleRows(features);
    Eigen::VectorXd truth = source.Normals(FEATURES, 1);
    truth.array() *= Eigen::ArrayXd::LinSpaced(FEATURES, 1, FEATURES).sqrt(); // all matter
    const Eigen::VectorXd targets =
        features.transpose() * truth + NOISE * source.Normals(SAMPLES, 1);
    return std::make_unique<LinearRegression>(features, targets);
}

std::unique_ptr<LearningProblem>
MakeSoftmax()
{
    constexpr uint32_t FEATURES = 40;
    constexpr uint32_t CLASSES = 10;
    constexpr double APART = 0.5; // deviation of the centres in each dimension
    DataSource source;
    const Eigen::MatrixXd centres = APART * source.Normals(FEATURES, CLASSES);
    Eigen::MatrixXd features = source.Normals(FEATURES, SAMPLES);
    std::vector<uint32_t> labels(SAMPLES);
    for (uint32_t sample = 0; sample < SAMPLES; ++sample)
    {
        labels[sample] = source.Integer(CLASSES);
        features.col(sample) += centres.col(labels[sample]);
    }
    ScaleRows(features);
    return std::make_unique<Classification>(features, labels, 0);
}

std::unique_ptr<LearningProblem>
MakePerceptron()
{
    constexpr uint32_t FEATURES = 20;
    constexpr uint32_t TEACHERS = 16;
    constexpr uint32_t HIDDEN = 32;
    constexpr uint32_t CLASSES = 4;
    DataSource source;
    const Eigen::MatrixXd features = source.Normals(FEATURES, SAMPLES);
    const Eigen::MatrixXd units =
        (source.Normals(TEACHERS, FEATURES) * features / std::sqrt(FEATURES)).array().tanh();
    const Eigen::MatrixXd scores = source.Normals(CLASSES, TEACHERS) * units;
    std::vector<uint32_t> labels(SAMPLES);
    for (uint32_t sample = 0; sample < SAMPLES; ++sample)
    {
        scores.col(sample).maxCoeff(&labels[sample]);
    }
    return std::make_unique<Classification>(features, labels, HIDDEN);
}

/// A problem, as the user calls it.
struct NamedProblem
{
    const char* name;                           //!< of it
    std::unique_ptr<LearningProblem> (*make)(); //!< makes it
};

constexpr NamedProblem PROBLEMS[]{{"quadratic", MakeQuadratic},
                                  {"softmax", MakeSoftmax},
                                  {"mlp", MakePerceptron}};

} // namespace

std::vector<std::string>
ListLearningProblems()
{
    std::vector<std::string> names;
    for (const auto& problem : PROBLEMS)
    {
        names.emplace_back(problem.name);
    }
    return names;
}

std::unique_ptr<LearningProblem>
MakeLearningProblem(const std::string& name)
{
    for (const auto& problem : PROBLEMS)
    {
        if (problem.name == name)
        {
            return problem.make();
        }
    }
    throw InputError("found problem '" + name +
                     "'; accepted: " + JoinWords(ListLearningProblems()));
}

} // namespace ns3::dml

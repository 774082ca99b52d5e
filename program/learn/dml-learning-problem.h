/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LEARNING_PROBLEM_H
#define DML_LEARNING_PROBLEM_H

#include <Eigen/Dense>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-learn
 * @brief Something to learn: samples, a model with parameters, and a loss.
 *
 * The samples are made from one fixed seed, so that they are the same for everybody.
 */
class LearningProblem
{
  public:
    /// @param features of the samples, a column for each
    explicit LearningProblem(Eigen::MatrixXd features);
    virtual ~LearningProblem() = default;

    /// @return number of samples
    uint32_t GetSamples() const
    {
        return m_numbers.size();
    }

    /// @return parameters to begin with
    virtual Eigen::VectorXd GetStart() const = 0;

    /**
     * @brief Mean loss of some samples, and its gradient.
     * @param parameters as many as GetStart() has
     * @param samples their numbers, at least one; the same one may be there again
     * @param gradient null, or gets the gradient
     * @return the loss
     */
    double Evaluate(const Eigen::VectorXd& parameters,
                    const std::vector<uint32_t>& samples,
                    Eigen::VectorXd* gradient) const;

    /// @param parameters likewise @return mean loss of all samples
    double GetLoss(const Eigen::VectorXd& parameters) const;

  protected:
    /// @return number of features of a sample
    uint32_t GetFeatures() const
    {
        return m_features.rows();
    }

    /// As Evaluate(). @param features of the samples, a column for each
    virtual double Compute(const Eigen::VectorXd& parameters,
                           const Eigen::MatrixXd& features,
                           const std::vector<uint32_t>& samples,
                           Eigen::VectorXd* gradient) const = 0;

  private:
    Eigen::MatrixXd m_features;      //!< a column for each sample
    std::vector<uint32_t> m_numbers; //!< of all samples
};

/**
 * @ingroup dml-learn
 * @brief Least squares: half the mean squared error of a linear function. Its loss is quadratic.
 */
class LinearRegression : public LearningProblem
{
  public:
    /// @param features of the samples @param targets of the samples
    LinearRegression(Eigen::MatrixXd features, Eigen::VectorXd targets);

    Eigen::VectorXd GetStart() const override;

  protected:
    double Compute(const Eigen::VectorXd& parameters,
                   const Eigen::MatrixXd& features,
                   const std::vector<uint32_t>& samples,
                   Eigen::VectorXd* gradient) const override;

  private:
    Eigen::VectorXd m_targets; //!< by sample
};

/**
 * @ingroup dml-learn
 * @brief Classes, told apart by a softmax layer, and a layer of tanh units before it if there are
 * any: the loss is the cross-entropy.
 *
 * Parameters are those of one layer after the other, of each the weights, column by column, then
 * the biases.
 */
class Classification : public LearningProblem
{
  public:
    /**
     * @param features of the samples
     * @param labels of the samples
     * @param hidden units; 0: multinomial logistic regression
     */
    Classification(Eigen::MatrixXd features, std::vector<uint32_t> labels, uint32_t hidden);

    Eigen::VectorXd GetStart() const override;

  protected:
    double Compute(const Eigen::VectorXd& parameters,
                   const Eigen::MatrixXd& features,
                   const std::vector<uint32_t>& samples,
                   Eigen::VectorXd* gradient) const override;

  private:
    std::vector<uint32_t> m_labels; //!< by sample
    uint32_t m_hidden;              //!< units; 0: none
    uint32_t m_classes;             //!< number of them
};

/// @return names of problems
std::vector<std::string> ListLearningProblems();

/**
 * @brief Make one of ListLearningProblems().
 *
 * `quadratic`: LinearRegression of 100 features, whose variances fall as 1/k and which matter
 * alike; the targets have noise. `softmax`: 10 classes in 40 dimensions, normally distributed
 * around their centres, which overlap; variances as before. `mlp`: 4 classes in 20 dimensions, as a
 * random network of 16 units has them, 32 hidden units. Each has 2000 samples.
 * @param name of it
 * @return it
 * @throws InputError for another name
 */
std::unique_ptr<LearningProblem> MakeLearningProblem(const std::string& name);

} // namespace ns3::dml

#endif /* DML_LEARNING_PROBLEM_H */

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-error.h"
#include "ns3/dml-sgd-replay.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace ns3::dml;

namespace
{

/// Least squares of one sample, 1 -> 1: the error of parameter x is x - 1, and so is the gradient.
LinearRegression
MakeLine()
{
    return {Eigen::MatrixXd::Ones(1, 1), Eigen::VectorXd::Ones(1)};
}

/// Parameters start at 1; the gradient of a batch is the parameters times its samples, and the loss
/// is their weighted sum, with weights 1, 10, 100 ..., so that each can be read.
class Digits : public LearningProblem
{
  public:
    explicit Digits(Eigen::Index parameters)
        : LearningProblem(Eigen::MatrixXd::Ones(1, 1)),
          m_parameters(parameters)
    {
    }

    Eigen::VectorXd GetStart() const override
    {
        return Eigen::VectorXd::Ones(m_parameters);
    }

  protected:
    double Compute(const Eigen::VectorXd& parameters,
                   const Eigen::MatrixXd& /* features */,
                   const std::vector<uint32_t>& samples,
                   Eigen::VectorXd* gradient) const override
    {
        if (gradient)
        {
            *gradient = parameters * samples.size();
        }
        double loss = 0;
        for (Eigen::Index i = parameters.size(); i-- > 0;)
        {
            loss = 10 * loss + parameters[i];
        }
        return loss;
    }

  private:
    Eigen::Index m_parameters; //!< number of them
};

/// @return a run of one tensor; its gradient n is computed on the version before its own, @p delay
/// versions older
GradientLog
DelayedRun(uint32_t updates, uint32_t delay)
{
    GradientLog log;
    log.tensors = {8};
    for (uint32_t n = 0; n < updates; ++n)
    {
        log.gradients.push_back({0, n, 1});
        log.updates.push_back({n, 0, n - std::min(n, delay), n + 1, n + 1.0, n + 2});
    }
    return log;
}

double
LastLoss(const GradientLog& log, const LearningProblem& problem, double rate)
{
    return ReplaySgd(log, problem, rate).back().loss;
}

} // namespace

// e(0) = -1. Without delay e(n + 1) = e(n) / 2. With a delay of one: e(1) = -1/2, e(2) = e(1) -
// e(0) / 2 = 0, e(3) = e(2) - e(1) / 2 = 1/4. The loss is e^2 / 2.
TEST(DmlSgdReplay, AGradientIsComputedOnTheVersionThatWasRead)
{
    const auto line = MakeLine();
    EXPECT_DOUBLE_EQ(LastLoss(DelayedRun(3, 0), line, 0.5), 1.0 / 128);
    const auto curve = ReplaySgd(DelayedRun(3, 1), line, 0.5);
    ASSERT_EQ(curve.size(), 4U);
    EXPECT_DOUBLE_EQ(curve[0].loss, 0.5);
    EXPECT_DOUBLE_EQ(curve[1].loss, 0.125);
    EXPECT_DOUBLE_EQ(curve[2].loss, 0);
    EXPECT_DOUBLE_EQ(curve[3].loss, 1.0 / 32);
    EXPECT_DOUBLE_EQ(curve[3].updates, 3);
    EXPECT_EQ(curve[3].samples, 3U);
    EXPECT_DOUBLE_EQ(curve[3].time, 3);
}

// The difference equation e(n + 1) = e(n) - a e(n - d) is stable for 0 < a < 2 sin(pi / (4 d + 2))
// and for no other a (Levin and May, Theoretical Population Biology 9, 1976): theory that knows
// nothing of us.
TEST(DmlSgdReplay, DelayedGradientsConvergeAsLongAsTheorySays)
{
    const auto line = MakeLine();
    for (const uint32_t delay : {0, 1, 2, 5, 9})
    {
        const double limit = 2 * std::sin(M_PI / (4 * delay + 2));
        const GradientLog log = DelayedRun(4000, delay);
        EXPECT_LT(LastLoss(log, line, 0.98 * limit), 1e-3) << delay;
        EXPECT_GT(LastLoss(log, line, 1.02 * limit), 100) << delay;
    }
}

// Batches of 3 and 1 have gradients 3 and 1: (3 * 3 + 1 * 1) / 4 = 2.5, and 2 without weights.
TEST(DmlSgdReplay, AJointUpdateWeighsGradientsByTheirBatch)
{
    GradientLog log;
    log.workers = 2;
    log.tensors = {8};
    log.gradients = {{0, 0, 3}, {1, 0, 1}};
    log.updates = {{0, 0, 0, 1, 1}, {1, 0, 0, 1, 1}};
    EXPECT_DOUBLE_EQ(LastLoss(log, Digits(1), 0.1), 1 - 0.1 * 2.5);
}

// Four parameters: three of them in the first tensor. Gradient 1 has read its new version, and the
// old one of the second tensor, which gradient 0 has halved meanwhile.
TEST(DmlSgdReplay, TensorsHaveVersionsOfTheirOwn)
{
    GradientLog log;
    log.tensors = {300, 100};
    log.gradients = {{0, 0, 1}, {0, 1, 1}};
    log.updates = {{0, 0, 0, 1, 1}, {0, 1, 0, 1, 2}, {1, 0, 1, 2, 3}, {1, 1, 0, 2, 3}};
    // 1 -> 1/2 -> 1/2 - 1/4; and 1 -> 1/2 -> 1/2 - 1/2
    EXPECT_DOUBLE_EQ(LastLoss(log, Digits(4), 0.5), 0.25 * 111);
}

// e: -1, -1/2 (version 1), -1/4 (2), back to version 1 as version 3, -1/4 (4).
TEST(DmlSgdReplay, ACheckpointBringsVersionsBack)
{
    GradientLog log = DelayedRun(4, 0);
    log.gradients[2].batch = 0;
    log.updates[2].read = 1;
    const auto line = MakeLine();
    const auto curve = ReplaySgd(log, line, 0.5);
    ASSERT_EQ(curve.size(), 5U);
    EXPECT_DOUBLE_EQ(curve[2].loss, 1.0 / 32);
    EXPECT_DOUBLE_EQ(curve[3].loss, 1.0 / 8);
    EXPECT_DOUBLE_EQ(curve[4].loss, 1.0 / 32);
    EXPECT_EQ(curve[4].samples, 3U);
    log.updates[2].read = 7;
    log.updates[2].made = 8;
    EXPECT_THROW(ReplaySgd(log, line, 0.5), InputError);
}

TEST(DmlSgdReplay, EndsWhereItDiverges)
{
    const auto line = MakeLine();
    EXPECT_LT(ReplaySgd(DelayedRun(1000, 0), line, 100).size(), 5U);
}

// Two steps on the first parameters, in any order, do the same; other steps and replications do
// not.
TEST(DmlSgdReplay, AStepHasItsSamples)
{
    const auto problem = MakeLearningProblem("softmax");
    const auto loss = [&problem](uint32_t first, uint32_t second, uint32_t replication) {
        GradientLog log = DelayedRun(2, 1);
        log.replication = replication;
        log.gradients = {{0, first, 8}, {0, second, 8}};
        return LastLoss(log, *problem, 1);
    };
    EXPECT_NEAR(loss(0, 1, 0), loss(1, 0, 0), 1e-12);
    EXPECT_GT(std::abs(loss(0, 1, 0) - loss(0, 2, 0)), 1e-6);
    EXPECT_GT(std::abs(loss(0, 1, 0) - loss(0, 1, 1)), 1e-6);
}

// A run is measured after each of 50 updates, then each time that there are 2 % more, however long
// it is.
TEST(DmlSgdReplay, WhereItIsMeasuredDoesNotDependOnItsLength)
{
    const auto line = MakeLine();
    const auto curve = ReplaySgd(DelayedRun(200, 0), line, 0.01);
    const auto longer = ReplaySgd(DelayedRun(5000, 0), line, 0.01);
    ASSERT_GT(curve.size(), 100U);
    for (std::size_t i = 0; i + 1 < curve.size(); ++i)
    {
        EXPECT_EQ(curve[i].updates, longer[i].updates);
        EXPECT_LE(curve[i + 1].updates,
                  std::max(curve[i].updates + 1, 1.03 * curve[i].updates + 1));
    }
    EXPECT_EQ(curve[50].updates, 50);
    EXPECT_LT(longer.size(), 320U);
}

TEST(DmlSgdReplay, RefusesAVersionThatIsNotThereYet)
{
    GradientLog log = DelayedRun(2, 0);
    log.updates[0].read = 1;
    log.updates[0].made = 2;
    EXPECT_THROW(ReplaySgd(log, MakeLine(), 0.1), InputError);
}

namespace
{

/// @return a scheme of two such runs
LearnedScheme
LearnAgain(const GradientLog& log, const LearnOptions& options)
{
    const auto schemes = LearnSchemes({log, log}, {"a", "a"}, MakeLine(), options);
    EXPECT_EQ(schemes.size(), 1U);
    return schemes.front();
}

} // namespace

// With a delay of 40 only rates below 0.039 converge; the search begins at 0.25, from where all
// losses are beyond the end.
TEST(DmlLearnedScheme, FindsARateThatDoesNotDiverge)
{
    const auto scheme = LearnAgain(DelayedRun(2000, 40), {0.5});
    EXPECT_LT(scheme.rate, 2 * std::sin(M_PI / 162));
    EXPECT_TRUE(scheme.runs[0].target);
    EXPECT_FALSE(scheme.runs[0].diverges);
}

// The loss falls by (1 - a)^2 in an update: to 0 in the first one with a = 1, which is best.
TEST(DmlLearnedScheme, TakesTheRateThatIsSoonest)
{
    const auto scheme = LearnAgain(DelayedRun(100, 0), {0.01});
    EXPECT_EQ(scheme.rate, 1);
    EXPECT_EQ(scheme.runs[0].target->updates, 1);
    const auto given = LearnAgain(DelayedRun(100, 0), {0.01, 0.5});
    EXPECT_EQ(given.runs[1].target->updates, 4); // 1/4, 1/16, 1/64, 1/256
    EXPECT_TRUE(LearnAgain(DelayedRun(100, 0), {0.01, 4}).runs[0].diverges);
}

/// A problem by name.
class LearningProblemTest : public testing::TestWithParam<const char*>
{
};

TEST_P(LearningProblemTest, GradientsAreThoseOfTheLoss)
{
    const auto problem = MakeLearningProblem(GetParam());
    Eigen::VectorXd at = problem->GetStart();
    for (Eigen::Index i = 0; i < at.size(); ++i)
    {
        at[i] += 0.3 * std::sin(i); // off the symmetric start
    }
    const std::vector<uint32_t> samples{0, 5, 17, 17, 1999};
    Eigen::VectorXd gradient;
    problem->Evaluate(at, samples, &gradient);
    ASSERT_EQ(gradient.size(), at.size());
    for (Eigen::Index i = 0; i < at.size(); i += 7)
    {
        constexpr double STEP = 1e-5;
        Eigen::VectorXd moved = at;
        moved[i] += STEP;
        const double above = problem->Evaluate(moved, samples, nullptr);
        moved[i] -= 2 * STEP;
        const double below = problem->Evaluate(moved, samples, nullptr);
        EXPECT_NEAR(gradient[i], (above - below) / (2 * STEP), 1e-6) << i;
    }
}

TEST_P(LearningProblemTest, CanBeLearnt)
{
    const auto problem = MakeLearningProblem(GetParam());
    GradientLog log = DelayedRun(2000, 0);
    for (auto& gradient : log.gradients)
    {
        gradient.batch = 32;
    }
    const auto curve = ReplaySgd(log, *problem, 0.25);
    EXPECT_LT(curve.back().loss, 0.3 * curve.front().loss);
}

INSTANTIATE_TEST_SUITE_P(All, LearningProblemTest, testing::Values("quadratic", "softmax", "mlp"));

// Nothing is known at the start: ten, or four, equal shares.
TEST(DmlLearningProblem, ClassesStartEqual)
{
    const auto softmax = MakeLearningProblem("softmax");
    EXPECT_NEAR(softmax->GetLoss(softmax->GetStart()), std::log(10), 1e-12);
    const auto mlp = MakeLearningProblem("mlp");
    EXPECT_NEAR(mlp->GetLoss(mlp->GetStart()), std::log(4), 1e-12);
}

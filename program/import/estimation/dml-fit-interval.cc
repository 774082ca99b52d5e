/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-robust-fit.h"

#include "ns3/dml-quantiles.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Blocks of records at least, if there are so many records.
constexpr std::size_t LEAST_BLOCKS = 8;
/// Quantile of a normal distribution for both ends of a 95 % interval together.
constexpr double NORMAL = 1.959964;
/// Eigenvalues of the normal matrix up to this share of the largest one are 0.
constexpr double SINGULAR = 1e-10;
/// What is left of a cluster's residuals is at least this share of them.
constexpr double LEAST_REST = 0.1;
/// The covariance is at most this often that of independent errors.
constexpr double MOST_INFLATION = 1e8;
/// An end that is not found within this many units is none.
constexpr double FAR = 1e4;
/// Values tried to bracket an end, and then to find it.
constexpr int MAX_DOUBLINGS = 40;
constexpr int MAX_BISECTIONS = 10;
/// An end is found if it is known to this share of its distance from the best value.
constexpr double CLOSE = 0.01;
/// Optima that differ by less than this share are one.
constexpr double SAME = 1e-3;
/// First distance from the best value that is tried, at least.
constexpr double LEAST_STEP = 1e-12;

/// @return of each residual its block: its group, or a part of it where there are few groups
std::vector<uint32_t>
MakeBlocks(const std::vector<uint32_t>& groups)
{
    const std::size_t count = std::set<uint32_t>(groups.begin(), groups.end()).size();
    const std::size_t parts = (LEAST_BLOCKS + count - 1) / count;
    std::vector<uint32_t> blocks(groups.size());
    uint32_t next = 0;
    for (std::size_t begin = 0; begin < groups.size();)
    {
        const std::size_t end =
            std::upper_bound(groups.begin() + begin, groups.end(), groups[begin]) - groups.begin();
        const std::size_t size = end - begin;
        const std::size_t mine = std::min(parts, size);
        for (std::size_t i = begin; i < end; ++i)
        {
            blocks[i] = next + (i - begin) * mine / size;
        }
        next += mine;
        begin = end;
    }
    return blocks;
}

/// How much the fitted numbers would vary, in coordinates in which the normal matrix is 1.
class Sandwich
{
  public:
    Sandwich(const RobustProblem& problem, const Eigen::VectorXd& x)
    {
        const Eigen::VectorXd values = problem.residuals(x);
        const Eigen::MatrixXd jacobian = problem.GetJacobian(x, values);
        const double bend = RobustProblem::HUBER * problem.scale;
        // Columns of length 1, so that units do not matter to what is singular.
        const Eigen::VectorXd scales = jacobian.colwise().norm().cwiseMax(1e-300).cwiseInverse();
        const Eigen::MatrixXd scaled = jacobian * scales.asDiagonal();
        m_good = (values.cwiseAbs().array() < bend).cast<double>().matrix();
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(scaled.transpose() *
                                                                    m_good.asDiagonal() * scaled);
        const Eigen::VectorXd& eigenvalues = solver.eigenvalues();
        const double most = eigenvalues.size() > 0 ? eigenvalues.maxCoeff() : 0;
        Eigen::VectorXd roots(eigenvalues.size());
        for (Eigen::Index i = 0; i < roots.size(); ++i)
        {
            const bool known = eigenvalues[i] > SINGULAR * most && most > 0;
            roots[i] = known ? 1 / std::sqrt(eigenvalues[i]) : 0;
            m_rank += known ? 1 : 0;
        }
        m_back = scales.asDiagonal() * solver.eigenvectors() * roots.asDiagonal();
        m_rows = jacobian * m_back;
        m_scores = problem.GetScores(values);
        m_scale = problem.scale;
        for (Eigen::Index k = 0; k < x.size(); ++k)
        {
            double lost = 0; // of the number, in directions that are not known
            for (Eigen::Index i = 0; i < roots.size(); ++i)
            {
                lost += roots[i] == 0 ? std::abs(solver.eigenvectors()(k, i)) : 0;
            }
            m_known.push_back(lost < 1e-3 && jacobian.col(k).norm() > 0);
        }
    }

    /// @return covariance in the coordinates, of records that may err together in each cluster
    Eigen::MatrixXd GetCovariance(const std::vector<uint32_t>& clusters) const
    {
        std::map<uint32_t, std::vector<Eigen::Index>> members;
        for (std::size_t i = 0; i < clusters.size(); ++i)
        {
            members[clusters[i]].push_back(static_cast<Eigen::Index>(i));
        }
        const Eigen::Index size = m_rows.cols();
        Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(size, size);
        for (const auto& [cluster, list] : members)
        {
            Eigen::MatrixXd part = Eigen::MatrixXd::Zero(size, size);
            Eigen::VectorXd score = Eigen::VectorXd::Zero(size);
            for (const Eigen::Index i : list)
            {
                part += m_good[i] * m_rows.row(i).transpose() * m_rows.row(i);
                score += m_scores[i] * m_rows.row(i).transpose();
            }
            const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(part);
            const Eigen::VectorXd rest =
                (1 - solver.eigenvalues().array()).max(LEAST_REST).inverse().matrix();
            score = solver.eigenvectors() * rest.asDiagonal() *
                    (solver.eigenvectors().transpose() * score);
            sum += score * score.transpose();
        }
        const auto count = static_cast<double>(members.size());
        return count > 1 ? Eigen::MatrixXd(sum * (count - 1) / count) : sum;
    }

    /// @return covariance in the coordinates of errors that change residuals by @p columns
    Eigen::MatrixXd GetCovariance(const Eigen::MatrixXd& columns) const
    {
        const Eigen::MatrixXd moved = m_rows.transpose() * m_good.asDiagonal() * columns;
        return moved * moved.transpose();
    }

    /// @return variance of number @p k of that @p covariance, over that of independent errors; of a
    /// number that is not known the mean over all directions that are
    double GetInflation(Eigen::Index k, const Eigen::MatrixXd& covariance) const
    {
        if (!m_known[k])
        {
            return covariance.trace() / (m_scale * m_scale * std::max(1.0, m_rank));
        }
        const double independent = m_scale * m_scale * m_back.row(k).squaredNorm();
        return independent > 0 ? (m_back.row(k) * covariance).dot(m_back.row(k)) / independent : 1;
    }

    /// @return standard error of number @p k of independent errors; infinite if it is not known
    double GetError(Eigen::Index k) const
    {
        return m_known[k] ? m_scale * m_back.row(k).norm()
                          : std::numeric_limits<double>::infinity();
    }

  private:
    Eigen::MatrixXd m_back;    //!< numbers of coordinates
    Eigen::MatrixXd m_rows;    //!< derivatives of the residuals by coordinates
    Eigen::VectorXd m_good;    //!< 1 where the loss is curved, else 0
    Eigen::VectorXd m_scores;  //!< derivatives of the losses by residuals
    std::vector<bool> m_known; //!< numbers that the records tell
    double m_scale{1};         //!< of the loss
    double m_rank{0};          //!< number of directions that are known
};

/// The least losses near an optimum where one of its numbers is another one.
struct Profile
{
    const RobustProblem& problem; //!< what was fitted
    const Eigen::VectorXd& best;  //!< numbers of the optimum
    Eigen::Index number;          //!< index of the number
    double least;                 //!< loss of the best of all numbers

    /// @return root of the deviance where the number is @p value; @param[in,out] at the others
    double GetRoot(double value, Eigen::VectorXd& at) const
    {
        at[number] = value;
        const double loss = PolishFit(problem, at, number);
        return std::sqrt(std::max(0.0, problem.GetDeviance(loss - least)));
    }

    /**
     * @param step first distance to try, with its sign
     * @param most deviance of the end
     * @param bound that the number has in this direction
     * @return the end
     */
    double FindEnd(double step, double most, double bound) const
    {
        const double centre = best[number];
        const auto clamp = [&](double value) {
            return step > 0 ? std::min(value, bound) : std::max(value, bound);
        };
        Eigen::VectorXd near = best;
        double inside = centre;
        double insideRoot = 0;
        double outside = clamp(centre + step);
        double outsideRoot = 0;
        for (int i = 0;; ++i)
        {
            if (inside == bound || std::abs(inside - centre) > FAR || i == MAX_DOUBLINGS)
            {
                return bound;
            }
            Eigen::VectorXd at = near;
            outsideRoot = GetRoot(outside, at);
            if (outsideRoot * outsideRoot > most)
            {
                break;
            }
            near = at;
            inside = outside;
            insideRoot = outsideRoot;
            outside = clamp(centre + 2 * (outside - centre));
        }
        // The root of the deviance is about a line.
        const double target = std::sqrt(most);
        for (int i = 0;
             i < MAX_BISECTIONS && std::abs(outside - inside) > CLOSE * std::abs(outside - centre);
             ++i)
        {
            const double share =
                i % 2 == 0
                    ? std::clamp((target - insideRoot) / (outsideRoot - insideRoot), 0.05, 0.95)
                    : 0.5;
            const double tried = inside + share * (outside - inside);
            Eigen::VectorXd at = near;
            const double root = GetRoot(tried, at);
            if (root * root > most)
            {
                outside = tried;
                outsideRoot = root;
            }
            else
            {
                near = at;
                inside = tried;
                insideRoot = root;
            }
        }
        return outside;
    }
};

/// How far from the best numbers the ends of their intervals may be.
struct Tolerance
{
    double most{0}; //!< deviance of an end, of errors as large as they are
    /// Of each number: its variance over that of independent errors of the loss' scale.
    std::vector<double> inflation;
    /// Of each number: its standard error of independent errors; infinite if it is not known.
    std::vector<double> error;
};

/// @return the tolerance of @p x, the best numbers
Tolerance
GetTolerance(const RobustProblem& problem, const Eigen::VectorXd& x, const FitErrors& errors)
{
    const Sandwich sandwich(problem, x);
    const auto& groups = errors.clusters.groups;
    const bool repeats = groups.back() > groups.front();
    const std::vector<uint32_t> blocks = MakeBlocks(groups);
    std::vector<uint32_t> single(blocks.size());
    std::iota(single.begin(), single.end(), 0);
    const Eigen::MatrixXd alone = sandwich.GetCovariance(single);
    const Eigen::MatrixXd together = sandwich.GetCovariance(blocks);
    const Eigen::MatrixXd repeated = sandwich.GetCovariance(errors.clusters.tensors);
    Eigen::MatrixXd ofModel = Eigen::MatrixXd::Zero(x.size(), x.size());
    if (errors.model.cols() > 0)
    {
        ofModel = sandwich.GetCovariance(errors.model);
    }
    const double quantile = GetStudentQuantile(std::max<double>(1, blocks.back()));
    Tolerance tolerance;
    tolerance.most = quantile * quantile;
    for (Eigen::Index k = 0; k < x.size(); ++k)
    {
        const double ofOne = sandwich.GetInflation(k, alone);
        double inflation = std::max(ofOne, sandwich.GetInflation(k, together));
        if (repeats)
        {
            inflation += std::max(0.0, sandwich.GetInflation(k, repeated) - ofOne);
        }
        // The standard deviation of the model's errors is known.
        const double known = sandwich.GetInflation(k, ofModel) * NORMAL * NORMAL / tolerance.most;
        tolerance.inflation.push_back(
            std::clamp(std::max(1.0, inflation) + known, 1.0, MOST_INFLATION));
        tolerance.error.push_back(sandwich.GetError(k));
    }
    return tolerance;
}

} // namespace

std::vector<FitInterval>
FindIntervals(const RobustProblem& problem,
              const std::vector<Eigen::VectorXd>& optima,
              const FitErrors& errors)
{
    const Eigen::VectorXd& best = optima.front();
    const Tolerance tolerance = GetTolerance(problem, best, errors);
    std::vector<FitInterval> intervals;
    for (Eigen::Index k = 0; k < best.size(); ++k)
    {
        FitInterval interval{best[k], best[k]};
        // The same deviance of quadratic losses, and no more of the others' tails.
        RobustProblem wide = problem;
        const double most = tolerance.most;
        wide.scale *= std::sqrt(tolerance.inflation[k]);
        std::vector<std::pair<double, Eigen::VectorXd>> known;
        double least = std::numeric_limits<double>::infinity();
        for (Eigen::VectorXd x : optima)
        {
            const double loss = PolishFit(wide, x);
            const bool isNew = std::none_of(known.begin(), known.end(), [&](const auto& other) {
                return x.isApprox(other.second, SAME);
            });
            if (isNew)
            {
                known.emplace_back(loss, x);
                least = std::min(least, loss);
            }
        }
        for (const auto& [loss, x] : known)
        {
            if (wide.GetDeviance(loss - least) > most)
            {
                continue;
            }
            const double error = tolerance.error[k] * std::sqrt(most * tolerance.inflation[k]);
            const double step = std::isfinite(error) ? std::max(error, 1e-9 * std::abs(x[k]))
                                                     : 0.1 * std::max(1.0, std::abs(x[k]));
            const double first = std::max(step, LEAST_STEP);
            const Profile profile{wide, x, k, least};
            interval.lower =
                std::min(interval.lower, profile.FindEnd(-first, most, problem.least[k]));
            interval.upper =
                std::max(interval.upper, profile.FindEnd(first, most, problem.most[k]));
        }
        intervals.push_back(interval);
    }
    return intervals;
}

} // namespace ns3::dml

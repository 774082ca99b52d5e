/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-link-fit.h"

#include "dml-end-time-error.h"

#include "ns3/dml-error.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <nlopt.hpp>

namespace ns3
{
namespace dml
{

namespace
{

/// Noise of the time between two ends to begin with: seconds, and share of the time on the wire.
constexpr double NOISE_SECONDS = 5e-6;
constexpr double NOISE_SHARE = 0.01;
/// Neither part of the noise is taken as less.
constexpr double LEAST_NOISE_SECONDS = 1e-6;
constexpr double LEAST_NOISE_SHARE = 1e-4;
/// Streams whose time on the wire is this many times the noise in seconds tell its share.
constexpr double LONG_STREAM = 100;
/// Times that the noise is estimated and the fit repeated.
constexpr int ROUNDS = 2;
/// Huber's constant: 95 % efficient with normal noise.
constexpr double HUBER = 1.345;
/// Of a normal distribution: standard deviation / median absolute deviation.
constexpr double DEVIATION_PER_MAD = 1.4826;
/// Least scale of the loss, so that exact data are no division by zero.
constexpr double MIN_SCALE = 1e-6;
/// Alpha is left out if the deviance (minus two log-likelihoods) is less than this apart.
constexpr double LEAST_DEVIANCE = 10;
constexpr int MAX_EVALUATIONS = 400;
/// Scale of a loss that is quadratic nearly everywhere.
constexpr double SMOOTH = 1e6;
/// Gauss-Newton steps at most, and how often each is halved at most.
constexpr int MAX_STEPS = 20;
constexpr int MAX_HALVES = 10;
constexpr double TOLERANCE = 1e-7;
/// Eigenvalues of the normal matrix up to this share of the largest one are 0.
constexpr double SINGULAR = 1e-12;
/// Products of an eigenvector's components up to this are 0.
constexpr double NONE = 1e-6;
/// 1 / rate at least, in units of time per byte.
constexpr double LEAST_PER_BYTE = 1e-3;

/// The fit of one set of numbers.
class LinkFitter
{
  public:
    LinkFitter(const std::vector<StreamGroup>& groups,
               const LinkModel& link,
               const LinkFitOptions& options)
        : m_groups(groups),
          m_link(link),
          m_lastBytes(options.lastBytes),
          m_free{options.latency,
                 options.rate,
                 options.alpha && !options.lastBytes,
                 options.beta && !options.lastBytes,
                 options.window.has_value()}
    {
        if (options.window)
        {
            m_unitWindow = static_cast<double>(std::max<uint64_t>(1, link.window));
            m_least[WINDOW] = static_cast<double>(options.window->first) / m_unitWindow;
            m_most[WINDOW] = static_cast<double>(options.window->second) / m_unitWindow;
        }
        Index();
    }

    LinkFit Run()
    {
        LinkFit fit;
        Numbers x = Search();
        SetErrors(x, fit);
        if (m_free[PER_BYTE] && m_free[ALPHA])
        {
            Numbers without = x;
            without[ALPHA] = 0;
            without[PER_BYTE] += x[ALPHA];
            m_free[ALPHA] = false;
            const double more = Descend(without) - GetLoss(GetResiduals(x));
            if (2 * HUBER / m_scale * more < LEAST_DEVIANCE)
            {
                x = without;
                fit.alphaNeeded = false;
                const FittedValue alpha = fit.alpha;
                SetErrors(x, fit);
                fit.alpha = {0, alpha.error, true};
            }
            m_free[ALPHA] = true;
        }
        fit.link = MakeLink(x);
        fit.used = m_order.size();
        fit.loss = GetErrors(x).cwiseAbs().mean();
        return fit;
    }

  private:
    /// Places of Numbers.
    enum : std::size_t
    {
        LATENCY,  //!< from request to first byte
        PER_BYTE, //!< 1 / rate
        ALPHA,    //!< parsing per byte
        BETA,     //!< parsing per message
        WINDOW,   //!< WIN
        COUNT,
    };

    /// The numbers that may be fitted, in their units.
    using Numbers = std::array<double, COUNT>;

    /// @return the recorded time that is matched
    double GetRecorded(const Stream& stream) const
    {
        return m_lastBytes ? stream.lastByte : stream.end;
    }

    /// Sort the streams of each group by the time that is matched, and find scales and a start.
    void Index()
    {
        double bytes = 0;
        double seconds = 0;
        std::vector<double> gaps;
        for (std::size_t g = 0; g < m_groups.size(); ++g)
        {
            const auto& streams = m_groups[g].streams;
            std::vector<std::size_t> order;
            for (std::size_t stream = 0; stream < streams.size(); ++stream)
            {
                if (!std::isnan(GetRecorded(streams[stream])))
                {
                    order.push_back(stream);
                }
            }
            std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
                return GetRecorded(streams[a]) < GetRecorded(streams[b]);
            });
            double free = 0; // end of the busy period so far
            for (const std::size_t stream : order)
            {
                const double start = std::max(free, streams[stream].request);
                const double length = std::max(0.0, GetRecorded(streams[stream]) - start);
                bytes += static_cast<double>(streams[stream].bytes);
                seconds += length;
                gaps.push_back(length);
                free = std::max(free, GetRecorded(streams[stream]));
                m_order.push_back({g, stream});
            }
        }
        if (bytes == 0 || seconds == 0)
        {
            throw InputError("no transfer that has bytes and takes time; accepted: at least one");
        }
        m_unitPerByte = m_free[PER_BYTE] ? seconds / bytes : 1 / m_link.rate;
        m_unitPerMessage = std::max(1e-7, GetQuantile(gaps, 0.5));
        m_wireTimes.resize(m_order.size());
        for (std::size_t i = 0; i < m_order.size(); ++i)
        {
            const auto [g, s] = m_order[i];
            m_wireTimes[i] = m_unitPerByte * static_cast<double>(m_groups[g].streams[s].bytes);
        }
        SetNoise(NOISE_SECONDS, NOISE_SHARE);
    }

    /// @return the numbers in @p x that are fitted
    std::vector<double> Pack(const Numbers& x) const
    {
        std::vector<double> packed;
        for (std::size_t i = 0; i < COUNT; ++i)
        {
            if (m_free[i])
            {
                packed.push_back(x[i]);
            }
        }
        return packed;
    }

    /// @param packed as of Pack(); @param x the others; @return all
    Numbers Unpack(const std::vector<double>& packed, Numbers x) const
    {
        auto next = packed.begin();
        for (std::size_t i = 0; i < COUNT; ++i)
        {
            if (m_free[i])
            {
                x[i] = *next++;
            }
        }
        return x;
    }

    /// @return the model that @p x stands for
    LinkModel MakeLink(const Numbers& x) const
    {
        LinkModel link = m_link;
        link.latency = x[LATENCY] * m_unitPerMessage;
        link.rate = 1 / (x[PER_BYTE] * m_unitPerByte);
        link.alpha = x[ALPHA] * m_unitPerByte;
        link.beta = x[BETA] * m_unitPerMessage;
        if (m_free[WINDOW])
        {
            link.window = static_cast<uint64_t>(std::llround(x[WINDOW] * m_unitWindow));
        }
        return link;
    }

    /// Set the noise of each stream from its two parts.
    void SetNoise(double seconds, double share)
    {
        m_noise = (seconds + share * m_wireTimes.array()).matrix();
    }

    /// Tell the noise from the errors at @p x: of the shorter half of streams, and of long ones.
    void EstimateNoise(const Numbers& x)
    {
        const Eigen::VectorXd sizes = GetErrors(x).cwiseAbs();
        const double middle =
            GetQuantile({m_wireTimes.data(), m_wireTimes.data() + m_wireTimes.size()}, 0.5);
        std::vector<double> shorter;
        for (Eigen::Index i = 0; i < sizes.size(); ++i)
        {
            if (m_wireTimes[i] <= middle)
            {
                shorter.push_back(sizes[i]);
            }
        }
        const double seconds =
            std::max(LEAST_NOISE_SECONDS, DEVIATION_PER_MAD * GetQuantile(shorter, 0.5));
        std::vector<double> shares;
        for (Eigen::Index i = 0; i < sizes.size(); ++i)
        {
            if (m_wireTimes[i] > LONG_STREAM * seconds)
            {
                shares.push_back(sizes[i] / m_wireTimes[i]);
            }
        }
        SetNoise(seconds,
                 shares.empty()
                     ? NOISE_SHARE
                     : std::max(LEAST_NOISE_SHARE, DEVIATION_PER_MAD * GetQuantile(shares, 0.5)));
    }

    /// @return errors of the times between ends, in units of their noise
    Eigen::VectorXd GetResiduals(const Numbers& x) const
    {
        return GetErrors(x).cwiseQuotient(m_noise);
    }

    /// @return errors of the times between ends, in seconds
    Eigen::VectorXd GetErrors(const Numbers& x) const
    {
        const LinkModel link = MakeLink(x);
        Eigen::VectorXd errors(m_order.size());
        std::vector<StreamTimes> times;
        double before = 0;
        for (std::size_t i = 0; i < m_order.size(); ++i)
        {
            const auto [g, s] = m_order[i];
            if (i == 0 || m_order[i - 1].first != g)
            {
                times = PredictStreams(m_groups[g], link);
                before = 0;
            }
            const double late =
                (m_lastBytes ? times[s].last : times[s].end) - GetRecorded(m_groups[g].streams[s]);
            errors[i] = late - before;
            before = late;
        }
        return errors;
    }

    /// @return sum of Huber's losses; with a scale of 0 of absolute values
    double GetLoss(const Eigen::VectorXd& residuals) const
    {
        double sum = 0;
        for (const double residual : residuals)
        {
            const double size = std::abs(residual);
            const double bend = HUBER * m_scale;
            sum += size < bend ? size * size / (2 * bend) : size - bend / 2;
        }
        return sum;
    }

    /// @return the best of several searches
    Numbers Search()
    {
        const Numbers given{m_link.latency / m_unitPerMessage,
                            1,
                            m_link.alpha / m_unitPerByte,
                            m_link.beta / m_unitPerMessage,
                            1};
        Numbers best = given;
        double bestLoss = std::numeric_limits<double>::infinity();
        for (const double share : {0.0, 0.2, 0.6})
        {
            // Alpha takes from the rate what it has itself.
            Numbers x = Unpack(Pack({0, m_free[ALPHA] ? 1 - share : 1, share, share, 1}), given);
            m_scale = SMOOTH;
            Polish(x);
            m_scale = 0;
            const double loss = Descend(x);
            if (loss < bestLoss)
            {
                bestLoss = loss;
                best = x;
            }
        }
        for (int round = 0; round < ROUNDS; ++round)
        {
            EstimateNoise(best);
            Descend(best);
        }
        std::vector<double> sizes;
        for (const double residual : GetResiduals(best))
        {
            sizes.push_back(std::abs(residual));
        }
        m_scale = std::max(MIN_SCALE, DEVIATION_PER_MAD * GetQuantile(sizes, 0.5));
        Descend(best);
        return best;
    }

    /// @param[in,out] x where to start, then where the loss is least; @return the loss
    double Descend(Numbers& x) const
    {
        std::vector<double> packed = Pack(x);
        std::function<double(const std::vector<double>&)> loss =
            [this, &x](const std::vector<double>& at) {
                return GetLoss(GetResiduals(Unpack(at, x)));
            };
        double least = loss(packed);
        if (packed.empty())
        {
            return least;
        }
        nlopt::opt search(nlopt::LN_SBPLX, packed.size());
        search.set_min_objective(
            [](const std::vector<double>& at, std::vector<double>&, void* data) {
                return (*static_cast<decltype(loss)*>(data))(at);
            },
            &loss);
        search.set_lower_bounds(Pack(m_least));
        search.set_upper_bounds(Pack(m_most));
        search.set_initial_step(0.1);
        search.set_xtol_rel(TOLERANCE);
        search.set_maxeval(MAX_EVALUATIONS);
        try
        {
            search.optimize(packed, least);
        }
        catch (const nlopt::roundoff_limited&)
        {
            least = loss(packed); // as good as rounding allows
        }
        x = Unpack(packed, x);
        return Polish(x);
    }

    /// @return derivatives of the residuals by the numbers of Pack(), at @p x
    Eigen::MatrixXd GetJacobian(const Numbers& x, const Eigen::VectorXd& residuals) const
    {
        const std::vector<double> packed = Pack(x);
        const std::vector<double> least = Pack(m_least);
        const std::vector<double> most = Pack(m_most);
        const std::vector<double> leastSteps = Pack({0, 0, 0, 0, 1 / m_unitWindow}); // whole bytes
        const auto size = static_cast<Eigen::Index>(packed.size());
        Eigen::MatrixXd jacobian(residuals.size(), size);
        for (Eigen::Index i = 0; i < size; ++i)
        {
            // forward, because 0 is a bound, unless the other bound is in the way
            std::vector<double> moved = packed;
            moved[i] += std::max(1e-4 * std::max(std::abs(packed[i]), 0.1), leastSteps[i]);
            if (moved[i] > most[i])
            {
                moved[i] = std::max(least[i], 2 * packed[i] - moved[i]);
            }
            const double step = moved[i] - packed[i];
            jacobian.col(i) =
                step == 0 ? Eigen::VectorXd(Eigen::VectorXd::Zero(residuals.size()))
                          : Eigen::VectorXd((GetResiduals(Unpack(moved, x)) - residuals) / step);
        }
        return jacobian;
    }

    /// @return Huber's weights
    Eigen::VectorXd GetWeights(const Eigen::VectorXd& residuals) const
    {
        const double bend = HUBER * std::max(m_scale, MIN_SCALE);
        return (bend / residuals.cwiseAbs().array().max(1e-300)).min(1.0).matrix();
    }

    /**
     * @brief Go down by Gauss-Newton steps, halved where they are too long.
     *
     * The ends are nearly linear in the numbers, so this follows the narrow valley of a rate and a
     * window that make up for each other, in which Subplex comes to rest.
     * @param[in,out] x where to start, then where the loss is least
     * @return the loss
     */
    double Polish(Numbers& x) const
    {
        const std::vector<double> least = Pack(m_least);
        const std::vector<double> most = Pack(m_most);
        Eigen::VectorXd residuals = GetResiduals(x);
        double loss = GetLoss(residuals);
        for (int i = 0; i < MAX_STEPS && !least.empty(); ++i)
        {
            const Eigen::MatrixXd jacobian = GetJacobian(x, residuals);
            const Eigen::VectorXd weights = GetWeights(residuals).cwiseSqrt();
            Eigen::VectorXd step = (weights.asDiagonal() * jacobian)
                                       .completeOrthogonalDecomposition()
                                       .solve(-weights.cwiseProduct(residuals));
            bool better = false;
            for (int half = 0; half < MAX_HALVES && !better; ++half, step /= 2)
            {
                std::vector<double> moved = Pack(x);
                for (std::size_t k = 0; k < moved.size(); ++k)
                {
                    moved[k] = std::clamp(moved[k] + step[k], least[k], most[k]);
                }
                const Numbers tried = Unpack(moved, x);
                const Eigen::VectorXd next = GetResiduals(tried);
                if (GetLoss(next) < loss)
                {
                    better = true;
                    x = tried;
                    residuals = next;
                    loss = GetLoss(next);
                }
            }
            if (!better)
            {
                break;
            }
        }
        return loss;
    }

    /// Standard errors from the Jacobian, with Huber's weights.
    void SetErrors(const Numbers& x, LinkFit& fit) const
    {
        const auto size = static_cast<Eigen::Index>(Pack(x).size());
        const Eigen::VectorXd residuals = GetResiduals(x);
        const Eigen::MatrixXd jacobian = GetJacobian(x, residuals);
        const Eigen::VectorXd weights = GetWeights(residuals);
        // Columns of length 1, so that units do not matter to what is invertible.
        const Eigen::VectorXd scales = jacobian.colwise().norm().cwiseMax(1e-300).cwiseInverse();
        const Eigen::MatrixXd scaled = jacobian * scales.asDiagonal();
        const Eigen::MatrixXd normal = scaled.transpose() * weights.asDiagonal() * scaled;
        Eigen::MatrixXd covariance =
            Eigen::MatrixXd::Constant(size, size, std::numeric_limits<double>::infinity());
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(normal);
        if (residuals.size() > size && size > 0)
        {
            const double squares = residuals.dot(weights.cwiseProduct(residuals)) /
                                   static_cast<double>(residuals.size() - size);
            const Eigen::VectorXd& values = solver.eigenvalues();
            covariance.setZero();
            for (Eigen::Index i = 0; i < size; ++i)
            {
                // What the data cannot tell apart is unknown; other numbers are known none the
                // less.
                const Eigen::VectorXd vector = solver.eigenvectors().col(i);
                const bool known = values[i] > SINGULAR * values[size - 1];
                for (Eigen::Index row = 0; row < size; ++row)
                {
                    for (Eigen::Index column = 0; column < size; ++column)
                    {
                        const double product = vector[row] * vector[column];
                        covariance(row, column) +=
                            known ? squares * scales[row] * scales[column] * product / values[i]
                            : std::abs(product) > NONE ? std::copysign(HUGE_VAL, product)
                                                       : 0;
                    }
                }
            }
        }

        Eigen::Index next = 0;
        const auto value = [&](double number, bool fitted, double unit) {
            FittedValue result{number * unit, 0, fitted};
            if (fitted)
            {
                result.error = unit * std::sqrt(std::max(0.0, covariance(next, next)));
                ++next;
            }
            return result;
        };
        fit.latency = value(x[LATENCY], m_free[LATENCY], m_unitPerMessage);
        const Eigen::Index rate = next;
        fit.secondsPerByte = value(x[PER_BYTE], m_free[PER_BYTE], m_unitPerByte);
        fit.alpha = value(x[ALPHA], m_free[ALPHA], m_unitPerByte);
        fit.beta = value(x[BETA], m_free[BETA], m_unitPerMessage);
        fit.window = value(x[WINDOW], m_free[WINDOW], m_unitWindow);
        if (m_free[PER_BYTE] && m_free[ALPHA])
        {
            const double product =
                std::sqrt(covariance(rate, rate) * covariance(rate + 1, rate + 1));
            fit.correlation =
                std::isfinite(product) && product > 0 ? covariance(rate, rate + 1) / product : -1;
        }
    }

    const std::vector<StreamGroup>& m_groups; //!< data
    LinkModel m_link;                         //!< what is not fitted
    bool m_lastBytes;                         //!< what is matched: last bytes, else ends
    std::array<bool, COUNT> m_free;           //!< which numbers are fitted
    /// Bounds of the numbers.
    Numbers m_least{0, LEAST_PER_BYTE, 0, 0, 0};
    Numbers m_most{HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
    double m_unitPerByte{0};     //!< unit of 1 / rate and alpha
    double m_unitPerMessage{0};  //!< unit of beta and latency
    double m_unitWindow{1};      //!< unit of WIN
    Eigen::VectorXd m_wireTimes; //!< of m_order, about, seconds
    Eigen::VectorXd m_noise;     //!< of the time before each end, seconds
    double m_scale{0};           //!< of the loss
    /// Group and stream, by group, then by the time that is matched.
    std::vector<std::pair<std::size_t, std::size_t>> m_order;
};

} // namespace

LinkFit
FitLink(const std::vector<StreamGroup>& groups,
        const LinkModel& link,
        const LinkFitOptions& options)
{
    return LinkFitter(groups, link, options).Run();
}

} // namespace dml
} // namespace ns3

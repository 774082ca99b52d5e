/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STREAM_ERRORS_H
#define DML_STREAM_ERRORS_H

#include "dml-robust-fit.h"
#include "dml-stream-model.h"

#include <Eigen/Core>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// Standard deviation of the difference of two rounded times, in units of what they are rounded to:
/// sqrt(2 / 12).
constexpr double TWO_ROUNDED = 0.40824829046386302;

/**
 * @ingroup dml-import
 * @brief How late a model of a link has recorded streams end, and how much of that is noise.
 *
 * A stream of a link whose rate fluctuates is late for good once it is late, while a record that
 * was made too late says nothing of the next one. So an error is how much later than expected a
 * stream is predicted, where expected is the mean of the streams before it in its group, weighted
 * by powers of 1 - gain: with a gain of 1 the one before it, of 0 none. The noise of an error is a
 * time plus a share of the stream's time on the wire.
 */
class StreamErrors
{
  public:
    /**
     * @param groups data, kept by reference
     * @param lastBytes match last bytes instead of ends; streams without one are left out
     * @throws InputError if there are no streams with bytes that take time
     */
    StreamErrors(const std::vector<StreamGroup>& groups, bool lastBytes);

    /// @return errors at @p link, seconds, by group and then by the recorded time
    Eigen::VectorXd GetErrors(const LinkModel& link) const
    {
        return GetInnovations(GetLateness(m_groups, link), m_gain);
    }

    /// @return the same in units of their noise
    Eigen::VectorXd GetResiduals(const LinkModel& link) const
    {
        return GetErrors(link).cwiseQuotient(m_noise);
    }

    /**
     * @brief How much residuals at @p link change if the last byte of one tensor is late in all
     * groups, by the standard deviation of the time that a frame of 1500 bytes takes: a link does
     * not send bytes but frames, which end with bytes of the next message.
     * @return a column for each tensor
     */
    Eigen::MatrixXd GetFrameErrors(const LinkModel& link) const;

    /// Tell gain and noise from the errors at @p link.
    void EstimateNoise(const LinkModel& link);

    /// @return number of streams that are matched
    std::size_t GetSize() const
    {
        return m_order.size();
    }

    /// @return seconds per byte of the busy times
    double GetSecondsPerByte() const
    {
        return m_perByte;
    }

    /// @return median of the times between ends, seconds, above 0
    double GetSecondsPerMessage() const
    {
        return m_perMessage;
    }

    /// @return group and tensor of each error
    const FitClusters& GetClusters() const
    {
        return m_clusters;
    }

  private:
    /// @return the recorded time that is matched
    double GetRecorded(const Stream& stream) const
    {
        return m_lastBytes ? stream.lastByte : stream.end;
    }

    /// @return how much too late streams are predicted, seconds
    Eigen::VectorXd GetLateness(const std::vector<StreamGroup>& groups,
                                const LinkModel& link) const;
    /// @return errors of that lateness with that gain
    Eigen::VectorXd GetInnovations(const Eigen::VectorXd& lateness, double gain) const;
    /// Set the noise of each stream from its two parts.
    void SetNoise(double seconds, double share);

    const std::vector<StreamGroup>& m_groups; //!< data
    bool m_lastBytes;                         //!< what is matched: last bytes, else ends
    double m_gain{1};                         //!< 0 to 1
    double m_resolution{0};                   //!< of recorded times, seconds
    double m_perByte{0};                      //!< seconds per byte of the busy times
    double m_perMessage{0};                   //!< median time between ends, seconds
    Eigen::VectorXd m_wireTimes;              //!< of m_order, about, seconds
    Eigen::VectorXd m_noise;                  //!< of the errors, seconds
    FitClusters m_clusters;                   //!< of m_order
    /// Group and stream, by group, then by the time that is matched.
    std::vector<std::pair<std::size_t, std::size_t>> m_order;
};

/**
 * @param groups records
 * @return seconds that recorded times are rounded to: 1e-6 if all are whole microseconds, else 1e-9
 */
double GetResolution(const std::vector<StreamGroup>& groups);

} // namespace ns3::dml

#endif /* DML_STREAM_ERRORS_H */

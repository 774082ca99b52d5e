/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TIME_BINS_H
#define DML_TIME_BINS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-metrics
 * @brief Amounts over time, in a bounded number of bins per row.
 *
 * All rows share one bin width. It starts at 1/1024 s and doubles, merging neighbours, whenever
 * something ends beyond the last bin, so that a stretch of any length (above half a second, with
 * 800 bins) fills between half and all of them. The result depends on what is added only.
 */
class TimeBins
{
  public:
    /// @param rows number of rows @param maxBins bins per row, an even number, at least 2
    TimeBins(std::size_t rows, uint32_t maxBins);

    /**
     * @brief Add rate * (end - start), spread over the bins between them.
     * @param row less than the number of rows
     * @param start s, not negative
     * @param end s, not before @p start
     * @param rate per second
     */
    void Add(std::size_t row, double start, double end, double rate);

    /// @return width of a bin, s
    double GetWidth() const
    {
        return m_width;
    }

    /// @return end of what was added last in time, s
    double GetEnd() const
    {
        return m_end;
    }

    /// @return number of bins up to GetEnd()
    uint32_t GetCount() const;

    /// @param row of which @return amount in each bin; those from GetCount() on are 0
    const std::vector<double>& Get(std::size_t row) const
    {
        return m_amounts.at(row);
    }

    /**
     * @brief Mean rate in each bin.
     * @param row of which
     * @return GetCount() values; the last bin is measured up to GetEnd() only
     */
    std::vector<double> GetRates(std::size_t row) const;

  private:
    /// Double the bin width.
    void Widen();

    uint32_t m_maxBins;         //!< bins per row
    double m_width{1.0 / 1024}; //!< of a bin, s; a power of 2, so that bin edges are exact
    double m_end{0};            //!< latest end, s
    std::vector<std::vector<double>> m_amounts; //!< by row and bin
};

} // namespace ns3::dml

#endif /* DML_TIME_BINS_H */

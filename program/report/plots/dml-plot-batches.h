/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLOT_BATCHES_H
#define DML_PLOT_BATCHES_H

#include "dml-plot-script.h"

#include "ns3/dml-run-observer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// One step of a worker, as PlotBatches() shows it.
struct BatchPoint
{
    uint32_t step;  //!< from 0
    uint32_t batch; //!< samples
    double seconds; //!< from the step's start until the worker was done
};

/**
 * @ingroup dml-report
 * @brief Batches of a run's workers, step by step.
 */
struct BatchSeries
{
    std::string engine;                           //!< shown above its panels
    std::vector<std::vector<BatchPoint>> workers; //!< by worker, in order of steps
};

/**
 * @ingroup dml-report
 * @brief Keeps batches and their processing times for PlotBatches().
 *
 * Memory: at most 2000 points of each worker. Of longer runs, every second step is kept, or every
 * fourth, and so on.
 */
class BatchCollector : public RunListener<BatchCollector>
{
  public:
    /// @param engine name @param workers number of workers
    BatchCollector(const std::string& engine, uint32_t workers);

    void On(const StepRecord& record);

    /// @return whether two steps had batches of different size
    bool Varies() const;
    /// @return what it has kept
    const BatchSeries& GetSeries() const;

  private:
    BatchSeries m_series; //!< so far
    uint32_t m_stride{1}; //!< steps whose numbers it divides are kept
    uint32_t m_batch{0};  //!< of the first step that told it
    bool m_varies{false}; //!< another one had another batch
};

/**
 * @brief Batch size and batch processing time of each worker over the steps, two panels per run,
 * after Fig. 8 of LB-BSP (Chen et al., SoCC 2020).
 *
 * At most eight workers are drawn; the title says so.
 *
 * @param title of the plot
 * @param series one per run, at least one
 * @param name of the plot's files
 * @return the plot
 */
PlotScript PlotBatches(const std::string& title,
                       const std::vector<BatchSeries>& series,
                       const std::string& name = "batch-sizes");

} // namespace ns3::dml

#endif /* DML_PLOT_BATCHES_H */

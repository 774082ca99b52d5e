/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLOT_GRADIENTS_H
#define DML_PLOT_GRADIENTS_H

#include "dml-plot-script.h"

#include "ns3/dml-run-observer.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief The gradients of one step of worker 0.
 */
struct GradientSeries
{
    std::string engine;                 //!< shown above its panel
    uint32_t step{0};                   //!< from 0
    double start{0};                    //!< of the step, s
    std::vector<TransferRecord> pushes; //!< of the step, in the order of their last bytes
};

/**
 * @ingroup dml-report
 * @brief Keeps the gradients of one step of worker 0 for PlotGradients().
 */
class GradientCollector : public RunListener<GradientCollector>
{
  public:
    /// @param engine name @param step that is shown, a steady one
    GradientCollector(const std::string& engine, uint32_t step);

    void On(const TransferRecord& record);
    void On(const StepRecord& record);

    /// @return what it has seen
    const GradientSeries& GetSeries() const;

  private:
    GradientSeries m_series; //!< so far
};

/**
 * @brief When each gradient of a step was ready, and when it was transferred, after Fig. 11 of
 * Prophet (Zhang et al., ICPP 2021); one panel per run, all with the same time scale.
 *
 * Gradients are numbered in the order of their tensors in the profile, so gradient 0 is the first
 * that forward propagation needs.
 *
 * @param title of the plot
 * @param series one per run, at least one
 * @param name of the plot's files
 * @return the plot
 */
PlotScript PlotGradients(const std::string& title,
                         const std::vector<GradientSeries>& series,
                         const std::string& name = "gradients");

} // namespace ns3::dml

#endif /* DML_PLOT_GRADIENTS_H */

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ANALYTICAL_BATCH_SIZE_H
#define DML_ANALYTICAL_BATCH_SIZE_H

#include "dml-batch-size-control.h"
#include "dml-speed-predictor.h"

#include "ns3/object-factory.h"

namespace ns3::dml
{

/**
 * @ingroup dml-sync
 * @brief Batch sizes in proportion to predicted speeds: for workers whose time of a step is
 * proportional to its samples (CPUs).
 *
 * Each gets at least 1 sample and at most what its memory holds; rounding is by the largest
 * remainder, ties by worker. A worker that has done no step since it joined keeps its batch size,
 * and all do if their memory cannot hold the samples otherwise. The speeds of a worker that left
 * are forgotten.
 *
 * Source: LB-BSP (Chen et al., SoCC 2020), Algorithm 1.
 */
class AnalyticalBatchSize : public BatchSizeControl
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    bool IsBlocking() const override
    {
        return true;
    }

    std::vector<uint32_t> Update(const std::vector<WorkerReport>& reports) override;

  private:
    /// What is known of a worker.
    struct Worker
    {
        Ptr<SpeedPredictor> predictor; //!< null: it has never been present, or has left
        bool observed{false};          //!< the predictor has observed a speed
        double cpu{1};                 //!< in the step that the next report is about
        double memory{1};              //!< in that step
    };

    void Observe(uint32_t index, const WorkerReport& report);

    ObjectFactory m_predictor;     //!< attribute
    std::vector<Worker> m_workers; //!< by worker
};

} // namespace ns3::dml

#endif /* DML_ANALYTICAL_BATCH_SIZE_H */

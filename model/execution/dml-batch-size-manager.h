/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BATCH_SIZE_MANAGER_H
#define DML_BATCH_SIZE_MANAGER_H

#include "dml-training-run.h"

#include "ns3/dml-batch-size-control.h"

#include <optional>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-execution
 * @brief Told by a BatchSizeManager what a worker shall compute.
 */
class BatchSizeListener
{
  public:
    virtual ~BatchSizeListener() = default;

    /// @param worker that has reported @param batch samples of the step for which it asked
    virtual void SetBatchSize(uint32_t worker, uint32_t batch) = 0;
};

/**
 * @ingroup dml-execution
 * @brief Collects the workers' reports, one of each at each step, and has a BatchSizeControl
 * choose.
 *
 * It answers when all workers that are there have reported. A worker that has come back is there
 * from its first report on. If the others have their answers already, it is answered at once, with
 * the batch size that it has: they wait for nothing but its gradients.
 *
 * Source: the BatchSizeManager of LB-BSP (Chen et al., SoCC 2020, section 4).
 */
class BatchSizeManager
{
  public:
    /**
     * @param control that chooses
     * @param workers number of workers
     * @param listener told the batch sizes; must outlive this
     */
    BatchSizeManager(Ptr<BatchSizeControl> control, uint32_t workers, BatchSizeListener& listener);

    /// @param worker that asks for the samples of a step @param step its number
    /// @param report on the step before
    void Report(uint32_t worker, uint32_t step, const WorkerReport& report);

    /// @param worker that is gone; the others may be answered from within
    void Leave(uint32_t worker);

  private:
    void TryUpdate();

    Ptr<BatchSizeControl> m_control;                    //!< chooses
    BatchSizeListener& m_listener;                      //!< told
    uint32_t m_step{0};                                 //!< for which nobody has an answer yet
    uint32_t m_asked{0};                                //!< for which the last report was
    std::vector<bool> m_present;                        //!< by worker
    std::vector<uint32_t> m_assigned;                   //!< by worker: the last answer; 0: none yet
    std::vector<std::optional<WorkerReport>> m_reports; //!< by worker, since the last answer
};

/// @param run a run @return its control of batch sizes, or null
Ptr<BatchSizeControl> CreateBatchSizeControl(const TrainingRun& run);

/**
 * @brief What a worker reports before a step.
 * @param compute what it computes on
 * @param batch samples: of the step done, or those that it has got since
 * @param seconds that the step took without waiting for others; 0: it has done none
 * @param now seconds from the start of the run, when the step begins
 * @return the report
 */
WorkerReport MakeWorkerReport(const WorkerCompute& compute,
                              uint32_t batch,
                              double seconds,
                              double now);

} // namespace ns3::dml

#endif /* DML_BATCH_SIZE_MANAGER_H */

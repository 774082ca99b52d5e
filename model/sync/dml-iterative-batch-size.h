/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ITERATIVE_BATCH_SIZE_H
#define DML_ITERATIVE_BATCH_SIZE_H

#include "dml-batch-size-control.h"
#include "dml-step-time-history.h"

namespace ns3::dml
{

/**
 * @ingroup dml-sync
 * @brief Moves samples from the slowest worker to the fastest, step by step: for workers whose time
 * of a step is not known as a function of its samples (GPUs).
 *
 * The leader took the least time in the step just done, of those whose memory has room: no more
 * than MemoryGuard of it in use, and Step more samples fit. The straggler took the most; ties go to
 * the lowest number. If the leader preceded the straggler in each of the last Window steps, Step
 * samples move. If not, and the leader was ever slower than the straggler, the control fine-tunes
 * from then on, with FineStep and FineWindow. Nothing changes where nobody can lead, where leader
 * and straggler are the same, or where the straggler has no more than Step samples (the paper would
 * restart without it).
 *
 * Workers that have done no step since they joined are left out, and history begins when they join.
 *
 * Source: LB-BSP (Chen et al., SoCC 2020), Algorithm 2; that Step samples must fit is an addition.
 */
class IterativeBatchSize : public BatchSizeControl
{
  public:
    static constexpr uint32_t DEFAULT_STEP = 5;          //!< samples
    static constexpr uint32_t DEFAULT_WINDOW = 5;        //!< steps
    static constexpr uint32_t DEFAULT_FINE_STEP = 1;     //!< samples
    static constexpr uint32_t DEFAULT_FINE_WINDOW = 20;  //!< steps
    static constexpr double DEFAULT_MEMORY_GUARD = 0.95; //!< share

    /// @return the object TypeId
    static TypeId GetTypeId();

    bool IsBlocking() const override
    {
        return false;
    }

    std::vector<uint32_t> Update(const std::vector<WorkerReport>& reports) override;

    /// @return whether it fine-tunes
    bool IsFineTuning() const
    {
        return m_fineTuning;
    }

    /// @return updates without a change because the straggler had no more samples than a move takes
    uint64_t GetSmallStragglers() const
    {
        return m_smallStragglers;
    }

  private:
    void NotifyConstructionCompleted() override;

    uint32_t m_step{DEFAULT_STEP};              //!< attribute, then that of fine-tuning
    uint32_t m_window{DEFAULT_WINDOW};          //!< attribute, then that of fine-tuning
    uint32_t m_fineStep{DEFAULT_FINE_STEP};     //!< attribute
    uint32_t m_fineWindow{DEFAULT_FINE_WINDOW}; //!< attribute
    double m_memoryGuard{DEFAULT_MEMORY_GUARD}; //!< attribute
    bool m_fineTuning{false};                   //!< for good, once it is true
    uint64_t m_smallStragglers{0};              //!< updates
    StepTimeHistory m_history;                  //!< of the job
};

} // namespace ns3::dml

#endif /* DML_ITERATIVE_BATCH_SIZE_H */

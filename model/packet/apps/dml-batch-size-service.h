/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BATCH_SIZE_SERVICE_H
#define DML_BATCH_SIZE_SERVICE_H

#include "ns3/dml-batch-size-manager.h"
#include "ns3/dml-grpc-messages.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-apps
 * @brief A BatchSizeManager that other endpoints reach: each report is a call of BATCH_GRAPH, and
 * what it is answered the batch size.
 *
 * It is on the first parameter server, or where there is none, on the first worker.
 */
class BatchSizeService : private BatchSizeListener
{
  public:
    /// Gives @p worker its @p batch in answer to its @p call.
    using Answer = std::function<void(uint32_t worker, int32_t call, uint32_t batch)>;

    /**
     * @param control that chooses
     * @param workers number of workers
     * @param answer called with each batch size
     */
    BatchSizeService(Ptr<BatchSizeControl> control, uint32_t workers, Answer answer);

    /// @param worker that calls @param call its number @param request of BATCH_GRAPH
    /// @return whether it could be understood
    bool Take(uint32_t worker, int32_t call, const RunGraphRequest& request);

    /// @param worker that asks for the samples of a step, and is where this is @param step its
    /// number
    /// @param report on the step before
    void Report(uint32_t worker, uint32_t step, const WorkerReport& report);

    /// @param worker that is gone
    void Leave(uint32_t worker);

  private:
    void SetBatchSize(uint32_t worker, uint32_t batch) override;

    BatchSizeManager m_manager;   //!< collects the reports
    Answer m_answer;              //!< takes the batch sizes
    std::vector<int32_t> m_calls; //!< by worker: number of its last call
};

} // namespace ns3::dml

#endif /* DML_BATCH_SIZE_SERVICE_H */

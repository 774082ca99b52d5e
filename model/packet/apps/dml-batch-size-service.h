/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BATCH_SIZE_SERVICE_H
#define DML_BATCH_SIZE_SERVICE_H

#include "ns3/dml-batch-size-control.h"
#include "ns3/dml-batch-size-manager.h"
#include "ns3/dml-grpc-messages.h"
#include "ns3/dml-work-shedding.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace ns3::dml
{

/// Handle of the graph that takes a worker's report and gives its batch size: value BATCH_VALUE.
constexpr const char* BATCH_GRAPH = "batch";
/// Value of that graph: samples of the step for which the worker asked.
constexpr const char* BATCH_VALUE = "batch";

/// @param report of a worker @return what is fed to BATCH_GRAPH
NamedValues ToValues(const WorkerReport& report);

/// @param values that came @return the report; nothing if they are none
std::optional<WorkerReport> ReportFromValues(const NamedValues& values);

/// Handle of the graph that takes how far a worker is in a step, and tells which samples to move.
constexpr const char* PROGRESS_GRAPH = "progress";
/// Handle of the graph that is fed GIVEN_VALUE, after PROGRESS_GRAPH has asked for samples.
constexpr const char* GIVE_GRAPH = "give";
/// Value fed to that graph: samples that the worker has given up, from 0.
constexpr const char* GIVEN_VALUE = "given";

/// @param report of a worker @return what is fed to PROGRESS_GRAPH, but for the step
NamedValues ToValues(const SampleReport& report);

/// @param values fed to PROGRESS_GRAPH @param step of the request
/// @return the report; nothing if they are none
std::optional<SampleReport> SampleReportFromValues(const NamedValues& values, uint32_t step);

/// @param move of samples @return what PROGRESS_GRAPH gives
NamedValues ToValues(const SampleMove& move);

/// @param values that PROGRESS_GRAPH gave; none stand for 0 @return the move
SampleMove MoveFromValues(const NamedValues& values);

/// @param values that came @param name of one @return the count, from 0; nothing if it is none
std::optional<uint32_t> CountFromValues(const NamedValues& values, const char* name);

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
    void Report(uint32_t worker, uint32_t step, const WorkerReport& report)
    {
        m_manager.Report(worker, step, report);
    }

    /// @param worker that is gone
    void Leave(uint32_t worker)
    {
        m_manager.Leave(worker);
    }

  private:
    void SetBatchSize(uint32_t worker, uint32_t batch) override
    {
        m_answer(worker, m_calls[worker], batch);
    }

    BatchSizeManager m_manager;   //!< collects the reports
    Answer m_answer;              //!< takes the batch sizes
    std::vector<int32_t> m_calls; //!< by worker: number of its last call
};

} // namespace ns3::dml

#endif /* DML_BATCH_SIZE_SERVICE_H */

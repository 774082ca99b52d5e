/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRACE_JOB_H
#define DML_TRACE_JOB_H

#include "ns3/dml-json-record.h"
#include "ns3/dml-measured-job.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief The job that a trace of ours describes at its start, see TRACE_SCHEMA.
 */
class TraceJob
{
  public:
    /**
     * @brief Read an event, if it describes the job.
     * @param record an event
     * @return true if it does
     * @throws InputError if it is of another schema or does not fit what came before it
     */
    bool Read(const JsonRecord& record);

    /**
     * @brief Nothing of the job comes any more.
     * @param file name for messages
     * @throws InputError if there was no job, or ops depend on ops that are not there
     */
    void Finish(const std::string& file);

    /// @return its ops, their times 0
    const std::vector<MeasuredOp>& GetOps() const
    {
        return m_ops;
    }

    /// @param op index; @return the ops that wait for it
    const std::vector<OpIndex>& GetDependents(OpIndex op) const
    {
        return m_dependents[op];
    }

    /// @param op index of an op that names a tensor; @return the tensor
    const Tensor& GetTensor(OpIndex op) const
    {
        return m_measured.tensors[m_tensors[op]];
    }

    /// @return number of samples that the profile had
    uint32_t GetSampleCount() const
    {
        return m_samples;
    }

    /// @return the job, without steps
    const MeasuredJob& GetMeasured() const
    {
        return m_measured;
    }

    /// @param other another job; @return true if both are the same
    bool IsSame(const TraceJob& other) const;

  private:
    void ReadProfile(const JsonRecord& record);
    void ReadOp(const JsonRecord& record);

    MeasuredJob m_measured;                         //!< without steps
    std::vector<MeasuredOp> m_ops;                  //!< in listing order
    std::vector<uint32_t> m_tensors;                //!< tensor of each op, or NO_INDEX
    std::vector<std::vector<OpIndex>> m_deps;       //!< ops that each op waits for
    std::vector<std::vector<OpIndex>> m_dependents; //!< ops that wait for each op
    uint32_t m_samples{0};                          //!< of the profile; 0: no job has been read yet
};

} // namespace ns3::dml

#endif /* DML_TRACE_JOB_H */

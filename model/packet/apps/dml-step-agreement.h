/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STEP_AGREEMENT_H
#define DML_STEP_AGREEMENT_H

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

namespace ns3::dml
{

/**
 * @ingroup dml-apps
 * @brief Workers without servers agree on a step: each tells one of them its own, and is answered
 * the highest, once all have told theirs.
 */
class StepAgreement
{
  public:
    /// Tells @p worker the @p step in answer to its @p call.
    using Answer = std::function<void(uint32_t worker, int32_t call, uint32_t step)>;

    /// @param answer called for each worker
    explicit StepAgreement(Answer answer);

    /// @brief Forget what has been told. @param workers number of those that will tell a step
    void Begin(uint32_t workers);

    /// @param worker that tells its step @param call its number @param step the step; if it is the
    /// last one that was missing, all are answered from within
    void Take(uint32_t worker, int32_t call, uint32_t step);

  private:
    Answer m_answer;                                         //!< tells the step
    uint32_t m_workers{0};                                   //!< workers that tell a step
    std::map<uint32_t, std::pair<int32_t, uint32_t>> m_told; //!< by worker: call and step
};

} // namespace ns3::dml

#endif /* DML_STEP_AGREEMENT_H */

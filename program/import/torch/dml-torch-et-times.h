/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_ET_TIMES_H
#define DML_TORCH_ET_TIMES_H

#include "dml-torch-et-node.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief When an operator or an annotation ran on a thread of the host.
 */
struct TorchEtEvent
{
    int64_t start{0};     //!< ns on the trace's clock
    int64_t end{0};       //!< ns, at least `start`
    uint64_t external{0}; //!< "External id", or 0
    uint64_t function{0}; //!< "Record function id", or 0
    uint32_t name{0};     //!< text
    uint32_t thread{0};   //!< text: process and thread
};

/// Something that ran on a GPU, or the call that launched it.
struct TorchEtLaunch
{
    int64_t start{0};        //!< ns
    int64_t end{0};          //!< ns, at least `start`
    uint64_t correlation{0}; //!< ties call and kernel together, or 0
    uint64_t external{0};    //!< "External id", or 0
    uint32_t place{0};       //!< text: of a kernel the GPU's number, of a call process and thread
};

/// Which event belongs to each node of an Execution Trace.
struct TorchEtJoin
{
    static constexpr uint32_t NONE = UINT32_MAX; //!< no event

    std::vector<uint32_t> events; //!< index of an event for each node, or NONE
    uint64_t joined{0};           //!< nodes that have one
    uint64_t candidates{0};       //!< nodes that should have one
    std::string rule;             //!< what ties them together, as "External id = rf_id"
};

/**
 * @ingroup dml-import
 * @brief The times in the Kineto trace that was recorded together with an Execution Trace.
 */
class TorchEtTimes
{
  public:
    /**
     * @brief Take an element of `traceEvents`; what is no complete event of an operator, an
     * annotation, a kernel or a call of the GPU's driver is dropped.
     * @param record the element
     * @throws InputError naming line, column and JSON path if a time is missing or out of range
     */
    void Add(const JsonRecord& record);

    /**
     * @brief Find the event of each node. Names must agree.
     *
     * Tried are "Record function id" = rf_id (PyTorch 2.3 and later), "External id" = rf_id and
     * "External id" = node id (earlier ones); the one that joins most nodes is taken, the first of
     * these if several do.
     * @param nodes of the Execution Trace
     * @return events and rule
     */
    TorchEtJoin Join(const std::vector<TorchEtNode>& nodes) const;

    /// @return events of the host, in the file's order
    const std::vector<TorchEtEvent>& GetEvents() const
    {
        return m_events;
    }

    /// @return what ran on GPUs, in the file's order
    const std::vector<TorchEtLaunch>& GetKernels() const
    {
        return m_kernels;
    }

    /// @param correlation ties call and kernel together; @return the call, or null
    const TorchEtLaunch* FindCall(uint64_t correlation) const;
    /// @param host an event of the host
    /// @return ns that the kernels ran that were launched during it on its thread
    int64_t GetKernelTime(const TorchEtEvent& host) const;

    /// @param text index of a text; @return it
    const std::string& GetText(uint32_t text) const
    {
        return m_texts[text];
    }

  private:
    /// @return index of a text
    uint32_t Intern(const std::string& text);

    std::optional<int64_t> m_first;                         //!< start of the first event, ns
    std::vector<TorchEtEvent> m_events;                     //!< of the host
    std::vector<TorchEtLaunch> m_kernels;                   //!< of GPUs
    std::vector<TorchEtLaunch> m_calls;                     //!< of the GPU's driver
    std::unordered_map<uint64_t, uint32_t> m_byCorrelation; //!< calls
    std::vector<std::string> m_texts;                       //!< names, threads, devices, each once
    std::unordered_map<std::string, uint32_t> m_byText;     //!< their indices
};

} // namespace ns3::dml

#endif /* DML_TORCH_ET_TIMES_H */

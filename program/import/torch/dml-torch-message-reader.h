/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_MESSAGE_READER_H
#define DML_TORCH_MESSAGE_READER_H

#include "dml-torch-trace.h"

#include "ns3/dml-json-record.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Collects the all-reduces of a trace from the host's events.
 *
 * PyTorch tells them in up to three ways, of which a trace has some, depending on its version:
 * - `record_param_comms` with the name of the collective, elements and type (2.2 and later);
 * - an annotation `BACKEND:all_reduce` with the shape of its input, if shapes were recorded. Of a
 *   GPU's backend it lasts as long as the launch; of a CPU's, as Gloo's, as long as the collective;
 * - the op `c10d::allreduce_`, which asks for it (1.13 and later), without a size.
 */
class TorchMessageReader
{
  public:
    /**
     * @param record of a host's event
     * @param event the same, as it was read
     * @throws InputError at the place of a size or a type that is none
     */
    void Add(const JsonRecord& record, const TorchEvent& event);

    /**
     * @brief Tell the trace's messages and other collectives.
     * @param trace gets them
     */
    void Finish(TorchTrace& trace);

  private:
    /// @param record of `BACKEND:all_reduce`; @return bytes of its input, 0 if no shape is told
    static uint64_t ReadBytes(const JsonRecord& record);

    std::vector<TorchMessage> m_described;                 //!< of record_param_comms
    std::vector<TorchMessage> m_annotated;                 //!< of annotations
    std::vector<int64_t> m_requests;                       //!< ns, starts of c10d::allreduce_
    std::map<std::string, uint64_t, std::less<>> m_others; //!< other collectives, by name
    std::string m_backend;                                 //!< of annotations, as "gloo"
    uint32_t m_workers{0};                                 //!< in the largest group, if told
};

} // namespace ns3::dml

#endif /* DML_TORCH_MESSAGE_READER_H */

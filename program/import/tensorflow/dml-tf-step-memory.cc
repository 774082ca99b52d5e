/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tf-step-memory.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace ns3::dml
{

namespace
{

/// One of the outputs of an op.
using Port = std::pair<uint32_t, uint32_t>;

/// Sorts out what ops make.
class TfStepMemory
{
  public:
    TfStepMemory(const TfStep& step,
                 const std::vector<TfWork>& works,
                 const std::vector<TfRead>& reads)
        : m_step(step),
          m_works(works)
    {
        for (uint32_t i = 0; i < works.size(); ++i)
        {
            m_workOf[works[i].op] = i;
        }
        for (const auto& read : reads)
        {
            const Port port{read.maker, read.port};
            m_read[read.reader].insert(port);
            m_handed.insert(port);
            if (GetKind(read.maker) == OpKind::FORWARD && GetKind(read.reader) == OpKind::BACKWARD)
            {
                m_kept.insert(port);
            }
        }
    }

    std::vector<OpMemory> Run()
    {
        std::vector<OpMemory> memory;
        std::set<uint64_t> buffers; // that are kept
        for (const auto& work : m_works)
        {
            memory.emplace_back();
            const bool forward = work.kind == OpKind::FORWARD;
            for (const auto& output : m_step.ops[work.op].outputs)
            {
                const Port port{work.op, output.port};
                if (forward && m_handed.count(port) > 0)
                {
                    memory.back().output += output.bytes;
                }
                if (m_kept.count(port) > 0 &&
                    (output.buffer == 0 || buffers.insert(output.buffer).second))
                {
                    memory.back().activation += output.bytes;
                }
            }
            if (forward || work.kind == OpKind::BACKWARD)
            {
                memory.back().workspace = SumTransient(work);
            }
            memory.back().output = std::min(memory.back().output, MAX_OP_MEMORY);
            memory.back().activation = std::min(memory.back().activation, MAX_OP_MEMORY);
            memory.back().workspace = std::min(memory.back().workspace, MAX_OP_MEMORY);
        }
        return memory;
    }

  private:
    OpKind GetKind(uint32_t op) const
    {
        const auto work = m_workOf.find(op);
        return work == m_workOf.end() ? OpKind::UPDATE : m_works[work->second].kind;
    }

    /// @return bytes that are there while an op runs, and are not kept
    uint64_t SumTransient(const TfWork& work) const
    {
        std::map<uint64_t, uint64_t> buffers; // sizes
        uint64_t sum = m_step.ops[work.op].temporary;
        const auto add = [&](const Port& port, const TfOutput& output) {
            const bool isGradient =
                m_works[m_workOf.at(port.first)].isPushed && m_handed.count(port) == 0;
            if (m_kept.count(port) > 0 || isGradient)
            {
                return;
            }
            if (output.buffer == 0)
            {
                sum += output.bytes;
                return;
            }
            uint64_t& size = buffers[output.buffer];
            size = std::max(size, output.bytes);
        };
        for (const auto& output : m_step.ops[work.op].outputs)
        {
            add({work.op, output.port}, output);
        }
        const auto read = m_read.find(work.op);
        for (const Port& port : read == m_read.end() ? std::set<Port>{} : read->second)
        {
            for (const auto& output : m_step.ops[port.first].outputs)
            {
                if (output.port == port.second)
                {
                    add(port, output);
                }
            }
        }
        for (const auto& [buffer, size] : buffers)
        {
            sum += size;
        }
        return sum;
    }

    const TfStep& m_step;                                //!< all records
    const std::vector<TfWork>& m_works;                  //!< ops of the worker
    std::unordered_map<uint32_t, uint32_t> m_workOf;     //!< place in these by op
    std::unordered_map<uint32_t, std::set<Port>> m_read; //!< by op
    std::set<Port> m_handed;                             //!< outputs that some op reads
    std::set<Port> m_kept;                               //!< for backward ops
};

} // namespace

std::vector<OpMemory>
FindTfMemory(const TfStep& step, const std::vector<TfWork>& works, const std::vector<TfRead>& reads)
{
    return TfStepMemory(step, works, reads).Run();
}

} // namespace ns3::dml

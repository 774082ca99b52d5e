/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-run.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

namespace
{

OpKind
GetOpKind(TorchWork work)
{
    switch (work)
    {
    case TorchWork::FORWARD:
        return OpKind::FORWARD;
    case TorchWork::BACKWARD:
    case TorchWork::ACCUMULATE:
        return OpKind::BACKWARD;
    default:
        return OpKind::COMPUTE;
    }
}

/// Makes the ops of one step.
class TorchOpMaker
{
  public:
    TorchOpMaker(const TorchStep& step,
                 const std::vector<TorchTensor>& tensors,
                 const TorchOpShape& shape)
        : m_step(step),
          m_tensors(tensors),
          m_shape(shape),
          m_pulls(step.parts.size())
    {
        m_made.place = step.time.place;
        m_made.start = step.time.start;
        m_made.end = step.time.end;
    }

    MeasuredStep Make()
    {
        AddPulls();
        AddParts();
        AddPushes();
        AddUpdates();
        return std::move(m_made);
    }

  private:
    MeasuredOp& Add(const std::string& name, OpKind kind)
    {
        m_made.ops.emplace_back();
        m_made.ops.back().name = name;
        m_made.ops.back().kind = kind;
        return m_made.ops.back();
    }

    void AddPulls()
    {
        const auto& parts = m_step.parts;
        const auto forward = std::find_if(parts.begin(), parts.end(), [](const auto& part) {
            return part.work == TorchWork::FORWARD;
        });
        const std::size_t first = forward == parts.end() ? 0 : forward - parts.begin();
        for (const TorchTensor& tensor : m_tensors)
        {
            MeasuredOp& pull = Add("pull/" + tensor.tensor.name, OpKind::PULL);
            pull.tensor = tensor.tensor.name;
            pull.start = m_made.start;
            for (const uint32_t reader : tensor.readers)
            {
                if (m_pulls[reader].empty() || m_pulls[reader].back() != pull.name)
                {
                    m_pulls[reader].push_back(pull.name);
                }
            }
            if (tensor.readers.empty())
            {
                m_pulls[first].push_back(pull.name);
            }
        }
    }

    void AddParts()
    {
        std::string before;
        for (std::size_t p = 0; p < m_step.parts.size(); ++p)
        {
            const TorchPart& part = m_step.parts[p];
            if (part.work == TorchWork::UPDATE || m_shape.empty.count(part.name) > 0)
            {
                continue;
            }
            MeasuredOp& op = Add(part.name, GetOpKind(part.work));
            op.device = m_shape.device;
            op.start = part.start;
            op.duration = part.length;
            op.deps = m_pulls[p];
            if (!before.empty())
            {
                op.deps.insert(op.deps.begin(), before);
            }
            op.memory = part.memory;
            if (m_shape.memory && part.work == TorchWork::BACKWARD &&
                part.forward != TorchEvent::NONE)
            {
                const std::string& forward = m_step.parts[part.forward].name;
                if (forward != before && m_shape.empty.count(forward) == 0)
                {
                    op.deps.push_back(forward); // it needs what that keeps
                }
            }
            before = part.name;
        }
    }

    void AddPushes()
    {
        for (const TorchTensor& tensor : m_tensors)
        {
            MeasuredOp& push = Add("push/" + tensor.tensor.name, OpKind::PUSH);
            push.tensor = tensor.tensor.name;
            push.deps = {m_step.parts[tensor.ready].name};
            push.start = tensor.pushStart;
            push.duration = tensor.pushLength;
        }
    }

    void AddUpdates()
    {
        const auto& parts = m_step.parts;
        const auto first = std::find_if(parts.begin(), parts.end(), [](const auto& part) {
            return part.work == TorchWork::UPDATE;
        });
        int64_t start = first == parts.end() ? m_made.start : first->start;
        for (const TorchTensor& tensor : m_tensors)
        {
            MeasuredOp& update = Add("update/" + tensor.tensor.name, OpKind::UPDATE);
            update.tensor = tensor.tensor.name;
            update.deps = {"push/" + tensor.tensor.name};
            update.start = start;
            update.duration = tensor.update;
            start += tensor.update;
        }
    }

    const TorchStep& m_step;                       //!< its parts
    const std::vector<TorchTensor>& m_tensors;     //!< its tensors
    const TorchOpShape& m_shape;                   //!< what all steps have in common
    std::vector<std::vector<std::string>> m_pulls; //!< by part: pulls that it waits for
    MeasuredStep m_made;                           //!< under construction
};

} // namespace

MeasuredStep
MakeTorchOps(const TorchStep& step,
             const std::vector<TorchTensor>& tensors,
             const TorchOpShape& shape)
{
    return TorchOpMaker(step, tensors, shape).Make();
}

} // namespace ns3::dml

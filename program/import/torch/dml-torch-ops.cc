/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-torch-run.h"

namespace ns3::dml
{

namespace
{

/// Add the ops of parts. @param pulls by part: those that it waits for
void
AddParts(const TorchStep& step,
         const std::vector<std::vector<std::string>>& pulls,
         const TorchOpShape& shape,
         MeasuredStep& made)
{
    std::string before;
    for (std::size_t p = 0; p < step.parts.size(); ++p)
    {
        const TorchPart& part = step.parts[p];
        if (part.work == TorchWork::UPDATE || shape.empty.count(part.name) > 0)
        {
            continue;
        }
        std::vector<std::string> deps = pulls[p];
        if (!before.empty())
        {
            deps.insert(deps.begin(), before);
        }
        if (shape.memory && part.work == TorchWork::BACKWARD && part.forward != TorchEvent::NONE)
        {
            const std::string& forward = step.parts[part.forward].name;
            if (forward != before && shape.empty.count(forward) == 0)
            {
                deps.push_back(forward); // it needs what that keeps
            }
        }
        const OpKind kind = part.work == TorchWork::FORWARD ? OpKind::FORWARD
                            : part.work == TorchWork::OTHER ? OpKind::COMPUTE
                                                            : OpKind::BACKWARD;
        made.ops.push_back({part.name,
                            kind,
                            shape.device,
                            "",
                            std::move(deps),
                            part.start,
                            part.length,
                            part.memory});
        before = part.name;
    }
}

} // namespace

MeasuredStep
MakeTorchOps(const TorchStep& step,
             const std::vector<TorchTensor>& tensors,
             const TorchOpShape& shape)
{
    MeasuredStep made{step.time.place, step.time.start, step.time.end, {}};
    const uint32_t forward = step.FindPart(TorchWork::FORWARD);
    std::vector<std::vector<std::string>> pulls(step.parts.size());
    for (const TorchTensor& tensor : tensors)
    {
        const std::string& name = tensor.tensor.name;
        const std::string pull = "pull/" + name;
        made.ops.push_back({pull, OpKind::PULL, "", name, {}, made.start, 0});
        for (const uint32_t reader : tensor.readers)
        {
            if (pulls[reader].empty() || pulls[reader].back() != pull)
            {
                pulls[reader].push_back(pull);
            }
        }
        if (tensor.readers.empty())
        {
            pulls[forward == TorchEvent::NONE ? 0 : forward].push_back(pull);
        }
    }
    AddParts(step, pulls, shape, made);
    for (const TorchTensor& tensor : tensors)
    {
        const std::string& name = tensor.tensor.name;
        const std::string& ready = step.parts[tensor.ready].name;
        made.ops.push_back(
            {"push/" + name, OpKind::PUSH, "", name, {ready}, tensor.pushStart, tensor.pushLength});
    }
    const uint32_t first = step.FindPart(TorchWork::UPDATE);
    int64_t start = first == TorchEvent::NONE ? made.start : step.parts[first].start;
    for (const TorchTensor& tensor : tensors)
    {
        const std::string& name = tensor.tensor.name;
        made.ops.push_back(
            {"update/" + name, OpKind::UPDATE, "", name, {"push/" + name}, start, tensor.update});
        start += tensor.update;
    }
    return made;
}

} // namespace ns3::dml

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-graph-check.h"

#include <algorithm>

namespace ns3::dml
{

std::vector<std::string>
CheckGraph(const Profile& profile)
{
    std::vector<std::string> orphans; // names, as of all of these
    std::vector<std::string> unread;
    std::vector<std::string> early;
    std::vector<std::string> unsent;
    std::vector<std::string> unused;
    std::vector<bool> used(profile.tensors.size(), false);
    for (OpIndex i = 0; i < profile.graph.GetSize(); ++i)
    {
        const Op& op = profile.graph.Get(i);
        const auto before = profile.graph.GetDependencies(i);
        const auto after = profile.graph.GetDependents(i);
        if (NeedsTensor(op.kind))
        {
            used[op.tensor] = true;
        }
        if (before.empty() && after.empty())
        {
            orphans.push_back(op.name);
        }
        else if (op.kind == OpKind::PULL && after.empty())
        {
            unread.push_back(op.name);
        }
        else if (op.kind == OpKind::PUSH && before.empty())
        {
            early.push_back(op.name);
        }
        else if (op.kind == OpKind::UPDATE &&
                 std::none_of(before.begin(), before.end(), [&](OpIndex dep) {
                     return profile.graph.Get(dep).kind == OpKind::PUSH;
                 }))
        {
            unsent.push_back(op.name);
        }
    }
    for (TensorIndex i = 0; i < profile.tensors.size(); ++i)
    {
        if (!used[i])
        {
            unused.push_back(profile.tensors[i].name);
        }
    }
    std::vector<std::string> sentences;
    const auto tell = [&sentences](const std::vector<std::string>& names, const char* what) {
        if (!names.empty())
        {
            sentences.push_back(std::to_string(names.size()) + " " + what + ", the first is '" +
                                names.front() + "'");
        }
    };
    tell(orphans, "ops that wait for no op and that no op waits for");
    tell(unread, "pulls that no op waits for");
    tell(early, "pushes that wait for no op");
    tell(unsent, "updates that wait for no push");
    tell(unused, "tensors that no op moves or updates");
    return sentences;
}

} // namespace ns3::dml

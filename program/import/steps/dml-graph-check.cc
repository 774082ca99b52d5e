/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-graph-check.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// Ops or tensors that share a fault.
class Finding
{
  public:
    /// @param what what is wrong with them, as "pulls that no op waits for"
    explicit Finding(std::string what)
        : m_what(std::move(what))
    {
    }

    void Add(const std::string& name)
    {
        if (m_count++ == 0)
        {
            m_first = name;
        }
    }

    /// Add a sentence if there is anything to tell.
    void Tell(std::vector<std::string>& sentences) const
    {
        if (m_count > 0)
        {
            sentences.push_back(std::to_string(m_count) + " " + m_what + ", the first is '" +
                                m_first + "'");
        }
    }

  private:
    std::string m_what;  //!< what is wrong
    std::string m_first; //!< name of the first
    uint64_t m_count{0}; //!< how many
};

} // namespace

std::vector<std::string>
CheckGraph(const Profile& profile)
{
    Finding orphans("ops that wait for no op and that no op waits for");
    Finding unread("pulls that no op waits for");
    Finding early("pushes that wait for no op");
    Finding unsent("updates that wait for no push");
    Finding unused("tensors that no op moves or updates");
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
            orphans.Add(op.name);
        }
        else if (op.kind == OpKind::PULL && after.empty())
        {
            unread.Add(op.name);
        }
        else if (op.kind == OpKind::PUSH && before.empty())
        {
            early.Add(op.name);
        }
        else if (op.kind == OpKind::UPDATE &&
                 std::none_of(before.begin(), before.end(), [&](OpIndex dep) {
                     return profile.graph.Get(dep).kind == OpKind::PUSH;
                 }))
        {
            unsent.Add(op.name);
        }
    }
    for (TensorIndex i = 0; i < profile.tensors.size(); ++i)
    {
        if (!used[i])
        {
            unused.Add(profile.tensors[i].name);
        }
    }
    std::vector<std::string> sentences;
    for (const Finding* finding : {&orphans, &unread, &early, &unsent, &unused})
    {
        finding->Tell(sentences);
    }
    return sentences;
}

} // namespace ns3::dml

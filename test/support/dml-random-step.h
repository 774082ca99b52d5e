/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RANDOM_STEP_H
#define DML_RANDOM_STEP_H

#include "dml-profile-builder.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @brief A random training step, all of whose pulls can start at once: the same op graph can be
 * built with the pulls listed in any order.
 */
class RandomStep
{
  public:
    /// Shape of the op graph.
    enum class Shape
    {
        CHAIN,    //!< layer by layer forward, then back with a push and an update per tensor
        BRANCHES, //!< two chains that meet in one op at the end
        ANY,      //!< each op waits for any two or three earlier ones, pulls or not
    };

    /**
     * @param seed of everything drawn
     * @param shape of the op graph
     * @param pulls number of pulls, at least 2
     */
    RandomStep(uint32_t seed, Shape shape, uint32_t pulls)
        : m_random(seed),
          m_bytes(pulls)
    {
        for (auto& bytes : m_bytes)
        {
            bytes = 10 * Draw(40);
        }
        switch (shape)
        {
        case Shape::CHAIN:
            MakeLayers("f", 0, pulls);
            MakeGradients();
            break;
        case Shape::BRANCHES: {
            const std::string left = MakeLayers("l", 0, pulls / 2);
            const std::string right = MakeLayers("r", pulls / 2, pulls);
            m_ops.push_back({"join", DrawSeconds(), {left, right}});
            break;
        }
        case Shape::ANY:
            MakeAny();
            break;
        }
    }

    /// @return the step with its pulls listed first, in this order of their numbers
    ProfileBuilder Build(const std::vector<uint32_t>& listing) const
    {
        ProfileBuilder builder;
        for (const uint32_t pull : listing)
        {
            builder.Pull("t" + std::to_string(pull), m_bytes[pull]);
        }
        for (const auto& op : m_ops)
        {
            if (op.name[0] == 't')
            {
                builder.Push(op.name, 0, op.deps).Update(op.name, op.seconds);
            }
            else
            {
                builder.Compute(op.name, {op.seconds}, op.deps);
            }
        }
        return builder;
    }

    /// @return a listing of the pulls that knows nothing of what they are for
    std::vector<uint32_t> DrawListing()
    {
        std::vector<uint32_t> listing(m_bytes.size());
        std::iota(listing.begin(), listing.end(), 0);
        for (std::size_t left = listing.size(); left > 1; --left)
        {
            std::swap(listing[left - 1], listing[Draw(left)]);
        }
        return listing;
    }

  private:
    using Names = std::vector<std::string>;

    /// Compute, or the push and update of the tensor of this name.
    struct Step
    {
        std::string name; //!< tensors have names with t
        double seconds;   //!< of compute or update
        Names deps;       //!< what it waits for
    };

    uint32_t Draw(uint32_t n)
    {
        return m_random() % n;
    }

    double DrawSeconds()
    {
        return 0.1 * Draw(40);
    }

    /// Ops, each of which waits for the one before and one or two of pulls @p first to @p end.
    /// @return the last one
    std::string MakeLayers(const std::string& prefix, uint32_t first, uint32_t end)
    {
        Names before;
        for (uint32_t pull = first; pull < end;)
        {
            Names deps = before;
            for (const uint32_t next = std::min(end, pull + 1 + Draw(2)); pull < next; ++pull)
            {
                deps.push_back("pull/t" + std::to_string(pull));
            }
            before = {prefix + std::to_string(pull)};
            m_ops.push_back({before.front(), DrawSeconds(), deps});
        }
        return before.front();
    }

    /// Back-propagation: one op and one push per tensor, the last tensor first.
    void MakeGradients()
    {
        std::string before = m_ops.back().name;
        for (uint32_t tensor = m_bytes.size(); tensor-- > 0;)
        {
            const std::string name = "b" + std::to_string(tensor);
            m_ops.push_back({name, DrawSeconds(), {before}});
            m_ops.push_back({"t" + std::to_string(tensor), 0.1, {name}});
            before = name;
        }
    }

    void MakeAny()
    {
        Names known;
        for (uint32_t pull = 0; pull < m_bytes.size(); ++pull)
        {
            known.push_back("pull/t" + std::to_string(pull));
        }
        for (uint32_t i = 0; i < m_bytes.size() + 2; ++i)
        {
            Names deps;
            for (uint32_t k = 2 + Draw(2); k > 0; --k)
            {
                deps.push_back(known[Draw(known.size())]);
            }
            known.push_back("op" + std::to_string(i));
            m_ops.push_back({known.back(), DrawSeconds(), deps});
        }
    }

    std::mt19937 m_random;         //!< for all draws
    std::vector<uint64_t> m_bytes; //!< 0 to 390, by pull
    std::vector<Step> m_ops;       //!< in listing order
};

} // namespace ns3::dml

#endif /* DML_RANDOM_STEP_H */

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_ET_FIXTURE_H
#define DML_TORCH_ET_FIXTURE_H

#include "dml-error-of.h"
#include "dml-scratch-folder.h"
#include "dml-test-files.h"

#include "ns3/dml-importers.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @brief An import of a trace that tests may change first.
 *
 * test/data/traces/linear.{et,kineto}.json is written by hand: two steps of
 * sum(Linear(4, 1, no bias)(relu(Linear(3, 4)(x)))), with the backward pass on another thread.
 * In us from the start of a step, which takes 200:
 *   10-40 linear (t, addmm), 40-45 relu, 50-70 linear (t, mm), 70-75 sum, 75-77 ones_like,
 *   80-85 SumBackward0, 85-105 MmBackward0, 105-107 TBackward0, 107-110 AccumulateGrad (1x4),
 *   110-116 ReluBackward0, 116-146 AddmmBackward0, 146-148 AccumulateGrad (4),
 *   148-150 TBackward0, 150-155 AccumulateGrad (4x3),
 *   Optimizer.step: 162-172 add_ (4x3), 172-176 add_ (4), 176-182 add_ (1x4)
 * The second step has new tensors in the memory of the first.
 */
class TorchEtFixture : public testing::Test
{
  protected:
    void SetUp() override
    {
        std::ifstream(FindRepositoryFile("test/data/traces/linear.et.json")) >> m_et;
        std::ifstream(FindRepositoryFile("test/data/traces/linear.kineto.json")) >> m_kineto;
        m_options.batchSize = 2;
    }

    /// @return path of a file with that content
    static std::string Write(const std::string& name, const std::string& text)
    {
        static const ScratchFolder folder; // of this process
        return folder.Write(name, text);
    }

    /// @return the import of both as they are now
    ImportResult Import() const
    {
        return ImportTorchEt(
            {Write("linear.et.json", m_et.dump(1)), Write("linear.kineto.json", m_kineto.dump(1))},
            m_options);
    }

    /// @return the same with idle time left out, as all imports from now on
    ImportResult ImportWithoutIdle()
    {
        m_options.idle = IdleTime::DROP;
        return Import();
    }

    /// @return the message of the error that importing gives, from the file's name on
    std::string ErrorOf() const
    {
        const std::string message = ::ErrorOf([this] { Import(); });
        return message.substr(std::min(message.find("linear."), message.size()));
    }

    /// @param list of nodes or events @param name of some @return those
    static std::vector<nlohmann::json*> Named(nlohmann::json& list, const std::string& name)
    {
        std::vector<nlohmann::json*> items;
        for (nlohmann::json& item : list)
        {
            if (item["name"] == name)
            {
                items.push_back(&item);
            }
        }
        EXPECT_FALSE(items.empty()) << "no " << name;
        return items;
    }

    /// @param list of nodes or events @param part of the names of some, which are @p name then
    static void Rename(nlohmann::json& list, const std::string& part, const std::string& name)
    {
        for (nlohmann::json& item : list)
        {
            if (Has(item, part))
            {
                item["name"] = name;
            }
        }
    }

    /// @param list of nodes or events, without some then @param part of the names of these
    static void Erase(nlohmann::json& list, const std::string& part)
    {
        const auto has = [&part](const nlohmann::json& item) { return Has(item, part); };
        list.erase(std::remove_if(list.begin(), list.end(), has), list.end());
    }

    /// @param item node or event @param part to look for @return whether its name has that
    static bool Has(const nlohmann::json& item, const std::string& part)
    {
        return item["name"].get<std::string>().find(part) != std::string::npos;
    }

    nlohmann::json m_et;     //!< the Execution Trace
    nlohmann::json m_kineto; //!< its twin
    ImportOptions m_options; //!< the user's choices
};

} // namespace ns3::dml

#endif /* DML_TORCH_ET_FIXTURE_H */

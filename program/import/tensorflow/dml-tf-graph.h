/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TF_GRAPH_H
#define DML_TF_GRAPH_H

#include "dml-tf-step.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Finds which recorded op makes what another one reads.
 *
 * Refers to the step, which must outlive it unchanged.
 */
class TfGraph
{
  public:
    static constexpr uint32_t NONE = UINT32_MAX; //!< no op

    /// @param step all records
    explicit TfGraph(const TfStep& step);

    /**
     * @brief Find what makes an input on the machine of its reader.
     * @param input as the graph names it; a partitioner's suffix is undone if need be, also if the
     *        _Recv or _HostRecv of that name was recorded
     * @param reader index of the op that reads it
     * @return index of the op; of several executions (loops) the last that was not launched after
     * the reader, or the first if all were; NONE if the machine has no record of it
     */
    uint32_t FindProducer(std::string_view input, uint32_t reader) const;

    /// @param machine its name; @param node its name; @return index of its first execution, or NONE
    uint32_t Find(const std::string& machine, std::string_view node) const;

    /// @param node its name; @param machine not there
    /// @return first machine, parameter servers before others, that executed it; or empty
    std::string FindElsewhere(std::string_view node, const std::string& machine) const;

    /**
     * @brief Find the variable that a tensor holds, through reads and copies of it.
     * @param machine machine that made the tensor, or empty if unknown
     * @param node node that made it
     * @return name of the variable's node if it was recorded, else what the tensor's name says
     */
    std::string FindVariable(const std::string& machine, std::string_view node) const;

  private:
    /// A node of a machine: their names.
    using Key = std::pair<std::string_view, std::string_view>;

    /// Hash of a Key.
    struct Hash
    {
        std::size_t operator()(const Key& key) const
        {
            const std::hash<std::string_view> hash;
            return hash(key.second) + 31 * hash(key.first);
        }
    };

    /// @return executions of a node in order of their launch, or null
    const std::vector<uint32_t>* FindAll(const std::string& machine, std::string_view node) const;

    const TfStep& m_step;                                       //!< all records
    std::vector<std::string> m_machines;                        //!< servers first
    std::unordered_map<Key, std::vector<uint32_t>, Hash> m_ops; //!< by machine and node
};

} // namespace ns3::dml

#endif /* DML_TF_GRAPH_H */

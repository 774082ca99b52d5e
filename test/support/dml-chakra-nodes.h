/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CHAKRA_NODES_H
#define DML_CHAKRA_NODES_H

#include <nlohmann/json.hpp>

/// Write an Execution Trace of schema 1.0.1 as newer schemas do. @param trace all of it
inline void
MakeChakraNodes(nlohmann::json& trace)
{
    using nlohmann::json;
    for (json& node : trace["nodes"])
    {
        json attributes = json::array();
        for (const char* key :
             {"rf_id", "fw_parent", "seq_id", "scope", "tid", "fw_tid", "op_schema"})
        {
            attributes.push_back({{"name", key}, {"type", "any"}, {"value", node[key]}});
            node.erase(key);
        }
        node["attrs"] = attributes;
        node["ctrl_deps"] = node["parent"];
        node.erase("parent");
        node["inputs"] = {{"values", node["inputs"]},
                          {"shapes", node["input_shapes"]},
                          {"types", node["input_types"]},
                          {"strides", json::array()}};
        node["outputs"] = {{"values", node["outputs"]},
                           {"shapes", node["output_shapes"]},
                           {"types", node["output_types"]},
                           {"strides", json::array()}};
    }
    trace["schema"] = "1.1.1-chakra.0.0.4";
}

#endif /* DML_CHAKRA_NODES_H */

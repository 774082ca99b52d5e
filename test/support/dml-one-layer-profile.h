/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ONE_LAYER_PROFILE_H
#define DML_ONE_LAYER_PROFILE_H

#include "ns3/dml-profile.h"

#include <cstdint>
#include <string>

/// Text of a profile of one layer with one tensor.
inline const std::string ONE_LAYER_PROFILE =
    "schema: dml-profile/1\n"
    "model: test\n"
    "batch_size: 8\n"
    "tensors: [{name: a, bytes: 3000}]\n"
    "ops:\n"
    "  - {name: pull/a, kind: pull, tensor: a}\n"
    "  - {name: train, kind: compute, deps: [pull/a], seconds: 1}\n"
    "  - {name: push/a, kind: push, tensor: a, deps: [train]}\n"
    "  - {name: update/a, kind: update, tensor: a, deps: [push/a], seconds: 0.1}\n";

/// @param bytes of the tensor @param train seconds of the op that uses it @param update seconds
/// @return one tensor: pulled, used, pushed, updated
inline ns3::dml::Profile
MakeOneLayerProfile(uint64_t bytes, double train, double update)
{
    using namespace ns3::dml;
    Profile profile;
    profile.model = "one layer";
    profile.tensors = {{"weights", bytes}};
    profile.devices = {{"cpu", 1}};
    const OpIndex pull = profile.graph.Add({"pull", OpKind::PULL, 0, 0});
    const OpIndex compute = profile.graph.Add({"train", OpKind::COMPUTE, 0, NO_INDEX});
    const OpIndex push = profile.graph.Add({"push", OpKind::PUSH, 0, 0});
    const OpIndex apply = profile.graph.Add({"update", OpKind::UPDATE, 0, 0});
    profile.graph.AddDependency(pull, compute);
    profile.graph.AddDependency(compute, push);
    profile.graph.AddDependency(push, apply);
    profile.samples = {{}, {train}, {}, {update}};
    profile.Validate();
    return profile;
}

#endif /* DML_ONE_LAYER_PROFILE_H */

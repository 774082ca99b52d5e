/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A format of traces of one's own becomes a profile. Its lines are "LAYER BYTES FORWARD BACKWARD",
// in the order of the forward pass, with times in milliseconds:
//     dml-own-trace-format <layers.txt >layers.profile.yaml

#include "ns3/dml-error.h"
#include "ns3/dml-profile-writer.h"
#include "ns3/dml-profile.h"

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

/// A line of the log.
struct Layer
{
    std::string name; //!< such as conv1
    uint64_t bytes;   //!< of its parameters
    double forward;   //!< ms
    double backward;  //!< ms
};

std::vector<Layer>
ReadLayers(std::istream& log)
{
    std::vector<Layer> layers;
    uint32_t number = 0;
    for (std::string line; std::getline(log, line);)
    {
        ++number;
        std::istringstream fields(line);
        Layer layer{};
        if (!(fields >> layer.name >> layer.bytes >> layer.forward >> layer.backward))
        {
            throw InputError("line " + std::to_string(number) + ": found '" + line +
                             "'; accepted: LAYER BYTES FORWARD BACKWARD, times in ms");
        }
        layers.push_back(layer);
    }
    return layers;
}

/// Add an op that waits for others. @return its index
OpIndex
AddOp(Profile& profile, const Op& op, double milliseconds, const std::vector<OpIndex>& after)
{
    const bool transfer = op.kind == OpKind::PULL || op.kind == OpKind::PUSH;
    const OpIndex index = profile.graph.Add(op);
    profile.samples.push_back(transfer ? std::vector<double>() : std::vector{milliseconds / 1e3});
    for (const OpIndex before : after)
    {
        profile.graph.AddDependency(before, index);
    }
    return index;
}

/// A layer waits for its parameters and for the layer before it; its gradient is pushed and
/// applied.
Profile
MakeProfile(const std::vector<Layer>& layers)
{
    Profile profile;
    profile.model = "layers of a log";
    profile.source = {{"imported_by", "dml-own-trace-format"}};
    profile.devices = {{"gpu", 1}};
    std::vector<OpIndex> before;
    for (TensorIndex i = 0; i < layers.size(); ++i)
    {
        const auto& [name, bytes, forward, backward] = layers[i];
        profile.tensors.push_back({name, bytes});
        std::vector<OpIndex> needs = before;
        needs.push_back(AddOp(profile, {"pull/" + name, OpKind::PULL, 0, i}, 0, {}));
        before = {
            AddOp(profile, {"forward/" + name, OpKind::FORWARD, 0, NO_INDEX}, forward, needs)};
    }
    for (TensorIndex i = layers.size(); i-- > 0;)
    {
        const auto& [name, bytes, forward, backward] = layers[i];
        before = {
            AddOp(profile, {"backward/" + name, OpKind::BACKWARD, 0, NO_INDEX}, backward, before)};
        const OpIndex push = AddOp(profile, {"push/" + name, OpKind::PUSH, 0, i}, 0, before);
        AddOp(profile, {"update/" + name, OpKind::UPDATE, 0, i}, 0, {push});
    }
    profile.Validate(); // or a ProfileError says what does not fit
    return profile;
}

} // namespace

int
main()
{
    try
    {
        WriteProfile(MakeProfile(ReadLayers(std::cin)), std::cout);
        return 0;
    }
    catch (const InputError& error)
    {
        std::cerr << "dml-own-trace-format: " << error.what() << std::endl;
        return 2;
    }
}

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-ns3-script.h"

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <iterator>

namespace ns3::dml
{

namespace
{

// clang-format off
constexpr const char* SOURCE =
#include "ns3-script/script.cc.txt"
;
constexpr const char* CMAKE =
#include "ns3-script/cmake.txt"
;

// clang-format on

/// What differs from kind to kind.
struct Kind
{
    const char* name;    //!< of the option and the program
    const char* picture; //!< lines of comments
    const char* network; //!< lines of MakeNetwork()
};

constexpr Kind KINDS[]{
    {"leaf-spine",
     R"(//   spine0     spine1      every leaf has a link to every spine; hosts are dealt to the leaves
//      |  \   /  |         in turn, parameter servers first
//      |  /   \  |
//   leaf0      leaf1
//    |  |       |  |
//  ps0  worker1 ... worker0
//
)",
     R"(    network.topology.type = "leaf-spine";
    network.topology.leaves = 2;
    network.topology.spines = 2;
    network.topology.oversubscription = 2; // of the hosts' rates over those of the trunks
    network.multipath.policy = "ecmp";     // connections are hashed onto the spines
)"},
    {"star",
     R"(//  ps0 ---- switch ---- worker0
//                `------ worker1 ...
//
)",
     R"(    network.topology.type = "star"; // every host has a link to one switch
)"},
};

} // namespace

std::vector<std::string>
ListNs3Scripts()
{
    std::vector<std::string> names;
    std::transform(std::begin(KINDS),
                   std::end(KINDS),
                   std::back_inserter(names),
                   [](const Kind& kind) { return kind.name; });
    return names;
}

Ns3Script
MakeNs3Script(const std::string& kind)
{
    const Kind& wanted = *std::find_if(std::begin(KINDS),
                                       std::end(KINDS),
                                       [&kind](const Kind& other) { return other.name == kind; });
    Ns3Script script{kind, SOURCE, CMAKE};
    boost::replace_all(script.source, "@PICTURE@\n", wanted.picture);
    boost::replace_all(script.source, "@NETWORK@", wanted.network);
    boost::replace_all(script.source, "@KIND@", kind);
    boost::replace_all(script.cmake, "@KIND@", kind);
    return script;
}

} // namespace ns3::dml

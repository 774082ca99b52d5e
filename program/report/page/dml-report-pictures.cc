/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-report-pictures.h"

#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <fmt/core.h>
#include <fstream>
#include <iterator>

namespace ns3::dml
{

namespace
{

/// A plot, and what it shows.
struct ReportPicture
{
    const char* name;    //!< of the file, without suffix
    const char* caption; //!< below it
};

constexpr ReportPicture PICTURES[]{
    {"sweep", "Throughput of all variants"},
    {"throughput", "Throughput over the number of workers"},
    {"utilisation", "How busy the links of servers, if there are any, are"},
    {"timeline", "What the workers and links do, from the first step"},
    {"gradients", "How long gradients wait, and how long they take"},
    {"devices", "How busy the workers' devices are"},
    {"waiting", "How long workers wait for each other"},
    {"batch-sizes", "Batch sizes of the workers"},
    {"step-cdf", "How long steps take"},
    {"critical-path", "What the critical path of a step is made of"},
};

/// @return bytes in base 64 (RFC 4648), with its padding
std::string
EncodeBase64(const std::string& bytes)
{
    using namespace boost::archive::iterators;
    using Encoder = base64_from_binary<transform_width<std::string::const_iterator, 6, 8>>;
    std::string text(Encoder(bytes.begin()), Encoder(bytes.end()));
    return text.append((3 - bytes.size() % 3) % 3, '=');
}

} // namespace

std::string
ShowPictures(const std::string& folder)
{
    std::string text;
    for (const auto& picture : PICTURES)
    {
        std::ifstream file(folder + "/" + picture.name + ".svg", std::ios::binary);
        const std::string svg((std::istreambuf_iterator<char>(file)), {});
        if (!svg.empty())
        {
            text += fmt::format("<figure><img alt=\"{0}\" src=\"data:image/svg+xml;base64,{1}\">"
                                "<figcaption>{0} <span class=\"soft\">({2}.svg)</span></figcaption>"
                                "</figure>\n",
                                picture.caption,
                                EncodeBase64(svg),
                                picture.name);
        }
    }
    return text.empty()
               ? ""
               : "<h2>Pictures</h2>\n<p class=\"soft\">Of several variants, what shows one "
                 "shows the first. The wheel zooms, the mouse moves, a double click puts "
                 "back.</p>\n" +
                     text;
}

} // namespace ns3::dml

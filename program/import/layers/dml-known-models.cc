/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-known-models.h"

#include <cctype>
#include <cstdlib>
#include <regex>

namespace ns3::dml
{

namespace
{

constexpr const char* WITH_AUX = "with auxiliary classifiers";
constexpr const char* WITHOUT_AUX = "without auxiliary classifiers";

/// @return @p name as names are compared: letters and digits only, in lower case
std::string
Normalise(const std::string& name)
{
    std::string plain;
    for (const char c : name)
    {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
        {
            plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    return plain;
}

/// @return @p name without a batch size at its end
std::string
DropBatchSize(const std::string& name)
{
    static const std::regex suffix("[-_. ](b|bs|batch)[-_]?[0-9]{1,9}$", std::regex::icase);
    // Longer names are none of ours, and std::regex recurses over what it searches.
    constexpr std::size_t LONGEST = 100;
    return name.size() > LONGEST ? name : std::regex_replace(name, suffix, "");
}

/// @return @p a - @p b, within what fits
int64_t
Subtract(uint64_t a, uint64_t b)
{
    const uint64_t size = a > b ? a - b : b - a;
    const auto limited = static_cast<int64_t>(size > INT64_MAX ? INT64_MAX : size);
    return a > b ? limited : -limited;
}

std::string
Describe(const std::string& name, uint64_t bytes, const ModelSize& size)
{
    if (!size.known)
    {
        return std::to_string(bytes) + " bytes; the size of the model '" + name + "' is not known";
    }
    const std::string model = size.known->name +
                              (size.known->variant.empty() ? "" : " " + size.known->variant) +
                              ", " + std::to_string(size.known->parameters) + " parameters of " +
                              std::to_string(size.elementBytes) + " bytes";
    if (size.difference == 0)
    {
        return std::to_string(bytes) + " bytes, exactly " + model;
    }
    const std::string off =
        std::to_string(size.difference < 0 ? -size.difference : size.difference);
    return std::to_string(bytes) + " bytes, " + off +
           (size.difference < 0 ? " less than " : " more than ") + model;
}

} // namespace

const std::vector<KnownModel>&
GetKnownModels()
{
    static const std::vector<KnownModel> models = {
        {"alexnet", "", 61100840},
        {"densenet121", "", 7978856},
        {"densenet161", "", 28681000},
        {"densenet169", "", 14149480},
        {"densenet201", "", 20013928},
        {"googlenet", WITHOUT_AUX, 6624904},
        {"googlenet", WITH_AUX, 13004888},
        {"inception_v3", WITHOUT_AUX, 23834568},
        {"inception_v3", WITH_AUX, 27161264},
        {"mobilenet_v2", "", 3504872},
        {"resnet18", "", 11689512},
        {"resnet34", "", 21797672},
        {"resnet50", "", 25557032},
        {"resnet101", "", 44549160},
        {"resnet152", "", 60192808},
        {"resnext50_32x4d", "", 25028904},
        {"squeezenet1_0", "", 1248424},
        {"squeezenet1_1", "", 1235496},
        {"vgg11", "", 132863336},
        {"vgg11_bn", "", 132868840},
        {"vgg13", "", 133047848},
        {"vgg13_bn", "", 133053736},
        {"vgg16", "", 138357544},
        {"vgg16_bn", "", 138365992},
        {"vgg19", "", 143667240},
        {"vgg19_bn", "", 143678248},
        {"wide_resnet50_2", "", 68883240},
    };
    return models;
}

ModelSize
CompareWithKnownModel(const std::string& name, uint64_t bytes)
{
    ModelSize best;
    const std::string wanted = Normalise(DropBatchSize(name));
    for (const KnownModel& model : GetKnownModels())
    {
        if (Normalise(model.name) != wanted)
        {
            continue;
        }
        for (const uint32_t elementBytes : {4U, 2U})
        {
            const int64_t difference = Subtract(bytes, model.parameters * elementBytes);
            if (!best.known || std::abs(difference) < std::abs(best.difference))
            {
                best.known = &model;
                best.elementBytes = elementBytes;
                best.difference = difference;
            }
        }
    }
    best.text = Describe(name, bytes, best);
    return best;
}

} // namespace ns3::dml

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_KNOWN_MODELS_H
#define DML_KNOWN_MODELS_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief A well-known neural network and how many parameters it has.
 */
struct KnownModel
{
    std::string name;       //!< as torchvision calls it
    std::string variant;    //!< such as "with auxiliary classifiers", or empty
    uint64_t parameters{0}; //!< trainable parameters, for the 1000 classes of ImageNet
};

/// How the size of an imported model compares with what it should be.
struct ModelSize
{
    const KnownModel* known{nullptr}; //!< the nearest variant of that model, or null if unknown
    uint32_t elementBytes{0};         //!< bytes per parameter: 4, or 2 if that fits better
    int64_t difference{0};            //!< bytes found beyond the known total; negative: missing
    std::string text;                 //!< all of that in one sentence
};

/**
 * @ingroup dml-import
 * @brief The models whose size is known.
 *
 * Source: the `num_params` that torchvision's documentation states for its pre-trained weights
 * (torchvision 0.14, torchvision.models). GoogLeNet and Inception-v3 train with auxiliary
 * classifiers; torchvision states GoogLeNet without them and Inception-v3 with them.
 * @return all of them, variants of one name side by side
 */
const std::vector<KnownModel>& GetKnownModels();

/**
 * @ingroup dml-import
 * @brief Compare the bytes of a model's tensors with what the model is known to have.
 * @param name name of the model. Case, hyphens, underscores, dots and spaces do not matter, nor
 * does a batch size at the end, as in "AlexNet", "resnet-50" and "inception_v3_b4".
 * @param bytes sum of the sizes of the tensors found
 * @return the comparison
 */
ModelSize CompareWithKnownModel(const std::string& name, uint64_t bytes);

} // namespace ns3::dml

#endif /* DML_KNOWN_MODELS_H */

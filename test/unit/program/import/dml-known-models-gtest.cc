/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-known-models.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3::dml;

namespace
{

uint64_t
Convolution(uint64_t in, uint64_t out, uint64_t kernel, uint64_t groups = 1)
{
    return in / groups * out * kernel * kernel;
}

uint64_t
Linear(uint64_t in, uint64_t out)
{
    return in * out + out;
}

uint64_t
BatchNorm(uint64_t channels)
{
    return 2 * channels;
}

/// Simonyan and Zisserman, 2015, table 1: 3x3 convolutions with bias, then 4096, 4096, 1000.
uint64_t
CountVgg(const std::vector<uint64_t>& channels, bool normalised)
{
    uint64_t count = Linear(512 * 7 * 7, 4096) + Linear(4096, 4096) + Linear(4096, 1000);
    uint64_t in = 3;
    for (const uint64_t out : channels)
    {
        count += Convolution(in, out, 3) + out + (normalised ? BatchNorm(out) : 0);
        in = out;
    }
    return count;
}

/// He et al., 2016, table 1; with groups and base width as in Xie et al., 2017.
uint64_t
CountResNet(const std::vector<uint32_t>& blocks,
            bool bottleneck,
            uint64_t groups = 1,
            uint64_t baseWidth = 64)
{
    uint64_t count = Convolution(3, 64, 7) + BatchNorm(64);
    uint64_t in = 64;
    for (std::size_t stage = 0; stage < blocks.size(); ++stage)
    {
        const uint64_t planes = uint64_t{64} << stage;
        const uint64_t out = bottleneck ? 4 * planes : planes;
        const uint64_t width = planes * baseWidth / 64 * groups;
        for (uint32_t block = 0; block < blocks[stage]; ++block)
        {
            count += bottleneck ? Convolution(in, width, 1) + BatchNorm(width) +
                                      Convolution(width, width, 3, groups) + BatchNorm(width) +
                                      Convolution(width, out, 1) + BatchNorm(out)
                                : Convolution(in, out, 3) + BatchNorm(out) +
                                      Convolution(out, out, 3) + BatchNorm(out);
            count += in != out ? Convolution(in, out, 1) + BatchNorm(out) : 0;
            in = out;
        }
    }
    return count + Linear(in, 1000);
}

/// Huang et al., 2017, table 1.
uint64_t
CountDenseNet(uint64_t growth, const std::vector<uint32_t>& blocks)
{
    uint64_t channels = 2 * growth;
    uint64_t count = Convolution(3, channels, 7) + BatchNorm(channels);
    for (std::size_t stage = 0; stage < blocks.size(); ++stage)
    {
        for (uint32_t layer = 0; layer < blocks[stage]; ++layer)
        {
            count += BatchNorm(channels) + Convolution(channels, 4 * growth, 1) +
                     BatchNorm(4 * growth) + Convolution(4 * growth, growth, 3);
            channels += growth;
        }
        if (stage + 1 < blocks.size())
        {
            count += BatchNorm(channels) + Convolution(channels, channels / 2, 1);
            channels /= 2;
        }
    }
    return count + BatchNorm(channels) + Linear(channels, 1000);
}

/// @return bytes of the known model @p name, whose name must be known
uint64_t
BytesOf(const std::string& name)
{
    const ModelSize size = CompareWithKnownModel(name, 0);
    EXPECT_NE(size.known, nullptr) << name;
    return size.known ? 4 * size.known->parameters : 0;
}

TEST(DmlKnownModels, AreThoseOfTheArchitectures)
{
    const std::vector<uint64_t> vgg11 = {64, 128, 256, 256, 512, 512, 512, 512};
    const std::vector<uint64_t> vgg16 =
        {64, 64, 128, 128, 256, 256, 256, 512, 512, 512, 512, 512, 512};
    EXPECT_EQ(BytesOf("vgg11"), 4 * CountVgg(vgg11, false));
    EXPECT_EQ(BytesOf("vgg11_bn"), 4 * CountVgg(vgg11, true));
    EXPECT_EQ(BytesOf("vgg16"), 4 * CountVgg(vgg16, false));
    EXPECT_EQ(BytesOf("vgg16_bn"), 4 * CountVgg(vgg16, true));
    EXPECT_EQ(BytesOf("resnet18"), 4 * CountResNet({2, 2, 2, 2}, false));
    EXPECT_EQ(BytesOf("resnet34"), 4 * CountResNet({3, 4, 6, 3}, false));
    EXPECT_EQ(BytesOf("resnet50"), 4 * CountResNet({3, 4, 6, 3}, true));
    EXPECT_EQ(BytesOf("resnet101"), 4 * CountResNet({3, 4, 23, 3}, true));
    EXPECT_EQ(BytesOf("resnet152"), 4 * CountResNet({3, 8, 36, 3}, true));
    EXPECT_EQ(BytesOf("resnext50_32x4d"), 4 * CountResNet({3, 4, 6, 3}, true, 32, 4));
    EXPECT_EQ(BytesOf("wide_resnet50_2"), 4 * CountResNet({3, 4, 6, 3}, true, 1, 128));
    EXPECT_EQ(BytesOf("densenet121"), 4 * CountDenseNet(32, {6, 12, 24, 16}));
    EXPECT_EQ(BytesOf("densenet161"), 4 * CountDenseNet(48, {6, 12, 36, 24}));
    EXPECT_EQ(BytesOf("densenet169"), 4 * CountDenseNet(32, {6, 12, 32, 32}));
    EXPECT_EQ(BytesOf("densenet201"), 4 * CountDenseNet(32, {6, 12, 48, 32}));
}

TEST(DmlKnownModels, ExactTotalsAreCalledExact)
{
    const ModelSize size = CompareWithKnownModel("alexnet", 244403360);
    ASSERT_NE(size.known, nullptr);
    EXPECT_EQ(size.difference, 0);
    EXPECT_EQ(size.text, "244403360 bytes, exactly alexnet, 61100840 parameters of 4 bytes");
    EXPECT_EQ(CompareWithKnownModel("alexnet", 122201680).elementBytes, 2U);
}

TEST(DmlKnownModels, DifferencesAreToldWithTheirSign)
{
    EXPECT_EQ(CompareWithKnownModel("resnet18", 46758048 + 12).text,
              "46758060 bytes, 12 more than resnet18, 11689512 parameters of 4 bytes");
    EXPECT_EQ(CompareWithKnownModel("resnet18", 46758048 - 12).difference, -12);
    EXPECT_EQ(CompareWithKnownModel("resnet18", UINT64_MAX).difference, INT64_MAX);
}

TEST(DmlKnownModels, TheNearestVariantIsChosen)
{
    EXPECT_EQ(
        CompareWithKnownModel("googlenet", 52019552).text,
        "52019552 bytes, exactly googlenet with auxiliary classifiers, 13004888 parameters of "
        "4 bytes");
    EXPECT_EQ(CompareWithKnownModel("googlenet", 26499616).known->parameters, 6624904U);
}

TEST(DmlKnownModels, NamesAreComparedWithoutPunctuationAndBatchSize)
{
    for (const char* name :
         {"inception_v3", "Inception-v3", "InceptionV3", "inception_v3_b4", "inception_v3-batch32"})
    {
        EXPECT_EQ(CompareWithKnownModel(name, 108645056).difference, 0) << name;
        EXPECT_NE(CompareWithKnownModel(name, 108645056).known, nullptr) << name;
    }
    for (const char* name : {"", "resnet", "resnet50b", "alexnet2", "my-resnet50"})
    {
        EXPECT_EQ(CompareWithKnownModel(name, 1).known, nullptr) << name;
    }
    EXPECT_EQ(CompareWithKnownModel("toy", 8).text,
              "8 bytes; the size of the model 'toy' is not known");
    EXPECT_EQ(CompareWithKnownModel(std::string(1000000, '_'), 8).known, nullptr);
}

} // namespace

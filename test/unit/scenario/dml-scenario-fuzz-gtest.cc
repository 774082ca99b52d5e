/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scratch-folder.h"

#include "ns3/dml-profile-reader.h"
#include "ns3/dml-scenario-check.h"
#include "ns3/dml-scenario-reader.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <string>

using namespace ns3::dml;

namespace
{

constexpr int ROUNDS = 2000;

/// Bytes that mean something in YAML, in numbers, or in no text at all.
const std::string SPICE =
    "[]{}:,-?&*!|>'\"%@`#~\n\r\t .0123456789eEnaiNI+<=\\/\x01\x04\x7F\x80\xFF\xE2" +
    std::string(1, '\0');

/// A few seeded edits: bytes changed, inserted, removed, pieces doubled or moved.
std::string
Mutate(std::string text, std::mt19937& random)
{
    const int edits = 1 + random() % 2;
    for (int i = 0; i < edits && !text.empty(); ++i)
    {
        const std::size_t at = random() % text.size();
        const std::size_t length = 1 + random() % 4;
        const char spice = SPICE[random() % SPICE.size()];
        switch (random() % 6)
        {
        case 0:
            text[at] = spice;
            break;
        case 1:
            text.insert(at, 1, spice);
            break;
        case 2:
            text.erase(at, length);
            break;
        case 3:
            text.insert(at, text.substr(at, length));
            break;
        case 4:
            text.insert(random() % text.size(), text.substr(at, length));
            break;
        default:
            text[at] = static_cast<char>(random() % 256);
            break;
        }
    }
    return text;
}

/**
 * Read mutations of a valid file. Whatever happens but success and InputError ends the test
 * program. Both must occur, or the mutations are too tame or too wild.
 */
template <typename Read>
void
Fuzz(const std::string& valid, uint32_t seed, Read read)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", "");
    std::mt19937 random(seed);
    int accepted = 0;
    int refused = 0;
    for (int i = 0; i < ROUNDS; ++i)
    {
        const std::string text = Mutate(valid, random);
        const auto path = folder.Write("fuzz.yaml", text);
        try
        {
            read(path);
            ++accepted;
        }
        catch (const InputError& error)
        {
            const std::string message = error.what();
            const bool isPlaced =
                message.rfind(path + ":", 0) == 0 || message.rfind("--set ", 0) == 0;
            EXPECT_TRUE(isPlaced) << message << "\nof:\n" << text;
            ++refused;
        }
    }
    EXPECT_GT(accepted, ROUNDS / 100);
    EXPECT_GT(refused, ROUNDS / 100);
}

TEST(Fuzz, Scenario)
{
    Fuzz("name: fuzz\n"
         "seed: 1\n"
         "replications: 3\n"
         "job:\n"
         "  profile: p.yaml\n"
         "  workers: [1, 2, 4]\n"
         "  placement: {a: 0, b: 0}\n"
         "  steps: 20\n"
         "  warmup: 5\n"
         "  sampling: [&list [0, 1], [2], *list, [3]]\n"
         "  start: [0s, 1s, 2s, 3s]\n"
         "transfer: {policy: fifo, window: 28MB}\n"
         "overhead:\n"
         "  alpha: 1e-9\n"
         "network:\n"
         "  rate: 1Gbps\n"
         "  delay: 10us\n"
         "  tcp: {send_buffer: 256KiB, \"sack\": false}\n"
         "  background: []\n"
         "sweep:\n"
         "  network.rate: [1Gbps, '10Gbps']\n"
         "  network.mtu:\n"
         "    - 1500\n"
         "    - 9000\n",
         301,
         [](const std::string& path) { ReadScenario(path, {"job.workers[1]=3"}); });
}

TEST(Fuzz, Profile)
{
    Fuzz("schema: dml-profile/1\n"
         "model: tiny\n"
         "batch_size: 8\n"
         "source: {framework: torch 2.1, threads: 4}\n"
         "devices: [cpu, {name: gpu, slots: 2}]\n"
         "tensors:\n"
         "  - {name: w, bytes: 4000}\n"
         "  - {name: b, bytes: 1.5KB}\n"
         "ops:\n"
         "  - {name: pull/w, kind: pull, tensor: w}\n"
         "  - {name: pull/b, kind: pull, tensor: b}\n"
         "  - {name: fwd, kind: forward, device: cpu, deps: [pull/w, copy], samples: [1, 2]}\n"
         "  - {name: copy, kind: compute, device: gpu, deps: [pull/b], seconds: 0.5}\n"
         "  - name: bwd\n"
         "    kind: backward\n"
         "    device: gpu\n"
         "    deps: [fwd]\n"
         "    samples: [3, 4e-3]\n"
         "  - {name: push/w, kind: push, tensor: w, deps: [bwd]}\n"
         "  - {name: upd/w, kind: update, tensor: w, deps: [push/w], seconds: 0}\n",
         302,
         [](const std::string& path) { ReadProfile(path); });
}

TEST(Fuzz, Overrides)
{
    const ScratchFolder folder;
    folder.Write("p.yaml", "");
    const auto path = folder.Write("s.yaml", "job: {profile: p.yaml, workers: [1, 2]}\n");
    std::mt19937 random(303);
    for (int i = 0; i < ROUNDS; ++i)
    {
        const std::string text = Mutate("job.workers[1]=[3, {a: 4}]", random);
        try
        {
            ReadScenario(path, {text});
        }
        catch (const InputError&)
        {
        }
    }
}

} // namespace

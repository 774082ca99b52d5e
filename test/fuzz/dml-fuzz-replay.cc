/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Replays a target's corpus, and random mutations of it: what is left of fuzzing where there is no
// clang. usage: dml-fuzz-replay TARGET ROUNDS FILE_OR_FOLDER...

#include "dml-fuzz-target.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

namespace fs = std::filesystem;
using namespace ns3::dml;

namespace
{

std::string
ReadFile(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// @return the files, and those in folders, in the order of their names
std::vector<std::string>
ReadCorpus(const std::vector<std::string>& arguments)
{
    std::vector<fs::path> paths;
    for (const auto& argument : arguments)
    {
        if (fs::is_directory(argument))
        {
            std::copy(fs::directory_iterator(argument), {}, std::back_inserter(paths));
        }
        else
        {
            paths.emplace_back(argument);
        }
    }
    std::sort(paths.begin(), paths.end());
    std::vector<std::string> corpus;
    std::transform(paths.begin(), paths.end(), std::back_inserter(corpus), ReadFile);
    return corpus;
}

/// @return a text with a few bytes changed, and pieces lost, doubled, or taken from another text
std::string
Mutate(std::string text, const std::string& other, std::mt19937& random)
{
    const std::string spice = "[]{}:,-\"'\n \t0189.eE%#\\\xff\x80\x7f" + std::string(1, '\0');
    for (uint32_t edits = 1 + random() % 4; edits > 0; --edits)
    {
        const std::size_t at = random() % (text.size() + 1);
        const std::size_t length = std::size_t{1} << random() % 8;
        switch (random() % 6)
        {
        case 0:
            text.insert(at, 1, spice[random() % spice.size()]);
            break;
        case 1:
            text.erase(at, length);
            break;
        case 2:
            text.insert(random() % (text.size() + 1), text.substr(at, length));
            break;
        case 3:
            text.insert(at, other.substr(random() % (other.size() + 1), length));
            break;
        case 4:
            text.insert(at, 1, static_cast<char>(random() % 256));
            break;
        default:
            if (at < text.size())
            {
                text[at] = static_cast<char>(text[at] ^ (1 << random() % 8));
            }
        }
    }
    return text;
}

} // namespace

int
main(int argc, char** argv)
{
    if (argc < 4)
    {
        std::fprintf(stderr, "usage: dml-fuzz-replay TARGET ROUNDS FILE_OR_FOLDER...\n");
        return 2;
    }
    try
    {
        const FuzzTarget& target = GetFuzzTarget(argv[1]);
        const uint64_t rounds = std::strtoull(argv[2], nullptr, 10);
        const auto corpus = ReadCorpus({argv + 3, argv + argc});
        if (corpus.empty())
        {
            throw InputError(target.name + ": found no inputs; accepted: files");
        }
        for (const auto& bytes : corpus)
        {
            target.run(bytes);
        }
        std::mt19937 random(1);
        for (uint64_t round = 0; round < rounds; ++round)
        {
            const std::string& other = corpus[random() % corpus.size()];
            const std::string bytes = Mutate(corpus[random() % corpus.size()], other, random);
            WriteFuzzFile("last-input", bytes); // for those who look after a crash
            target.run(bytes);
        }
        std::printf("%s: %zu inputs and %llu mutations of them\n",
                    argv[1],
                    corpus.size(),
                    static_cast<unsigned long long>(rounds));
        return 0;
    }
    catch (const std::exception& error)
    {
        std::fprintf(stderr, "%s: %s\n", argv[1], error.what());
        return 1;
    }
}

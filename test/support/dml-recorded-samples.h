/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RECORDED_SAMPLES_H
#define DML_RECORDED_SAMPLES_H

#include "dml-test-files.h"

#include "ns3/dml-csv-text.h"
#include "ns3/dml-recorded-transfer.h"

#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @brief Transfers of a measured step: one worker ("w"), one server ("ps"), both on one machine, so
 * that their clocks agree.
 * @param model "alexnet-b8" or "googlenet-b8"
 */
inline std::vector<RecordedTransfer>
ReadRecordedSample(const std::string& model)
{
    const std::string path = FindRepositoryFile("test/data/traces/" + model + ".transfers.csv");
    std::ifstream file(path);
    CsvText csv(std::string(std::istreambuf_iterator<char>(file), {}), path);
    std::vector<CsvCell> row;
    csv.NextRow(row); // tensor, bytes, direction, start_us, end_us, ready_us, used_us
    std::vector<RecordedTransfer> transfers;
    while (csv.NextRow(row))
    {
        RecordedTransfer transfer;
        transfer.tensor = row.at(0).text;
        transfer.bytes = std::stoull(row.at(1).text);
        transfer.downlink = row.at(2).text == "downlink";
        transfer.sender = transfer.downlink ? "ps" : "w";
        transfer.receiver = transfer.downlink ? "w" : "ps";
        transfer.start = 1000 * std::stoll(row.at(3).text);
        transfer.end = 1000 * std::stoll(row.at(4).text);
        transfer.ready = 1000 * std::stoll(row.at(5).text);
        transfer.used = 1000 * std::stoll(row.at(6).text);
        transfers.push_back(transfer);
    }
    return transfers;
}

/// The same numbers with every compiler.
class PortableRandom
{
  public:
    /// @param seed any number
    explicit PortableRandom(uint64_t seed)
        : m_bits(seed)
    {
    }

    /// @return a number in [0, 1)
    double Uniform()
    {
        return static_cast<double>(m_bits() >> 11) * 0x1p-53;
    }

    /// @return a number near 0, of standard deviation 1, in [-6, 6]
    double Normal()
    {
        double sum = -6;
        for (int i = 0; i < 12; ++i)
        {
            sum += Uniform();
        }
        return sum;
    }

  private:
    std::mt19937_64 m_bits;
};

} // namespace ns3::dml

#endif /* DML_RECORDED_SAMPLES_H */

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-run-rows.h"

#include "dml-csv-name.h"

#include "ns3/dml-trace-input.h"

#include <algorithm>
#include <fmt/core.h>

namespace ns3::dml
{

namespace
{

constexpr std::size_t MOST_BYTES = std::size_t{1} << 31; // of a file

} // namespace

std::string
WriteRunKey(const RunKey& run)
{
    const auto& [variant, workers, engine, replication] = run;
    return fmt::format("{},{},{},{}", WriteCsvName(variant), workers, engine, replication);
}

RunRows::RunRows(const std::string& path, const std::vector<std::string>& columns)
    : m_csv(TraceInput(path).ReadText(MOST_BYTES), path),
      m_header(m_csv.ReadHeader("one that 'dml run' wrote"))
{
    m_variant = Find("variant");
    for (const char* name : {"workers", "engine", "replication"})
    {
        m_columns.push_back(FindNeeded(name));
    }
    for (const auto& name : columns)
    {
        m_columns.push_back(FindNeeded(name));
    }
}

RunKey
RunRows::GetRun() const
{
    return {m_variant < m_row.size() ? ReadCsvName(m_row[m_variant].text) : "",
            Read<uint32_t>(0),
            m_row[m_columns[1]].text,
            Read<uint32_t>(2)};
}

std::size_t
RunRows::Find(const std::string& name) const
{
    const auto found = std::find_if(m_header.begin(), m_header.end(), [&name](const CsvCell& cell) {
        return cell.text == name;
    });
    return found - m_header.begin();
}

std::size_t
RunRows::FindNeeded(const std::string& name) const
{
    const std::size_t found = Find(name);
    if (found == m_header.size())
    {
        m_csv.Fail(1, "found no column '" + name + "'; accepted: a file that 'dml run' wrote");
    }
    return found;
}

} // namespace ns3::dml

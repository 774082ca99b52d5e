/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-wire-times.h"

#include "ns3/dml-csv-text.h"
#include "ns3/dml-error.h"
#include "ns3/dml-trace-input.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

namespace ns3::dml
{

namespace
{

/// Bytes of a file at most: all of it is read at once.
constexpr std::size_t MAX_SIZE = std::size_t{256} << 20;
constexpr int DECIMALS = 9;

/// A tensor in one direction in one step.
using Key = std::tuple<std::string, bool, uint32_t>;
/// Step, direction, sender and receiver.
using Connection = std::tuple<uint32_t, bool, std::string, std::string>;

/// @return @p text, decimal seconds, in ns, rounded; nothing if it is none
std::optional<int64_t>
ParseSeconds(std::string_view text)
{
    const bool negative = !text.empty() && text.front() == '-';
    text.remove_prefix(negative ? 1 : 0);
    const std::size_t point = std::min(text.find('.'), text.size());
    std::string digits(text.substr(0, point));
    std::string_view decimals = text.substr(std::min(point + 1, text.size()));
    const bool up = decimals.size() > DECIMALS && decimals[DECIMALS] >= '5';
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    if (digits.empty() || !std::all_of(decimals.begin(), decimals.end(), isDigit) ||
        !std::all_of(digits.begin(), digits.end(), isDigit))
    {
        return std::nullopt;
    }
    digits += decimals.substr(0, DECIMALS);
    digits.append(DECIMALS - std::min<std::size_t>(DECIMALS, decimals.size()), '0');
    int64_t ns = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ns);
    if (error != std::errc() || ns == INT64_MAX)
    {
        return std::nullopt;
    }
    ns += up ? 1 : 0;
    return negative ? -ns : ns;
}

/// Reads the rows of a file.
class WireTimesReader
{
  public:
    WireTimesReader(const std::string& file, uint32_t worker)
        : m_csv(TraceInput(file).ReadText(MAX_SIZE), file),
          m_worker(worker),
          m_header(m_csv.ReadHeader("a header and rows"))
    {
        for (std::size_t i = 0; i < NAMES.size(); ++i)
        {
            const auto column =
                std::find_if(m_header.begin(), m_header.end(), [i](const CsvCell& cell) {
                    return cell.text == NAMES[i];
                });
            m_columns[i] = column - m_header.begin();
            if (column == m_header.end() && i != WORKER)
            {
                m_csv.Fail(1,
                           "found no column '" + std::string(NAMES[i]) +
                               "'; accepted: columns tensor, direction, step and last_byte");
            }
        }
    }

    std::size_t Read(std::vector<RecordedTransfer>& transfers)
    {
        std::map<Key, RecordedTransfer*> records;
        for (RecordedTransfer& transfer : transfers)
        {
            if (!records.emplace(Key{transfer.tensor, transfer.downlink, transfer.step}, &transfer)
                     .second)
            {
                throw InputError("step " + std::to_string(transfer.step) +
                                 " has two transfers of '" + transfer.tensor +
                                 "' in one direction; accepted with wire times: "
                                 "records of one worker");
            }
            const int64_t start =
                transfer.ready == RecordedTransfer::UNKNOWN
                    ? transfer.start
                    : std::min(transfer.start, transfer.ready); // clocks are aligned, or nearly so
            const auto [first, isNew] = m_first.try_emplace(GetConnection(transfer), start);
            first->second = std::min(first->second, start);
        }
        std::set<Key> seen;
        std::size_t count = 0;
        while (m_csv.NextRow(m_row))
        {
            if (m_columns[WORKER] < m_header.size() && GetInteger(WORKER) != m_worker)
            {
                continue;
            }
            const Key key{m_row[m_columns[TENSOR]].text, IsDownlink(), GetInteger(STEP)};
            if (!seen.insert(key).second)
            {
                Fail(TENSOR, "a transfer that an earlier row tells of", "one row for each");
            }
            const auto record = records.find(key);
            if (record != records.end() && ReadTime(*record->second))
            {
                ++count;
            }
        }
        if (count == 0)
        {
            m_csv.Fail(1,
                       "found no row of a recorded transfer up to here; accepted: tensors and "
                       "steps named as in the trace");
        }
        return count;
    }

  private:
    /// Places of columns in NAMES.
    enum : std::size_t
    {
        TENSOR,
        DIRECTION,
        STEP,
        LAST_BYTE,
        WORKER,
    };

    static constexpr std::array<std::string_view, 5> NAMES{"tensor",
                                                           "direction",
                                                           "step",
                                                           "last_byte",
                                                           "worker"};

    [[noreturn]] void Fail(std::size_t column,
                           const std::string& found,
                           const std::string& accepted)
    {
        m_csv.Fail(m_row[m_columns[column]].column,
                   std::string(NAMES[column]) + ": found " + found + "; accepted: " + accepted);
    }

    /// @return the text of a cell in quotes
    std::string Quote(std::size_t column) const
    {
        return "'" + m_row[m_columns[column]].text + "'";
    }

    uint32_t GetInteger(std::size_t column)
    {
        const std::string& text = m_row[m_columns[column]].text;
        uint32_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size())
        {
            Fail(column, Quote(column), "a whole number from 0 to 4294967295");
        }
        return value;
    }

    bool IsDownlink()
    {
        const std::string& text = m_row[m_columns[DIRECTION]].text;
        if (text != "downlink" && text != "uplink")
        {
            Fail(DIRECTION, Quote(DIRECTION), "downlink, uplink");
        }
        return text == "downlink";
    }

    /// @return the transfers that the sender and the receiver of @p transfer have in its step
    static Connection GetConnection(const RecordedTransfer& transfer)
    {
        return {transfer.step, transfer.downlink, transfer.sender, transfer.receiver};
    }

    /// @return false if the time is not known
    bool ReadTime(RecordedTransfer& transfer)
    {
        const std::string& text = m_row[m_columns[LAST_BYTE]].text;
        if (text.empty())
        {
            return false;
        }
        const std::optional<int64_t> time = ParseSeconds(text);
        if (!time)
        {
            Fail(LAST_BYTE, Quote(LAST_BYTE), "seconds, as 1.234567890");
        }
        if (*time > transfer.end)
        {
            Fail(LAST_BYTE,
                 Quote(LAST_BYTE) + " s, after the record's end at " +
                     std::to_string(transfer.end) + " ns",
                 "a time on the receiver's clock not after that");
        }
        const int64_t first = m_first.at(GetConnection(transfer));
        if (*time < first)
        {
            Fail(LAST_BYTE,
                 Quote(LAST_BYTE) +
                     " s, before the first transfer of its step was ready or "
                     "started at " +
                     std::to_string(first) + " ns",
                 "a time on the receiver's clock not before that");
        }
        transfer.lastByte = *time;
        return true;
    }

    CsvText m_csv;                          //!< the file
    uint32_t m_worker;                      //!< worker of the rows that are read
    std::map<Connection, int64_t> m_first;  //!< the first start in each step, receiver's clock
    std::vector<CsvCell> m_header;          //!< first row
    std::vector<CsvCell> m_row;             //!< current row
    std::array<std::size_t, 5> m_columns{}; //!< where the columns are
};

} // namespace

std::size_t
ReadWireTimes(const std::string& file, uint32_t worker, std::vector<RecordedTransfer>& transfers)
{
    return WireTimesReader(file, worker).Read(transfers);
}

} // namespace ns3::dml

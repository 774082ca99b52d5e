/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-profile-reader-parts.h"

#include "dml-profile-reader.h"

#include "ns3/dml-csv-text.h"
#include "ns3/dml-gradient-groups.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-suggestion.h"
#include "ns3/dml-yaml-node.h"
#include "ns3/dml-yaml-text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3::dml
{

namespace
{

/// Reads the buckets of one profile.
class BucketsReader
{
  public:
    explicit BucketsReader(Profile& profile)
        : m_profile(profile)
    {
        for (OpIndex i = 0; i < profile.graph.GetSize(); ++i)
        {
            const Op& op = profile.graph.Get(i);
            if (op.kind == OpKind::PUSH)
            {
                m_names.push_back(profile.tensors[op.tensor].name);
                m_gradients.emplace(m_names.back(), op.tensor);
            }
        }
    }

    void Read(const YamlField& list)
    {
        const auto fields = list.GetItems("a list of buckets");
        if (fields.empty())
        {
            list.FailWith("found an empty list; accepted: at least one bucket, or no such key");
        }
        bool named = false;
        for (const auto& field : fields)
        {
            field.CheckKeys({"tensors", "bytes", "recorded", "transfer"});
            named |= bool(field.Get("tensors"));
        }
        for (const auto& field : fields)
        {
            MeasuredBucket bucket;
            if (named)
            {
                bucket.tensors = ReadTensors(field.Get("tensors"));
                CheckBytes(field.Get("bytes"), bucket.tensors);
            }
            bucket.recorded = ReadTimes(field.Get("recorded"));
            bucket.transfer = ReadTimes(field.Get("transfer"));
            CheckTransfer(field.Get("transfer"), bucket);
            m_profile.buckets.push_back(std::move(bucket));
        }
        if (!named)
        {
            Fill(list, fields);
        }
    }

  private:
    std::vector<TensorIndex> ReadTensors(const YamlField& field)
    {
        std::vector<TensorIndex> tensors;
        const std::string accepted = "a list of names of tensors that are pushed";
        for (const auto& item : field.GetItems(accepted))
        {
            const std::string& name = item.GetString("the name of a tensor that is pushed");
            const auto gradient = m_gradients.find(name);
            if (gradient == m_gradients.end())
            {
                const bool isTensor =
                    std::any_of(m_profile.tensors.begin(),
                                m_profile.tensors.end(),
                                [&name](const Tensor& tensor) { return tensor.name == name; });
                if (isTensor)
                {
                    item.FailWith("found " + QuoteText(name, '\'') +
                                  ", which no op pushes; accepted: the name of a tensor that is "
                                  "pushed");
                }
                item.FailMeant(Suggest(name, m_names), "the name of a tensor that is pushed");
            }
            if (!m_seen.insert(gradient->second).second)
            {
                item.FailWith("found tensor " + QuoteText(name, '\'') +
                              " a second time; accepted: each in one bucket");
            }
            tensors.push_back(gradient->second);
        }
        if (tensors.empty())
        {
            field.FailWith("found an empty list; accepted: " + accepted);
        }
        return tensors;
    }

    /// The sum of the tensors' sizes, if it is given at all.
    void CheckBytes(const YamlField& field, const std::vector<TensorIndex>& tensors) const
    {
        const uint64_t sum = m_profile.GetBytes(tensors);
        if (field && GetBytes(field) != sum)
        {
            field.Fail(std::to_string(sum) + ", the bytes of its tensors");
        }
    }

    static uint64_t GetBytes(const YamlField& field)
    {
        return field.GetSize(0, MAX_BUCKET_BYTES);
    }

    static std::vector<double> ReadTimes(const YamlField& field)
    {
        std::vector<double> times;
        if (!field)
        {
            return times;
        }
        for (const auto& item :
             field.GetItems("a list of seconds, one for each step that shows it"))
        {
            times.push_back(ReadSeconds(item));
        }
        return times;
    }

    static void CheckTransfer(const YamlField& field, const MeasuredBucket& bucket)
    {
        if (bucket.transfer.empty())
        {
            return;
        }
        if (bucket.transfer.size() != bucket.recorded.size())
        {
            field.FailWith("found " + Plural(bucket.transfer.size(), "time") +
                           " where recorded has " + std::to_string(bucket.recorded.size()) +
                           "; accepted: as many");
        }
        const auto items = field.GetItems("");
        for (std::size_t i = 0; i < items.size(); ++i)
        {
            if (bucket.transfer[i] > bucket.recorded[i])
            {
                items[i].Fail("at most the time recorded, which includes waiting");
            }
        }
    }

    /// Tell the tensors of buckets of which only sizes are known.
    void Fill(const YamlField& list, const std::vector<YamlField>& fields)
    {
        std::vector<uint64_t> sizes;
        for (const auto& field : fields)
        {
            sizes.push_back(GetBytes(field.Get("bytes")));
        }
        try
        {
            const GradientGroups groups = GroupGradientsBySizes(m_profile, sizes);
            for (std::size_t b = 0; b < groups.size(); ++b)
            {
                m_profile.buckets[b].tensors = groups[b];
            }
        }
        catch (const GroupSizeError& error)
        {
            m_profile.buckets.clear();
            if (error.group == fields.size())
            {
                list.FailWith(std::string(error.what()) +
                              "; accepted: buckets of all gradients, or buckets with tensors");
            }
            fields[error.group].Get("bytes").Fail(
                std::string("the size of successive gradients in the order in which a step "
                            "generates them (") +
                error.what() + "), or buckets with tensors");
        }
    }

    /// Largest bucket, in bytes: sums over a model stay far from the end of 64 bits.
    static constexpr uint64_t MAX_BUCKET_BYTES = MAX_TENSOR_BYTES * 1024;

    Profile& m_profile;                             //!< to fill
    std::map<std::string, TensorIndex> m_gradients; //!< tensors with a push, by name
    std::vector<std::string> m_names;               //!< of these
    std::set<TensorIndex> m_seen;                   //!< in a bucket
};

/// Every column is one that is expected, once, and all are there.
void
CheckHeader(const CsvText& csv,
            const std::vector<CsvCell>& header,
            const std::vector<std::string>& expected,
            const std::vector<std::string>& others)
{
    const std::set<std::string> wanted(expected.begin(), expected.end());
    std::set<std::string> seen;
    for (const auto& cell : header)
    {
        const std::string name = QuoteText(cell.text, '\'');
        if (!seen.insert(cell.text).second)
        {
            csv.Fail(cell.column,
                     "found a second column " + name + "; accepted: one column per op");
        }
        if (wanted.count(cell.text) > 0)
        {
            continue;
        }
        if (std::find(others.begin(), others.end(), cell.text) != others.end())
        {
            csv.Fail(cell.column,
                     "found a column for op " + name +
                         ", which is a transfer or has seconds or samples in the profile; "
                         "accepted: columns of the other ops");
        }
        const std::string meant = Suggest(cell.text, expected);
        csv.Fail(cell.column,
                 "found a column " + name +
                     AcceptedText(meant, "names of the profile's ops that have no duration there"));
    }
    for (const auto& name : expected)
    {
        if (seen.count(name) == 0)
        {
            csv.Fail(1,
                     "found no column for op " + QuoteText(name, '\'') +
                         "; accepted: a column for every op without seconds or samples in the "
                         "profile");
        }
    }
}

} // namespace

void
ReadProfileBuckets(const YamlField& field, Profile& profile)
{
    if (field)
    {
        BucketsReader(profile).Read(field);
    }
}

std::map<std::string, std::vector<double>>
ReadSampleFile(const std::string& path,
               const std::vector<std::string>& expected,
               const std::vector<std::string>& others)
{
    CsvText csv(ReadTextFile(path, "a file of samples (CSV)"), path);
    const auto header = csv.ReadHeader("a header of op names, then rows of seconds");
    CheckHeader(csv, header, expected, others);
    std::vector<std::vector<double>> columns(header.size());
    std::vector<CsvCell> row;
    while (csv.NextRow(row))
    {
        for (std::size_t i = 0; i < row.size(); ++i)
        {
            const auto seconds = ParseSeconds(row[i].text);
            if (!seconds)
            {
                csv.Fail(row[i].column,
                         "op " + QuoteText(header[i].text, '\'') + ": found " +
                             QuoteText(row[i].text, '"') + "; accepted: " + SECONDS_FORM);
            }
            columns[i].push_back(*seconds);
        }
    }
    if (columns.front().empty())
    {
        csv.Fail(1, "found no rows; accepted: one row per measured step below the header");
    }
    std::map<std::string, std::vector<double>> samples;
    for (std::size_t i = 0; i < header.size(); ++i)
    {
        samples.emplace(header[i].text, std::move(columns[i]));
    }
    return samples;
}

} // namespace ns3::dml

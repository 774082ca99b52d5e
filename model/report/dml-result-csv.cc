/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-result-csv.h"

#include "dml-csv-name.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-host-names.h"

#include <fmt/core.h>
#include <limits>

namespace ns3::dml
{

namespace
{

/// Appends fields to a row, with a comma before each but the first.
class Row
{
  public:
    /// @param out text that receives the row; @param prefix its first fields
    Row(std::string& out, const std::string& prefix)
        : m_out(out)
    {
        m_out += prefix;
    }

    ~Row()
    {
        m_out += '\n';
    }

    Row(const Row&) = delete;
    Row& operator=(const Row&) = delete;

    /// @param value next field; @return this
    Row& Number(uint64_t value)
    {
        m_out += ',';
        AppendNumber(m_out, value);
        return *this;
    }

    /// @param value next field; @param decimals after the point; @return this
    Row& Fixed(double value, int decimals = 9)
    {
        m_out += ',';
        AppendFixed(m_out, value, decimals);
        return *this;
    }

    /// @param text next field, quoted if need be; @return this
    Row& Text(std::string_view text)
    {
        m_out += ',';
        m_out += text;
        return *this;
    }

  private:
    std::string& m_out; //!< text that receives the row
};

/// A file, and when it is written.
struct CsvFile
{
    const char* name;                  //!< in the folder
    const char* columns;               //!< after those of the run
    bool CsvResults::Options::*wanted; //!< null: always
};

/// As CsvResults::File has them.
constexpr CsvFile CSV_FILES[]{
    {"steps.csv", "worker,step,start,end,batch,done,dropped,sample", nullptr},
    {"transfers.csv",
     "worker,step,tensor,direction,ps,ready,first_byte,last_byte",
     &CsvResults::Options::transfers},
    {"links.csv", "direction,ps,time,utilisation", &CsvResults::Options::links},
    {"network.csv",
     "link,rate,bytes,packets,dropped,marked,lost,fullest_queue,utilisation,connections,"
     "even_connections",
     nullptr},
    {"shares.csv", "direction,ps,time,worker,active,share", &CsvResults::Options::shares},
    {"gradients.csv",
     "tensor,direction,count,wait_mean,wait_median,wait_p95,wait_max,transfer_mean,"
     "transfer_median,transfer_p95,transfer_max",
     &CsvResults::Options::gradients},
    {"ops.csv", "worker,step,op,resource,index,parse,bytes,start,end", &CsvResults::Options::ops},
    {"connections.csv",
     "from,to,connection,time,congestion_window,round_trip,retransmissions,stream_window",
     &CsvResults::Options::connections},
    {"versions.csv", "worker,step,tensor,bytes,read,made,time", &CsvResults::Options::versions},
};

} // namespace

CsvResults::CsvResults(const std::string& folder,
                       const Profile& profile,
                       const Options& options,
                       const std::map<std::string, uint64_t>& sizes)
    : m_folder(folder),
      m_options(options),
      m_batch(profile.batchSize)
{
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        m_ops.push_back(WriteCsvName(profile.graph.Get(op).name));
    }
    for (const auto& tensor : profile.tensors)
    {
        m_tensors.push_back(WriteCsvName(tensor.name));
        m_bytes.push_back(tensor.bytes);
    }
    for (std::size_t i = 0; i < FILES; ++i)
    {
        const auto& [name, columns, wanted] = CSV_FILES[i];
        const auto old = sizes.find(name);
        if (wanted && !(options.*wanted))
        {
            continue;
        }
        const std::string header = options.header ? (options.variant ? "variant," : "") +
                                                        std::string("workers,engine,replication,") +
                                                        columns + "\n"
                                                  : "";
        if (old != sizes.end())
        {
            m_files[i] = std::make_unique<ResultFile>(folder + "/" + name, old->second, header);
            continue;
        }
        m_files[i] = std::make_unique<ResultFile>(folder + "/" + name);
        m_files[i]->GetBuffer() += header;
    }
}

std::vector<ResultFile*>
CsvResults::GetFiles() const
{
    std::vector<ResultFile*> files;
    for (const File file :
         {STEPS, NETWORK, LINKS, TRANSFERS, SHARES, GRADIENTS, OPS, CONNECTIONS, VERSIONS})
    {
        if (m_files[file])
        {
            files.push_back(m_files[file].get());
        }
    }
    return files;
}

std::string
CsvResults::NameEndpoint(const Endpoint& endpoint) const
{
    return endpoint.role == Role::AGGREGATOR ? m_aggregators.at(endpoint.index)
           : endpoint.role == Role::SERVER   ? ServerName(0, endpoint.index)
                                             : WorkerName(0, endpoint.index);
}

std::string
CsvResults::NumberEndpoint(const Endpoint& endpoint) const
{
    return endpoint.role == Role::AGGREGATOR ? m_aggregators.at(endpoint.index)
                                             : std::to_string(endpoint.index);
}

void
CsvResults::BeginRun(const ResultTag& tag)
{
    m_aggregators.clear();
    for (const auto& name : tag.aggregators)
    {
        m_aggregators.push_back(WriteCsvName(name));
    }
    m_prefix = m_options.variant ? WriteCsvName(tag.variant) + "," : "";
    AppendNumber(m_prefix, tag.workers);
    m_prefix += "," + WriteCsvName(tag.engine) + ",";
    AppendNumber(m_prefix, tag.replication);
}

void
CsvResults::On(const StepRecord& record)
{
    Row(m_files[STEPS]->GetBuffer(), m_prefix)
        .Number(record.worker)
        .Number(record.step)
        .Fixed(record.start)
        .Fixed(record.end)
        .Number(record.batch > 0 ? record.batch : m_batch)
        .Fixed(record.done == UNKNOWN_TIME ? std::numeric_limits<double>::quiet_NaN() : record.done)
        .Number(record.dropped)
        .Number(record.sample);
    m_files[STEPS]->Commit();
}

void
CsvResults::On(const TransferRecord& record)
{
    if (!m_files[TRANSFERS])
    {
        return;
    }
    const auto& [from, to] = record.channel;
    const bool peers = GetDirection(record.channel) == Direction::PEER;
    Row(m_files[TRANSFERS]->GetBuffer(), m_prefix)
        .Text(peers ? NumberEndpoint(to) : std::to_string(GetWorker(record.channel)))
        .Number(record.step)
        .Text(m_tensors.at(record.tensor))
        .Text(ToString(GetDirection(record.channel)))
        .Text(peers ? NumberEndpoint(from) : std::to_string(GetServer(record.channel)))
        .Fixed(record.ready)
        .Fixed(record.firstByte)
        .Fixed(record.lastByte);
    m_files[TRANSFERS]->Commit();
}

void
CsvResults::On(const ChunkRecord& record)
{
    if (!m_files[OPS])
    {
        return;
    }
    const Endpoint& at = record.resource.at;
    const bool toAggregator = record.resource.kind == ResourceKind::CHANNEL &&
                              record.resource.to.role == Role::AGGREGATOR;
    Row(m_files[OPS]->GetBuffer(), m_prefix)
        .Text(at.role == Role::AGGREGATOR ? NumberEndpoint(at) : std::to_string(record.worker))
        .Number(record.step)
        .Text(m_ops.at(record.op))
        .Text(ToString(GetLabel(record.resource)))
        .Text(toAggregator ? NumberEndpoint(record.resource.to)
                           : std::to_string(GetLabelIndex(record.resource)))
        .Number(record.parse ? 1 : 0)
        .Number(record.bytes)
        .Fixed(record.start)
        .Fixed(record.end);
    m_files[OPS]->Commit();
}

void
CsvResults::On(const ConnectionRecord& record)
{
    if (!m_files[CONNECTIONS])
    {
        return;
    }
    Row row(m_files[CONNECTIONS]->GetBuffer(), m_prefix);
    row.Text(NameEndpoint(record.channel.from))
        .Text(NameEndpoint(record.channel.to))
        .Number(record.connection)
        .Fixed(record.time)
        .Number(record.congestionWindow)
        .Fixed(record.roundTrip)
        .Number(record.retransmissions);
    record.streamWindow > 0 ? row.Number(record.streamWindow) : row.Text("");
    m_files[CONNECTIONS]->Commit();
}

void
CsvResults::WriteLinks(const LinkMeter& meter)
{
    if (!m_files[LINKS])
    {
        return;
    }
    for (uint32_t server = 0; server < meter.GetServers(); ++server)
    {
        for (const auto direction : {Direction::DOWNLINK, Direction::UPLINK})
        {
            const auto utilisation = meter.GetUtilisation(direction, server);
            for (size_t bin = 0; bin < utilisation.size(); ++bin)
            {
                Row(m_files[LINKS]->GetBuffer(), m_prefix)
                    .Text(ToString(direction))
                    .Number(server)
                    .Fixed(bin * meter.GetBinWidth())
                    .Fixed(utilisation[bin], 6);
                m_files[LINKS]->Commit();
            }
        }
    }
}

void
CsvResults::WriteNetwork(const std::vector<LinkTotals>& totals,
                         const std::vector<LinkConnections>& connections)
{
    for (std::size_t link = 0; link < totals.size(); ++link)
    {
        const LinkTotals& total = totals[link];
        const bool counted = link < connections.size();
        Row(m_files[NETWORK]->GetBuffer(), m_prefix)
            .Text(WriteCsvName(total.link))
            .Number(total.rate)
            .Number(total.bytes)
            .Number(total.packets)
            .Number(total.dropped)
            .Number(total.marked)
            .Number(total.lost)
            .Number(total.fullestQueue)
            .Fixed(total.utilisation, 6)
            .Text(counted ? std::to_string(connections[link].count) : "")
            .Text(counted ? fmt::format("{:.6g}", connections[link].even) : "");
        m_files[NETWORK]->Commit();
    }
}

void
CsvResults::WriteShares(const ShareMeter& meter, double t0, double t1)
{
    if (!m_files[SHARES])
    {
        return;
    }
    meter.ForEach(t0, t1, [this](const ShareSample& sample) {
        Row(m_files[SHARES]->GetBuffer(), m_prefix)
            .Text(ToString(sample.direction))
            .Number(sample.server)
            .Fixed(sample.start)
            .Number(sample.worker)
            .Number(sample.active)
            .Fixed(sample.share, 6);
        m_files[SHARES]->Commit();
    });
}

void
CsvResults::WriteGradients(const TransferMeter& meter)
{
    if (!m_files[GRADIENTS])
    {
        return;
    }
    const auto& tensors = meter.GetTensors();
    for (std::size_t i = 0; i < tensors.size(); ++i)
    {
        if (tensors[i].wait.count == 0)
        {
            continue; // it has no transfer in this direction
        }
        Row row(m_files[GRADIENTS]->GetBuffer(), m_prefix);
        row.Text(m_tensors.at(i / 2))
            .Text(ToString(i % 2 == 0 ? Direction::DOWNLINK : Direction::UPLINK))
            .Number(tensors[i].wait.count);
        for (const auto* times : {&tensors[i].wait, &tensors[i].transfer})
        {
            row.Fixed(times->GetMean())
                .Fixed(times->GetQuantile(0.5))
                .Fixed(times->GetQuantile(0.95))
                .Fixed(times->max);
        }
    }
    m_files[GRADIENTS]->Commit();
}

void
CsvResults::WriteVersion(const AppliedGradient& gradient)
{
    Row row(m_files[VERSIONS]->GetBuffer(), m_prefix);
    const bool none = gradient.worker == NO_INDEX;
    none ? row.Text("").Text("") : row.Number(gradient.worker).Number(gradient.step);
    row.Text(m_tensors.at(gradient.tensor))
        .Number(m_bytes.at(gradient.tensor))
        .Number(gradient.read)
        .Number(gradient.made)
        .Fixed(gradient.time);
    m_files[VERSIONS]->Commit();
}

void
CsvResults::AppendFrom(const std::string& folder)
{
    for (auto* file : GetFiles())
    {
        const std::string& path = file->GetPath();
        file->AppendFile(folder + path.substr(path.rfind('/')));
    }
}

void
CsvResults::Flush()
{
    for (auto* file : GetFiles())
    {
        file->Flush();
    }
}

std::map<std::string, uint64_t>
CsvResults::Sync()
{
    std::map<std::string, uint64_t> sizes;
    for (auto* file : GetFiles())
    {
        file->Sync();
        sizes[file->GetPath().substr(m_folder.size() + 1)] = file->GetSize();
    }
    return sizes;
}

void
CsvResults::Close()
{
    for (auto* file : GetFiles())
    {
        file->Close();
    }
}

} // namespace ns3::dml

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-result-csv.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-host-names.h"

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

/// @return name of its host, in the first job
std::string
NameEndpoint(const Endpoint& endpoint)
{
    return endpoint.role == Role::SERVER ? ServerName(0, endpoint.index)
                                         : WorkerName(0, endpoint.index);
}

} // namespace

CsvResults::CsvResults(const std::string& folder,
                       const Profile& profile,
                       const Options& options,
                       const std::map<std::string, uint64_t>& sizes)
    : m_folder(folder),
      m_options(options),
      m_batch(profile.batchSize),
      m_oldSizes(sizes)
{
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        m_ops.push_back(QuoteCsv(profile.graph.Get(op).name));
    }
    for (const auto& tensor : profile.tensors)
    {
        m_tensors.push_back(QuoteCsv(tensor.name));
        m_bytes.push_back(tensor.bytes);
    }
    m_steps = Open("steps.csv", "worker,step,start,end,batch,done,dropped");
    if (options.transfers)
    {
        m_transfers =
            Open("transfers.csv", "worker,step,tensor,direction,ps,ready,first_byte,last_byte");
    }
    if (options.links)
    {
        m_links = Open("links.csv", "direction,ps,time,utilisation");
    }
    m_network = Open("network.csv",
                     "link,rate,bytes,packets,dropped,marked,lost,fullest_queue,utilisation");
    if (options.shares)
    {
        m_shares = Open("shares.csv", "direction,ps,time,worker,active,share");
    }
    if (options.gradients)
    {
        m_gradients = Open("gradients.csv",
                           "tensor,direction,count,wait_mean,wait_median,wait_p95,wait_max,"
                           "transfer_mean,transfer_median,transfer_p95,transfer_max");
    }
    if (options.ops)
    {
        m_chunks = Open("ops.csv", "worker,step,op,resource,index,parse,bytes,start,end");
    }
    if (options.connections)
    {
        m_connections = Open("connections.csv",
                             "from,to,connection,time,congestion_window,round_trip,"
                             "retransmissions,stream_window");
    }
    if (options.versions)
    {
        m_versions = Open("versions.csv", "worker,step,tensor,bytes,read,made,time");
    }
}

std::unique_ptr<ResultFile>
CsvResults::Open(const std::string& name, const std::string& columns) const
{
    const std::string path = m_folder + "/" + name;
    if (const auto old = m_oldSizes.find(name); old != m_oldSizes.end())
    {
        return std::make_unique<ResultFile>(path, old->second);
    }
    auto file = std::make_unique<ResultFile>(path);
    if (m_options.header)
    {
        file->GetBuffer() += (m_options.variant ? "variant," : "") +
                             std::string("workers,engine,replication,") + columns + "\n";
    }
    return file;
}

std::vector<ResultFile*>
CsvResults::GetFiles() const
{
    std::vector<ResultFile*> files{m_steps.get(), m_network.get()};
    for (const auto* file :
         {&m_links, &m_transfers, &m_shares, &m_gradients, &m_chunks, &m_connections, &m_versions})
    {
        if (*file)
        {
            files.push_back(file->get());
        }
    }
    return files;
}

void
CsvResults::BeginRun(const ResultTag& tag)
{
    m_prefix = m_options.variant ? QuoteCsv(tag.variant) + "," : "";
    AppendNumber(m_prefix, tag.workers);
    m_prefix += "," + QuoteCsv(tag.engine) + ",";
    AppendNumber(m_prefix, tag.replication);
}

void
CsvResults::On(const StepRecord& record)
{
    Row(m_steps->GetBuffer(), m_prefix)
        .Number(record.worker)
        .Number(record.step)
        .Fixed(record.start)
        .Fixed(record.end)
        .Number(record.batch > 0 ? record.batch : m_batch)
        .Fixed(record.done == UNKNOWN_TIME ? std::numeric_limits<double>::quiet_NaN() : record.done)
        .Number(record.dropped);
    m_steps->Commit();
}

void
CsvResults::On(const TransferRecord& record)
{
    if (!m_transfers)
    {
        return;
    }
    Row(m_transfers->GetBuffer(), m_prefix)
        .Number(GetWorker(record.channel))
        .Number(record.step)
        .Text(m_tensors.at(record.tensor))
        .Text(ToString(GetDirection(record.channel)))
        .Number(GetServer(record.channel))
        .Fixed(record.ready)
        .Fixed(record.firstByte)
        .Fixed(record.lastByte);
    m_transfers->Commit();
}

void
CsvResults::On(const ChunkRecord& record)
{
    if (!m_chunks)
    {
        return;
    }
    Row(m_chunks->GetBuffer(), m_prefix)
        .Number(record.worker)
        .Number(record.step)
        .Text(m_ops.at(record.op))
        .Text(ToString(GetLabel(record.resource)))
        .Number(GetLabelIndex(record.resource))
        .Number(record.parse ? 1 : 0)
        .Number(record.bytes)
        .Fixed(record.start)
        .Fixed(record.end);
    m_chunks->Commit();
}

void
CsvResults::On(const ConnectionRecord& record)
{
    if (!m_connections)
    {
        return;
    }
    Row row(m_connections->GetBuffer(), m_prefix);
    row.Text(NameEndpoint(record.channel.from))
        .Text(NameEndpoint(record.channel.to))
        .Number(record.connection)
        .Fixed(record.time)
        .Number(record.congestionWindow)
        .Fixed(record.roundTrip)
        .Number(record.retransmissions);
    record.streamWindow > 0 ? row.Number(record.streamWindow) : row.Text("");
    m_connections->Commit();
}

void
CsvResults::WriteLinks(const LinkMeter& meter)
{
    if (!m_links)
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
                Row(m_links->GetBuffer(), m_prefix)
                    .Text(ToString(direction))
                    .Number(server)
                    .Fixed(bin * meter.GetBinWidth())
                    .Fixed(utilisation[bin], 6);
                m_links->Commit();
            }
        }
    }
}

void
CsvResults::WriteNetwork(const std::vector<LinkTotals>& totals)
{
    for (const auto& total : totals)
    {
        Row(m_network->GetBuffer(), m_prefix)
            .Text(QuoteCsv(total.link))
            .Number(total.rate)
            .Number(total.bytes)
            .Number(total.packets)
            .Number(total.dropped)
            .Number(total.marked)
            .Number(total.lost)
            .Number(total.fullestQueue)
            .Fixed(total.utilisation, 6);
        m_network->Commit();
    }
}

void
CsvResults::WriteShares(const ShareMeter& meter, double t0, double t1)
{
    if (!m_shares)
    {
        return;
    }
    meter.ForEach(t0, t1, [this](const ShareSample& sample) {
        Row(m_shares->GetBuffer(), m_prefix)
            .Text(ToString(sample.direction))
            .Number(sample.server)
            .Fixed(sample.start)
            .Number(sample.worker)
            .Number(sample.active)
            .Fixed(sample.share, 6);
        m_shares->Commit();
    });
}

void
CsvResults::WriteGradients(const TransferMeter& meter)
{
    if (!m_gradients)
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
        Row row(m_gradients->GetBuffer(), m_prefix);
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
    m_gradients->Commit();
}

void
CsvResults::WriteVersion(const AppliedGradient& gradient)
{
    Row row(m_versions->GetBuffer(), m_prefix);
    const bool none = gradient.worker == NO_INDEX;
    none ? row.Text("").Text("") : row.Number(gradient.worker).Number(gradient.step);
    row.Text(m_tensors.at(gradient.tensor))
        .Number(m_bytes.at(gradient.tensor))
        .Number(gradient.read)
        .Number(gradient.made)
        .Fixed(gradient.time);
    m_versions->Commit();
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

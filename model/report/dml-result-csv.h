/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RESULT_CSV_H
#define DML_RESULT_CSV_H

#include "dml-result-file.h"

#include "ns3/dml-link-connections.h"
#include "ns3/dml-link-meter.h"
#include "ns3/dml-link-totals.h"
#include "ns3/dml-profile.h"
#include "ns3/dml-run-observer.h"
#include "ns3/dml-share-meter.h"
#include "ns3/dml-transfer-meter.h"
#include "ns3/dml-version-meter.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief Which run a result belongs to.
 */
struct ResultTag
{
    uint32_t workers{1};     //!< number of workers
    std::string engine;      //!< its name, as GetEngineName() has it
    uint32_t replication{0}; //!< from 0
    std::string variant;     //!< variant of a sweep ("network.rate=10Gbps"), empty if there is none
    std::vector<std::string> aggregators{}; //!< their names
};

/**
 * @ingroup dml-report
 * @brief Writes steps.csv, transfers.csv, links.csv, network.csv and, on request, ops.csv,
 * shares.csv, gradients.csv, connections.csv and versions.csv while runs go on.
 *
 * Every row starts with the run: workers, engine, replication (and before them the variant, if the
 * study has variants). Then follow
 * - steps.csv: worker, step, start, end, batch (samples), done (empty if not known), dropped
 *   (gradients); see StepRecord
 * - transfers.csv: worker, step, tensor, direction, ps, ready, first_byte, last_byte
 * - ops.csv: worker, step, op, resource, index, parse, bytes, start, end (one row per chunk)
 * - links.csv: direction, ps, time, utilisation (time is the start of a bin, see LinkMeter)
 * - network.csv: link, rate (bit/s), bytes, packets, dropped, marked, lost, fullest_queue (bytes),
 *   utilisation (packet engine; see LinkTotals), connections, even_connections (see
 *   LinkConnections)
 * - connections.csv: from, to (hosts), connection, time, congestion_window (bytes), round_trip,
 *   retransmissions, stream_window (bytes; empty if not known); see ConnectionRecord
 * - shares.csv: direction, ps, time, worker, active, share (see ShareMeter)
 * - gradients.csv: tensor, direction, count, then mean, median, 95th percentile and maximum of its
 *   wait and of its transfer time (see TransferMeter)
 * - versions.csv: worker, step, tensor, bytes, read, made, time (see AppliedGradient)
 *
 * Times are seconds with 9 decimals, indices count from 0, bytes are payload. Rows come in the
 * order of the events. Call BeginRun(), let a run report to this observer, write its links, and go
 * on with the next run.
 */
class CsvResults : public RunListener<CsvResults>
{
  public:
    /// What to write.
    struct Options
    {
        bool ops{false};         //!< write ops.csv
        bool variant{false};     //!< start every row with the variant
        bool header{true};       //!< start every file with the names of its columns
        bool shares{false};      //!< write shares.csv
        bool transfers{true};    //!< write transfers.csv
        bool links{true};        //!< write links.csv
        bool gradients{false};   //!< write gradients.csv
        bool connections{false}; //!< write connections.csv
        bool versions{false};    //!< write versions.csv
    };

    /**
     * @param folder existing folder of the files
     * @param profile names of ops and tensors; copied
     * @param options what to write
     * @param sizes of files that an earlier process wrote, in bytes by name: go on after so many
     * @throws InputError if a file cannot be created
     */
    CsvResults(const std::string& folder,
               const Profile& profile,
               const Options& options,
               const std::map<std::string, uint64_t>& sizes = {});

    /// @param tag the run that the following records belong to
    void BeginRun(const ResultTag& tag);

    void On(const StepRecord& record);
    void On(const TransferRecord& record);
    void On(const ChunkRecord& record);
    void On(const ConnectionRecord& record);

    /// @param meter what the links of the current run carried
    void WriteLinks(const LinkMeter& meter);

    /// @param totals what every link of the current run did @param connections of training jobs, by
    /// link; empty: they have no fixed paths
    void WriteNetwork(const std::vector<LinkTotals>& totals,
                      const std::vector<LinkConnections>& connections);

    /**
     * @brief Add shares to shares.csv, if it is written.
     * @param meter of the current run
     * @param t0 start of the stretch of time that is written, s
     * @param t1 its end, s
     */
    void WriteShares(const ShareMeter& meter, double t0, double t1);

    /// @param meter times of each tensor's transfers in the current run, for gradients.csv
    void WriteGradients(const TransferMeter& meter);

    /// @param gradient of the current run, for versions.csv
    void WriteVersion(const AppliedGradient& gradient);

    /**
     * @brief Append files that another process wrote with the same options, but without header.
     * @param folder where they are
     * @throws RunError if one cannot be read
     */
    void AppendFrom(const std::string& folder);

    /// Write everything now. @throws RunError with the path and the system's reason
    void Flush();
    /**
     * @brief Write everything now, and wait until the disk has it.
     * @return bytes of each file by name
     * @throws RunError as Flush()
     */
    std::map<std::string, uint64_t> Sync();
    /// Write everything and close the files. @throws RunError as Flush()
    void Close();

  private:
    /// @return name of an endpoint's host, in the first job
    std::string NameEndpoint(const Endpoint& endpoint) const;
    /// @return its number, or name of an aggregator
    std::string NumberEndpoint(const Endpoint& endpoint) const;

    /// The files, in the order in which they are made.
    enum File : std::size_t
    {
        STEPS,
        TRANSFERS,
        LINKS,
        NETWORK,
        SHARES,
        GRADIENTS,
        OPS,
        CONNECTIONS,
        VERSIONS,
        FILES
    };

    /// @return the files that are open
    std::vector<ResultFile*> GetFiles() const;

    std::string m_folder;                   //!< of the files
    Options m_options;                      //!< what to write
    uint32_t m_batch;                       //!< samples of a step that does not tell its own
    std::vector<std::string> m_ops;         //!< names, quoted
    std::vector<std::string> m_tensors;     //!< names, quoted
    std::vector<uint64_t> m_bytes;          //!< of tensors
    std::vector<std::string> m_aggregators; //!< of the current run, as they are written
    std::string m_prefix;                   //!< first fields of each row of the current run
    std::array<std::unique_ptr<ResultFile>, FILES> m_files; //!< null: it is not written
};

} // namespace ns3::dml

#endif /* DML_RESULT_CSV_H */

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The results of a script: of a network of its own, and what is refused. That they are those of a
// scenario on dml's networks is a test of the program (dml-ns3-script-test.sh).

#include "dml-case-suite.h"
#include "dml-error-of.h"
#include "dml-one-layer-profile.h"
#include "dml-routed-hosts.h"

#include "ns3/channel.h"
#include "ns3/dml-results-helper.h"
#include "ns3/names.h"
#include "ns3/simple-net-device.h"
#include "ns3/simulator.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

namespace fs = std::filesystem;

constexpr uint64_t TENSOR = 1000000;
constexpr uint32_t RESULT_STEPS = 4;

/// A folder that goes with this.
struct ResultPlace
{
    ResultPlace()
    {
        std::string name = (fs::temp_directory_path() / "dml-results-XXXXXX").string();
        path = mkdtemp(name.data());
    }

    ~ResultPlace()
    {
        fs::remove_all(path);
    }

    /// @return rows of a file, without the names of columns
    std::vector<std::vector<std::string>> Read(const std::string& file) const
    {
        std::vector<std::vector<std::string>> rows;
        std::ifstream input(path + "/" + file);
        std::string line;
        std::getline(input, line);
        while (std::getline(input, line))
        {
            rows.emplace_back();
            std::istringstream cells(line);
            for (std::string cell; std::getline(cells, cell, ',');)
            {
                rows.back().push_back(cell);
            }
        }
        return rows;
    }

    std::string path;
};

TrainingRun
MakeResultRun(const Profile& profile)
{
    return MakeTrainingRun(profile, 2, 1, RESULT_STEPS);
}

/// On a router and hosts that ns-3's helpers have made: every file is there, and what links carried
/// is what the job sent.
class OwnNetworkCase : public TestCase
{
  public:
    OwnNetworkCase()
        : TestCase("results of a job on a script's own network")
    {
    }

  private:
    void DoRun() override
    {
        const ResultPlace place;
        const Profile profile = MakeOneLayerProfile(TENSOR, 0.1, 0.01);
        const TrainingRun run = MakeResultRun(profile);
        const RoutedHosts hosts(3);
        NetDeviceContainer devices;
        for (uint32_t host = 0; host < 3; ++host)
        {
            const auto device = hosts.Get(host, 1).Get(0)->GetDevice(1);
            devices.Add(device);
            devices.Add(device->GetChannel()->GetDevice(1));
        }
        Names::Add("server", hosts.Get(0, 1).Get(0));
        Names::Add("router", devices.Get(1)->GetNode());
        {
            ResultsHelper results(place.path, profile, run);
            results.SetWarmup(1);
            OutputSpec output;
            output.plots = false;
            output.ops = true;
            output.shares = true;
            output.gradients = true;
            output.connections = true;
            output.versions = true;
            output.timeline = 1;
            results.SetOutput(output);
            TrainingJob job(run, TransferSpec(), results.GetObserver());
            const Endpoints endpoints(job, hosts, 2, Seconds(0));
            results.Watch(job, devices);
            NS_TEST_EXPECT_MSG_NE(ReadAll(place, "summary.json").find("\"missing_runs\": 1"),
                                  std::string::npos,
                                  "until it is done");
            job.SetFinishedCallback([] { Simulator::Stop(); });
            RoutedHosts::Run();
            results.Write();
        }
        Names::Clear();
        NS_TEST_EXPECT_MSG_EQ(place.Read("steps.csv").size(), 2 * RESULT_STEPS, "steps");
        NS_TEST_EXPECT_MSG_EQ(place.Read("transfers.csv").size(), 4 * RESULT_STEPS, "transfers");
        for (const char* file : {"ops.csv",
                                 "shares.csv",
                                 "gradients.csv",
                                 "connections.csv",
                                 "versions.csv",
                                 "throughput.csv"})
        {
            NS_TEST_EXPECT_MSG_EQ(place.Read(file).empty(), false, file);
        }
        NS_TEST_EXPECT_MSG_EQ(fs::exists(place.path + "/timelines"), true, "timelines");
        NS_TEST_EXPECT_MSG_EQ(ReadAll(place, "summary.json").find("missing_runs"),
                              std::string::npos,
                              "done");
        // workers, engine, replication, link, rate, bytes, ...: two tensors of a MB in each step,
        // in segments of 1448 bytes with 54 of headers
        std::map<std::string, double> sent;
        for (const auto& row : place.Read("network.csv"))
        {
            sent[row[3]] = std::stod(row[5]);
            NS_TEST_EXPECT_MSG_EQ(row[4], "100000000", "rate");
        }
        NS_TEST_EXPECT_MSG_EQ(sent.size(), 6, "links");
        const double payload = 2.0 * RESULT_STEPS * TENSOR;
        for (const char* link : {"server->router", "router->server"})
        {
            NS_TEST_EXPECT_MSG_GT(sent[link], payload * 1502 / 1448, link);
            NS_TEST_EXPECT_MSG_LT(sent[link], payload * 1502 / 1448 * 1.06, link << " and ACKs");
        }
        // utilisation of the server's link in bins adds up to the bytes that it carried
        std::map<std::string, double> carried;
        double width = 0;
        for (const auto& row : place.Read("links.csv"))
        {
            width = width == 0 ? std::stod(row[5]) : width; // of the first bin that is not at 0
            carried[row[3]] += std::stod(row[6]);
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(carried["downlink"] * width * 12.5e6,
                                  sent["server->router"],
                                  0.02 * payload,
                                  "from the server");
        NS_TEST_EXPECT_MSG_EQ_TOL(carried["uplink"] * width * 12.5e6,
                                  sent["router->server"],
                                  0.02 * payload,
                                  "to the server");
    }

    static std::string ReadAll(const ResultPlace& place, const std::string& file)
    {
        std::ostringstream text;
        text << std::ifstream(place.path + "/" + file).rdbuf();
        return text.str();
    }
};

class ResultMistakesCase : public TestCase
{
  public:
    ResultMistakesCase()
        : TestCase("what results cannot be made of")
    {
    }

  private:
    void DoRun() override
    {
        const ResultPlace place;
        const Profile profile = MakeOneLayerProfile(TENSOR, 0.1, 0.01);
        const TrainingRun run = MakeResultRun(profile);
        const RoutedHosts hosts(3);
        ResultsHelper results(place.path, profile, run);
        const auto expect = [this](const std::string& found, const std::string& wanted) {
            NS_TEST_EXPECT_MSG_EQ(found, wanted, "text");
        };
        expect(ErrorOf([&] { results.SetWarmup(RESULT_STEPS); }),
               "a warm-up of 4 steps; accepted: 0 to 3, as each worker does 4");
        OutputSpec output;
        output.pcap = true;
        expect(ErrorOf([&] { results.SetOutput(output); }),
               "output: found packet captures; accepted: EnablePcap() of ns-3's helpers in the "
               "script");
        expect(ErrorOf([&] { results.Write(); }),
               "results of no job; accepted: Watch() before Simulator::Run()");
        TrainingJob job(run, TransferSpec(), results.GetObserver());
        ParameterServerHelper(job).Install(hosts.Get(0, 1));
        expect(ErrorOf([&] { results.Watch(job, NetDeviceContainer()); }),
               "a job with 1 of 3 endpoints, to be measured; accepted: one with all endpoints "
               "installed");
        const auto workers = TrainingWorkerHelper(job).Install(hosts.Get(1, 2));
        expect(ErrorOf([&] {
                   results.Watch(job, NetDeviceContainer(CreateObject<SimpleNetDevice>()));
               }),
               "a device of type ns3::SimpleNetDevice, whose link is to be counted; accepted: a "
               "PointToPointNetDevice of a link");
        TrainingJob other(MakeResultRun(profile));
        const ClusterHelper cluster(NetworkSpec(), other.GetRun());
        cluster.Install(other);
        expect(ErrorOf([&] { results.Watch(other, cluster); }),
               "results of another run than that of the job; accepted: the same TrainingRun for "
               "both");
        results.Watch(job, NetDeviceContainer());
        expect(ErrorOf([&] { results.SetWarmup(1); }),
               "the warm-up was set after Watch() was called; accepted: before");
        const auto locked = ErrorOf([&] { ResultsHelper(place.path, profile, run); });
        NS_TEST_EXPECT_MSG_NE(locked.find(place.path), std::string::npos, locked);
        NetworkSpec faulty;
        faulty.faults.resize(1);
        expect(ErrorOf([&] { ClusterHelper(faulty, run); }),
               "a network with faults, which a script adds itself; accepted: one without, and "
               "ns-3's own error models on its nodes");
        expect(ErrorOf([&] { cluster.GetNode("worker7"); }),
               "no node 'worker7' in the network; accepted: switch, ps0, worker0, worker1");
        expect(ErrorOf([&] { cluster.Install(other); }),
               "a job that has endpoints, to be installed on a network; accepted: one without");
        TrainingJob larger(MakeTrainingRun(profile, 3, 1, 2));
        expect(ErrorOf([&] { cluster.Install(larger); }),
               "a network with the hosts of another job; accepted: those of 3 workers and 1 "
               "parameter servers");
    }
};

} // namespace

static CaseSuite g_resultsHelperSuite("dml-results-helper",
                                      {new OwnNetworkCase,
                                       new ResultMistakesCase}); //!< registers itself

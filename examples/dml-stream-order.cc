/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A worker pulls tensors, all asked for at once. Reads off the packets on the server's link which
// bytes of which HTTP/2 stream were on it when, next to the turns of the fair-share engine:
//
//   PS ---- switch ---- worker
//      ^ tap
//
// Without options: flow control of gRPC 1.30 and 1.51 and their likes, beside what was measured of
// them on Linux. With options: one case, turn by turn.

#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/dml-bdp-estimator.h"
#include "ns3/dml-channel-label.h"
#include "ns3/dml-error.h"
#include "ns3/dml-fair-share-engine.h"
#include "ns3/dml-goodput.h"
#include "ns3/dml-grant-rule.h"
#include "ns3/dml-packet-engine.h"
#include "ns3/dml-scenario-check.h"
#include "ns3/dml-stream-tap.h"
#include "ns3/dml-unit-parser.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <sstream>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr double MEGA = 1e6;
constexpr std::size_t MOST_TURNS = 16; // of a line
constexpr std::size_t MOST_ROWS = 60;  // of a table
constexpr uint64_t SMALL = 1000;       // bytes; an answer that carries no tensor has fewer

/// What is pulled, and how the receiver grants window.
struct Question
{
    std::vector<uint64_t> sizes{33500000, 33500000, 33500000, 33500000}; //!< bytes
    std::string grant{"message"};                                        //!< grant rule
    uint64_t window{28000000};                                           //!< WIN, bytes
    std::string policy{"Http2WindowPolicy"};                             //!< a TransferPolicy
    bool rejoin{false};                                                  //!< RejoinAtStart
    uint32_t steps{1};    //!< pulls one after another
    std::string measured; //!< MB per turn, on Linux
};

/// Bytes of one tensor that no other one's interrupt.
struct TensorTurn
{
    std::size_t tensor; //!< place among the pulls
    uint64_t bytes;     //!< how many
    double start;       //!< seconds from the step's first byte
    double end;         //!< seconds from the step's first byte
};

/// The turns of one step.
using Turns = std::vector<TensorTurn>;

/// Appends a turn to its step, with what came just before if it is of the same tensor.
void
Add(std::vector<Turns>& steps, std::size_t step, const TensorTurn& turn)
{
    steps.resize(std::max(steps.size(), step + 1));
    Turns& turns = steps[step];
    if (!turns.empty() && turns.back().tensor == turn.tensor)
    {
        turns.back().bytes += turn.bytes;
        turns.back().end = turn.end;
    }
    else
    {
        turns.push_back(turn);
    }
}

/// Collects the turns of the fair-share engine.
class TurnCollector : public RunListener<TurnCollector>
{
  public:
    void On(const ChunkRecord& record)
    {
        if (GetLabel(record.resource) == ResourceLabel::DOWNLINK && !record.parse)
        {
            Add(steps, record.step, {record.op, record.bytes, record.start, record.end});
        }
    }

    std::vector<Turns> steps; //!< by step
};

TrainingRun
MakeRun(const Question& question)
{
    Profile profile;
    profile.model = "pulls";
    profile.batchSize = 1;
    profile.devices = {{"gpu", 1}};
    for (std::size_t i = 0; i < question.sizes.size(); ++i)
    {
        const std::string name = "t" + std::to_string(i);
        profile.tensors.push_back({name, question.sizes[i]});
        profile.graph.Add({"pull/" + name, OpKind::PULL, 0, static_cast<TensorIndex>(i)});
        profile.samples.emplace_back();
    }
    profile.Validate();

    TrainingRun run = MakeTrainingRun(profile, 1, 1, question.steps);
    run.policy.SetTypeId("ns3::dml::" + question.policy);
    if (question.rejoin)
    {
        run.policy.Set("RejoinAtStart", BooleanValue(true));
    }
    run.windowRule = StreamWindowModel::RuleFromString(WindowRuleOf(question.grant));
    run.window = question.window;
    const bool ahead = question.grant == "capped" || question.grant == "bdp";
    run.lookahead = ahead ? GRANT_LOOKAHEAD : 0;
    return run;
}

/// @return the times of every step from its first byte on
std::vector<Turns>
FromFirstByte(std::vector<Turns> steps)
{
    for (Turns& turns : steps)
    {
        const double origin = turns.empty() ? 0 : turns.front().start;
        for (TensorTurn& turn : turns)
        {
            turn.start -= origin;
            turn.end -= origin;
        }
    }
    return steps;
}

std::vector<Turns>
RunFairShare(const Question& question, const NetworkSpec& network)
{
    FairShareNetwork model;
    const double rate =
        GetGoodput(network.rate, GetWireFormat(network.mtu, network.tcp.timestamps));
    model.links = MakeStarFlowNetwork({1, 1}, rate, rate);
    TrainingRun run = MakeRun(question);
    if (question.grant == "bdp")
    {
        run.window = BdpEstimator::MAX_WINDOW; // where it ends
    }
    TurnCollector collector;
    FairShareEngine(run, model, &collector).Run();
    return FromFirstByte(std::move(collector.steps));
}

std::vector<Turns>
RunPackets(const Question& question, const NetworkSpec& network, StreamTap& tap)
{
    TransferSpec transfer;
    transfer.grant = question.grant;
    PacketEngine engine(MakeRun(question), network, transfer, nullptr);
    engine.Tap(0, tap);
    engine.Run();
    std::vector<Turns> steps;
    for (const StreamTurn& turn : tap.GetTurnsByPlace(SMALL))
    {
        const std::size_t place = turn.stream; // requests leave in the order of the pulls
        const std::size_t tensors = question.sizes.size();
        Add(steps,
            place / tensors,
            {place % tensors, turn.bytes, turn.start.GetSeconds(), turn.end.GetSeconds()});
    }
    return FromFirstByte(std::move(steps));
}

/// @return "TENSOR:MB" for every turn, as far as a line goes
std::string
LineOf(const Turns& turns)
{
    std::ostringstream line;
    line << std::fixed;
    for (std::size_t i = 0; i < std::min(turns.size(), MOST_TURNS); ++i)
    {
        const double mega = static_cast<double>(turns[i].bytes) / MEGA;
        line << turns[i].tensor << ':' << std::setprecision(mega < 1 ? 2 : 1) << mega << ' ';
    }
    if (turns.size() > MOST_TURNS)
    {
        line << "... " << turns.size() - MOST_TURNS << " more";
    }
    return line.str();
}

std::string
TitleOf(const Question& question)
{
    return question.policy + (question.rejoin ? ", rejoining at the start" : "") + ", grant " +
           question.grant + ", window " + std::to_string(question.window) + " B";
}

void
PrintWindows(const StreamTap& tap)
{
    std::cout << "  windows    ";
    for (const WindowChange& change : tap.GetWindowChanges())
    {
        std::cout << ' ' << change.window << " B at " << std::fixed << std::setprecision(0)
                  << change.time.GetSeconds() * 1e3 << " ms";
    }
    std::cout << '\n';
}

/// A line per step and engine.
void
PrintLines(const Question& question, const NetworkSpec& network)
{
    StreamTap tap;
    const auto packets = RunPackets(question, network, tap);
    const auto fairShare = RunFairShare(question, network);
    std::cout << TitleOf(question) << '\n';
    for (std::size_t step = 0; step < packets.size(); ++step)
    {
        std::cout << "  packets     " << LineOf(packets[step]) << '\n';
    }
    std::cout << "  fair-share  " << LineOf(fairShare.front()) << '\n';
    if (question.grant == "bdp")
    {
        PrintWindows(tap);
    }
    if (!question.measured.empty())
    {
        std::cout << "  measured    " << question.measured << '\n';
    }
    std::cout << '\n';
}

void
PrintCells(const Turns& turns, std::size_t i, const Question& question)
{
    if (i >= turns.size())
    {
        std::cout << std::setw(45) << '-';
        return;
    }
    const TensorTurn& turn = turns[i];
    const auto bytes = static_cast<double>(turn.bytes);
    std::cout << std::fixed << std::setw(8) << turn.tensor << std::setprecision(3) << std::setw(9)
              << bytes / MEGA << std::setw(8) << bytes / static_cast<double>(question.window)
              << std::setprecision(2) << std::setw(10) << turn.start * 1e3 << std::setw(10)
              << turn.end * 1e3;
}

/// A row per turn.
void
PrintTable(const Question& question, const NetworkSpec& network)
{
    StreamTap tap;
    const auto packets = RunPackets(question, network, tap);
    const auto fairShare = RunFairShare(question, network);
    std::cout << TitleOf(question) << '\n';
    PrintWindows(tap);
    for (std::size_t step = 0; step < packets.size(); ++step)
    {
        std::cout << "step " << step << std::setw(12) << "packets" << std::setw(48) << "fair-share"
                  << "\n  turn";
        for (int engine = 0; engine < 2; ++engine)
        {
            std::cout << "  tensor       MB windows  start ms    end ms";
        }
        std::cout << '\n';
        const std::size_t rows = std::max(packets[step].size(), fairShare[step].size());
        for (std::size_t i = 0; i < std::min(rows, MOST_ROWS); ++i)
        {
            std::cout << std::setw(6) << i;
            PrintCells(packets[step], i, question);
            PrintCells(fairShare[step], i, question);
            std::cout << '\n';
        }
        if (rows > MOST_ROWS)
        {
            std::cout << "  ... " << rows - MOST_ROWS << " more\n";
        }
    }
}

uint64_t
ReadSize(const std::string& option, const std::string& text, uint64_t most)
{
    const auto size = ParseSize(text);
    if (!size || *size == 0 || *size > most)
    {
        throw InputError("--" + option + ": found '" + text + "'; accepted: 1 to " +
                         std::to_string(most) + " bytes, such as 28MB");
    }
    return *size;
}

/// @return whether @p question was asked by options; else the overview is
bool
ReadOptions(int argc, char* argv[], Question& question)
{
    std::string sizes;
    std::string window;
    CommandLine cmd(__FILE__);
    cmd.AddValue("sizes", "Sizes of the tensors, such as 33.5MB,1MB", sizes);
    cmd.AddValue("window", "HTTP/2 window of a stream, such as 28MB", window);
    cmd.AddValue("grant", "Grant rule: " + GrantRuleNames(), question.grant);
    cmd.AddValue("policy", "Http2WindowPolicy, RoundRobinPolicy or FifoPolicy", question.policy);
    cmd.AddValue("rejoin", "Unfinished streams rejoin the queue at their start", question.rejoin);
    cmd.AddValue("steps", "How often all tensors are pulled", question.steps);
    cmd.Parse(argc, argv);
    MakeGrantRule(question.grant);
    TypeId policy;
    if (!TypeId::LookupByNameFailSafe("ns3::dml::" + question.policy, &policy) ||
        !policy.IsChildOf(TransferPolicy::GetTypeId()) || !policy.HasConstructor())
    {
        throw InputError("--policy: found '" + question.policy +
                         "'; accepted: Http2WindowPolicy, RoundRobinPolicy, FifoPolicy");
    }
    if (question.rejoin && question.policy == "FifoPolicy")
    {
        throw InputError("--rejoin: found with FifoPolicy, which interrupts no stream");
    }
    if (question.steps == 0)
    {
        throw InputError("--steps: found 0; accepted: at least 1");
    }
    if (question.grant == "bdp")
    {
        question.window = BdpEstimator::MIN_WINDOW;
    }
    if (!window.empty())
    {
        question.window = ReadSize("window", window, HTTP2_MAX_WINDOW);
    }
    if (!sizes.empty())
    {
        constexpr uint64_t most = 4000000000; // a gRPC message has a length of 32 bits
        question.sizes.clear();
        std::istringstream stream(sizes);
        for (std::string size; std::getline(stream, size, ',');)
        {
            question.sizes.push_back(ReadSize("sizes", size, most));
        }
    }
    return argc > 1;
}

/// @return 4 tensors of 33.5 MB under all rules, then tensors of 2, 5, 1, 4, 7 windows
std::vector<Question>
MakeOverview()
{
    constexpr uint64_t beside = 40; // bytes of a message beside the tensor
    std::vector<Question> questions;
    const auto ask = [&](const std::string& grant, uint64_t window, const std::string& measured) {
        Question question;
        question.grant = grant;
        question.window = window;
        question.steps = grant == "bdp" ? 3 : 1;
        question.measured = measured;
        return &questions.emplace_back(question);
    };
    ask("message", 65535, "0.07 each, then each whole (1.30, 65535 B)");
    ask("message", 28000000, "");
    ask("message", 29360128, "33.5 (0.07) 29.4 29.4; 33.5 4.2 4.2 (1.30, 28 MiB)")->rejoin = true;
    ask("message", 10700000, "33.5; 10.7 10.7 10.7; 22.9 22.9 22.9 (1.30)")->rejoin = true;
    ask("consume", BdpEstimator::MIN_WINDOW, "");
    ask("capped", 65535, "round robin, 1.11 a turn (1.51, 65535 B)");
    ask("capped", BdpEstimator::MIN_WINDOW, "");
    ask("bdp", BdpEstimator::MIN_WINDOW, "");
    ask("bdp",
        BdpEstimator::MIN_WINDOW,
        "9.4 5.7 5.7 9.8; 10.8 17.2 17.2 23.8; the rest; later each whole (1.51)")
        ->rejoin = true;
    ask("message", HTTP2_MAX_WINDOW, "");
    ask("message", HTTP2_MAX_WINDOW, "")->policy = "RoundRobinPolicy";
    for (const uint64_t window : {65536, 1000000})
    {
        for (const std::string grant : {"message", "consume", "capped"})
        {
            Question& question = *ask(grant, window, "");
            question.sizes.clear();
            for (const uint64_t windows : {2, 5, 1, 4, 7})
            {
                question.sizes.push_back(windows * window - beside);
            }
        }
    }
    return questions;
}

} // namespace

int
main(int argc, char* argv[])
{
    NetworkSpec network;     // a star of 1 Gbit/s links
    network.queue.bytes = 0; // that never drops
    network.mtu = 9000;      // fewer packets, the same turns
    try
    {
        Question question;
        if (ReadOptions(argc, argv, question))
        {
            PrintTable(question, network);
            return 0;
        }
        std::cout << "TENSOR:MB of every turn, in order\n\n";
        for (const Question& each : MakeOverview())
        {
            PrintLines(each, network);
        }
        return 0;
    }
    catch (const std::exception& error)
    {
        std::cerr << "dml-stream-order: " << error.what() << '\n';
        return 2;
    }
}

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-host-libraries.h"
#include "ns3/dml-wall-clock-simulator.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <gloo/allreduce.h>
#include <gloo/context.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/transport/tcp/device.h>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

/// Lets Gloo's ranks find each other.
class BoardStore : public gloo::rendezvous::Store
{
  public:
    BoardStore(SharedBoard& board, uint32_t rank)
        : m_board(board),
          m_rank(rank)
    {
    }

    void set(const std::string& key, const std::vector<char>& data) override
    {
        m_board.Set(m_rank, key, {data.begin(), data.end()});
    }

    std::vector<char> get(const std::string& key) override
    {
        wait({key});
        const auto text = m_board.Get(key);
        return {text->begin(), text->end()};
    }

    void wait(const std::vector<std::string>& keys) override
    {
        wait(keys, kDefaultTimeout);
    }

    void wait(const std::vector<std::string>& keys,
              const std::chrono::milliseconds& timeout) override
    {
        const auto end = std::chrono::steady_clock::now() + timeout;
        for (const auto& key : keys)
        {
            while (!m_board.Get(key))
            {
                if (std::chrono::steady_clock::now() > end)
                {
                    throw std::runtime_error("rank " + key + " has not come");
                }
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        }
    }

  private:
    SharedBoard& m_board; //!< of all ranks
    uint32_t m_rank;      //!< of this process
};

/// Gloo takes a reference to the store, and from 2025 on a shared pointer.
template <typename Context>
void
ConnectFullMesh(Context& context,
                const std::shared_ptr<gloo::rendezvous::Store>& store,
                std::shared_ptr<gloo::transport::Device>& device)
{
    if constexpr (std::is_invocable_v<decltype(&Context::connectFullMesh),
                                      Context&,
                                      std::shared_ptr<gloo::rendezvous::Store>,
                                      std::shared_ptr<gloo::transport::Device>&>)
    {
        context.connectFullMesh(store, device);
    }
    else
    {
        context.connectFullMesh(*store, device);
    }
}

/**
 * All-reduce by Gloo over the kernel's TCP, with real sums of real numbers.
 *
 * A thread of its own connects all ranks with each other and reduces one buffer after the other;
 * the simulator's thread is told when one is done. A float counts four bytes.
 */
class GlooCollectives : public CollectiveService
{
  public:
    /// @param rank of this process
    explicit GlooCollectives(const GlooRank& rank);
    ~GlooCollectives() override;

    void AllReduce(uint64_t bytes, std::function<void()> done) override;

  private:
    /// A buffer to be reduced.
    using Work = std::pair<uint64_t, std::function<void()>>;

    void Loop();
    std::shared_ptr<gloo::Context> Connect() const;
    bool Await(Work& work);

    GlooRank m_rank;                   //!< of this process
    WallClockSimulator& m_simulator;   //!< simulator whose thread is told
    std::mutex m_mutex;                //!< of what follows
    std::condition_variable m_changed; //!< there is work, or an end
    std::deque<Work> m_work;           //!< to be done
    bool m_ends{false};                //!< nobody wants anything any more
    std::vector<float> m_buffer;       //!< of the thread
    std::thread m_thread;              //!< at work
};

GlooCollectives::GlooCollectives(const GlooRank& rank)
    : m_rank(rank),
      m_simulator(WallClockSimulator::Get()),
      m_thread([this] { Loop(); })
{
}

GlooCollectives::~GlooCollectives()
{
    {
        const std::lock_guard<std::mutex> lock(m_mutex);
        m_ends = true;
        m_changed.notify_all();
    }
    m_thread.detach(); // it may wait for ranks that are gone; the process ends next
}

void
GlooCollectives::AllReduce(uint64_t bytes, std::function<void()> done)
{
    const std::lock_guard<std::mutex> lock(m_mutex);
    m_work.emplace_back(bytes, std::move(done));
    m_changed.notify_all();
}

bool
GlooCollectives::Await(Work& work)
{
    std::unique_lock<std::mutex> lock(m_mutex);
    m_changed.wait(lock, [this] { return m_ends || !m_work.empty(); });
    if (m_ends)
    {
        return false;
    }
    work = std::move(m_work.front());
    m_work.pop_front();
    return true;
}

std::shared_ptr<gloo::Context>
GlooCollectives::Connect() const
{
    auto device = gloo::transport::tcp::CreateDevice(m_rank.address.c_str());
    auto context = std::make_shared<gloo::rendezvous::Context>(m_rank.rank, m_rank.ranks);
    ConnectFullMesh(*context, std::make_shared<BoardStore>(*m_rank.board, m_rank.rank), device);
    return context;
}

void
GlooCollectives::Loop()
{
    try
    {
        const auto context = Connect();
        uint32_t tag = 0;
        for (Work work; Await(work);)
        {
            const std::size_t numbers = (work.first + sizeof(float) - 1) / sizeof(float);
            m_buffer.resize(std::max(m_buffer.size(), numbers));
            if (numbers > 0 && m_rank.ranks > 1)
            {
                gloo::AllreduceOptions options(context);
                options.setOutput(m_buffer.data(), numbers);
                options.setReduceFunction(
                    static_cast<void (*)(void*, const void*, const void*, std::size_t)>(
                        &gloo::sum<float>));
                options.setAlgorithm(gloo::AllreduceOptions::Algorithm::RING);
                options.setTag(tag++);
                gloo::allreduce(options);
            }
            m_simulator.Post(std::move(work.second));
        }
    }
    catch (const std::exception& error)
    {
        m_simulator.Post([failed = m_rank.failed, text = std::string("Gloo: ") + error.what()] {
            failed(text);
        });
    }
}

} // namespace

} // namespace ns3::dml

/// Found by its name when the library is loaded. @param rank of this process @return a new one
extern "C" ns3::dml::CollectiveService*
DmlMakeGlooCollectives(const ns3::dml::GlooRank& rank)
{
    return new ns3::dml::GlooCollectives(rank);
}

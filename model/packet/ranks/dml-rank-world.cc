/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-rank-world.h"

#include "ns3/dml-error.h"

#ifdef DML_MPI
#include "ns3/mpi-interface.h"

#include <algorithm>
#include <array>
#include <mpi.h>
#endif

#include <cstdlib>

namespace ns3::dml
{

#ifdef DML_MPI

struct RankWorld::Pending
{
    std::vector<int64_t> mine;           //!< to be summed up
    int64_t myLeast;                     //!< of this rank
    Combined all;                        //!< of all
    std::array<MPI_Request, 2> requests; //!< of the sums and the least
};

namespace
{

MPI_Comm g_ours = MPI_COMM_NULL; //!< apart from ns-3's messages

/// Longest message of a gathering, bytes.
constexpr std::size_t LONGEST = 1 << 28;

} // namespace

bool
RankWorld::IsSupported()
{
    return true;
}

RankWorld::RankWorld()
{
    MpiInterface::Enable(nullptr, nullptr);
    MPI_Comm_dup(MPI_COMM_WORLD, &g_ours);
}

RankWorld::~RankWorld()
{
    MPI_Comm_free(&g_ours);
    MpiInterface::Disable();
}

uint32_t
RankWorld::GetRank() const
{
    return MpiInterface::GetSystemId();
}

uint32_t
RankWorld::GetRanks() const
{
    return MpiInterface::GetSize();
}

std::vector<std::string>
RankWorld::Gather(const std::string& bytes) const
{
    constexpr int TAG = 1;
    if (GetRank() != 0)
    {
        const uint64_t size = bytes.size();
        MPI_Send(&size, 1, MPI_UINT64_T, 0, TAG, g_ours);
        for (std::size_t at = 0; at < bytes.size(); at += LONGEST)
        {
            const auto length = std::min(LONGEST, bytes.size() - at);
            MPI_Send(bytes.data() + at, static_cast<int>(length), MPI_BYTE, 0, TAG, g_ours);
        }
        return {};
    }
    std::vector<std::string> all{bytes};
    for (uint32_t rank = 1; rank < GetRanks(); ++rank)
    {
        const auto from = static_cast<int>(rank);
        uint64_t size = 0;
        MPI_Recv(&size, 1, MPI_UINT64_T, from, TAG, g_ours, MPI_STATUS_IGNORE);
        std::string theirs(size, '\0');
        for (std::size_t at = 0; at < size; at += LONGEST)
        {
            const auto length = static_cast<int>(std::min<std::size_t>(LONGEST, size - at));
            MPI_Recv(theirs.data() + at, length, MPI_BYTE, from, TAG, g_ours, MPI_STATUS_IGNORE);
        }
        all.push_back(std::move(theirs));
    }
    return all;
}

std::vector<std::string>
RankWorld::Exchange(const std::string& bytes) const
{
    const auto size = static_cast<int>(bytes.size());
    std::string all(bytes.size() * GetRanks(), '\0');
    MPI_Allgather(bytes.data(), size, MPI_BYTE, all.data(), size, MPI_BYTE, g_ours);
    std::vector<std::string> parts;
    for (uint32_t rank = 0; rank < GetRanks(); ++rank)
    {
        parts.push_back(all.substr(rank * bytes.size(), bytes.size()));
    }
    return parts;
}

void
RankWorld::StartCombining(const std::vector<int64_t>& values, int64_t least)
{
    m_pending = std::make_unique<Pending>();
    Pending& pending = *m_pending;
    pending.mine = values;
    pending.myLeast = least;
    pending.all.sums.resize(values.size());
    MPI_Iallreduce(pending.mine.data(),
                   pending.all.sums.data(),
                   static_cast<int>(values.size()),
                   MPI_INT64_T,
                   MPI_SUM,
                   g_ours,
                   &pending.requests[0]);
    MPI_Iallreduce(&pending.myLeast,
                   &pending.all.least,
                   1,
                   MPI_INT64_T,
                   MPI_MIN,
                   g_ours,
                   &pending.requests[1]);
}

RankWorld::Combined
RankWorld::FinishCombining()
{
    MPI_Waitall(2, m_pending->requests.data(), MPI_STATUSES_IGNORE);
    Combined all = std::move(m_pending->all);
    m_pending.reset();
    return all;
}

void
RankWorld::Abort()
{
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
}

#else

struct RankWorld::Pending
{
};

bool
RankWorld::IsSupported()
{
    return false;
}

RankWorld::RankWorld()
{
    throw InputError("--ranks: this dml is built against an ns-3 without MPI; accepted: 1, or "
                     "any number once './dml build --mpi' has built one with it");
}

RankWorld::~RankWorld() = default;

uint32_t
RankWorld::GetRank() const
{
    return 0;
}

uint32_t
RankWorld::GetRanks() const
{
    return 1;
}

std::vector<std::string>
RankWorld::Gather(const std::string& bytes) const
{
    return {bytes};
}

std::vector<std::string>
RankWorld::Exchange(const std::string& bytes) const
{
    return {bytes};
}

void
RankWorld::StartCombining(const std::vector<int64_t>&, int64_t)
{
}

RankWorld::Combined
RankWorld::FinishCombining()
{
    return {};
}

void
RankWorld::Abort()
{
    std::abort();
}

#endif

} // namespace ns3::dml

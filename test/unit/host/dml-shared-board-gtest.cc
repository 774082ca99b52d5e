/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-error.h"
#include "ns3/dml-shared-board.h"

#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using namespace ns3::dml;

TEST(SharedBoard, ProcessesReadWhatOthersLeave)
{
    constexpr uint32_t OWNERS = 3;
    constexpr std::size_t SIZE = 1000;
    SharedBoard board(OWNERS, SIZE);
    EXPECT_FALSE(board.Get("0"));
    for (uint32_t owner = 0; owner < OWNERS; ++owner)
    {
        const pid_t child = fork();
        if (child == 0)
        {
            board.Set(owner, std::to_string(owner), std::string(SIZE, 'a' + owner));
            board.Set(owner, "empty" + std::to_string(owner), "");
            _exit(0);
        }
        int status = 1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_EQ(status, 0);
    }
    for (uint32_t owner = 0; owner < OWNERS; ++owner)
    {
        EXPECT_EQ(board.Get(std::to_string(owner)), std::string(SIZE, 'a' + owner));
        EXPECT_EQ(board.Get("empty" + std::to_string(owner)), "");
    }
    EXPECT_FALSE(board.Get("3"));
}

TEST(SharedBoard, WhatDoesNotFitIsRefused)
{
    SharedBoard board(1, 10);
    EXPECT_THROW(board.Set(1, "a", ""), RunError);
    EXPECT_THROW(board.Set(0, "a", std::string(17, 'x')), RunError);
    EXPECT_THROW(board.Set(0, std::string(SharedBoard::MOST_KEY + 1, 'k'), ""), RunError);
    for (uint32_t i = 0; i < SharedBoard::MOST_TEXTS; ++i)
    {
        board.Set(0, std::to_string(i), "text");
    }
    EXPECT_THROW(board.Set(0, "one more", "text"), RunError);
    EXPECT_EQ(board.Get("3"), "text");
}

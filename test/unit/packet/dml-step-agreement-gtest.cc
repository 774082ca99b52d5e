/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-step-agreement.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>

using namespace ns3::dml;

/// Answers are words: WORKER/CALL=STEP.
TEST(StepAgreement, AllAreToldTheHighestOnceAllHaveToldTheirs)
{
    std::string words;
    StepAgreement agreement([&words](uint32_t worker, int32_t call, uint32_t step) {
        words +=
            std::to_string(worker) + "/" + std::to_string(call) + "=" + std::to_string(step) + " ";
    });
    agreement.Begin(3);
    agreement.Take(4, 9, 6);
    agreement.Take(1, 0, 7);
    EXPECT_EQ(words, "");
    agreement.Take(2, 3, 5);
    EXPECT_EQ(std::exchange(words, ""), "1/0=7 2/3=7 4/9=7 ");
    agreement.Take(1, 0, 8); // of those who agree next
    agreement.Begin(2);
    agreement.Take(2, 4, 1);
    EXPECT_EQ(words, "") << "what was told before has been forgotten";
    agreement.Take(1, 0, 2);
    EXPECT_EQ(words, "1/0=2 2/4=2 ");
}

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scratch-folder.h"

#include "ns3/dml-job-file.h"

#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

/// Files of jobs, most of them wrong.
class DmlJobFile : public ::testing::Test
{
  protected:
    /// @param rest of a job, after what is the same in all @return what is wrong with it
    std::string GetError(const std::string& rest) const
    {
        const std::string path = m_folder.Write("job.yaml", HEAD + rest);
        return m_folder.ErrorOf([&] { ReadJob(path); });
    }

    static constexpr const char* HEAD = "schema: dml-job/1\nmodel: m\nbatch_size: 4\nworkers: 1\n"
                                        "servers: 0\nsteps: 3\n"
                                        "measured: [{step: 1, forward: 0.5, backward: 0.5}]\n"
                                        "devices: [cpu]\n";

    ScratchFolder m_folder; //!< of the test's files
};

} // namespace

TEST_F(DmlJobFile, GivesBackTheSame)
{
    JobStep job;
    job.model = "odd: \"model\"\n";
    job.batch = 12;
    job.source = {{"a: \"key\"", "\u00e9"}, {"engine", "host"}};
    job.workers = 2;
    job.servers = 1;
    job.steps = 7;
    job.names = {"pull/a b", "fwd: #1", "step ends"};
    job.devices = {"worker 0, downlink PS 0", "worker 1, \"cpu\""};
    job.ops.resize(3);
    job.ops[0] = {{JobOpKind::PULL, 0, 0, 0, 12345678901, 0}, 0.1, 1e-7};
    job.ops[1] = {{JobOpKind::FORWARD, 1, 1, 0, 0, 1}, 1.0 / 3, 0};
    job.ops[2] = {{JobOpKind::JOIN, 2, 1, 0, 0}, 0, 0};
    job.inStep = {{0, 1}, {0, 2}, {1, 2}};
    job.toNext = {{2, 0}, {1, 1}};
    job.measured = {{1.5, 0.25, 1e-9}, {2, 0, 0}};
    job.unmatched = {"3 things: \"x\""};
    const std::string text = WriteJob(job);
    const JobStep read = ReadJob(m_folder.Write("job.yaml", text));
    EXPECT_EQ(WriteJob(read), text);
    EXPECT_EQ(read.model, job.model);
    EXPECT_EQ(read.source, job.source);
    EXPECT_EQ(read.inStep, job.inStep);
    EXPECT_EQ(read.ops[1].seconds, 1.0 / 3);
    EXPECT_EQ(read.ops[0].op.bytes, 12345678901U);
    EXPECT_EQ(read.ops[2].op.device, JobOp::NO_DEVICE);
    EXPECT_EQ(read.unmatched, job.unmatched);
    EXPECT_EQ(read.measured[0].backward, 1e-9);
}

TEST_F(DmlJobFile, ErrorsNameThePlace)
{
    EXPECT_EQ(GetError("ops: [{name: a, kind: sing, worker: 0}]\n"),
              "job.yaml:9:23: ops[0].kind: found \"sing\"; accepted: join, forward, backward, "
              "compute, pull, push, collective, move, parse, update");
    EXPECT_EQ(GetError("ops: [{name: a, kind: join, worker: 1}]\n"),
              "job.yaml:9:37: ops[0].worker: found \"1\"; accepted: an integer from 0 to "
              "0");
    EXPECT_EQ(GetError("ops: [{name: a, kind: forward, worker: 0, device: 1}]\n"),
              "job.yaml:9:51: ops[0].device: found \"1\"; accepted: an integer from 0 to "
              "0");
    EXPECT_EQ(GetError("ops: [{name: a, kind: join, worker: 0, deps: [0]}]\n").substr(0, 21),
              "job.yaml:9:6: ops: op");
    EXPECT_EQ(GetError("ops: [{name: a, kind: join, worker: 0, deps: [7]}]\n"),
              "job.yaml:9:47: ops[0].deps[0]: found \"7\"; accepted: an integer from 0 "
              "to 0");
    EXPECT_EQ(GetError("ops: [{name: a, kind: join, worker: 0, seconds: -1}]\n"),
              "job.yaml:9:49: ops[0].seconds: found \"-1\"; accepted: a number of "
              "seconds from 0 to 100000000");
    EXPECT_EQ(GetError("ops: []\n"),
              "job.yaml:9:6: ops: found an empty list; accepted: a list of "
              "at least one op");
    EXPECT_NE(GetError("ops: [{name: a, kind: join, worker: 0, colour: red}]\n").find("colour"),
              std::string::npos);
    const std::string path = m_folder.Write("job.yaml", "schema: dml-profile/1\n");
    EXPECT_EQ(m_folder.ErrorOf([&] { ReadJob(path); }),
              "job.yaml:1:9: schema: found \"dml-profile/1\"; accepted: dml-job/1 (dml import job "
              "writes it)");
}

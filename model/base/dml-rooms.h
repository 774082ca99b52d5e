/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Doxygen's groups: one for each room of the list in CONTRIBUTING.md, in its order. The test
// `rooms` compares. Nothing includes this file.

/**
 * @defgroup dml Distributed machine learning
 * @brief Data-parallel training, predicted from the profile of one worker.
 */

/**
 * @defgroup dml-base Errors, text and input
 * @ingroup dml
 * @brief Errors, text, checksums, child programs.
 */

/**
 * @defgroup dml-workload What is trained
 * @ingroup dml
 * @brief Tensors, graph of ops, samples. Plain data.
 */

/**
 * @defgroup dml-memory Memory of a step
 * @ingroup dml
 * @brief What a step holds: live ranges, peak, recomputation, accumulation.
 */

/**
 * @defgroup dml-collective Algorithms of all-reduce
 * @ingroup dml
 * @brief Who sends which part to whom.
 */

/**
 * @defgroup dml-compute Devices
 * @ingroup dml
 * @brief Slots, speed, batch size to time.
 */

/**
 * @defgroup dml-policy Orders of transfers
 * @ingroup dml
 * @brief Which transfer goes next, and how much of it.
 */

/**
 * @defgroup dml-sync Synchronisation and batch sizes
 * @ingroup dml
 * @brief Who waits for whom.
 */

/**
 * @defgroup dml-record Records of a run
 * @ingroup dml
 * @brief What happened: records, observers.
 */

/**
 * @defgroup dml-protocol Protocols and plans
 * @ingroup dml
 * @brief Profile and endpoints to a plan: a Protocol each.
 */

/**
 * @defgroup dml-execution Execution of steps
 * @ingroup dml
 * @brief Who does what when: the executor, the sync server.
 */

/**
 * @defgroup dml-network Networks
 * @ingroup dml
 * @brief Topologies, routes, goodput.
 */

/**
 * @defgroup dml-fairshare The fair-share engine
 * @ingroup dml
 * @brief Analytical: event loop, sharing rules.
 */

/**
 * @defgroup dml-http2 HTTP/2 and gRPC messages
 * @ingroup dml
 * @brief nghttp2 without I/O.
 */

/**
 * @defgroup dml-packet The packet engine
 * @ingroup dml
 * @brief ns-3, packet by packet: applications, transports, TCP, probes, ranks.
 */

/**
 * @defgroup dml-apps Applications
 * @ingroup dml-packet
 * @brief Parameter servers and workers as ns-3 applications.
 */

/**
 * @defgroup dml-transport Transports
 * @ingroup dml-packet
 * @brief How requests and tensors become bytes of TCP.
 */

/**
 * @defgroup dml-host The host engine
 * @ingroup dml
 * @brief Namespaces, links, processes in real time.
 */

/**
 * @defgroup dml-replay Global graphs and their replay
 * @ingroup dml
 * @brief The global data-flow graph of a job: execution, replay, critical path, slack.
 */

/**
 * @defgroup dml-metrics Metrics
 * @ingroup dml
 * @brief Throughput, intervals, stop rules.
 */

/**
 * @defgroup dml-scenario Scenarios
 * @ingroup dml
 * @brief The scenario, its keys and its check.
 */

/**
 * @defgroup dml-prepare From a scenario to runs
 * @ingroup dml
 * @brief What the runs of a scenario need.
 */

/**
 * @defgroup dml-match Matched comparison
 * @ingroup dml
 * @brief Recorded steps as the fair-share engine predicts them from the instants at which they
 * began.
 */

/**
 * @defgroup dml-report Reports
 * @ingroup dml
 * @brief What a run leaves: CSV, JSON, trace, plots, tables.
 */

/**
 * @defgroup dml-helper Helpers
 * @ingroup dml
 * @brief A job on nodes and links of a script's own.
 */

/**
 * @defgroup dml-import Import of traces
 * @ingroup dml
 * @brief Formats of traces to a profile.
 */

/**
 * @defgroup dml-study Studies
 * @ingroup dml
 * @brief Cases, store, process pool, costs.
 */

/**
 * @defgroup dml-search Searches
 * @ingroup dml
 * @brief Values of keys that make a job fast, or explain what was measured.
 */

/**
 * @defgroup dml-why Explanations
 * @ingroup dml
 * @brief Critical paths of runs, what-ifs, why engines differ.
 */

/**
 * @defgroup dml-learn Learning
 * @ingroup dml
 * @brief Real SGD on small problems, in the order of simulated runs.
 */

/**
 * @defgroup dml-certify Certificates
 * @ingroup dml
 * @brief A scenario in small, and how far engines are from real processes on it.
 */

/**
 * @defgroup dml-cli Commands
 * @ingroup dml
 * @brief What the program dml can be told to do.
 */

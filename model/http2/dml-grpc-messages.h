/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GRPC_MESSAGES_H
#define DML_GRPC_MESSAGES_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace ns3::dml
{

/// Path of the RPC that runs a worker's step on a server (TensorFlow's worker_service.proto).
constexpr const char* RUN_GRAPH_PATH = "/tensorflow.WorkerService/RunGraph";
/// Path of the RPC that fetches one tensor (TensorFlow's worker_service.proto).
constexpr const char* RECV_TENSOR_PATH = "/tensorflow.WorkerService/RecvTensor";

/// Values that come with a graph's run, by name: tensorflow.NamedTensorProto, scalars of DT_DOUBLE.
using NamedValues = std::map<std::string, double>;

/**
 * @ingroup dml-http2
 * @brief tensorflow.RunGraphRequest of TensorFlow's worker.proto, as far as it is used.
 */
struct RunGraphRequest
{
    int64_t stepId{0};       //!< field 2
    std::string graphHandle; //!< field 1: names the registered graph
    NamedValues send{};      //!< field 3: what is fed to it

    /// @return the protobuf message
    std::string Encode() const;
    /// @return what @p bytes say, other fields ignored; nothing if they are no such message
    static std::optional<RunGraphRequest> Decode(const std::string& bytes);
};

/**
 * @ingroup dml-http2
 * @brief tensorflow.RunGraphResponse of TensorFlow's worker.proto, as far as it is used.
 */
struct RunGraphResponse
{
    int32_t statusCode{0}; //!< field 5: tensorflow.error.Code, 0 for success
    NamedValues recv{};    //!< field 1: what it gave

    /// @return the protobuf message; empty for success
    std::string Encode() const;
    /// @return what @p bytes say, other fields ignored; nothing if they are no such message
    static std::optional<RunGraphResponse> Decode(const std::string& bytes);
};

/**
 * @ingroup dml-http2
 * @brief tensorflow.RecvTensorRequest of TensorFlow's worker.proto, as far as it is used.
 */
struct RecvTensorRequest
{
    int64_t stepId{0};         //!< field 1
    std::string rendezvousKey; //!< field 2: which tensor, see RendezvousKey

    /// @return the protobuf message
    std::string Encode() const;
    /// @return what @p bytes say, other fields ignored; nothing if they are no such message
    static std::optional<RecvTensorRequest> Decode(const std::string& bytes);
};

/**
 * @brief The start of a tensorflow.RecvTensorResponse that carries a tensor of zeros.
 *
 * TensorProto with dtype, a shape of one dimension, and tensor_content: DT_FLOAT, or DT_UINT8 if
 * the size is no multiple of 4.
 *
 * @param tensorBytes size of the tensor's content
 * @return the bytes that precede the content: with @p tensorBytes zero bytes after them they are
 *         exactly one valid message
 */
std::string RecvTensorResponseHead(uint64_t tensorBytes);

/// @return bytes of the whole RecvTensorResponse for a tensor of @p tensorBytes
uint64_t RecvTensorResponseSize(uint64_t tensorBytes);

} // namespace ns3::dml

#endif /* DML_GRPC_MESSAGES_H */

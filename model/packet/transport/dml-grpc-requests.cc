/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-grpc-requests.h"

#include "ns3/dml-rendezvous-key.h"

namespace ns3::dml
{

std::string
MakeRecvTensorMessage(const TransportEnds& ends, const std::string& name, uint32_t step)
{
    RecvTensorRequest request;
    request.stepId = step;
    RendezvousKey key;
    key.source = ends.peer;
    key.destination = ends.self;
    key.edge = name;
    request.rendezvousKey = key.Encode();
    return request.Encode();
}

void
HandleGrpcRequest(int32_t call,
                  const std::string& path,
                  const std::string& message,
                  TransportListener& listener,
                  GrpcRequestHandler& handler)
{
    if (path == RUN_GRAPH_PATH)
    {
        if (const auto request = RunGraphRequest::Decode(message))
        {
            listener.GraphRequested(call, *request);
            return;
        }
    }
    else if (path == RECV_TENSOR_PATH)
    {
        if (const auto request = RecvTensorRequest::Decode(message))
        {
            const auto key = RendezvousKey::Decode(request->rendezvousKey);
            const OpIndex op =
                listener.FindTransfer(key ? key->edge : std::string(), request->stepId);
            if (op != NO_INDEX)
            {
                handler.HandleTensor(call, op, message);
                return;
            }
            listener.Failed("asked for '" + request->rendezvousKey + "' of step " +
                            std::to_string(request->stepId) + ", which is not to be had");
            return;
        }
    }
    listener.Failed("a request that cannot be understood came for " + path);
}

} // namespace ns3::dml

#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# What a short run puts on the wire, as tshark's HTTP/2, gRPC and protobuf dissectors see it:
# every message decoded, message sizes equal to the tensors', nothing malformed.
# usage: dml-pcap-test.sh PROGRAM; exits with 77 (skipped) where tshark is not installed

set -euo pipefail
PROGRAM=$(readlink -f "$1")
HERE=$(dirname "$(readlink -f "$0")")
if ! command -v tshark >/dev/null; then
    echo "skipped: tshark is not installed (Debian package tshark)"
    exit 77
fi
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
trap 'echo "FAILED: line $LINENO: $BASH_COMMAND"' ERR
STEPS=3
WORKERS=2

fail()
{
    echo "FAILED: $*"
    exit 1
}

run_packets() # OUT ARGUMENT...
{
    local out=$1
    shift
    "$PROGRAM" run "$HERE/../data/tiny.yaml" --engine=packet --out "$WORK/$out" \
        --set output.pcap=true --set "job.workers=[$WORKERS]" --set job.steps=$STEPS \
        --set job.warmup=1 --set replications=1 --set job.parameter_servers=1 "$@" >/dev/null
}
run_packets out
run_packets p3 --set transfer.policy=p3 --set transfer.window=off

read_pcap() # FILE TSHARK-ARGUMENT...; of the first run unless $OUT says otherwise
{
    local file=$1
    shift
    tshark -r "$WORK/${OUT:-out}/$file" -d tcp.port==50051,http2 -o tcp.reassemble_out_of_order:TRUE "$@" \
        2>"$WORK/tshark.err"
}

pcap=W$WORKERS-ps0.pcap
[[ -s $WORK/out/$pcap ]] || fail "no $pcap: $(ls "$WORK/out")"
for host in ps0 worker0 worker1; do
    bad=$(read_pcap "W$WORKERS-$host.pcap" -Y '_ws.malformed || tcp.analysis.retransmission' | wc -l)
    [[ $bad == 0 ]] || fail "$bad malformed or retransmitted packets at $host"
done

# Calls: per step and worker one RunGraph, and one RecvTensor per tensor and direction.
count_calls() # PATH
{
    read_pcap $pcap -T fields -e http2.headers.path -Y http2.headers.path | tr ',' '\n' |
        grep -c "^$1\$" || true
}
steps=$((STEPS * WORKERS))
[[ $(count_calls /tensorflow.WorkerService/RunGraph) == "$steps" ]] ||
    fail "RunGraph calls: $(count_calls /tensorflow.WorkerService/RunGraph), expected $steps"
calls=$(count_calls /tensorflow.WorkerService/RecvTensor)
[[ $calls == $((steps * 4 * 2)) ]] || fail "RecvTensor calls: $calls, expected $((steps * 4 * 2))"
statuses=$(read_pcap $pcap -T fields -e http2.header.name -Y http2.header.name | tr ',' '\n' |
    grep -c '^grpc-status$')
[[ $statuses == $((steps * 9)) ]] || fail "trailers: $statuses, expected $((steps * 9))"

# Messages: gRPC decodes as many as there are requests and responses, of the tensors' sizes.
read_pcap $pcap -T fields -e grpc.message_length -Y grpc | tr ',' '\n' | sort -n | uniq -c >"$WORK/lengths"
total=$(awk '{n += $1} END {print n}' "$WORK/lengths")
[[ $total == $((2 * steps * (4 * 2 + 1))) ]] ||
    fail "gRPC messages: $total, expected $((2 * steps * 9)): $(cat "$WORK/lengths")"
# A RecvTensorResponse is field 1 (the TensorProto), whose field 4 is tensor_content: tag 0x22, then
# the length as a varint, which must be the tensor's size.
varint() # NUMBER: as hexadecimal digits
{
    local n=$1
    while ((n >= 128)); do
        printf '%02x' $((n % 128 + 128))
        n=$((n / 128))
    done
    printf '%02x' "$n"
}
read_pcap $pcap -T fields -E occurrence=a -e protobuf.field.value -Y 'grpc.message_length > 256' |
    tr ',' '\n' | cut -c1-60 >"$WORK/contents"
for tensor in 150000 256 400000; do
    found=$(grep -c "^0801.*22$(varint $tensor)00" "$WORK/contents" || true)
    [[ $found == $((steps * 2)) ]] ||
        fail "tensor_content of $tensor bytes: $found, expected $((steps * 2))"
done

# Where a policy wants to know when a tensor has arrived, a PING follows each, and is answered.
OUT=p3
bad=$(read_pcap $pcap -Y '_ws.malformed' | wc -l)
[[ $bad == 0 ]] || fail "$bad malformed packets with PINGs"
for field in http2.ping http2.pong; do
    found=$(read_pcap $pcap -T fields -e $field -Y $field | tr ',' '\n' | grep -c . || true)
    [[ $found == "$calls" ]] || fail "$field: $found, expected one for each of $calls tensors"
done

echo "$total gRPC messages of $steps steps decoded, sizes as in the profile, nothing malformed"

#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What a worker has pulled, from its capture."""

import yaml

from testbed_compare.errors import InputError
from wire_times.messages import messages, tensor_of
from wire_times.packets import read_streams


def pulls_of(path):
    """(time of the last byte, tensor) of what a worker has pulled, in the order of its requests. Its connections are
    those on which something else than tensors is asked for, too: that a step is run."""
    streams = read_streams(path)
    for flow, sent in streams.items():
        back = streams.get((*flow[2:], *flow[:2]))
        asked = {message.stream: tensor_of(message.begin) for message in messages(sent.data)}
        if back is None or None not in asked.values():
            continue
        for way in (sent, back):
            if way.early:
                raise InputError(f"{path}: lacks packets, from byte {len(way.data)} of a connection on, as the recorder was too slow; "
                                 "accepted: a capture that is whole")
        came = {message.stream: message for message in messages(back.data)}
        for stream, tensor in asked.items():
            if tensor is not None and stream in came:
                yield back.when(came[stream].end), tensor


def tensors_of(path):
    """{op: tensor} of a profile's pulls."""
    if path is None:
        return {}
    with open(path, encoding="utf-8") as file:
        try:
            return {op["name"]: op["tensor"] for op in yaml.load(file, getattr(yaml, "CSafeLoader", yaml.SafeLoader))["ops"]
                    if op["kind"] == "pull"}
        except (yaml.YAMLError, KeyError, TypeError) as error:
            raise InputError(f"{path}: found no profile ({error}); accepted: one with ops") from error

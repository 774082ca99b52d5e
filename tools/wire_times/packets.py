#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What a pcap file says of TCP connections: the bytes of each direction, and when they had all come up to each of them."""

import bisect
import struct
from dataclasses import dataclass, field

from testbed_compare.errors import InputError

MAGIC = {0xA1B2C3D4: 1e-6, 0xA1B23C4D: 1e-9}  # seconds of the smaller unit of times
ETHERNET, PPP, IP = 1, 9, 101
HEADER = {ETHERNET: 14, PPP: 2, IP: 0}  # bytes before the IP header, by type of link
TCP = 6
SYN = 2
WRAP = 1 << 32


@dataclass
class Stream:
    """The bytes of one direction of a connection, in order."""

    data: bytearray = field(default_factory=bytearray)
    ends: list = field(default_factory=list)  # how many had come ...
    times: list = field(default_factory=list)  # ... and since when, s
    base: int | None = None  # sequence number of the first byte
    early: dict = field(default_factory=dict)  # segments behind a gap, by position

    def add(self, sequence, payload, time):
        """A segment, which may be a part of the stream that is known, or come too early."""
        if self.base is None:
            self.base = sequence
        at = len(self.data) + ((sequence - self.base - len(self.data) + WRAP // 2) % WRAP - WRAP // 2)
        self.early[at] = max(self.early.get(at, b""), payload, key=len)
        before = len(self.data)
        for start in sorted(self.early):
            if start > len(self.data):
                break
            rest = self.early.pop(start)[len(self.data) - start:]
            self.data += rest
        if len(self.data) > before:
            self.ends.append(len(self.data))
            self.times.append(time)

    def when(self, end):
        """Seconds at which all bytes up to a position had come."""
        return self.times[bisect.bisect_left(self.ends, end)]


def read_packets(path):
    """(seconds, IP packet) of a pcap file."""
    with open(path, "rb") as file:
        head = file.read(24)
        for order in "<>":
            if len(head) == 24 and struct.unpack(order + "I", head[:4])[0] in MAGIC:
                unit = MAGIC[struct.unpack(order + "I", head[:4])[0]]
                break
        else:
            raise InputError(f"{path}: found no pcap file; accepted: one that output.pcap or tcpdump has written")
        link = struct.unpack(order + "I", head[20:])[0]
        if link not in HEADER:
            raise InputError(f"{path}: found packets of link type {link}; accepted: {', '.join(map(str, HEADER))}")
        while len(record := file.read(16)) == 16:
            seconds, parts, size, _ = struct.unpack(order + "IIII", record)
            yield seconds + unit * parts, memoryview(file.read(size))[HEADER[link]:]


def read_streams(path):
    """{(source, port, destination, port): Stream} of all TCP connections."""
    streams = {}
    for time, packet in read_packets(path):
        if len(packet) < 40 or packet[0] >> 4 != 4 or packet[9] != TCP:
            continue
        begin = 4 * (packet[0] & 15)
        source, target, sequence = struct.unpack("!HHI", packet[begin:begin + 8])
        end = struct.unpack("!H", packet[2:4])[0] or len(packet)
        payload = bytes(packet[begin + 4 * (packet[begin + 12] >> 4):end])
        stream = streams.setdefault((bytes(packet[12:16]), source, bytes(packet[16:20]), target), Stream())
        if packet[begin + 13] & SYN:
            stream.base = (sequence + 1) % WRAP
        elif payload:
            stream.add(sequence, payload, time)
    return streams

#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Messages of gRPC in the bytes of a connection (RFC 9113, and gRPC's PROTOCOL-HTTP2), and which tensors they are."""

from dataclasses import dataclass

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, PADDED = 0, 8
FRAME, PREFIX = 9, 5  # bytes of the headers of frames and of messages
BEGINNING = 4096  # bytes of a message that are kept: more than a request has


@dataclass
class Message:
    """A message that has come as a whole."""

    stream: int
    begin: bytes  # its first bytes
    size: int
    end: int  # position in the connection of its last byte, and one


class _Growing:
    """What has come of a stream's messages."""

    def __init__(self):
        self.head = bytearray()  # prefix, and the first bytes of the message
        self.seen = 0  # bytes of both

    def take(self, data, at, stream):
        """Takes a piece of a DATA frame, which ends at `at` + its length; gives messages that are complete with it."""
        while len(data) > 0:
            if self.seen < PREFIX:
                want = PREFIX - self.seen
            else:
                want = PREFIX + int.from_bytes(self.head[1:PREFIX], "big") - self.seen
            part = data[:want]
            if len(self.head) < PREFIX + BEGINNING:
                self.head += part
            self.seen += len(part)
            at += len(part)
            data = data[len(part):]
            size = int.from_bytes(self.head[1:PREFIX], "big") if self.seen >= PREFIX else None
            if size is not None and self.seen == PREFIX + size:
                yield Message(stream, bytes(self.head[PREFIX:PREFIX + BEGINNING]), size, at)
                self.__init__()


def messages(data):
    """All messages of one direction of an HTTP/2 connection, in the order of their ends."""
    at = len(PREFACE) if data.startswith(PREFACE) else 0
    growing = {}
    view = memoryview(data)
    while at + FRAME <= len(data):
        size = int.from_bytes(view[at:at + 3], "big")
        kind, flags = view[at + 3], view[at + 4]
        stream = int.from_bytes(view[at + 5:at + FRAME], "big") & 0x7FFFFFFF
        begin, end = at + FRAME, at + FRAME + size
        if end > len(data):
            return  # the capture ends here
        if kind == DATA:
            padding = view[begin] if flags & PADDED else 0
            begin += 1 if flags & PADDED else 0
            yield from growing.setdefault(stream, _Growing()).take(view[begin:end - padding], begin, stream)
        at = end


def _varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def tensor_of(request):
    """The name of the tensor that a RecvTensorRequest asks for, from the rendezvous key (its field 2), or None: "source;incarnation;
    destination;edge;frame:iteration"."""
    at = 0
    try:
        while at < len(request):
            tag, at = _varint(request, at)
            if tag & 7 == 0:
                _, at = _varint(request, at)
                continue
            if tag & 7 != 2:
                return None
            size, at = _varint(request, at)
            if tag >> 3 == 2:
                parts = request[at:at + size].decode("utf-8").split(";")
                return ";".join(parts[3:-1]) if len(parts) >= 5 else None
            at += size
    except (IndexError, UnicodeDecodeError):
        pass
    return None

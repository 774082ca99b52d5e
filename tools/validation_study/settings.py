#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What the validation study varies, and the options of its runs."""

import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCENARIO = os.path.join(ROOT, "scenarios", "fair-share-validation")
PROFILES = os.path.join(ROOT, "scenarios", "profiles")

# model: profile and scale
MODELS = {
    "alexnet": ("alexnet-b8", 1 / 64),
    "vgg11": ("vgg11-b4", 1 / 128),
    "googlenet": ("googlenet-b8", 1 / 16),
    "inception-v3": ("inception-v3-b4", 1 / 32),
    "resnet50": ("resnet50-b4", 1 / 32),
}

# queue of switch ports: its YAML, MTU, numbers of workers, whether it drops packets. Losses need
# packets of real size, which cost six times as much.
QUEUES = {
    "fair": ("{fair: 0B}", 9000, "[1, 2, 4, 8]", False),
    "fifo": ("0B", 9000, "[1, 2, 3, 4, 5, 6, 7, 8]", False),
    "shallow": ("64KB", 1500, "[1, 2, 3, 4, 5, 6, 7, 8]", True),
}

# The same with the hosts of Linux: ports of a real size, and drops on all FIFOs.
LINUX_QUEUES = {"fair": "{fair: 0B}", "fifo": "1MB", "shallow": "64KB"}
# The same at full size, with what makes it affordable.
FULL_MODELS = ("alexnet", "vgg11", "googlenet", "inception-v3", "resnet50")
FULL_QUEUES = {"fair": "{fair: 0B}", "fifo": "{drop_tail: 1MB, whole_bursts: true}"}
LINUX_WORKERS = "[1, 2, 4, 8]"
STEP_JITTER = 3e-3  # s, the default

# of the full-size job
WINDOWS = (28_000_000, 1_000_000, 0)  # bytes; 0: off
FAR_DELAY = 10e-3  # s, one way, of the far worker's link
MIN_RTO = 200e-3  # s
# of every run: eight full send buffers queue for 4.2 ms in the server's port, and a timer that runs
# out meanwhile would send again what is not lost
SEND_BUFFER = 65536  # bytes
LEAST_RTO = 6.25e-3  # s
DELAYED_ACK = 40e-3  # s
LARGEST_WINDOW = 2**31 - 1


def nanoseconds(seconds):
    return "%dns" % round(seconds * 1e9)


def far_host(scale):
    return "{worker0: {delay: %s}}" % nanoseconds(FAR_DELAY * scale)


def linux_settings(model, queue):
    """The --set options of one run of the scenario with the hosts that are the default."""
    profile, scale = MODELS[model]
    return [
        "name=%s-%s-linux" % (model, queue),
        "job.profile=%s" % os.path.relpath(os.path.join(PROFILES, profile + ".yaml")),
        "job.scale=%r" % scale,
        "job.workers=%s" % LINUX_WORKERS,
        "job.step_jitter=%s" % nanoseconds(STEP_JITTER * scale),
        "network.transport=linux",
        "network.mtu=1500",
        "network.queue=%s" % LINUX_QUEUES[queue],
        "network.tcp={min_rto: %s, delayed_ack_timeout: %s}" % (
            nanoseconds(max(MIN_RTO * scale, LEAST_RTO)), nanoseconds(DELAYED_ACK * scale)),
        "sweep.transfer.window=[%dB]" % LARGEST_WINDOW,
        "sweep.network.hosts=[{}, %s]" % far_host(scale),
    ]


def full_settings(model, queue):
    """The --set options of one run of the scenario at full size, with the hosts that are the default."""
    return [
        "name=%s-%s-full" % (model, queue),
        "replications=3",
        "job.steps=20",
        "job.profile=%s" % os.path.relpath(os.path.join(PROFILES, MODELS[model][0] + ".yaml")),
        "job.scale=1",
        "job.workers=%s" % LINUX_WORKERS,
        "network.transport=linux",
        "network.mtu=1500",
        "network.queue=%s" % FULL_QUEUES[queue],
        "network.tcp={trains: true}",
        "packet.fast_forward=true",
        "sweep.job.parameter_servers=[1, 2]",
        "sweep.transfer.window=[%dB]" % LARGEST_WINDOW,
        "sweep.network.hosts=[{}]",
    ]


def settings(model, queue):
    """The --set options of one run of the scenario."""
    profile, scale = MODELS[model]
    form, mtu, workers, drops = QUEUES[queue]
    windows = ["%dB" % round(w * scale) if w else "%dB" % LARGEST_WINDOW for w in WINDOWS]
    return [
        "name=%s-%s" % (model, queue),
        "job.profile=%s" % os.path.relpath(os.path.join(PROFILES, profile + ".yaml")),
        "job.scale=%r" % scale,
        "job.workers=%s" % workers,
        "network.mtu=%d" % mtu,
        "network.queue=%s" % form,
        "network.tcp.min_rto=%s" % nanoseconds(max(MIN_RTO * scale, LEAST_RTO) if drops else MIN_RTO),
        "network.tcp.send_buffer=%dB" % SEND_BUFFER,
        "network.tcp.delayed_ack_timeout=%s" % nanoseconds(DELAYED_ACK * scale),
        "sweep.transfer.window=[%s]" % ", ".join(windows),
        "sweep.network.hosts=[{}, %s]" % far_host(scale),
    ]

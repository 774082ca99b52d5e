#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The four networks of CM-DARE's curves, as variables in the order in which Tensor2Tensor makes them.

Each variable is (name, bytes, trained): a server holds all of them, but only trained ones are pulled
and pushed. Source: resnet.py and shake_shake.py of Tensor2Tensor, as in CM-DARE's repository."""

FLOAT = 4  # bytes


class Variables:
    """Collects the variables of a network."""

    def __init__(self):
        self.all = []

    def add(self, name, count, trained=True):
        self.all.append((name, FLOAT * count, trained))

    def convolution(self, name, size, inputs, outputs, bias):
        self.add(f"{name}/kernel", size * size * inputs * outputs)
        if bias:
            self.add(f"{name}/bias", outputs)

    def normalisation(self, name, channels):
        for part, trained in (("gamma", True), ("beta", True), ("mean", False), ("variance", False)):
            self.add(f"{name}/{part}", channels, trained)

    def dense(self, name, inputs, outputs):
        self.add(f"{name}/kernel", inputs * outputs)
        self.add(f"{name}/bias", outputs)


def resnet(blocks):
    """Three layers of so many residual blocks, normalised before they convolve."""
    made = Variables()
    made.convolution("initial", 7, 3, 16, False)
    made.normalisation("initial_bn", 16)
    inputs = 16
    for layer, outputs in enumerate((32, 64, 128)):
        for block in range(blocks):
            name = f"layer{layer}/block{block}"
            made.normalisation(f"{name}/bn1", inputs)
            if block == 0:
                made.convolution(f"{name}/shortcut", 1, inputs, outputs, False)
                made.normalisation(f"{name}/shortcut_bn", outputs)
            made.convolution(f"{name}/conv1", 3, inputs, outputs, False)
            made.normalisation(f"{name}/bn2", outputs)
            made.convolution(f"{name}/conv2", 3, outputs, outputs, False)
            inputs = outputs
    made.dense("top", inputs, 10)
    return made.all


def shake_shake(width):
    """26 layers in two branches, 16 * width channels at first."""
    made = Variables()
    made.convolution("initial", 3, 3, 16, True)
    made.normalisation("initial_bn", 16)
    inputs = 16
    for layer, outputs in enumerate((16 * width, 32 * width, 64 * width)):
        for block in range(4):
            name = f"layer{layer}/block{block}"
            for branch in range(2):
                path = f"{name}/branch{branch}"
                made.convolution(f"{path}/conv1", 3, inputs, outputs, True)
                made.normalisation(f"{path}/bn1", outputs)
                made.convolution(f"{path}/conv2", 3, outputs, outputs, True)
                made.normalisation(f"{path}/bn2", outputs)
            if inputs != outputs:
                made.convolution(f"{name}/path1", 1, inputs, outputs // 2, True)
                made.convolution(f"{name}/path2", 1, inputs, outputs // 2, True)
                made.normalisation(f"{name}/path_bn", outputs)
            inputs = outputs
    made.dense("top", inputs, 10)
    return made.all


MODELS = {"resnet-15": resnet(2), "resnet-32": resnet(5),
          "shake-small": shake_shake(2), "shake-big": shake_shake(6)}

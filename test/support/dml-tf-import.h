/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TF_IMPORT_H
#define DML_TF_IMPORT_H

#include "dml-scratch-folder.h"
#include "dml-tf-trace.h"

#include "ns3/dml-importers.h"
#include "ns3/dml-profile-writer.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

/// What tests of the TensorFlow importer share.
namespace tftest
{

using namespace ns3::dml;

inline const std::string W = "/job:worker/replica:0/task:0/device:CPU:0";
inline const std::string P = "/job:ps/replica:0/task:0/device:CPU:0";

inline std::string
MakeReceiveLabel(const std::string& size, const std::string& tensor, bool down)
{
    return "[" + size + "] edge_7_" + tensor + " from " + (down ? P : W) + " to " + (down ? W : P);
}

/*
 * A linear layer w, b trained by a worker with one ps. Times in us:
 *   worker: pull w 10-110, pull b 12-120, [nothing], fc 130-180, loss 180-200, its gradient
 * 200-230, w's gradient 230-270, b's gradient 270-280, done 280-285 ps:     push w 240-380, push b
 * 275-390, update w 380-395, update b 390-396 The step lasts from _SOURCE at 0 to 396. Nothing runs
 * at 0-10 and 120-130, before a pull and fc.
 */
inline TfTrace
MakeTrace()
{
    return {{
        {W, "_SOURCE", "_SOURCE = NoOp()", 0, 1},
        {W, "RecvTensor", MakeReceiveLabel("1000B", "w/read", true), 10, 100, 1000},
        {W, "RecvTensor", MakeReceiveLabel("40B", "b/read", true), 12, 108, 40},
        {W, "fc", "fc = MatMul(w/read_S1, b/read_S3, ^_SOURCE)", 130, 50},
        {W, "loss", "loss = Sum(fc:0, axis)", 180, 20},
        {W, "gradients/loss_grad/Fill", "gradients/loss_grad/Fill = Fill(loss)", 200, 30},
        {W,
         "gradients/w_grad/d",
         "gradients/w_grad/d = MatMul(gradients/loss_grad/Fill, fc)",
         230,
         40},
        {W, "gradients/b_grad/d", "gradients/b_grad/d = Sum(gradients/loss_grad/Fill)", 270, 10},
        {W, "done", "done = Identity(gradients/b_grad/d)", 280, 5},
        {P, "w", "w = VariableV2()", 2, 1},
        {P, "b", "b = VariableV2()", 2, 1},
        {P, "w/read", "w/read = Identity(w)", 3, 1},
        {P, "b/read", "b/read = Identity(b)", 3, 2},
        {P, "RecvTensor", MakeReceiveLabel("1000B", "gradients/w_grad/d", false), 240, 140, 1000},
        {P, "RecvTensor", MakeReceiveLabel("40B", "gradients/b_grad/d", false), 275, 115, 40},
        {P, "sgd/w", "sgd/w = ApplyGradientDescent(w, rate, gradients/w_grad/d_S5)", 380, 15},
        {P, "sgd/b", "sgd/b = ApplyGradientDescent(b, rate, gradients/b_grad/d_S7)", 390, 6},
    }};
}

/// fc takes 50 us and the 10 us of idle time before it.
constexpr const char* PROFILE = R"(devices:
  - {name: cpu:0, slots: 1}
tensors:
  - {name: w, bytes: 1000}
  - {name: b, bytes: 40}
ops:
  - {name: pull/w, kind: pull, tensor: w}
  - {name: pull/b, kind: pull, tensor: b}
  - {name: fc, kind: forward, device: cpu:0, deps: [pull/w, pull/b], samples: [0.00006]}
  - {name: loss, kind: forward, device: cpu:0, deps: [fc], samples: [0.00002]}
  - {name: gradients/loss_grad/Fill, kind: backward, device: cpu:0, deps: [loss], samples: [0.00003]}
  - {name: gradients/w_grad/d, kind: backward, device: cpu:0, deps: [gradients/loss_grad/Fill, fc], samples: [0.00004]}
  - {name: push/w, kind: push, tensor: w, deps: [gradients/w_grad/d]}
  - {name: gradients/b_grad/d, kind: backward, device: cpu:0, deps: [gradients/loss_grad/Fill], samples: [0.00001]}
  - {name: push/b, kind: push, tensor: b, deps: [gradients/b_grad/d]}
  - {name: done, kind: compute, device: cpu:0, deps: [gradients/b_grad/d], samples: [0.000005]}
  - {name: update/w, kind: update, tensor: w, deps: [push/w], samples: [0.000015]}
  - {name: update/b, kind: update, tensor: b, deps: [push/b], samples: [0.000006]}
)";

inline ImportOptions
MakeOptions()
{
    ImportOptions options;
    options.model = "linear";
    options.batchSize = 4;
    return options;
}

inline ImportOptions
MakeSizes()
{
    ImportOptions options = MakeOptions();
    options.sizes = {{"w", 1000}, {"b", 40}};
    return options;
}

/// @return the profile's text from its devices on
inline std::string
Print(const Profile& profile)
{
    std::ostringstream text;
    WriteProfile(profile, text);
    return text.str().substr(text.str().find("devices:"));
}

/// Writes files and imports them.
class TfImport : public testing::Test
{
  protected:
    ImportResult ImportText(const std::vector<std::string>& texts,
                            const ImportOptions& options = MakeOptions())
    {
        return ImportRunMetadata(Write(texts), options);
    }

    ImportResult ImportText(const TfTrace& trace, const ImportOptions& options = MakeOptions())
    {
        return ImportText({trace.MakeText()}, options);
    }

    ImportResult ImportTimeline(const std::string& text, const ImportOptions& options)
    {
        return ImportTfTimeline(Write({text}), options);
    }

    std::string TextError(const std::string& text, const ImportOptions& options = MakeOptions())
    {
        return m_folder.ErrorOf([&] { ImportText({text}, options); });
    }

    std::string TimelineError(const std::string& text, const ImportOptions& options = MakeSizes())
    {
        return m_folder.ErrorOf([&] { ImportTimeline(text, options); });
    }

    std::vector<std::string> Write(const std::vector<std::string>& texts)
    {
        std::vector<std::string> files;
        for (const std::string& text : texts)
        {
            files.push_back(m_folder.Write("step" + std::to_string(files.size()), text));
        }
        return files;
    }

    ScratchFolder m_folder; //!< files of the test
};

/// @return true if one of @p sentences contains @p part
inline bool
Tell(const std::vector<std::string>& sentences, const std::string& part)
{
    return std::any_of(sentences.begin(), sentences.end(), [&](const std::string& sentence) {
        return sentence.find(part) != std::string::npos;
    });
}

inline const Op&
GetOp(const Profile& profile, const std::string& name)
{
    for (OpIndex i = 0; i < profile.graph.GetSize(); ++i)
    {
        if (profile.graph.Get(i).name == name)
        {
            return profile.graph.Get(i);
        }
    }
    throw std::out_of_range(name);
}

inline double
GetSeconds(const Profile& profile, const std::string& name, uint32_t step = 0)
{
    for (OpIndex i = 0; i < profile.graph.GetSize(); ++i)
    {
        if (profile.graph.Get(i).name == name)
        {
            return profile.samples[i].at(step);
        }
    }
    throw std::out_of_range(name);
}

} // namespace tftest

#endif /* DML_TF_IMPORT_H */

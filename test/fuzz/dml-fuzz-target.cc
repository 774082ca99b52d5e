/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-fuzz-target.h"

#include "ns3/dml-error.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace ns3::dml
{

namespace
{

/// A folder of this process.
class Folder
{
  public:
    Folder()
    {
        // memory, where there is such a folder: a disk would be slower
        const std::filesystem::path memory = "/dev/shm";
        std::error_code error;
        const auto base = std::filesystem::is_directory(memory, error)
                              ? memory
                              : std::filesystem::temp_directory_path();
        std::string path = (base / "dml-fuzz-XXXXXX").string();
        if (!mkdtemp(path.data()))
        {
            throw RunError(path + ": " + std::strerror(errno));
        }
        m_path = path;
    }

    ~Folder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }

    const std::filesystem::path& GetPath() const
    {
        return m_path;
    }

  private:
    std::filesystem::path m_path; //!< absolute
};

} // namespace

const std::vector<FuzzTarget>&
GetFuzzTargets()
{
    static const std::vector<FuzzTarget> TARGETS{{"scenario", FuzzScenario},
                                                 {"profile", FuzzProfile},
                                                 {"speed-trace", FuzzSpeedTrace},
                                                 {"wire-times", FuzzWireTimes},
                                                 {"kineto", FuzzKineto},
                                                 {"torch-legacy", FuzzTorchLegacy},
                                                 {"torch-et", FuzzTorchEt},
                                                 {"torch-layers", FuzzTorchLayers},
                                                 {"tf-runmetadata", FuzzTfRunMetadata},
                                                 {"tf-timeline", FuzzTfTimeline},
                                                 {"pipedream", FuzzPipedream},
                                                 {"dml-trace", FuzzDmlTrace},
                                                 {"horovod", FuzzHorovod},
                                                 {"job", FuzzJob},
                                                 {"measured-points", FuzzMeasuredPoints},
                                                 {"fused-ops", FuzzFusedOps},
                                                 {"versions", FuzzVersions},
                                                 {"usage-trace", FuzzUsageTrace},
                                                 {"results", FuzzResults},
                                                 {"http2-client", FuzzHttp2Client},
                                                 {"http2-server", FuzzHttp2Server},
                                                 {"tcp-messages", FuzzTcpMessages}};
    return TARGETS;
}

const FuzzTarget&
GetFuzzTarget(const std::string& name)
{
    std::string known;
    for (const auto& target : GetFuzzTargets())
    {
        if (target.name == name)
        {
            return target;
        }
        known += (known.empty() ? "" : ", ") + target.name;
    }
    throw InputError("fuzz target: found '" + name + "'; accepted: " + known);
}

std::vector<std::string>
SplitFuzzInput(const std::string& bytes)
{
    std::vector<std::string> files;
    std::size_t at = 0;
    for (;;)
    {
        const std::size_t end = bytes.find(FUZZ_SEPARATOR, at);
        files.push_back(bytes.substr(at, end == std::string::npos ? end : end - at));
        if (end == std::string::npos)
        {
            return files;
        }
        at = end + FUZZ_SEPARATOR.size();
    }
}

const std::filesystem::path&
GetFuzzFolder()
{
    static const Folder FOLDER;
    return FOLDER.GetPath();
}

std::string
WriteFuzzFile(const std::string& name, const std::string& bytes)
{
    const std::string path = (GetFuzzFolder() / name).string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
}

} // namespace ns3::dml

/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-folder-fixture.h"

#include "ns3/dml-child-program.h"
#include "ns3/dml-error.h"
#include "ns3/dml-plot-writer.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

/// @param name of the plot @param curve what it shows; @return a small plot
PlotScript
MakePlot(const std::string& name, const std::string& curve)
{
    PlotScript plot;
    plot.name = name;
    plot.commands = "plot " + curve + "\n";
    return plot;
}

/// @param folder that gets a gnuplot @param script what it does
void
MakeGnuplot(const std::string& folder, const std::string& script)
{
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/gnuplot") << "#!/bin/sh\n" << script;
    std::filesystem::permissions(folder + "/gnuplot", std::filesystem::perms::owner_all);
}

/// The environment's PATH, until the end of the scope.
class OtherPath
{
  public:
    explicit OtherPath(const std::string& path)
        : m_old(std::getenv("PATH") ? std::getenv("PATH") : "")
    {
        setenv("PATH", path.c_str(), 1);
    }

    ~OtherPath()
    {
        setenv("PATH", m_old.c_str(), 1);
    }

    const std::string& GetOld() const
    {
        return m_old;
    }

  private:
    std::string m_old; //!< as before
};

using PlotWriterTest = FolderFixture;

} // namespace

TEST_F(PlotWriterTest, AMistakeInAPlotIsAWarning)
{
    if (!PlotWriter::HaveGnuplot())
    {
        GTEST_SKIP() << "gnuplot is not installed";
    }
    PlotScript plot = MakePlot("bad", "nonsense(");
    const std::string warning = PlotWriter(m_folder).Write(plot);
    EXPECT_NE(warning.find("bad.svg"), std::string::npos) << warning;
    EXPECT_NE(warning.find("gnuplot says: "), std::string::npos) << warning;
    EXPECT_FALSE(std::filesystem::exists(m_folder + "/bad.log"));
    EXPECT_NE(warning.find("was not drawn"), std::string::npos) << warning;

    plot.commands = "plot x\nprint 'remark'\n";
    const std::string remark = PlotWriter(m_folder).Write(plot);
    EXPECT_NE(remark.find("may be incomplete"), std::string::npos) << remark;
}

TEST_F(PlotWriterTest, WithoutGnuplotTheScriptIsKept)
{
    auto plot = MakePlot("curve", "$data0");
    plot.blocks = {{"x y", {{1, 2}}}};
    const OtherPath path(m_folder);
    const std::string warning = PlotWriter(m_folder).Write(plot);
    EXPECT_NE(warning.find("gnuplot-nox"), std::string::npos) << warning;
    EXPECT_NE(Read("curve.gp").find("\n# x y\n$data0 << e\n1 2\ne\nplot $data0\n"),
              std::string::npos)
        << Read("curve.gp");
    EXPECT_FALSE(std::filesystem::exists(m_folder + "/curve.svg"));
}

TEST_F(PlotWriterTest, GnuplotIsStoppedWhenItTakesTooLong)
{
    // it leaves a child that holds its standard output, and has begun a picture
    MakeGnuplot(m_folder + "/bin", "echo half >x.svg\n/bin/sleep 1000 &\nexec /bin/sleep 1000\n");
    const OtherPath path(m_folder + "/bin");
    PlotScript plot;
    plot.name = "x";
    const std::string warning = PlotWriter(m_folder, std::chrono::milliseconds(300)).Write(plot);
    EXPECT_EQ(
        warning.substr(m_folder.size()),
        "/x.svg was not drawn: gnuplot took more than 0.3 s and was ended; the plot is kept as "
        "x.gp");
    EXPECT_FALSE(std::filesystem::exists(m_folder + "/x.svg"));
    EXPECT_FALSE(Read("x.gp").empty());
}

// It is told over a pipe what to draw, whatever the folder is called, and no settings are read.
TEST_F(PlotWriterTest, GnuplotIsStartedWithoutAShell)
{
    MakeGnuplot(m_folder + "/bin",
                "echo \"$# $1 $(/bin/cat) $GNUTERM ${GNUPLOT_LIB-none} $LC_ALL\"\npwd\n");
    const OtherPath path(m_folder + "/bin");
    setenv("GNUPLOT_LIB", m_folder.c_str(), 1);
    PlotScript plot;
    plot.name = "x";
    const std::string warning = PlotWriter(m_folder).Write(plot);
    unsetenv("GNUPLOT_LIB");
    EXPECT_NE(warning.find("1 --default-settings load 'x.gp' reset session unknown none C.UTF-8 " +
                           m_folder),
              std::string::npos)
        << warning;
}

TEST_F(PlotWriterTest, GnuplotIsNeverLookedForHere)
{
    MakeGnuplot(m_folder, "touch owned\n");
    const auto place = std::filesystem::current_path();
    std::filesystem::current_path(m_folder);
    {
        const OtherPath path(":.:bin/..:");
        EXPECT_EQ(FindProgram("gnuplot"), "");
    }
    {
        const OtherPath path(".:" + m_folder);
        EXPECT_EQ(FindProgram("gnuplot"), m_folder + "/gnuplot");
    }
    std::filesystem::current_path(place);
}

// To start gnuplot takes longer than a picture.
TEST_F(PlotWriterTest, OneGnuplotDrawsAll)
{
    const std::string gnuplot = FindProgram("gnuplot");
    if (gnuplot.empty())
    {
        GTEST_SKIP() << "gnuplot is not installed";
    }
    // gnuplot begins each picture with an empty group, in the last colour of the one before.
    const auto read = [this](const PlotScript& plot) {
        const std::string text = Read(plot.name + ".svg");
        return text.substr(std::min(text.find("</g>"), text.size()));
    };
    const std::vector<PlotScript> plots{MakePlot("sine", "sin(x)"), MakePlot("line", "2 * x")};
    std::vector<std::string> alone;
    for (const auto& plot : plots)
    {
        EXPECT_EQ(PlotWriter(m_folder).Write(plot), "");
        alone.push_back(read(plot));
        EXPECT_FALSE(alone.back().empty());
    }
    MakeGnuplot(m_folder + "/bin", "echo start >>starts\nexec '" + gnuplot + "' \"$@\"\n");
    const OtherPath path(m_folder + "/bin");
    EXPECT_TRUE(PlotWriter(m_folder).Write(plots).empty());
    EXPECT_EQ(Read("starts"), "start\n");
    for (std::size_t i = 0; i < plots.size(); ++i)
    {
        EXPECT_TRUE(read(plots[i]) == alone[i]) << plots[i].name;
    }
}

// What one plot sets does not reach the next, and its mistake does not end the others.
TEST_F(PlotWriterTest, PlotsKnowNothingOfEachOther)
{
    if (!PlotWriter::HaveGnuplot())
    {
        GTEST_SKIP() << "gnuplot is not installed";
    }
    auto first = MakePlot("first", "x");
    first.commands = "set title 'mine'\nnumber = 1\n" + first.commands;
    const auto second = MakePlot("second", "x + (exists('number') ? nonsense : 0)");
    const auto bad = MakePlot("bad", "nonsense");
    const auto last = MakePlot("last", "x");
    const auto warnings = PlotWriter(m_folder).Write({first, second, bad, last});
    ASSERT_EQ(warnings.size(), 1);
    EXPECT_NE(warnings[0].find("/bad.svg"), std::string::npos) << warnings[0];
    EXPECT_NE(Read("first.svg").find("mine"), std::string::npos);
    EXPECT_TRUE(PlotWriter(m_folder).Write({first, second, last}).empty());
    for (const char* name : {"second", "last"})
    {
        EXPECT_NE(Read(name + std::string(".svg")).find("</svg>"), std::string::npos) << name;
        EXPECT_EQ(Read(name + std::string(".svg")).find("mine"), std::string::npos) << name;
    }
}

TEST_F(PlotWriterTest, AnUnwritableFolderIsAnInputError)
{
    PlotScript plot;
    plot.name = "x";
    EXPECT_THROW(PlotWriter(m_folder + "/missing").Write(plot), InputError);
}

## -*- Mode: python; py-indent-offset: 4; indent-tabs-mode: nil; coding: utf-8; -*-
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds dml as contrib/dml of an ns-3 tree with waf (ns-3.35; later releases have CMake). The files to build are those
# of cmake/dml-sources.cmake, the same as in the CMake builds.

import re

from waflib import Utils

# As in CMakeLists.txt.
NS3_MODULES = ['core', 'network', 'internet', 'point-to-point', 'applications', 'traffic-control',
               'flow-monitor']

# pkg-config names; the Debian package; the name under which waf keeps the flags.
PACKAGES = [
    ('libnghttp2', 'libnghttp2-dev', 'DML_NGHTTP2'),
    ('yaml-cpp', 'libyaml-cpp-dev', 'DML_YAML'),
    ('nlohmann_json', 'nlohmann-json3-dev', 'DML_JSON'),
    ('fmt', 'libfmt-dev', 'DML_FMT'),
    ('protobuf', 'libprotobuf-dev', 'DML_PROTOBUF'),
    ('nlopt_cxx', 'libnlopt-cxx-dev', 'DML_NLOPT'),
    ('RapidJSON', 'rapidjson-dev', 'DML_RAPIDJSON'),
    ('eigen3', 'libeigen3-dev', 'DML_EIGEN'),
]

# Boost has no pkg-config files: library, Debian package, name.
BOOST = [
    ('boost_iostreams', 'libboost-iostreams-dev', 'DML_BOOST_IOSTREAMS'),
    ('boost_filesystem', 'libboost-filesystem-dev', 'DML_BOOST_FILESYSTEM'),
]

# Header-only: header, Debian package.
HEADERS = [
    ('boost/graph/adjacency_list.hpp', 'libboost-dev'),
    ('gnuplot-iostream.h', 'libgnuplot-iostream-dev'),
]

USE = [name for _, _, name in PACKAGES + BOOST]


def read_sources(ctx):
    """Return the lists of cmake/dml-sources.cmake by name."""
    text = ctx.path.find_node('cmake/dml-sources.cmake').read()
    lists = re.findall(r'^set\((\w+)\n(.*?)^\)', text, re.DOTALL | re.MULTILINE)
    return {name: paths.split() for name, paths in lists}


def configure(conf):
    missing = []
    for package, debian, name in PACKAGES:
        if not conf.check_cfg(package=package, args=['--cflags', '--libs'], uselib_store=name,
                              mandatory=False):
            missing.append(debian)
    for library, debian, name in BOOST:
        if not conf.check_cxx(lib=library, uselib_store=name, mandatory=False):
            missing.append(debian)
    for header, debian in HEADERS:
        # Compiled only: linking it would need the libraries above.
        if not conf.check_cxx(header_name=header, features='cxx', mandatory=False):
            missing.append(debian)
    if not conf.find_program('protoc', var='DML_PROTOC', mandatory=False):
        missing.append('protobuf-compiler')
    conf.report_optional_feature('dml', 'Distributed machine learning', not missing,
                                 'install the Debian packages ' + ' '.join(missing))
    if missing:
        conf.env.append_value('MODULES_NOT_BUILT', 'dml')


def make_messages(bld, paths):
    """Have protoc make classes of the messages in .proto files; return the sources, and folders of their headers."""
    sources = []
    for path in paths:
        proto = bld.path.find_node(path)
        sources.append(proto.change_ext('.pb.cc'))
        # ext_out: before anything is compiled.
        bld(rule='${DML_PROTOC} --proto_path=${SRC[0].parent.abspath()} --cpp_out=${TGT[0].parent.abspath()} '
                 '${SRC[0].abspath()}',
            source=proto, target=[sources[-1], proto.change_ext('.pb.h')], ext_out=['.h'], shell=False)
    return sources, [path.rpartition('/')[0] for path in paths]


def build(bld):
    if 'dml' in Utils.to_list(bld.env['MODULES_NOT_BUILT']):
        return
    sources = read_sources(bld)

    module = bld.create_ns3_module('dml', NS3_MODULES)
    messages, folders = make_messages(bld, sources['DML_MODEL_PROTOS'])
    module.source = sources['DML_MODEL_SOURCES'] + messages
    module.includes = folders
    module.use.extend(USE)
    module.defines = ['DML_VERSION="%s"' % bld.path.find_node('VERSION').read().strip(),
                      'DML_NS3_VERSION="%s"' % bld.srcnode.find_node('VERSION').read().strip(),
                      'DML_BUILD_KIND="%s, waf"' % bld.env['BUILD_PROFILE']]

    module_test = bld.create_ns3_module_test_library('dml')
    module_test.source = sources['DML_SUITE_TESTS'] + sources['DML_TEST_SUPPORT']
    module_test.includes = ['test/support']
    module_test.use.extend(USE)

    headers = bld(features='ns3header')
    headers.module = 'dml'
    # All of them: what waf does not install, it does not stage either.
    headers.source = (sources['DML_PUBLIC_HEADERS'] + sources['DML_MODEL_HEADERS'] +
                      sources['DML_PROGRAM_HEADERS'])

    if bld.env['ENABLE_EXAMPLES']:
        for source in sources['DML_EXAMPLES']:
            name = source.split('/')[-1][:-len('.cc')]
            more = ['csma'] if 'csma' in name else []  # without it, waf leaves the program out
            program = bld.create_ns3_program(name, ['dml'] + NS3_MODULES + more)
            program.source = [source]
            if name == 'dml':
                messages, folders = make_messages(bld, sources['DML_PROGRAM_PROTOS'])
                program.source += sources['DML_PROGRAM_SOURCES'] + messages
                program.includes = folders
            program.use.extend(USE)

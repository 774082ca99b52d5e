# The libraries that dml needs besides ns-3. Sets
#   DML_LIBRARIES     libraries to link, full paths
#   DML_INCLUDE_DIRS  directories of their headers
#   DML_PROTOC        protobuf's compiler
#   DML_MISSING       what was not found, each with the Debian package that has it; empty if complete
# Plain paths instead of imported targets, because build_lib of ns-3 passes them on as they are; but protobuf
# where it has files for CMake: since release 22 its headers use Abseil, whose libraries those name.

set(DML_LIBRARIES)
set(DML_INCLUDE_DIRS)
set(DML_MISSING)

# Looks for HEADER and, unless empty, LIBRARY; PACKAGE is the Debian package with both.
macro(dml_require HEADER LIBRARY PACKAGE)
    string(MAKE_C_IDENTIFIER "DML_${HEADER}_DIR" _dml_dir)
    find_path(${_dml_dir} ${HEADER} PATH_SUFFIXES eigen3 DOC "Folder that holds ${HEADER}")
    mark_as_advanced(${_dml_dir})
    if(${_dml_dir})
        list(APPEND DML_INCLUDE_DIRS ${${_dml_dir}})
    else()
        list(APPEND DML_MISSING "header ${HEADER} (Debian package ${PACKAGE})")
    endif()
    if(NOT "${LIBRARY}" STREQUAL "")
        string(MAKE_C_IDENTIFIER "DML_${LIBRARY}_LIBRARY" _dml_library)
        find_library(${_dml_library} ${LIBRARY} DOC "Library ${LIBRARY}")
        mark_as_advanced(${_dml_library})
        if(${_dml_library})
            list(APPEND DML_LIBRARIES ${${_dml_library}})
        else()
            list(APPEND DML_MISSING "library ${LIBRARY} (Debian package ${PACKAGE})")
        endif()
    endif()
endmacro()

dml_require(nghttp2/nghttp2.h nghttp2 libnghttp2-dev)
dml_require(yaml-cpp/yaml.h yaml-cpp libyaml-cpp-dev)
dml_require(nlohmann/json.hpp "" nlohmann-json3-dev)
dml_require(fmt/core.h fmt libfmt-dev)
dml_require(rapidjson/reader.h "" rapidjson-dev)
dml_require(nlopt.hpp nlopt_cxx libnlopt-cxx-dev)
dml_require(boost/graph/adjacency_list.hpp "" libboost-dev)
dml_require(boost/iostreams/device/file_descriptor.hpp boost_iostreams libboost-iostreams-dev)
dml_require(gnuplot-iostream.h "" libgnuplot-iostream-dev)
dml_require(boost/filesystem.hpp boost_filesystem libboost-filesystem-dev) # of gnuplot-iostream
dml_require(unsupported/Eigen/NonLinearOptimization "" libeigen3-dev)

# Its target serves everything that links dml, in all folders of an ns-3 tree.
function(dml_find_protobuf)
    set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
    find_package(protobuf CONFIG QUIET)
endfunction()
dml_find_protobuf()
if(TARGET protobuf::libprotobuf)
    list(APPEND DML_LIBRARIES protobuf::libprotobuf)
    if(NOT DML_PROTOC AND TARGET protobuf::protoc)
        get_target_property(_protoc protobuf::protoc LOCATION)
        set(DML_PROTOC ${_protoc} CACHE FILEPATH "protobuf's compiler")
    endif()
else()
    dml_require(google/protobuf/text_format.h protobuf libprotobuf-dev)
endif()

# Debian's first: it has to be of the same version as the headers.
find_program(DML_PROTOC protoc HINTS /usr/bin DOC "protobuf's compiler")
mark_as_advanced(DML_PROTOC)
if(NOT DML_PROTOC)
    list(APPEND DML_MISSING "program protoc (Debian package protobuf-compiler)")
endif()

list(REMOVE_DUPLICATES DML_INCLUDE_DIRS)
# Naming the compiler's own folder would reorder the standard headers.
list(REMOVE_ITEM DML_INCLUDE_DIRS ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
if(DML_MISSING)
    list(JOIN DML_MISSING "\n  " DML_MISSING)
endif()

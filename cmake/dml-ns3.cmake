# Finds an installed ns-3 for the standalone build. Sets
#   DML_NS3_TARGETS      the modules that dml links
#   DML_NS3_INCLUDE_DIR  the folder that holds ns3/core-module.h
#   DML_NETANIM          the target of NetAnim, empty where that ns-3 has none
#   DML_CSMA             likewise
#   DML_NS3_LOGS         whether that ns-3 was built with logging
#   DML_MPI              whether that ns-3 has its MPI engine
#   DML_MPI_LIBRARIES    MPI itself, where it has

include(CheckCXXSourceCompiles)

set(DML_NS3_MODULES core network internet point-to-point applications traffic-control
                    flow-monitor
)

set(DML_NS3_OLDEST 3.36)

# A prefix that the user names is where ns-3 must be: another one, found elsewhere, would be a surprise.
# A new prefix in a build folder that knows an ns-3 already is looked at, too.
set(_where)
if(CMAKE_PREFIX_PATH)
    if(DEFINED DML_NS3_PREFIX_PATH AND NOT DML_NS3_PREFIX_PATH STREQUAL "${CMAKE_PREFIX_PATH}"
       AND ns3_DIR STREQUAL DML_NS3_FOUND_DIR
    )
        unset(ns3_DIR CACHE)
    endif()
    if(NOT ns3_DIR)
        set(_where PATHS ${CMAKE_PREFIX_PATH} NO_DEFAULT_PATH)
    endif()
endif()
# No version: ns-3's own file accepts none but exactly its own. Debian's ns3Targets.cmake also names the
# programs of package ns3 and stops without them.
find_package(ns3 CONFIG QUIET ${_where})
if(NOT ns3_FOUND AND _where)
    message(FATAL_ERROR "There is no ns-3 (ns3Config.cmake) in CMAKE_PREFIX_PATH, which is\n"
                        "  ${CMAKE_PREFIX_PATH}\n"
                        "To take ns-3 from elsewhere, name the folder of its ns3Config.cmake with "
                        "-Dns3_DIR=..."
    )
elseif(NOT ns3_FOUND)
    message(FATAL_ERROR "ns-3 is missing: install the Debian packages libns3-dev and ns3, or give "
                        "the prefix of your own ns-3 with -DCMAKE_PREFIX_PATH=..."
    )
endif()
if(DEFINED DML_NS3_FOUND_DIR AND NOT ns3_DIR STREQUAL DML_NS3_FOUND_DIR)
    unset(DML_NS3_LOGS CACHE)
endif()
set(DML_NS3_PREFIX_PATH "${CMAKE_PREFIX_PATH}" CACHE INTERNAL "Where ns-3 was looked for last")
set(DML_NS3_FOUND_DIR "${ns3_DIR}" CACHE INTERNAL "Where it was found")
if(ns3_VERSION VERSION_LESS DML_NS3_OLDEST)
    message(FATAL_ERROR "${ns3_DIR} is ns-${ns3_VERSION}; accepted: ns-${DML_NS3_OLDEST} and later, or "
                        "dml inside the source of ns-3.35"
    )
endif()
message(STATUS "ns-${ns3_VERSION} of ${ns3_DIR}")

include(cmake/dml-ns3-targets.cmake)

set(DML_NS3_TARGETS)
foreach(_module IN LISTS DML_NS3_MODULES)
    if(TARGET ns3::${_module}) # since ns-3.43
        list(APPEND DML_NS3_TARGETS ns3::${_module})
    elseif(TARGET ns3::lib${_module})
        list(APPEND DML_NS3_TARGETS ns3::lib${_module})
    else()
        message(FATAL_ERROR "The ns-3 found in ${ns3_DIR} has no module ${_module}")
    endif()
endforeach()

list(GET DML_NS3_TARGETS 0 _target)
get_target_property(_values ${_target} INTERFACE_INCLUDE_DIRECTORIES)
unset(DML_NS3_INCLUDE_DIR CACHE)
find_path(DML_NS3_INCLUDE_DIR ns3/core-module.h PATHS ${_values} NO_DEFAULT_PATH NO_CACHE REQUIRED)

# The C++ that ns-3 was built with, which its package does not say: what its release starts with, or
# later if its headers want that.
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT DEFINED CMAKE_CXX_STANDARD)
    set(_standards 17 20 23 26)
    if(NOT ns3_VERSION VERSION_LESS 3.41)
        list(REMOVE_ITEM _standards 17)
    endif()
    if(NOT ns3_VERSION VERSION_LESS 3.46)
        list(REMOVE_ITEM _standards 20)
    endif()
    set(CMAKE_REQUIRED_INCLUDES ${DML_NS3_INCLUDE_DIR})
    set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
    foreach(_standard IN LISTS _standards)
        set(CMAKE_CXX_STANDARD ${_standard})
        check_cxx_source_compiles(
            "#include \"ns3/core-module.h\"\n#include \"ns3/network-module.h\"\n"
            DML_NS3_${ns3_VERSION}_IS_CXX${_standard}
        )
        if(DML_NS3_${ns3_VERSION}_IS_CXX${_standard})
            break()
        endif()
    endforeach()
    if(NOT DML_NS3_${ns3_VERSION}_IS_CXX${CMAKE_CXX_STANDARD})
        message(FATAL_ERROR "${CMAKE_CXX_COMPILER} cannot compile the headers of ns-${ns3_VERSION} in "
                            "${DML_NS3_INCLUDE_DIR}; it says why in CMakeFiles/CMakeError.log"
        )
    endif()
    unset(CMAKE_TRY_COMPILE_TARGET_TYPE)
    unset(CMAKE_REQUIRED_INCLUDES)
endif()

# What is used where ns-3 has it.
foreach(_module IN ITEMS netanim csma)
    string(TOUPPER DML_${_module} _variable)
    set(${_variable})
    foreach(_target ns3::${_module} ns3::lib${_module})
        if(TARGET ${_target})
            set(${_variable} ${_target})
            break()
        endif()
    endforeach()
endforeach()

# The MPI engine, where ns-3 has it: "./dml build --mpi" makes such an ns-3.
set(DML_MPI OFF)
set(DML_MPI_LIBRARIES)
foreach(_target ns3::mpi ns3::libmpi)
    if(TARGET ${_target})
        set(DML_MPI ON)
        list(APPEND DML_NS3_TARGETS ${_target})
        find_package(MPI REQUIRED COMPONENTS CXX)
        set(DML_MPI_LIBRARIES MPI::MPI_CXX)
        break()
    endif()
endforeach()

# Logging changes the layout of an ns-3 class (UdpClient), so follow the libraries. This
# message is in libns3-applications only if it was built with logging.
if(NOT DEFINED DML_NS3_LOGS)
    set(_target ns3::libapplications)
    if(TARGET ns3::applications)
        set(_target ns3::applications)
    endif()
    get_target_property(_library ${_target} LOCATION)
    file(STRINGS "${_library}" _message REGEX "^TraceDelay TX $" LIMIT_COUNT 1)
    set(DML_NS3_LOGS OFF)
    if(_message)
        set(DML_NS3_LOGS ON)
    endif()
    set(DML_NS3_LOGS ${DML_NS3_LOGS} CACHE BOOL "ns-3 was built with logging")
endif()

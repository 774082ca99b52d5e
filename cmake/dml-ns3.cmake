# Finds an installed ns-3 for the standalone build. Sets
#   DML_NS3_TARGETS      the modules that dml links
#   DML_NS3_INCLUDE_DIR  the folder that holds ns3/core-module.h
#   DML_NETANIM          the target of NetAnim, empty where that ns-3 has none
#   DML_NS3_LOGS         whether that ns-3 was built with logging
#   DML_MPI              whether that ns-3 has its MPI engine
#   DML_MPI_LIBRARIES    MPI itself, where it has

set(DML_NS3_MODULES core network internet point-to-point applications traffic-control
                    flow-monitor
)

find_path(DML_NS3_INCLUDE_DIR ns3/core-module.h DOC "Folder that holds ns3/core-module.h")
if(NOT DML_NS3_INCLUDE_DIR)
    message(FATAL_ERROR "ns-3 is missing: install the Debian packages libns3-dev and ns3, or give "
                        "the prefix of your own ns-3 with -DCMAKE_PREFIX_PATH=..."
    )
endif()

# Debian's ns3Targets.cmake also names the programs of package ns3 and stops without them.
find_package(ns3 3.37 REQUIRED)

# Debian exports folders and libraries of packages that it does not depend on (libxml2, gsl, sqlite,
# Python): nothing here needs them, and a missing one would stop CMake or the linker.
get_property(_dml_imported DIRECTORY PROPERTY IMPORTED_TARGETS)
foreach(_target IN LISTS _dml_imported)
    if(NOT _target MATCHES "^ns3::")
        continue()
    endif()
    foreach(_property INTERFACE_INCLUDE_DIRECTORIES INTERFACE_LINK_LIBRARIES)
        get_target_property(_values ${_target} ${_property})
        if(NOT _values)
            continue()
        endif()
        set(_kept)
        foreach(_value IN LISTS _values)
            if(NOT IS_ABSOLUTE "${_value}" OR EXISTS "${_value}")
                list(APPEND _kept "${_value}")
            endif()
        endforeach()
        set_target_properties(${_target} PROPERTIES ${_property} "${_kept}")
    endforeach()
endforeach()

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

# NetAnim, where ns-3 has it.
set(DML_NETANIM)
foreach(_target ns3::netanim ns3::libnetanim)
    if(TARGET ${_target})
        set(DML_NETANIM ${_target})
        break()
    endif()
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

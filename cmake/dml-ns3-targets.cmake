# After find_package(ns3), by dml and by scripts that link it.

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

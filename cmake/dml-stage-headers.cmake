# dml_stage_headers(DIRECTORY HEADER...) makes every header reachable as <ns3/NAME>, as build_lib of
# ns-3 does: a stub in DIRECTORY/ns3 includes the real file, so an edit needs no copy.
# Stubs of headers that moved or went away are removed; build_lib would keep them for ever.

function(dml_stage_headers DIRECTORY)
    set(_names)
    foreach(_header IN LISTS ARGN)
        get_filename_component(_name ${_header} NAME)
        if(NOT _name MATCHES "^dml-" OR _name STREQUAL "dml-module.h")
            message(FATAL_ERROR "${_header}: header names must start with dml- (dml-module.h is "
                                "taken): build_lib of ns-3 silently skips a name that exists"
            )
        endif()
        if(_name IN_LIST _names)
            message(FATAL_ERROR "${_header}: there are two headers of this name")
        endif()
        list(APPEND _names ${_name})
    endforeach()

    file(GLOB _stubs RELATIVE ${DIRECTORY}/ns3 ${DIRECTORY}/ns3/dml-*.h)
    list(REMOVE_ITEM _stubs ${_names} dml-module.h)
    foreach(_stub IN LISTS _stubs)
        file(REMOVE ${DIRECTORY}/ns3/${_stub})
    endforeach()

    foreach(_header IN LISTS ARGN)
        get_filename_component(_name ${_header} NAME)
        # Writes only if the content differs.
        file(CONFIGURE OUTPUT ${DIRECTORY}/ns3/${_name}
             CONTENT "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${_header}\"\n" @ONLY
        )
    endforeach()
endfunction()
